#include "tests/support/random/fitted.h"

#include <algorithm>
#include <cmath>

#include "tests/support/random/random_array.h"

namespace tutti::test {

namespace {

using ir::Op;
using ir::Value;
using List = std::vector<std::int64_t>;
using Make = OperandSpec::Make;
using Values = ProgramOptions::Values;

// A value of this shape made of the elements of another one, over and over.
std::optional<Value> of_shape(GrowingProgram& program, Value x, const Shape& shape) {
  const std::int64_t have = program.shape(x).elements();
  const std::int64_t want = shape.elements();
  const List sizes(shape.begin(), shape.end());
  if (have == 0 && want > 0) return std::nullopt;
  std::optional<Value> flat = program.value_of(Op::reshape, {x}, {List{have}});
  if (flat && want > have) {
    const std::int64_t times = (want + have - 1) / have;
    flat = program.value_of(Op::broadcast_to, {*flat}, {List{times, have}});
    if (flat) flat = program.value_of(Op::reshape, {*flat}, {List{times * have}});
  }
  if (flat && program.shape(*flat).elements() != want) {
    flat = program.value_of(Op::slice, {*flat}, {List{0}, List{want}, List{1}});
  }
  return flat ? program.value_of(Op::reshape, {*flat}, {sizes}) : std::nullopt;
}

// The value brought into [low, high], if it is known to lie elsewhere.
std::optional<Value> of_range(GrowingProgram& program, Value x, double low, double high) {
  const DType dtype = program.type(x).dtype;
  const auto range = program.range(x);
  if (!range || dtype == DType::boolean) return x;
  if (is_unsigned(dtype)) low = std::max(low, 0.0);
  if (range->first >= low && range->second <= high) return x;
  const auto number = [&](double value) {
    return program.constant(Array::scalar_of(dtype, value));
  };
  if (program.options.values == Values::exact || !is_floating(dtype)) {
    const auto above = program.value_of(Op::maximum, {x, number(std::ceil(low))});
    return above ? program.value_of(Op::minimum, {*above, number(std::floor(high))}) : above;
  }
  auto part = program.value_of(Op::sigmoid, {x});
  if (part) part = program.value_of(Op::mul, {*part, number(high - low)});
  return part ? program.value_of(Op::add, {*part, number(low)}) : part;
}

}  // namespace

std::optional<Value> made_of(GrowingProgram& program, Value x, DType dtype, const Shape& shape) {
  const std::optional<Value> found = of_shape(program, x, shape);
  if (!found || program.type(*found).dtype == dtype) return found;
  return program.value_of(Op::cast, {*found}, {dtype});
}

std::optional<Value> of_type(GrowingProgram& program, DType dtype, const Shape& shape,
                             const OperandSpec& spec) {
  std::optional<Value> x;
  for (int attempt = 0; attempt < 10 && !x; ++attempt) {
    const Value found = program.pick();
    if (program.type(found).dtype == dtype && program.shape(found) == shape) x = found;
  }
  if (!x) {
    const auto same = program.pick(dtype);
    x = made_of(program, same ? *same : program.pick(), dtype, shape);
  }
  if (!x)
    return program.constant(random_array(dtype, shape, program.some_elements(), program.draw));
  const bool in_range = spec.make == Make::main && program.options.values != Values::any &&
                        (program.options.values != Values::exact || program.draw.coin());
  return in_range ? of_range(program, *x, spec.low, spec.high) : x;
}

}  // namespace tutti::test

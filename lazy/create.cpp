#include <tutti/lazy/axes.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/ops.h>
#include <tutti/runtime/are_truths.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace tutti {

using detail::composite;
using detail::RankContext;

Tensor from(const Array& array, std::source_location at) {
  return Tensor(RankContext::current().data(array, at));
}

void detail::check_count(std::size_t values, const Shape& shape, std::source_location at) {
  if (std::cmp_equal(values, shape.elements())) return;
  throw TypeError("from: " + std::to_string(values) + " values do not fill shape " + shape.text() +
                      ", which has " + std::to_string(shape.elements()) + " elements",
                  at);
}

Tensor view(void* data, const Shape& shape, DType dtype, std::function<void(void*)> release,
            std::source_location at) {
  check_dtype(dtype, at);
  const ir::Type type{.dtype = dtype, .shape = shape};
  if (data == nullptr && type.bytes() > 0) throw UsageError("view: the pointer is null", at);
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::size_t>(size_of(dtype)) != 0) {
    throw UsageError("view: the pointer is not aligned for " + std::string(name_of(dtype)), at);
  }
  const std::span elements(static_cast<const std::byte*>(data),
                           static_cast<std::size_t>(type.bytes()));
  if (dtype == DType::boolean && !runtime::are_truths(elements)) {
    throw UsageError("view: a bool that is neither 0 nor 1", at);
  }
  auto buffer =
      runtime::Buffer::wrap(data, static_cast<std::size_t>(type.bytes()), std::move(release));
  return Tensor(RankContext::current().leaf(type, std::move(buffer), at));
}

namespace {

// What numbers alone make.
Tensor made(ir::Op op, std::span<const detail::StatePtr> operands,
            std::vector<ir::Attribute> attributes, Location where) {
  RankContext& context = RankContext::current();
  return Tensor(
      context.on_default_device(detail::record(op, operands, std::move(attributes), where), where));
}

// A number gets its place here, a tensor keeps its own.
Tensor spread(const Operand& value, DType dtype, const Shape& shape) {
  const detail::StatePtr scalar = value.tensor(dtype).state();
  std::vector<ir::Attribute> sizes = {std::vector<std::int64_t>(shape.begin(), shape.end())};
  if (!value.is_tensor()) {
    return made(ir::Op::broadcast_to, std::span(&scalar, 1), std::move(sizes), value.where());
  }
  return Tensor(detail::record(ir::Op::broadcast_to, {scalar}, std::move(sizes), value.where()));
}

Tensor filled(const Shape& shape, bool one, DType dtype) {
  const Operand value = dtype == DType::boolean ? Operand(one) : Operand(one ? 1 : 0);
  return spread(value, dtype, shape);
}

}  // namespace

Tensor full(const Shape& shape, const Operand& value) {
  return composite("full", value.where(), [&] { return spread(value, value.dtype(), shape); });
}

Tensor full(const Shape& shape, const Operand& value, DType dtype) {
  return composite("full", value.where(), [&] {
    if (value.is_tensor() && value.dtype() != dtype) {
      check_dtype(dtype, value.where());
      throw TypeError("the value is " + std::string(name_of(value.dtype())) +
                      " and the tensor is to be " + std::string(name_of(dtype)) + "; cast it");
    }
    return spread(value, dtype, shape);
  });
}

Tensor zeros(const Shape& shape, DType dtype, std::source_location at) {
  return composite("zeros", at, [&] { return filled(shape, false, dtype); });
}

Tensor ones(const Shape& shape, DType dtype, std::source_location at) {
  return composite("ones", at, [&] { return filled(shape, true, dtype); });
}

namespace {

[[noreturn]] void refuse_number(DType dtype, const std::string& number) {
  throw TypeError(std::string(name_of(dtype)) + " does not hold " + number);
}

// Throws unless a floating-point dtype reaches as far as the number.
void check_reaches(DType dtype, double number) {
  const bool reaches = visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, double>) return std::isfinite(number);
    return std::isfinite(static_cast<float>(static_cast<T>(static_cast<float>(number))));
  });
  if (!reaches) refuse_number(dtype, detail::number_text(number));
}

// Throws unless the dtype has the numbers, or those beside them.
void check_holds(DType dtype, std::int64_t first, std::int64_t last) {
  for (const std::int64_t number : {first, last}) {
    if (is_floating(dtype)) check_reaches(dtype, static_cast<double>(number));
    if (!is_integer(dtype)) continue;
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_integer(dtype_of<T>)) {
        if (!std::in_range<T>(number)) refuse_number(dtype, std::to_string(number));
      }
    });
  }
}

void check_fractions(DType dtype) {
  if (is_floating(dtype)) return;
  throw TypeError(std::string(name_of(dtype)) + " holds no fractions");
}

}  // namespace

Tensor arange(std::int64_t count, DType dtype, std::source_location at) {
  return composite("arange", at, [&] {
    if (count < 0) throw TypeError(std::to_string(count) + " numbers");
    if (count > 0) check_holds(dtype, 0, count - 1);
    return iota({count}, 0, dtype);
  });
}

namespace {

// first + step * i for i = 0, ..., count - 1; computed in double where it ends in a float.
template <class Number>
Tensor sequence(Number first, Number step, std::int64_t count, DType dtype) {
  const DType wide = is_floating(dtype) ? DType::f64 : DType::i64;
  const Tensor index = iota({count}, 0, wide);
  // Places alone are the same on all ranks, which numbers may differ on.
  const bool counts = first == 0 && step == 1;
  const Tensor out = counts ? index : add(mul(index, step), first);
  return dtype == wide ? out : cast(out, dtype);
}

}  // namespace

Tensor detail::arange_of(std::int64_t start, std::int64_t stop, std::int64_t step, DType dtype,
                         std::source_location at) {
  return composite("arange", at, [&] {
    if (step == 0) throw UsageError("a step of 0");
    if (dtype == DType::boolean) throw TypeError("bool holds true and false only");
    const bool empty = step > 0 ? stop <= start : stop >= start;
    const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
    const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
    const std::uint64_t apart = step > 0 ? static_cast<std::uint64_t>(step)
                                         : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    const std::uint64_t count = empty ? 0 : (high - low - 1) / apart + 1;
    if (count > static_cast<std::uint64_t>(Shape::kMostElements)) {
      throw TypeError("too many numbers");
    }
    if (count > 0) check_holds(dtype, start, start + static_cast<std::int64_t>(count - 1) * step);
    return sequence(start, step, static_cast<std::int64_t>(count), dtype);
  });
}

Tensor detail::arange_of(double start, double stop, double step, DType dtype,
                         std::source_location at) {
  return composite("arange", at, [&] {
    const double length = std::ceil((stop - start) / step);
    if (step == 0 || std::isnan(length)) throw UsageError("the numbers have no end");
    check_fractions(dtype);
    if (length > static_cast<double>(Shape::kMostElements)) throw TypeError("too many numbers");
    const auto count = static_cast<std::int64_t>(std::max(0.0, length));
    if (count > 0) {
      check_reaches(dtype, start);
      check_reaches(dtype, start + static_cast<double>(count - 1) * step);
    }
    return sequence(start, step, count, dtype);
  });
}

Tensor linspace(double start, double stop, std::int64_t count, DType dtype,
                std::source_location at) {
  return composite("linspace", at, [&] {
    if (count < 0) throw TypeError(std::to_string(count) + " numbers");
    check_fractions(dtype);
    if (count > 0) check_reaches(dtype, start);
    if (count > 1) check_reaches(dtype, stop);
    // So that the last one is `stop`, whatever rounding does.
    const double last = static_cast<double>(std::max<std::int64_t>(1, count - 1));
    const Tensor share = div(iota({count}, 0, DType::f64), last);
    const Tensor left = mul(sub(1.0, share), start);
    const Tensor right = mul(share, stop);
    const Tensor out = add(left, right);
    return dtype == DType::f64 ? out : cast(out, dtype);
  });
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, std::source_location at) {
  return composite("eye", at, [&] {
    if (rows < 0 || columns < 0) {
      throw TypeError(std::to_string(rows) + " rows and " + std::to_string(columns) + " columns");
    }
    const Tensor row = iota({rows, columns}, 0, DType::i64);
    const Tensor column = iota({rows, columns}, 1, DType::i64);
    return cast(eq(row, column), dtype);
  });
}

Tensor iota(const Shape& shape, Axis axis, DType dtype, std::source_location at) {
  return composite("iota", at, [&] {
    const std::int64_t normal = axis.value < 0 ? axis.value + shape.rank() : axis.value;
    if (normal < 0 || normal >= shape.rank()) {
      throw TypeError("axis " + std::to_string(axis.value) + " of shape " + shape.text() +
                      detail::elements_there(shape.rank()));
    }
    return made(ir::Op::iota, {},
                {dtype, std::vector<std::int64_t>(shape.begin(), shape.end()), normal}, at);
  });
}

Tensor abstract(const Shape& shape, DType dtype, const AbstractOptions& options,
                std::source_location at) {
  if (options.device.is_any()) throw UsageError("abstract: cpu or a GPU", at);
  check_dtype(dtype, at);
  detail::StatePtr state = detail::StatePtr::make();
  // Over all dimensions that a mesh may have.
  const auto dimensions = static_cast<std::uint8_t>(options.replicated ? 0xFF : 0);
  state->type = {.dtype = dtype,
                 .shape = shape,
                 .replication = {.dimensions = dimensions, .literal = false},
                 .async = false,
                 .device = options.device};
  state->where = at;
  state->abstract = true;
  return Tensor(std::move(state));
}

Tensor constant(const Tensor& tensor, std::source_location at) {
  tensor.state(at);  // throws if there is no value
  RankContext& context = RankContext::current();
  const detail::Trace* const own = tensor.state()->trace;
  if (!context.compiling() || (own != nullptr && own->is_abstract())) return tensor;
  detail::check_readable(*tensor.state(), at);
  // Bodies and trials take what is around them as it is, but for what a function around them that
  // is being compiled does not know.
  detail::Trace& root = context.trace().root();
  if (root.kind() != detail::Trace::Kind::compiled) return tensor;
  const detail::StatePtr& state = tensor.state();
  context.flush(std::span(&state, 1));
  return Tensor(root.constant(state, at));
}

}  // namespace tutti

#include "tests/support/random/random_array.h"

#include <tutti/ir/scalar.h>

#include <array>
#include <limits>

namespace tutti::test {

namespace {

double special_number(Draw& draw) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kNumbers = {0.0,       -0.0,       1.0,
                                   -1.0,      0.5,        3.0,
                                   kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  return draw.one_of(kNumbers);
}

double drawn_number(Elements elements, Draw& draw) {
  if (elements == Elements::small) return static_cast<double>(draw.below(7) - 3);
  if (elements == Elements::special && draw.one_in(5)) return special_number(draw);
  return draw.fraction() * 4 - 2;
}

std::int64_t integer(Elements elements, Draw& draw) {
  if (elements != Elements::special || !draw.one_in(3)) return draw.below(9) - 4;
  // Cut to the dtype's width it is any of its numbers, often one of the ends.
  constexpr std::array kEnds = {std::int64_t{0}, std::int64_t{-1},
                                std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};
  return draw.coin() ? draw.one_of(kEnds) : static_cast<std::int64_t>(draw.fraction() * 0x1p62);
}

}  // namespace

ir::Array random_array(DType dtype, const Shape& shape, Elements elements, Draw& draw) {
  ir::Array out(dtype, shape);
  const DType from = is_floating(dtype) ? DType::f64 : DType::i64;
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    ir::Cell cell;
    if (is_floating(dtype)) {
      cell.number = drawn_number(elements, draw);
    } else {
      cell.integer = dtype == DType::boolean ? draw.below(2) : integer(elements, draw);
    }
    ir::store_cell(dtype, ir::evaluate(ir::ScalarOp::cast, from, {cell}, ir::compute_dtype(dtype)),
                   out.bytes().data() + i * size_of(dtype));
  }
  return out;
}

}  // namespace tutti::test

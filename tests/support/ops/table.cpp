#include "tests/support/ops/table.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/scalar.h>

#include <cmath>
#include <numeric>

namespace tutti::test {

const std::vector<DType> kFloats = {DType::f32,  DType::f64,       DType::f16,
                                    DType::bf16, DType::f8_e4m3fn, DType::f8_e5m2};
const std::vector<DType> kNumbers = {
    DType::f32, DType::i32, DType::u8,  DType::bf16, DType::f64, DType::f16,       DType::i64,
    DType::u64, DType::i8,  DType::u16, DType::i16,  DType::u32, DType::f8_e4m3fn, DType::f8_e5m2};
const std::vector<DType> kIntegers = {DType::i32, DType::u8,  DType::i64, DType::u64,
                                      DType::i8,  DType::u16, DType::i16, DType::u32};
const std::vector<DType> kBool = {DType::boolean};
const std::vector<DType> kAnything = {DType::f32, DType::boolean, DType::i32, DType::bf16,
                                      DType::u64, DType::u8,      DType::f64, DType::f8_e5m2};

std::span<const OpRow> table() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> out;
    for (const auto make_rows : {elementwise_rows, shape_rows, reduce_rows, order_rows, index_rows,
                                 making_rows, composite_rows, product_rows}) {
      for (OpRow& row : make_rows()) out.push_back(std::move(row));
    }
    for (OpRow& row : collective_rows(4)) out.push_back(std::move(row));
    return out;
  }();
  return rows;
}

std::vector<ir::Attribute> OpRow::complete(const OpCase& use) const {
  std::vector<ir::Attribute> out = use.attributes;
  ir::complete_attributes(ir::definition(op), out);
  return out;
}

OpCase OpRow::own_case(const OpCase& use, std::int64_t rank) const {
  OpCase own = use;
  own.attributes = complete(use);
  const Attributes named(ir::definition(op).attributes, own.attributes);
  const auto place = [&](std::string_view name) {
    std::size_t i = 0;
    const auto& specs = ir::definition(op).attributes;
    while (i < specs.size() && specs[i].name != name) ++i;
    return i;
  };
  const auto set_axis = [&](std::int64_t size) {
    for (Shape& shape : own.shapes) {
      std::vector<std::int64_t> sizes(shape.begin(), shape.end());
      sizes[static_cast<std::size_t>(named.integer("axis"))] = size;
      shape = Shape(sizes);
    }
  };
  if (place("sizes") < own.attributes.size() && !named.integers("sizes").empty()) {
    const std::int64_t position = named.group("group")->position_of(rank);
    const std::int64_t size = named.integers("sizes")[static_cast<std::size_t>(position)];
    if (place("part") < own.attributes.size()) {
      own.attributes[place("part")] = size;
    } else {
      set_axis(size);
    }
  }
  if (op == ir::Op::all_to_all && !named.integers("send_sizes").empty()) {
    const std::vector<std::int64_t> matrix = named.integers("send_sizes");
    const auto members = static_cast<std::size_t>(named.group("group")->size());
    const auto position = static_cast<std::size_t>(named.group("group")->position_of(rank));
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
    for (std::size_t peer = 0; peer < members; ++peer) {
      sent.push_back(matrix[position * members + peer]);
      received.push_back(matrix[peer * members + position]);
    }
    set_axis(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}));
    own.attributes[place("send_sizes")] = sent;
    own.attributes[place("receive_sizes")] = received;
  }
  return own;
}

DType OpRow::result_dtype(DType main, const Attributes& attributes) const {
  switch (result) {
    case ResultDType::main:
      return main;
    case ResultDType::truth:
      return DType::boolean;
    case ResultDType::i64:
      return DType::i64;
    case ResultDType::u64:
      return DType::u64;
    case ResultDType::u32:
      return DType::u32;
    case ResultDType::attribute:
      return attributes.dtype("dtype");
  }
  __builtin_unreachable();
}

namespace {

// The i-th of a list of irregular numbers of [0, 1).
double irregular(std::int64_t i) {
  constexpr double kGolden = 0.61803398874989485;
  const double x = static_cast<double>(i) * kGolden + 0.137;
  return x - std::floor(x);
}

Array make_operand(const OperandSpec& spec, const Shape& shape, DType main, std::int64_t salt) {
  if (spec.make == Make::key) return Array::scalar(std::uint64_t{0x9E3779B97F4A7C15U});
  DType dtype = main;
  if (spec.make == Make::truth) dtype = DType::boolean;
  if (spec.make == Make::indices) dtype = DType::i64;
  Plain out(shape);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const double number = irregular(i + salt);
    if (dtype == DType::boolean) {
      out[i] = number < 0.4 ? 1 : 0;
    } else if (is_floating(dtype)) {
      out[i] = spec.low + (spec.high - spec.low) * number;
    } else {
      const double low = is_unsigned(dtype) ? std::max(spec.low, 0.0) : spec.low;
      out[i] = std::ceil(low) + std::floor(number * (std::floor(spec.high) - std::ceil(low) + 1));
    }
  }
  return rounded(out, dtype);
}

}  // namespace

std::vector<Array> make_operands(const OpRow& row, const OpCase& use, DType main,
                                 std::int64_t salt) {
  std::vector<Array> out;
  for (std::size_t i = 0; i < use.shapes.size(); ++i) {
    const OperandSpec& spec = row.operands[std::min(i, row.operands.size() - 1)];
    out.push_back(
        make_operand(spec, use.shapes[i], main, 1000 * salt + 100 * static_cast<std::int64_t>(i)));
  }
  return out;
}

Plain plain(const Array& array) {
  Plain out(array.shape());
  for (std::int64_t i = 0; i < array.elements(); ++i) out[i] = array.at(i);
  return out;
}

Array rounded(const Plain& plain, DType dtype) {
  Array out(dtype, plain.shape);
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    ir::Cell cell{.number = plain[i]};
    DType from = DType::f64;
    if (is_integer(dtype)) {  // wraps
      cell.integer = static_cast<std::int64_t>(plain[i]);
      from = DType::i64;
    }
    if (is_floating(dtype) && dtype != DType::f64) cell.single = static_cast<float>(plain[i]);
    if (!is_floating(dtype)) {
      cell = ir::evaluate(ir::ScalarOp::cast, from, {cell, cell, cell}, dtype);
    }
    ir::store_cell(dtype, cell, out.bytes().data() + i * size_of(dtype));
  }
  return out;
}

}  // namespace tutti::test

#include <tutti/ir/builder.h>
#include <tutti/ir/philox.h>
#include <tutti/lazy/context.h>

#include <array>

#include "tests/support/ops/table.h"

namespace tutti::test {

namespace {

using ir::Op;
using List = std::vector<std::int64_t>;
using Tensors = std::span<const Tensor>;
using Make = OperandSpec::Make;

constexpr OperandSpec kKey = {.make = Make::key};

constexpr std::uint64_t kSeed = 0x9E3779B97F4A7C15U;  // what make_operands gives as key

// An oracle that gives the i-th number of a shape and dtype.
std::function<Plain(const Plains&, const Attributes&)> numbered(double (*element)(DType,
                                                                                  std::uint64_t)) {
  return [=](const Plains&, const Attributes& a) {
    Plain out(Shape(a.integers("shape")));
    for (std::int64_t i = 0; i < out.shape.elements(); ++i) {
      out[i] = element(a.dtype("dtype"), static_cast<std::uint64_t>(i));
    }
    return out;
  };
}

double uniform_number(DType dtype, std::uint64_t i) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) -> double {
    if constexpr (std::is_integral_v<T>) {
      return 0;
    } else {
      return static_cast<double>(ir::random_uniform<T>(kSeed, i));
    }
  });
}

std::vector<OpCase> random_cases(const std::vector<DType>& dtypes) {
  std::vector<OpCase> cases;
  const auto sizes = [](const Shape& shape) { return List(shape.begin(), shape.end()); };
  for (const Shape& shape : {Shape{7, 5}, Shape{3, 17, 2}, Shape{}, Shape{0, 2}}) {
    if (dtypes.empty()) cases.push_back({{{}}, {sizes(shape)}});
    for (const DType dtype : dtypes) cases.push_back({{{}}, {dtype, sizes(shape)}});
  }
  return cases;
}

// fold_in's result is all bits: looked at through numbers made with it.
constexpr std::int64_t kFolded = 6;

}  // namespace

std::vector<OpRow> making_rows() {
  const ir::ArrayPtr value = std::make_shared<const Array>(
      Array::from(std::span<const float>(std::array{1.5F, -2.F, 0.25F}), {3, 1}));
  return {
      {.op = Op::constant,
       .dtypes = {DType::f32},
       .operands = {},
       .cases = {{{}, {value}}},
       .call = [](Tensors, const Attributes& a) { return from(a.array("value")); },
       .oracle = [](const Plains&, const Attributes& a) { return plain(a.array("value")); }},
      {.op = Op::size,
       .dtypes = {DType::i64},
       .operands = {},
       .cases = {{{}, {std::int64_t{300}, DType::i64, false}},
                 {{}, {std::int64_t{300}, DType::f32, true}},
                 {{}, {std::int64_t{300}, DType::bf16, false}},
                 {{}, {std::int64_t{300}, DType::u8, false}}},
       .call =
           [](Tensors, const Attributes& a) {
             return Tensor(detail::record(
                 Op::size, {}, {a.integer("value"), a.dtype("dtype"), a.flag("reciprocal")}, {}));
           },
       .oracle =
           [](const Plains&, const Attributes& a) {
             // A cast of an integer to a narrower one keeps its lowest bits.
             const bool narrow = a.dtype("dtype") == DType::u8;
             const auto number = static_cast<double>(a.integer("value") % (narrow ? 256 : 1000));
             return filled(Shape(),
                           [&](auto) { return a.flag("reciprocal") ? 1 / number : number; });
           },
       .result = ResultDType::attribute},
      {.op = Op::iota,
       .dtypes = {DType::i64},
       .operands = {},
       .cases = {{{}, {DType::i64, List{7, 5}, std::int64_t{1}}},
                 {{}, {DType::f32, List{3, 17, 2}, std::int64_t{1}}},
                 {{}, {DType::bf16, List{3, 17, 2}, std::int64_t{0}}},
                 {{}, {DType::u8, List{300}, std::int64_t{0}}},
                 {{}, {DType::i32, List{0}, std::int64_t{0}}}},
       .call =
           [](Tensors, const Attributes& a) {
             return iota(Shape(a.integers("shape")), a.integer("axis"), a.dtype("dtype"));
           },
       .oracle =
           [](const Plains&, const Attributes& a) {
             return filled(Shape(a.integers("shape")), [&](auto index) {
               return static_cast<double>(index[static_cast<std::size_t>(a.integer("axis"))]);
             });
           },
       .result = ResultDType::attribute},
      {.op = Op::fold_in,
       .dtypes = {DType::u64},
       .operands = {kKey, kDigits},
       .cases = {{{{}, {}}}},
       .call = [](Tensors x,
                  const Attributes&) { return random_bits({kFolded}, fold_in(Key(x[0]), x[1])); },
       .oracle =
           [](const Plains& x, const Attributes&) {
             const std::uint64_t key = ir::fold_in(kSeed, static_cast<std::uint64_t>(x[1][0]));
             Plain out({kFolded});
             for (std::int64_t i = 0; i < kFolded; ++i) {
               out[i] = static_cast<double>(ir::random_bits(key, static_cast<std::uint64_t>(i)));
             }
             return out;
           },
       .result = ResultDType::u32,
       .build =
           [](ir::Builder& builder, std::span<const ir::Value> x, std::int64_t) {
             return builder.add(Op::random_bits, {builder.add(Op::fold_in, x)}, {List{kFolded}});
           }},
      {.op = Op::random_bits,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases({}),
       .call =
           [](Tensors x, const Attributes& a) {
             return random_bits(Shape(a.integers("shape")), Key(x[0]));
           },
       .oracle =
           [](const Plains&, const Attributes& a) {
             Plain out(Shape(a.integers("shape")));
             for (std::int64_t i = 0; i < out.shape.elements(); ++i) {
               out[i] = static_cast<double>(ir::random_bits(kSeed, static_cast<std::uint64_t>(i)));
             }
             return out;
           },
       .result = ResultDType::u32},
      {.op = Op::uniform,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases(kFloats),
       .call =
           [](Tensors x, const Attributes& a) {
             return uniform(Shape(a.integers("shape")), Key(x[0]), a.dtype("dtype"));
           },
       .oracle = numbered(uniform_number),
       .result = ResultDType::attribute},
      {.op = Op::normal,
       .dtypes = {DType::u64},
       .operands = {kKey},
       .cases = random_cases(kFloats),
       .call =
           [](Tensors x, const Attributes& a) {
             return normal(Shape(a.integers("shape")), Key(x[0]), a.dtype("dtype"));
           },
       .oracle = numbered([](DType, std::uint64_t i) { return ir::random_normal(kSeed, i); }),
       .result = ResultDType::attribute},
  };
}

}  // namespace tutti::test

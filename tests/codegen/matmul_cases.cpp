#include "tests/codegen/matmul_cases.h"

#include <tutti/ir/builder.h>
#include <tutti/ir/interpret/interpret.h>

#include <cmath>
#include <utility>

#include "tests/kernels/kernel_testing.h"

namespace tutti::test {

namespace {

using codegen::cuda::Epilogue;
using ir::Array;
using ir::Op;
using kernels::kernel_testing::meaning;
using kernels::kernel_testing::random_array;

// A matrix that is what `array` shows, but for the order in memory.
Seen transposed(Array array, std::int64_t rows, std::int64_t columns) {
  return seen(std::move(array), Shape{rows, columns}, {1, rows});
}

}  // namespace

void MatmulCase::add_epilogue(Epilogue::Kind kind) {
  epilogue = kind;
  bias = random_array(result.dtype, Shape{result.shape[result.shape.rank() - 1]}, 9);
}

std::vector<Seen> MatmulCase::buffers() const {
  std::vector<Seen> out = {a, b};
  if (epilogue) out.push_back(seen(bias));
  return out;
}

Array MatmulCase::expected() const {
  const Array product = meaning(Op::matmul, {dense(a), dense(b)}, {});
  if (!epilogue) return product;
  const Array sum = meaning(Op::add, {product, bias}, {});
  switch (*epilogue) {
    case Epilogue::Kind::bias:
      return sum;
    case Epilogue::Kind::bias_relu:
      return meaning(Op::relu, {sum}, {});
    case Epilogue::Kind::bias_gelu_tanh:
      break;
  }
  // A composite op has no meaning of its own.
  Array out(sum.dtype(), sum.shape());
  visit_dtype(sum.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (is_floating(dtype_of<T>)) {
      for (std::size_t i = 0; i < out.data<T>().size(); ++i) {
        const double x = static_cast<double>(sum.data<T>()[i]);
        const double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x);
        const double gelu = 0.5 * x * (1 + std::tanh(inner));
        if constexpr (std::is_same_v<T, double>) {
          out.data<T>()[i] = gelu;
        } else {
          out.data<T>()[i] = T(static_cast<float>(gelu));
        }
      }
    }
  });
  return out;
}

bool MatmulCase::is_close(const Array& computed, const Array& expected) const {
  const DType dtype = expected.dtype();
  if (!is_floating(dtype)) return computed == expected;
  const auto depth = static_cast<double>(a.view.shape[a.view.shape.rank() - 1]);
  const double sum_error = (dtype == DType::f64 ? 1e-15 : 5e-7) * (depth + 1);
  // With an epilogue one rounding more or less, of numbers that are not much larger.
  const double rounding = std::ldexp(is_narrow_floating(dtype) ? 1 : 2, -mantissa_bits(dtype));
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    const double size = std::abs(expected.at(i)) + (epilogue ? 4 : 0);
    if (!(std::abs(computed.at(i) - expected.at(i)) <= sum_error + rounding * size)) return false;
  }
  return true;
}

std::string MatmulCase::text() const {
  std::string out = "matmul of " + ir::Type{.dtype = a.view.dtype, .shape = a.view.shape}.text() +
                    " and " + ir::Type{.dtype = b.view.dtype, .shape = b.view.shape}.text();
  if (epilogue) out += ", epilogue " + std::to_string(static_cast<int>(*epilogue));
  return out;
}

MatmulCase plain_matmul(DType dtype, const Sizes& sizes, bool transpose_a, bool transpose_b) {
  const auto [m, k, n] = sizes;
  MatmulCase out{.result = {.dtype = dtype, .shape = Shape{m, n}},
                 .a = seen(random_array(dtype, Shape{m, k}, 1)),
                 .b = seen(random_array(dtype, Shape{k, n}, 2))};
  if (transpose_a) out.a = transposed(out.a.storage, m, k);
  if (transpose_b) out.b = transposed(out.b.storage, k, n);
  return out;
}

std::vector<MatmulCase> batched_matmuls(DType dtype) {
  const auto numbers = [&](const Shape& shape, unsigned seed) {
    return seen(random_array(dtype, shape, seed));
  };
  const auto type = [&](const Shape& shape) { return ir::Type{.dtype = dtype, .shape = shape}; };
  std::vector<MatmulCase> out;
  out.push_back({.result = type(Shape{3, 5, 9}),
                 .a = numbers(Shape{3, 5, 7}, 1),
                 .b = numbers(Shape{3, 7, 9}, 2)});
  out.push_back({.result = type(Shape{2, 3, 5, 9}),
                 .a = numbers(Shape{2, 3, 5, 7}, 1),
                 .b = numbers(Shape{7, 9}, 2)});
  out.push_back({.result = type(Shape{2, 3, 5, 9}),
                 .a = numbers(Shape{2, 1, 5, 7}, 1),
                 .b = numbers(Shape{3, 7, 9}, 2)});
  out.push_back({.result = type(Shape{3, 1, 9}),
                 .a = numbers(Shape{1, 1, 7}, 1),
                 .b = numbers(Shape{3, 7, 9}, 2)});
  const Array projected = random_array(dtype, Shape{2, 10, 3, 4, 8}, 3);
  constexpr std::int64_t kRow = 3 * 4 * 8;
  out.push_back(
      {.result = type(Shape{2, 4, 10, 10}),
       .a = seen(projected, Shape{2, 4, 10, 8}, {10 * kRow, 8, kRow, 1}),
       .b = seen(projected, Shape{2, 4, 8, 10}, {10 * kRow, 8, 1, kRow}, std::int64_t{4} * 8)});
  return out;
}

}  // namespace tutti::test

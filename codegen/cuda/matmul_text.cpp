#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/matmul_call.h>
#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

namespace tutti::codegen::cuda {

namespace {

// As in matmul.cuh.
constexpr std::int64_t kProductTile = 64;

// The distance from an operand's first element to its last one, plus one.
std::int64_t reach(const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& strides) {
  std::int64_t out = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    out += std::max<std::int64_t>(strides[d], 0) * std::max<std::int64_t>(sizes[d] - 1, 0);
  }
  return out;
}

std::vector<std::int64_t> with_two_more(std::vector<std::int64_t> a, std::int64_t b,
                                        std::int64_t c) {
  a.push_back(b);
  a.push_back(c);
  return a;
}

std::string batch_place(const std::vector<std::int64_t>& sizes,
                        const std::vector<std::int64_t>& strides, std::int64_t offset) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < sizes.size(); ++d) axes.push_back({sizes[d], strides[d]});
  return place_text("matrix", axes, offset);
}

// Element finish(Sum, Count column, const Element* bias)
void add_finish(SpecText& spec, DType dtype, std::optional<Epilogue::Kind> epilogue) {
  const bool is_narrow = is_narrow_floating(dtype);
  const std::string stored = is_narrow ? "narrow<Element>" : "static_cast<Element>";
  if (!epilogue) {
    spec.line("static __device__ Element finish(Sum sum, Count, const Element*) {");
    spec.line("  return " + stored + "(sum);");
    spec.line("}");
    return;
  }
  spec.line("static __device__ Element finish(Sum sum, Count column, const Element* bias) {");
  if (is_narrow) {
    spec.line("  const Sum x = rounded<Element>(rounded<Element>(sum) + widen(bias[column]));");
  } else {
    spec.line("  const Sum x = sum + bias[column];");
  }
  switch (*epilogue) {
    case Epilogue::Kind::bias:
      spec.line("  return " + stored + "(x);");
      break;
    case Epilogue::Kind::bias_relu:
      spec.line("  return " + stored + "(x < Sum(0) ? Sum(0) : x);");
      break;
    case Epilogue::Kind::bias_gelu_tanh:
      spec.line("  return " + stored + "(gelu_tanh(x));");
      break;
  }
  spec.line("}");
}

}  // namespace

Source matmul_source(const ir::Type& result, const std::vector<View>& operands,
                     std::optional<Epilogue::Kind> epilogue) {
  if (result.dtype == DType::boolean || (epilogue && !is_floating(result.dtype))) {
    throw InternalError("no matmul of " + std::string(name_of(result.dtype)) +
                        (epilogue ? " has an epilogue" : ""));
  }
  const kernels::Matmul product = matmul_spec(result, operands);
  const std::string dtype(name_of(result.dtype));
  const std::string parameters = "const " + dtype + "* a, const " + dtype + "* b, " +
                                 (epilogue ? "const " + dtype + "* bias, " : "") + dtype +
                                 "* result";
  const std::string detail = matmul_text(product);
  std::int64_t matrices = 1;
  for (const std::int64_t size : product.batch) matrices *= size;
  if (result.shape.elements() == 0) return empty_source("matmul", detail, parameters);

  const View& a = operands[0];
  const View& b = operands[1];
  const std::int64_t furthest =
      std::max({a.offset + reach(with_two_more(product.batch, product.m, product.k),
                                 with_two_more(product.a_batch_strides, product.a_row_stride,
                                               product.a_column_stride)),
                b.offset + reach(with_two_more(product.batch, product.k, product.n),
                                 with_two_more(product.b_batch_strides, product.b_row_stride,
                                               product.b_column_stride)),
                result.shape.elements() + kProductTile * product.n});
  SpecText spec("Matmul", count_type(furthest));
  // Integers wrap, so signed ones are multiplied as unsigned ones.
  spec.type("Element", is_floating(result.dtype) ? dtype : bits_type(size_of(result.dtype)));
  spec.type("Sum", sum_type(result.dtype));
  spec.count("matrices", matrices);
  spec.count("m", product.m);
  spec.count("n", product.n);
  spec.count("k", product.k);
  const auto stride = [&](std::string_view name, std::int64_t value) {
    // Added up modulo 2^32 or 2^64: a negative stride is a large one.
    spec.line("static constexpr Count " + std::string(name) + " = Count(" + std::to_string(value) +
              ");");
  };
  stride("a_row", product.a_row_stride);
  stride("a_column", product.a_column_stride);
  stride("b_row", product.b_row_stride);
  stride("b_column", product.b_column_stride);
  spec.place("a", "matrix", batch_place(product.batch, product.a_batch_strides, a.offset));
  spec.place("b", "matrix", batch_place(product.batch, product.b_batch_strides, b.offset));
  add_finish(spec, result.dtype, epilogue);
  const std::int64_t tiles =
      matrices * divide_up(product.m, kProductTile) * divide_up(product.n, kProductTile);
  return make_source({.name = "matmul",
                      .detail = detail,
                      .piece = "matmul",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = std::string("  multiply<Matmul>(a, b, ") +
                              (epilogue ? "bias" : "nullptr") + ", result);\n"},
                     blocks_for(tiles, 1), kThreads);
}

Source epilogue_source(const ir::Type& result, Epilogue::Kind epilogue) {
  if (!is_floating(result.dtype)) {
    throw InternalError("no matmul of " + std::string(name_of(result.dtype)) + " has an epilogue");
  }
  const std::string dtype(name_of(result.dtype));
  const std::string parameters = "const " + dtype + "* bias, " + dtype + "* product";
  const std::int64_t elements = result.shape.elements();
  if (elements == 0) return empty_source("matmul_epilogue", result.text(), parameters);
  SpecText spec("Matmul", count_type(elements));
  spec.type("Element", dtype);
  spec.type("Sum", sum_type(result.dtype));
  spec.count("elements", elements);
  spec.count("n", result.shape[result.shape.rank() - 1]);
  add_finish(spec, result.dtype, epilogue);
  return make_source({.name = "matmul_epilogue",
                      .detail = result.text(),
                      .piece = "matmul",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  finish_all<Matmul>(bias, product);\n"},
                     blocks_for(elements, kThreads), kThreads);
}

}  // namespace tutti::codegen::cuda

#include <tutti/codegen/cuda/cumulative.h>
#include <tutti/codegen/cuda/dynamic_slice.h>
#include <tutti/codegen/cuda/index.h>
#include <tutti/codegen/cuda/library.h>
#include <tutti/codegen/cuda/matmul_text.h>
#include <tutti/codegen/cuda/move.h>
#include <tutti/codegen/cuda/sort.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/ir/support/error.h>

#include <string>

namespace tutti::codegen::cuda {

namespace {

using ir::Op;

Source random_source(Op op, const ir::Type& result) {
  const std::string dtype(name_of(result.dtype));
  std::string distribution = "Bits";
  std::int64_t per_block = 4;  // elements that a Philox block makes
  if (op == Op::uniform) {
    distribution =
        "Uniform<" + dtype + ", " + std::to_string(mantissa_bits(result.dtype) + 1) + ">";
    if (result.dtype == DType::f64) per_block = 2;
  } else if (op == Op::normal) {
    distribution = "Normal<" + dtype + ">";
    per_block = 2;
  }
  const std::int64_t elements = result.shape.elements();
  const std::string name(name_of(op));
  const std::string parameters = "const u64* key, " + dtype + "* result";
  if (elements == 0) return empty_source(name, result.text(), parameters);
  return make_source({.name = name,
                      .detail = result.text(),
                      .piece = "random",
                      .specs = {},
                      .parameters = parameters,
                      .body = "  fill_random<" + distribution + ", " + std::to_string(elements) +
                              ">(key, result);\n"},
                     blocks_for((elements + per_block - 1) / per_block, kThreads), kThreads);
}

Source fold_in_source(const ir::Type& result) {
  const std::int64_t elements = result.shape.elements();
  const std::string parameters = "const u64* key, const u64* numbers, u64* result";
  if (elements == 0) return empty_source("fold_in", result.text(), parameters);
  return make_source(
      {.name = "fold_in",
       .detail = result.text(),
       .piece = "random",
       .specs = {},
       .parameters = parameters,
       .body = "  fold_numbers<" + std::to_string(elements) + ">(key, numbers, result);\n"},
      blocks_for(elements, kThreads), kThreads);
}

}  // namespace

Source device_library_call(const ir::Graph& graph, ir::NodeId id,
                           const std::vector<View>& operands) {
  const Op op = graph.node(id).op;
  const ir::Type& result = graph.type(graph.result(id));
  const ir::Attributes attributes = graph.attributes(id);
  switch (op) {
    case Op::matmul:
      return matmul_source(result, operands);
    case Op::take:
      return take_source(operands, attributes.integer("axis"));
    case Op::take_along_axis:
      return take_along_axis_source(operands, attributes.integer("axis"));
    case Op::scatter_add:
      return scatter_add_source(operands, attributes.integer("axis"));
    case Op::argmax:
    case Op::argmin:
      return arg_reduce_source(operands[0], attributes.integer("axis"), op == Op::argmax);
    case Op::cumsum:
    case Op::cumprod:
    case Op::cummax:
    case Op::cummin:
      return cumulative_source(op, operands[0], attributes.integer("axis"),
                               attributes.flag("reverse"));
    case Op::sort:
      return sort_source(operands[0], attributes.integer("axis"), attributes.flag("descending"));
    case Op::dynamic_slice:
      return dynamic_slice_source(operands, result.shape);
    case Op::dynamic_update_slice:
      return dynamic_update_slice_source(operands);
    case Op::pad:
      return pad_source(operands, attributes.integers("low"), attributes.integers("high"),
                        attributes.integers("interior"));
    case Op::concat:
      return concat_source(operands, static_cast<int>(attributes.integer("axis")), result.shape);
    case Op::fold_in:
      return fold_in_source(result);
    case Op::random_bits:
    case Op::uniform:
    case Op::normal:
      return random_source(op, result);
    default:
      throw InternalError("no device kernel for " + std::string(name_of(op)));
  }
}

Source device_strided_copy(const View& view) { return strided_copy_source(view); }

}  // namespace tutti::codegen::cuda

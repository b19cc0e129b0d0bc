#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/cuda/cumulative.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/library.h>
#include <tutti/ir/cumulative.h>
#include <tutti/ir/support/error.h>

#include <string>

namespace tutti::codegen::cuda {

namespace {

// Sequences that are no longer than this a thread goes through.
constexpr std::int64_t kShortSequence = 16;
// As many of them, side by side, keep a GPU busy with a thread each.
constexpr std::int64_t kManySequences = 16 * 1024;

using ir::ScalarOp;

// The combination of nothing. -0 keeps a first element of -0.
std::string nothing(ScalarOp combine, DType dtype) {
  if (combine == ScalarOp::mul) return "1";
  if (combine == ScalarOp::add) return is_floating(dtype) ? "-0.0" : "0";
  const bool least = combine == ScalarOp::maximum;
  if (is_floating(dtype)) {
    const std::string infinity =
        dtype == DType::f64 ? "bits_as<f64>(0x7ff0000000000000ULL)" : "bits_as<f32>(0x7f800000U)";
    return least ? "-" + infinity : infinity;
  }
  if (is_unsigned(dtype)) return least ? "0" : "~Running(0)";
  const std::string lowest = size_of(dtype) == 8 ? "1ULL << 63" : "1U << 31";
  return least ? lowest : "~(" + lowest + ")";
}

}  // namespace

std::string running_type(ScalarOp combine, DType dtype) {
  const bool wraps = combine == ScalarOp::add || combine == ScalarOp::mul;
  if (wraps || is_floating(dtype) || is_unsigned(dtype)) return std::string(sum_type(dtype));
  return size_of(dtype) == 8 ? "i64" : "i32";
}

std::string_view combination(ScalarOp combine) {
  switch (combine) {
    case ScalarOp::add:
      return "x + y";
    case ScalarOp::mul:
      return "x * y";
    case ScalarOp::maximum:
      return "maximum(x, y)";
    case ScalarOp::minimum:
      return "minimum(x, y)";
    default:
      throw InternalError("no running reduction by " + std::string(name_of(combine)));
  }
}

Source cumulative_source(ir::Op op, const View& operand, std::int64_t axis, bool reverse) {
  const ScalarOp combine = *ir::running_combination(op);
  const std::string name(name_of(op));
  if (operand.dtype == DType::boolean) throw InternalError(name + " of bool");
  const AroundAxis x(operand.shape, axis);
  const std::string dtype(name_of(operand.dtype));
  const std::string detail = operands_text({operand}) + " along " + std::to_string(axis);
  const std::string parameters = "const " + dtype + "* x, " + dtype + "* result";
  const std::int64_t sequences = x.outer * x.inner;
  if (sequences * x.size == 0) return empty_source(name, detail, parameters);
  SpecText spec("Cumulative", count_type(operand.shape.elements()));
  spec.type("Element", dtype);
  spec.type("Running", running_type(combine, operand.dtype));
  spec.line("static constexpr bool reverse = " + std::string(reverse ? "true;" : "false;"));
  spec.count("outer", x.outer);
  spec.count("size", x.size);
  spec.count("inner", x.inner);
  spec.line("static __device__ Running nothing() { return Running(" +
            nothing(combine, operand.dtype) + "); }");
  spec.line("static __device__ Running combine(Running x, Running y) { return Running(" +
            std::string(combination(combine)) + "); }");
  // Products of elements behind a zero may be infinite, and the zero comes too late then: in order.
  const bool by_threads = x.size <= kShortSequence || combine == ScalarOp::mul ||
                          (x.inner >= kWarp && sequences >= kManySequences);
  return make_source({.name = name,
                      .detail = detail,
                      .piece = "cumulative",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  cumulative_by_" + std::string(by_threads ? "threads" : "blocks") +
                              "<Cumulative>(x, result);\n"},
                     blocks_for(sequences, by_threads ? kThreads : 1), kThreads);
}

}  // namespace tutti::codegen::cuda

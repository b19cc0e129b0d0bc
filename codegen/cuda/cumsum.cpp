#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/cuda/cumsum.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/library.h>
#include <tutti/ir/support/error.h>

#include <string>

namespace tutti::codegen::cuda {

namespace {

// Sequences that are no longer than this a thread adds up.
constexpr std::int64_t kShortSequence = 16;
// As many of them, side by side, keep a GPU busy with a thread each.
constexpr std::int64_t kManySequences = 16 * 1024;

}  // namespace

Source cumsum_source(const View& operand, std::int64_t axis, bool reverse) {
  if (operand.dtype == DType::boolean) throw InternalError("cumsum of bool");
  const AroundAxis x(operand.shape, axis);
  const std::string dtype(name_of(operand.dtype));
  const std::string detail = operands_text({operand}) + " along " + std::to_string(axis);
  const std::string parameters = "const " + dtype + "* x, " + dtype + "* result";
  const std::int64_t sequences = x.outer * x.inner;
  if (sequences * x.size == 0) return empty_source("cumsum", detail, parameters);
  const std::string sum(sum_type(operand.dtype));
  SpecText spec("CumSum", count_type(operand.shape.elements()));
  spec.type("Element", dtype);
  spec.type("Sum", sum);
  spec.line("static constexpr bool reverse = " + std::string(reverse ? "true;" : "false;"));
  spec.count("outer", x.outer);
  spec.count("size", x.size);
  spec.count("inner", x.inner);
  spec.line("static __device__ Sum nothing() { return " +
            std::string(is_floating(operand.dtype) ? "Sum(-0.0)" : "0") + "; }");
  const bool by_threads =
      x.size <= kShortSequence || (x.inner >= kWarp && sequences >= kManySequences);
  return make_source({.name = "cumsum",
                      .detail = detail,
                      .piece = "cumsum",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  cumsum_by_" + std::string(by_threads ? "threads" : "blocks") +
                              "<CumSum>(x, result);\n"},
                     blocks_for(sequences, by_threads ? kThreads : 1), kThreads);
}

}  // namespace tutti::codegen::cuda

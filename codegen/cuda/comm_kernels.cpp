#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/cumulative.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/support/error.h>

#include <array>
#include <string>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

using runtime::CommKernel;

struct CommFunction {
  std::string_view name;      // of the kernel
  std::string_view function;  // of kernels/device/
  bool reduces;
  bool gives_packs = false;                // of its result, to a function
  std::string_view piece = "collectives";  // that has it
};

constexpr std::array kCommFunctions = {
    CommFunction{"all_reduce_one_shot", "one_shot_all_reduce", true, true},
    CommFunction{"all_reduce_two_shot", "two_shot_all_reduce", true},
    CommFunction{"all_reduce_multimem", "multimem_all_reduce", true, false, "multimem"},
    CommFunction{"all_gather", "one_shot_all_gather", false, true},
    CommFunction{"all_gather_multimem", "multimem_all_gather", false, false, "multimem"},
    CommFunction{"reduce_scatter", "one_shot_reduce_scatter", true, true},
    CommFunction{"reduce_scatter_multimem", "multimem_reduce_scatter", true, false, "multimem"},
};

class SharedCommKernels final : public runtime::CommKernels {
 public:
  std::shared_ptr<const runtime::DeviceCode> code(const CommKernel& kernel,
                                                  std::string_view target) const override {
    const std::array sources = {comm_kernel_source(kernel)};
    return Compiler::shared().compile(sources, target).front();
  }
};

}  // namespace

CommText comm_text(const CommKernel& kernel, std::string_view moved) {
  const CommFunction& function = kCommFunctions.at(static_cast<std::size_t>(kernel.kind));
  const std::int64_t bytes = size_of(kernel.dtype);
  const bool fits = kernel.members >= 2 && kernel.members <= CommKernel::kMostMembers &&
                    kernel.bytes_at_once >= bytes && kernel.bytes_at_once % bytes == 0 &&
                    kernel.bytes_at_once <= kWidestAccess;
  const bool combines =
      can_combine(kernel.reduction, kernel.dtype) && kernel.reduction != runtime::Reduction::mean;
  const bool is_summed_so =
      !function.reduces || CommKernel::is_summed_by_switch(kernel.dtype, kernel.reduction);
  const bool is_moved_so = !CommKernel::is_by_switch(kernel.kind) ||
                           (is_summed_so && kernel.bytes_at_once == kWidestAccess);
  if (!fits || !is_moved_so || (function.reduces && !combines)) {
    throw InternalError("no kernel between GPUs for this");
  }
  SpecText spec("Collective", "u64");
  spec.integer("members", kernel.members);
  spec.integer("lanes", kernel.bytes_at_once / bytes);
  const std::string dtype(name_of(kernel.dtype));
  // What is only moved goes as bits.
  const std::string element =
      function.reduces ? dtype : std::string(moved.empty() ? bits_type(bytes) : moved);
  spec.type("Element", element);
  std::string detail;
  if (function.reduces) {
    const ir::ScalarOp combine = ir::combination_of(name_of(kernel.reduction));
    spec.type("Running", running_type(combine, kernel.dtype));
    spec.line("static __device__ Running combine(Running x, Running y) { return Running(" +
              std::string(combination(combine)) + "); }");
    detail = std::string(name_of(kernel.reduction)) + " ";
  }
  return {.name = function.name,
          .function = function.function,
          .piece = function.piece,
          .spec = std::move(spec),
          .element = element,
          .detail = detail + dtype + " of " + std::to_string(kernel.members) + " members"};
}

Source comm_kernel_source(const CommKernel& kernel) {
  const CommText text = comm_text(kernel);
  const bool stores = kCommFunctions.at(static_cast<std::size_t>(kernel.kind)).gives_packs;
  return make_source(
      {.name = std::string(text.name),
       .detail = text.detail,
       .piece = std::string(text.piece),
       .specs = {text.spec},
       .parameters = "const PeerTable* peers, const " + text.element + "* operand, " +
                     text.element + "* result, u64 elements",
       .body = "  " + std::string(text.function) + "<Collective>(peers, operand, " +
               (stores ? "elements, Stored<Collective>{result}" : "result, elements") + ");\n"},
      1, CommKernel::kThreads);
}

const runtime::CommKernels& comm_kernels() {
  static const SharedCommKernels kernels;
  return kernels;
}

}  // namespace tutti::codegen::cuda

#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/cumulative.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/support/error.h>

#include <array>
#include <string>

namespace tutti::codegen::cuda {

namespace {

using runtime::CommKernel;

struct CommFunction {
  std::string_view name;      // of the kernel
  std::string_view function;  // of kernels/device/
  bool reduces;
  std::string_view piece = "collectives";  // that has it
};

constexpr std::array kCommFunctions = {
    CommFunction{"all_reduce_one_shot", "one_shot_all_reduce", true},
    CommFunction{"all_reduce_two_shot", "two_shot_all_reduce", true},
    CommFunction{"all_reduce_multimem", "multimem_all_reduce", true, "multimem"},
    CommFunction{"all_gather", "one_shot_all_gather", false},
    CommFunction{"all_gather_multimem", "multimem_all_gather", false, "multimem"},
    CommFunction{"reduce_scatter", "one_shot_reduce_scatter", true},
    CommFunction{"reduce_scatter_multimem", "multimem_reduce_scatter", true, "multimem"},
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

Source comm_kernel_source(const CommKernel& kernel) {
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
  const std::string element = function.reduces ? dtype : std::string(bits_type(bytes));
  spec.type("Element", element);
  std::string detail;
  if (function.reduces) {
    const ir::ScalarOp combine = ir::combination_of(name_of(kernel.reduction));
    spec.type("Running", running_type(combine, kernel.dtype));
    spec.line("static __device__ Running combine(Running x, Running y) { return Running(" +
              std::string(combination(combine)) + "); }");
    detail = std::string(name_of(kernel.reduction)) + " ";
  }
  Source source =
      make_source({.name = std::string(function.name),
                   .detail = detail + dtype + " of " + std::to_string(kernel.members) + " members",
                   .piece = std::string(function.piece),
                   .specs = {spec},
                   .parameters = "const PeerTable* peers, const " + element + "* operand, " +
                                 element + "* result, u64 elements",
                   .body = "  " + std::string(function.function) +
                           "<Collective>(peers, operand, result, elements);\n"},
                  1, CommKernel::kThreads);
  return source;
}

const runtime::CommKernels& comm_kernels() {
  static const SharedCommKernels kernels;
  return kernels;
}

}  // namespace tutti::codegen::cuda

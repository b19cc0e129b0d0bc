#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/fuse_collectives.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/codegen/tiled_call.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#if TUTTI_HAS_CUDA
#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/compiler.h>
#include <tutti/codegen/cuda/fused_comm.h>
#endif

namespace tutti::codegen {

void compile_kernels(Plan& plan, KernelCompiler& compiler) {
  std::vector<const Kernel*> wanted;
  std::vector<std::size_t> place(plan.kernels.size());  // in `wanted`
  const auto want = [&](int kernel) {
    if (kernel < 0) return;
    const auto number = static_cast<std::size_t>(kernel);
    place[number] = wanted.size();
    wanted.push_back(&plan.kernels[number]);
  };
  for_each_part(plan, [&](Device device, const LaunchPart& part) {
    if (!device.is_cpu()) return;
    want(part.kernel);
    want(part.epilogue);
  });
  const auto code = compiler.compile(wanted);
  const auto code_of = [&](int kernel) { return code[place[static_cast<std::size_t>(kernel)]]; };
  for_each_part(plan, [&](Device device, LaunchPart& part) {
    if (!device.is_cpu()) return;
    if (part.kernel >= 0) part.code = code_of(part.kernel);
    if (part.epilogue >= 0) part.code = with_epilogue(part.code, code_of(part.epilogue));
  });
}

void emit_device_kernels(Plan& plan) {
  for_each_part(plan, [&](Device device, LaunchPart& part) {
    if (device.is_cpu() || part.device_code != nullptr || part.source != nullptr) return;
    if (part.kernel < 0) {
      throw UsageError("plan @" + plan.name + ": " + part.name +
                       " has no code; a plan that was read from text has its calls by name alone");
    }
    part.source = std::make_shared<const cuda::Source>(
        cuda::emit_kernel(plan.kernels[static_cast<std::size_t>(part.kernel)]));
  });
}

#if TUTTI_HAS_CUDA
namespace {

// Of a collective with its companions; null where they don't go along with it, which only plans
// that were read from text may have.
std::shared_ptr<const runtime::FusedCommKernels> fused_kernels(const Plan& plan,
                                                               const CollectiveStart& start) {
  bool fits = true;
  const auto companion = [&](const LaunchPart& part, BufferId shared, std::int64_t elements) {
    const Kernel& kernel = plan.kernels[at(part.kernel)];
    const auto place =
        static_cast<int>(std::ranges::find(part.buffers, shared) - part.buffers.begin());
    fits = fits && kernel.buffers[at(place)].dtype == start.call.dtype &&
           cuda::goes_along(kernel, place, elements);
    return cuda::CommCompanion{.kernel = kernel, .shared = place};
  };
  std::optional<cuda::CommCompanion> leader;
  std::optional<cuda::CommCompanion> follower;
  if (start.leader) {
    leader = companion(*start.leader, start.operands[0], start.call.parts[0].elements);
  }
  if (start.follower) {
    follower =
        companion(*start.follower, start.results[0], cuda::elements_of_result(start, plan.rank));
  }
  if (!fits) return nullptr;
  return cuda::fused_comm_kernels(std::move(leader), std::move(follower));
}

}  // namespace

void compile_device_kernels(Plan& plan, runtime::Context& context) {
  emit_device_kernels(plan);
  for (PlanDevice& used : plan.devices) {
    used.target = context.accelerator(used.device).target();
    std::vector<LaunchPart*> parts;
    std::vector<cuda::Source> sources;
    for_each_part(plan, [&](Device device, LaunchPart& part) {
      if (device != used.device || part.device_code != nullptr) return;
      parts.push_back(&part);
      sources.push_back(*part.source);
    });
    const auto codes = cuda::Compiler::shared().compile(sources, used.target);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->device_code = codes[i];
  }
  for (Step& step : plan.steps) {
    CollectiveStart* const start = start_of(step);
    if (start == nullptr || start->fused != nullptr) continue;
    if (start->leader || start->follower) start->fused = fused_kernels(plan, *start);
  }
}

const runtime::CommKernels* find_comm_kernels() { return &cuda::comm_kernels(); }
#else
void compile_device_kernels(Plan& plan, runtime::Context& context) {
  // Says that this build has no CUDA.
  for (const PlanDevice& used : plan.devices) context.accelerator(used.device);
}

const runtime::CommKernels* find_comm_kernels() { return nullptr; }
#endif

}  // namespace tutti::codegen

#include "tests/codegen/device_rank.h"

#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::test {

namespace {

using codegen::at;
using codegen::Kernel;
using codegen::KernelCode;
using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

// A kernel of a plan, run by the evaluator in its turn of the stream.
class Evaluated final : public runtime::DeviceCode {
 public:
  explicit Evaluated(const Kernel& kernel)
      : code_(codegen::make_evaluator(kernel)),
        tiles_(kernel.tiles()),
        buffers_(kernel.buffers.size()) {}
  void launch(runtime::Accelerator& accelerator, void* const* buffers) const override {
    dynamic_cast<HostAccelerator&>(accelerator)
        .launch([code = code_, tiles = tiles_,
                 arguments = std::vector<void*>(buffers, buffers + buffers_)] {
          code->run(arguments.data(), 0, tiles);
        });
  }

 private:
  std::shared_ptr<const KernelCode> code_;
  std::int64_t tiles_;
  std::size_t buffers_;
};

// A call that copies what lies dense.
class Copied final : public runtime::DeviceCode {
 public:
  explicit Copied(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  void launch(runtime::Accelerator& accelerator, void* const* buffers) const override {
    dynamic_cast<HostAccelerator&>(accelerator)
        .launch(
            [from = buffers[0], to = buffers[1], bytes = bytes_] { std::memcpy(to, from, bytes); });
  }

 private:
  std::size_t bytes_;
};

}  // namespace

codegen::Plan plan_of_device(const std::string& text, std::int64_t rank) {
  ir::Graph graph = ir::parse(text).functions.back();
  std::vector<const ir::Pass*> passes;
  for (const ir::Pass& pass : ir::all_passes()) passes.push_back(&pass);
  ir::run_passes(graph, passes, {});
  codegen::Plan plan = codegen::make_plan(graph, rank);
  codegen::KernelCompiler compiler(codegen::KernelMode::evaluate);
  codegen::compile_kernels(plan, compiler);
  codegen::for_each_part(plan, [&](Device device, codegen::LaunchPart& part) {
    if (device.is_cpu()) return;
    if (part.kernel < 0) {
      part.device_code = std::make_shared<Copied>(plan.buffers[at(part.buffers.back())].bytes);
      return;
    }
    part.device_code =
        std::make_shared<Evaluated>(plan.kernels.at(static_cast<std::size_t>(part.kernel)));
  });
  return plan;
}

DeviceRank::DeviceRank(std::shared_ptr<runtime::HostFabric> fabric, std::int64_t rank)
    : DeviceRank(std::make_unique<runtime::HostBackend>(
          fabric != nullptr ? std::move(fabric) : std::make_shared<runtime::LocalFabric>(1),
          rank)) {}

DeviceRank::DeviceRank(std::unique_ptr<runtime::Backend> backend) : context(std::move(backend), 1) {
  for (int index = 0; index < 2; ++index) {
    auto made = std::make_unique<HostAccelerator>(Device::cuda(index));
    gpus.push_back(made.get());
    context.use(std::move(made));
  }
}

BufferPtr DeviceRank::put(Device device, const std::vector<float>& values) {
  const std::size_t bytes = values.size() * sizeof(float);
  if (device.is_cpu()) {
    BufferPtr buffer = context.allocator.allocate(bytes);
    std::ranges::copy(values, reinterpret_cast<float*>(buffer->data()));
    return buffer;
  }
  BufferPtr buffer = context.accelerator(device).memory().allocate(bytes);
  context.accelerator(device).copy_in(buffer->data(), values.data(), bytes);
  return buffer;
}

std::vector<float> DeviceRank::get(const codegen::Executable::Result& result) {
  std::vector<float> out(static_cast<std::size_t>(result.type.shape.elements()));
  const BufferPtr buffer = result.wait();
  const std::size_t bytes = out.size() * sizeof(float);
  if (result.type.device.is_cpu()) {
    std::memcpy(out.data(), buffer->data(), bytes);
  } else {
    context.accelerator(result.type.device).copy_out(out.data(), buffer->data(), bytes);
  }
  return out;
}

}  // namespace tutti::test

#include "tools/run_rank.h"

#include <tutti/codegen/driver/varying_sizes.h>
#include <tutti/ir/support/interned.h>
#include <tutti/lazy/memory.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <variant>

namespace tutti::tools {

namespace {

using codegen::Executable;
using runtime::Buffer;

constexpr int kWarmUp = 2;  // the second run makes native code of the steps

std::shared_ptr<Buffer> buffer_from(const ir::Array& array, Device device,
                                    runtime::Context& context, const std::string& name) {
  const std::span<const std::byte> bytes = array.bytes();
  const runtime::MemoryLabel label = {.what = interned("argument %" + name), .where = {}};
  if (device.is_cpu()) {
    auto buffer = context.allocator.allocate(bytes.size(), label);
    std::ranges::copy(bytes, buffer->data());
    return buffer;
  }
  runtime::Accelerator& accelerator = context.accelerator(device);
  auto buffer = accelerator.memory().allocate(bytes.size(), label);
  accelerator.copy_in(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

ir::Array array_from(const Executable::Result& result, Device device, runtime::Context& context) {
  ir::Array out(result.type.dtype, result.type.shape);
  const std::shared_ptr<Buffer> buffer = result.wait();
  const std::span<std::byte> bytes = out.bytes();
  if (device.is_cpu()) {
    std::copy_n(buffer->data(), bytes.size(), bytes.begin());
  } else {
    context.accelerator(device).copy_out(bytes.data(), buffer->data(), bytes.size());
  }
  return out;
}

runtime::WorkCounts work_of(const codegen::Plan& plan) {
  runtime::WorkCounts out;
  codegen::for_each_part(plan,
                         [&](Device, const codegen::LaunchPart& part) { out += part.counts; });
  return out;
}

}  // namespace

RankResult run_rank(const ir::Graph& function, const std::vector<ir::Array>& inputs,
                    const codegen::CompileOptions& options, runtime::Context& context,
                    int timed_runs) {
  const auto executable = codegen::compile(function, context, options);
  const codegen::Plan& plan = executable->plan();
  const std::vector<Device> devices = codegen::devices_of_inputs(plan);
  const std::vector<Device> result_devices = codegen::devices_of_results(plan);
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    buffers.push_back(buffer_from(inputs[i], devices[i], context, function.parameters()[i].name));
  }
  std::optional<codegen::VaryingSizes> sizes;
  std::vector<std::int64_t> values;
  std::vector<runtime::Agreement> agreements;
  if (function.sizes != nullptr) {
    sizes.emplace(function);
    std::vector<Shape> shapes;
    for (const ir::Array& input : inputs) shapes.push_back(input.shape());
    values = sizes->solve(shapes);
    agreements = sizes->agreements(values, {});
  }
  std::vector<std::shared_ptr<Buffer>> arguments;
  std::vector<Executable::Result> results;
  const auto run_once = [&] {
    results.clear();
    arguments = buffers;
    if (sizes) sizes->enlarge(context, values, devices, arguments);
    executable->run(arguments, {.agreements = agreements}, results);
    if (sizes) sizes->cut(context, values, result_devices, results);
    for (const Executable::Result& result : results) {
      if (result.work != nullptr) result.work->wait();
    }
    context.synchronize();
  };
  RankResult out{.arrays = {}, .times = {}, .work = work_of(plan)};
  for (int i = 0; i < (timed_runs == 0 ? 1 : kWarmUp); ++i) run_once();
  for (int i = 0; i < timed_runs; ++i) {
    const std::int64_t begin = runtime::monotonic_now();
    run_once();
    out.times.push_back(runtime::monotonic_now() - begin);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    out.arrays.push_back(array_from(results[i], result_devices[i], context));
  }
  context.backend->finish();
  arguments.clear();
  out.memory = detail::memory_stats_of(context, Device::cpu()).text();
  for (const codegen::PlanDevice& used : plan.devices) {
    out.memory += detail::memory_stats_of(context, used.device).text();
  }
  return out;
}

}  // namespace tutti::tools

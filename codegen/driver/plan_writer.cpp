#include <tutti/codegen/count_work.h>
#include <tutti/codegen/driver/plan_writer.h>

#include <utility>

namespace tutti::codegen {

BufferId PlanWriter::add_buffer(PlanBuffer::Kind kind, std::int64_t bytes, Device device,
                                int index) {
  plan_.buffers.push_back({.kind = kind, .bytes = bytes, .device = device, .index = index});
  return static_cast<BufferId>(plan_.buffers.size()) - 1;
}

BufferId PlanWriter::add_constant(ir::ArrayPtr array, Device device) {
  plan_.constants.push_back(std::move(array));
  return add_buffer(PlanBuffer::Kind::constant,
                    static_cast<std::int64_t>(plan_.constants.back()->bytes().size()), device,
                    static_cast<int>(plan_.constants.size()) - 1);
}

void PlanWriter::add_launch(LaunchPart part) {
  Launch launch;
  launch.device = device_of(part.buffers.back());
  launch.parts.push_back(std::move(part));
  plan_.steps.emplace_back(std::move(launch));
}

void PlanWriter::add_call(LaunchPart call, std::vector<BufferId> buffers, Location location,
                          const runtime::WorkCounts& counts, int results) {
  call.results = results;
  call.buffers = std::move(buffers);
  call.location = location;
  call.counts = counts;
  add_launch(std::move(call));
}

std::vector<BufferId> PlanWriter::add_partial_concats(std::span<const PartialConcat> partial,
                                                      std::span<const BufferId> operands,
                                                      Device device, Location location) {
  std::vector<BufferId> out;
  for (const PartialConcat& each : partial) {
    const std::int64_t bytes = each.view.shape.elements() * size_of(each.view.dtype);
    out.push_back(add_buffer(PlanBuffer::Kind::local, bytes, device));
    const auto own = operands.first(each.count);
    operands = operands.subspan(each.count);
    std::vector<BufferId> buffers(own.begin(), own.end());
    buffers.push_back(out.back());
    add_call(each.call, std::move(buffers), location, count_copy(each.view));
  }
  return out;
}

void PlanWriter::add_kernel(Kernel kernel, std::vector<BufferId> buffers, Location location) {
  std::vector<std::int64_t> bytes;
  for (const BufferId id : buffers) bytes.push_back(bytes_of(id));
  add_launch({.name = kernel.name,
              .kernel = static_cast<int>(plan_.kernels.size()),
              .tiles = kernel.tiles(),
              .buffers = std::move(buffers),
              .location = location,
              .counts = count_work(kernel, bytes)});
  plan_.kernels.push_back(std::move(kernel));
}

void PlanWriter::add_copy(BufferId from, BufferId to, Location location) {
  plan_.steps.emplace_back(Copy{.from = from, .to = to, .location = location});
}

}  // namespace tutti::codegen

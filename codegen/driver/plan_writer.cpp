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

void PlanWriter::add_call(LibraryCall call, std::vector<BufferId> buffers, Location location,
                          const runtime::WorkCounts& counts, int results) {
  add_launch({.name = std::move(call.name),
              .detail = std::move(call.detail),
              .kernel = -1,
              .code = std::move(call.code),
              .tiles = call.tiles,
              .tiles_in_place = call.tiles_in_place,
              .cost = call.cost,
              .results = results,
              .buffers = std::move(buffers),
              .location = location,
              .counts = counts});
}

void PlanWriter::add_device_call(cuda::DeviceCall call, std::vector<BufferId> buffers,
                                 Location location, const runtime::WorkCounts& counts,
                                 int results) {
  add_launch({.name = std::move(call.name),
              .detail = std::move(call.detail),
              .kernel = -1,
              .code = nullptr,
              .source = std::move(call.source),
              .device_code = std::move(call.code),
              .results = results,
              .buffers = std::move(buffers),
              .location = location,
              .counts = counts});
}

void PlanWriter::add_kernel(Kernel kernel, std::vector<BufferId> buffers, Location location) {
  std::vector<std::int64_t> bytes;
  for (const BufferId id : buffers) bytes.push_back(bytes_of(id));
  add_launch({.name = kernel.name,
              .detail = {},
              .kernel = static_cast<int>(plan_.kernels.size()),
              .code = nullptr,
              .tiles = kernel.tiles(),
              .cost = 0,
              .buffers = std::move(buffers),
              .location = location,
              .counts = count_work(kernel, bytes)});
  plan_.kernels.push_back(std::move(kernel));
}

void PlanWriter::add_copy(BufferId from, BufferId to, Location location) {
  plan_.steps.emplace_back(Copy{.from = from, .to = to, .location = location});
}

}  // namespace tutti::codegen

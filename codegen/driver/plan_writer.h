#pragma once

#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/target.h>

#include <span>
#include <vector>

namespace tutti::codegen {

// Adds buffers and steps to a plan.
class PlanWriter {
 public:
  // The plan outlives this.
  explicit PlanWriter(Plan& plan) : plan_(plan) {}

  BufferId add_buffer(PlanBuffer::Kind kind, std::int64_t bytes, Device device, int index = -1);
  BufferId add_constant(ir::ArrayPtr array, Device device);
  Device device_of(BufferId id) const { return plan_.buffers[at(id)].device; }
  std::int64_t bytes_of(BufferId id) const { return plan_.buffers[at(id)].bytes; }

  // Launches of one part, on the device of their last buffer. A call (target.h) has no buffers yet.
  void add_call(LaunchPart call, std::vector<BufferId> buffers, Location location,
                const runtime::WorkCounts& counts, int results = 1);
  // The calls of all operands of a concat; gives what they write.
  std::vector<BufferId> add_partial_concats(std::span<const PartialConcat> partial,
                                            std::span<const BufferId> operands, Device device,
                                            Location location);
  void add_kernel(Kernel kernel, std::vector<BufferId> buffers, Location location);
  // From one device to another.
  void add_copy(BufferId from, BufferId to, Location location);

 private:
  void add_launch(LaunchPart part);

  Plan& plan_;
};

}  // namespace tutti::codegen

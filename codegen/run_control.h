#pragma once

#include <tutti/codegen/executable.h>

#include <memory>
#include <span>
#include <vector>

namespace tutti::codegen {

// Runs one loop or branch of a plan, on the buffers that a frame holds; binds its results there.
// Nothing is copied between steps but what a scan stacks: carries go from one run of the body to
// the next, which may take their memory over, and a step of a sequence is a part of its buffer.
class ControlRun {
 public:
  // `functions` are those of the step. All outlive this.
  ControlRun(const Control& control, std::vector<Executable*> functions, runtime::Context& context,
             runtime::PlanFrame& frame, std::span<const PlanBuffer> buffers);

  void run();

 private:
  void scan();
  void while_loop();
  void conditional();

  const std::shared_ptr<runtime::Buffer>& operand(std::size_t i) const {
    return frame_.held(control_.operands[i]);
  }
  std::size_t bytes_of(BufferId id) const;
  void bind_carries();

  const Control& control_;
  const std::vector<Executable*> functions_;
  runtime::Context& context_;
  runtime::PlanFrame& frame_;
  const std::span<const PlanBuffer> buffers_;
  runtime::BufferPool steps_;  // parts of sequences
  // Kept for their memory; empty between runs.
  std::vector<std::shared_ptr<runtime::Buffer>> arguments_;
  std::vector<Executable::Result> results_;
  std::vector<Executable::Result> condition_;
};

}  // namespace tutti::codegen

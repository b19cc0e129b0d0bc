#pragma once

#include <tutti/codegen/plan.h>
#include <tutti/runtime/context.h>

#include <memory>
#include <span>
#include <vector>

namespace tutti::codegen {

// A plan bound to one rank. Runs it by walking its steps.
class Executable {
 public:
  struct Result {
    std::shared_ptr<runtime::Buffer> buffer;
    ir::Type type;
    std::shared_ptr<runtime::Work> work;  // of an async result: under way until it says otherwise
  };

  // What may differ between two runs besides the inputs.
  struct RunOptions {
    // The lines of the collectives in program order, for messages; the plan's own where empty.
    std::span<const Location> collective_lines = {};
  };

  Executable(Plan plan, runtime::Context& context);

  const Plan& plan() const { return plan_; }

  // Runs the plan. `inputs` are buffers of the plan's input types, ready to be read. Results may
  // share buffers with inputs and constants: values are immutable. Throws CommError when a
  // collective fails; then there are no results.
  std::vector<Result> run(std::span<const std::shared_ptr<runtime::Buffer>> inputs) {
    return run(inputs, {});
  }
  std::vector<Result> run(std::span<const std::shared_ptr<runtime::Buffer>> inputs,
                          const RunOptions& options);

 private:
  Plan plan_;
  runtime::Context& context_;
  std::vector<std::shared_ptr<runtime::Buffer>> constants_;
  std::vector<std::shared_ptr<runtime::Communicator>> communicators_;  // per step; null for others
};

}  // namespace tutti::codegen

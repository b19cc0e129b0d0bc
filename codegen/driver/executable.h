#pragma once

#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/runtime/run/abi.h>
#include <tutti/runtime/run/plan_frame.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

// How the steps of a plan are run: one after another by walking the list, or by native code made
// from it.
enum class PlanMode : std::uint8_t { walk, native };

inline constexpr PlanMode kDefaultPlanMode =
    TUTTI_HAS_LLVM != 0 ? PlanMode::native : PlanMode::walk;

// A plan bound to one rank, for whose thread alone it is. The first run walks the plan; the second
// makes native code of it where its mode says so, since most programs that run twice run often.
// A plan with a long loop is made native code of before it runs first; one with a launch of
// thousands of addresses, or with steps of a GPU, never.
class Executable {
 public:
  struct Result {
    std::shared_ptr<runtime::Buffer> buffer;
    ir::Type type;
    // Of an async result instead of a buffer: the collective whose part it is.
    std::shared_ptr<runtime::Work> work;
    std::size_t part = 0;

    // The buffer, after waiting for it if need be. Throws CommError like Work::wait().
    std::shared_ptr<runtime::Buffer> wait() const {
      if (work == nullptr) return buffer;
      work->wait();
      return work->result(part);
    }
  };

  // An input that a collective is still to give.
  struct Pending {
    std::shared_ptr<runtime::Work> work;  // null: the input is there
    std::size_t part = 0;                 // which of its results
  };

  // What may differ between two runs besides the inputs.
  struct RunOptions {
    // By call of the traced program: their lines, for messages, and sites (site.h), in place of the
    // plan's own; and what else the ranks must agree on. Calls without an entry have the plan's
    // own.
    std::span<const Location> lines = {};
    std::span<const std::uint32_t> sites = {};
    std::span<const runtime::Agreement> agreements = {};
    // The caller gives its inputs up: a result may take over the memory of one that nobody else
    // holds (whose shared_ptr is the only one), as the plan's donations say.
    bool donate = false;
    // By input, or empty: those that are under way, where `inputs` has null. The host's steps wait
    // for one before the first that uses it, and a result that nothing else was made of leaves as
    // it is. For plans of the host alone.
    std::span<const Pending> pending = {};
    // A run that fails tells the peers which collectives it won't start. Not so for a caller who
    // looks after them: started() says which he need not.
    bool abandon = true;
  };

  // A collective that a failed run has started.
  struct Started {
    std::span<const ir::CallId> calls;  // of the traced program; the plan's
    // Null where it is over and its results are lost: of a loop that was entered, of what the plan
    // has read, or of what it has written over since.
    std::shared_ptr<runtime::Work> work;
  };

  struct Options {
    PlanMode mode = kDefaultPlanMode;
    DeviceOptions on_devices = {};
    // What peers are said to be done with is written over, so that one who is not gives it away.
    bool scribble = false;
  };

  // Throws CommError or UsageError like Backend::communicator, and EnvironmentError where there is
  // no such GPU.
  Executable(Plan plan, runtime::Context& context, const Options& options);
  Executable(Plan plan, runtime::Context& context, PlanMode mode = kDefaultPlanMode)
      : Executable(std::move(plan), context, Options{.mode = mode}) {}

  const Plan& plan() const { return plan_; }
  // Whether there is native code of the plan by now.
  bool is_native() const { return function_ != nullptr; }

  // Runs the plan. `inputs` are buffers of the plan's input types, ready to be read. Results may
  // share buffers with inputs and constants: values are immutable. Throws CommError when a
  // collective fails; then there are no results.
  std::vector<Result> run(std::span<const std::shared_ptr<runtime::Buffer>> inputs) {
    return run(inputs, {});
  }
  std::vector<Result> run(std::span<const std::shared_ptr<runtime::Buffer>> inputs,
                          const RunOptions& options) {
    std::vector<Result> results;
    run(inputs, options, results);
    return results;
  }
  // The same with results put into a vector that the caller keeps: no allocation then once
  // everything has been used before.
  void run(std::span<const std::shared_ptr<runtime::Buffer>> inputs, const RunOptions& options,
           std::vector<Result>& results);

  // Whether the last run, which failed, may have written over an input that it was given.
  bool has_taken_over(std::size_t input) const;
  // Of the last run if it failed, in the order of the plan; until the next run.
  std::span<const Started> started() const { return started_; }
  // Instead of a run: tells the peers that this rank won't start any of the collectives.
  void abandon(const std::string& why) noexcept { abandon_from(0, why); }

 private:
  void bind_constants();
  std::unique_ptr<runtime::PlanProfile> make_profile() const;
  void bind_options(const RunOptions& options);
  void bind_inputs(std::span<const std::shared_ptr<runtime::Buffer>> inputs, bool donate);
  void run_steps();
  void run_steps_behind(std::span<const Pending> pending);
  void take_results(std::span<const Pending> pending, std::vector<Result>& results);
  // What the error says, with the iterations of the loops in which its step failed.
  std::string in_iterations(const Error& error) const;
  void abandon_from(std::size_t step, const std::string& why) noexcept;
  void abandon(const BoundStart& start, const std::string& why) noexcept;
  const BoundStart* failed_loop() const noexcept;
  void note_started() noexcept;

  Plan plan_;
  runtime::Context& context_;
  Options options_;
  runtime::PlanFrame frame_;
  Binding binding_;
  std::vector<std::shared_ptr<runtime::Buffer>> constants_;  // by buffer; null for others
  std::vector<BufferId> inputs_;                             // by argument
  std::int64_t runs_ = 0;
  const char* range_name_ = nullptr;  // on a profiler's timeline; null: nobody listens
  std::shared_ptr<const void> code_;  // keeps what `function_` lies in
  runtime::PlanFunction function_ = nullptr;
  std::vector<Started> started_;
  // Scratch.
  std::vector<Location> lines_;
  std::vector<std::uint32_t> sites_;
  std::vector<runtime::Agreement> agreements_;
};

}  // namespace tutti::codegen

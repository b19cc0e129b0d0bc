#pragma once

#include <tutti/lazy/context.h>
#include <tutti/lazy/literal_inputs.h>

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::detail {

// One evaluation of a rank's lazy trace: takes out the part to compute now, runs it, and leaves a
// trace of the rest. Where that fails, the trace is as it was, but for the collectives that were
// started: they must not be again, and count as under way.
class Flush {
 public:
  explicit Flush(RankContext& context);

  // Computes the targets, and starts all collectives.
  void run(std::span<const StatePtr> targets);
  // Starts the collective that was recorded first, alone, with what it needs. If that fails, the
  // peers are told, and who wants its results gets the failure. False if there is none.
  bool start_first();
  // Leaves what is needed for what somebody holds, and computes nothing.
  void drop_unused();
  // The program that computes the targets.
  ir::Graph extract(std::span<const StatePtr> targets);

 private:
  struct Input {
    StatePtr state;
    ir::ArrayPtr scalar;
  };
  struct Computed {
    ir::Value value;
    StatePtr state;
    codegen::Executable::Result result;
  };

  void evaluate();
  void find_remaining();
  void need_targets(std::span<const StatePtr> targets);
  void need_collectives();
  void close(std::vector<bool>& marked) const;
  void close_remaining();
  bool is_remade(ir::Value value) const;
  ir::Graph take_out();
  void hand_out(const std::vector<codegen::Executable::Result>& results, Trace& rest);
  void release_handle(TensorState& state);
  std::unique_ptr<Trace> new_trace() const;
  void take_over(std::unique_ptr<Trace> rest);

  // Of the program that is taken out (flush_execution.cpp).
  std::vector<codegen::Executable::Result> execute(const ir::Graph& program);
  std::vector<runtime::Agreement> agreements(const ir::Graph& program);
  void log_evaluation(const ir::Graph& program, bool known) const;

  // After a failure (flush_failure.cpp).
  void finish(const std::vector<codegen::Executable::Result>& results);
  void abort(const std::exception& error);
  void settle(ir::NodeId failed, const std::exception_ptr& failure);
  std::vector<codegen::Executable::Result> results_of_started(ir::NodeId failed,
                                                              const std::exception_ptr& failure);

  RankContext& context_;
  Trace& trace_;
  ir::Graph& graph_;
  std::vector<bool> needed_;
  std::vector<bool> remaining_;
  std::vector<bool> is_result_;
  std::vector<ir::Value> moved_;  // into the program that is taken out
  std::vector<bool> away_;        // [node], remains and lies anywhere but on the default device
  std::vector<Input> inputs_;
  std::vector<ir::Value> results_;
  std::vector<Computed> computed_;
  LiteralInputs::ResultUses result_uses_;
  const EvaluatedProgram* running_ = nullptr;  // once there is one
  bool over_ = false;                          // the trace is replaced
  std::unique_ptr<Trace> former_;              // by then: it goes when nothing runs any more
};

// Appends a node of one program to another one; `moved` are the first one's values in it.
void copy_node(const ir::Graph& from, ir::NodeId id, ir::Graph& into,
               std::vector<ir::Value>& moved);

}  // namespace tutti::detail

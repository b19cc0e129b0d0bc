#pragma once

#include <tutti/ir/function.h>

#include <cstdint>
#include <vector>

namespace tutti::ir {

// The reference meaning of a loop or branch, one function after another: whoever interprets it runs
// what next() says on inputs() and hands the results to take(), until there is nothing more to run.
class ControlSteps {
 public:
  // The node's; its graph outlives this.
  ControlSteps(const Graph& graph, NodeId node, std::vector<ArrayPtr> operands);

  // Null if results() are there.
  const Function* next() const { return next_; }
  std::vector<ArrayPtr> inputs() const;
  void take(const std::vector<ArrayPtr>& results);
  std::vector<ArrayPtr> results() const;

 private:
  std::int64_t index() const;
  void begin_step();

  const Attributes attributes_;
  const Op op_;
  std::vector<ArrayPtr> arguments_;  // of the functions, but for the sequences
  std::size_t carries_ = 0;
  std::size_t sequences_ = 0;
  std::int64_t length_ = 0;
  std::int64_t step_ = 0;
  const Function* next_ = nullptr;
  std::vector<std::shared_ptr<Array>> stacked_;  // of a scan
  std::vector<ArrayPtr> given_;                  // of a branch
};

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/ops/family.h>

#include <string>
#include <vector>

// What gradients of loops and branches are made with. They are loops and branches themselves:
// nothing is unrolled, so that neither the program nor the time to compile it grows with the number
// of steps.
namespace tutti::ir::family::control {

using Values = std::vector<Value>;

// A function under construction whose parameters lie where those of another do.
class Draft {
 public:
  Draft(const Graph& like, const std::string& name, bool communicates = false);

  Builder& builder() { return builder_; }
  Value parameter(const std::string& name, const Type& like);
  // With all that was added, and with what the results need.
  Graph take(Values results);
  Graph finish(Values results);

 private:
  Graph graph_;
  Builder builder_;
  const bool communicates_;  // then parameters are replicated each for itself
  Type place_;
};

// The cotangents of `wrt` from those of a function's results, appended to the function's copy; an
// invalid one stands for zeros. What the function gives the same on more ranks than it is taken for
// outside, as its cotangent says, varies there: the gradient sums the ranks' cotangents.
Values pull_back(Draft& draft, Values results, const Values& cotangents, const Values& wrt);

// What communicates can't run once more for its gradient: peers that make one loop of the two would
// have half of the calls. Throws UsageError.
[[noreturn]] void refuse_gradient(const Gradient& gradient, const std::string& what);

// Without collectives in the functions their cotangents are those of one rank: what is the same on
// more ranks than the rest would need an all_reduce. Throws UsageError where something is.
void require_alike(const Gradient& gradient);

}  // namespace tutti::ir::family::control

#pragma once

#include <tutti/ir/function.h>
#include <tutti/ir/op.h>
#include <tutti/ir/support/error.h>

#include <optional>

// Nodes that run functions: loops and branches (OpClass::control).
namespace tutti::ir {

bool is_control(Op op);

// Whether that operand is the index of a branch. It decides, and goes into no function: so it may
// lie on another device than the rest.
constexpr bool is_branch_index(Op op, std::size_t operand) {
  return op == Op::conditional && operand == 0;
}

// Ranks meet in a loop or branch, but what decides about its steps is not known to be the same on
// all of them.
class UndecidedError : public TypeError {
  using TypeError::TypeError;
};

// What the parameters of such a node's functions have in common: where all are replicated, and
// where they lie (`any` if there are no parameters).
struct FunctionPlace {
  Replication replication = {};
  Device device = Device::any();
};
FunctionPlace place_of_functions(const Attributes& attributes);

// Where a node's functions want its operand replicated; nothing where it is no argument of theirs,
// but the index of a branch.
std::optional<Replication> replication_of_argument(Op op, const Attributes& attributes,
                                                   std::size_t operand);

// The body of a scan that communicates with the results that its gradient needs (the attribute
// `kept`): the carries before a step, what collectives gave in it and, unless it is to `recompute`,
// what is costly. Parameters from `invariants` on are the same in all steps.
FunctionPtr with_kept_results(const Function& body, std::size_t carries, std::size_t invariants,
                              bool recompute);
// The same for branches of which one communicates: behind the results of all comes what the first
// one's gradient needs, then the second one's, and so on; zeros in the branches that are not
// chosen. Gives their numbers (the attribute `kept`).
std::vector<std::int64_t> keep_results(std::vector<FunctionPtr>& branches);

}  // namespace tutti::ir

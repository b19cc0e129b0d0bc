#pragma once

#include <tutti/ir/function.h>
#include <tutti/ir/op.h>

// Nodes that run functions: loops and branches (OpClass::control).
namespace tutti::ir {

bool is_control(Op op);

// What the parameters of such a node's functions have in common, and so its operands and results:
// where they are replicated, and where they lie (`any` if there are no parameters).
struct FunctionPlace {
  Replication replication = {};
  Device device = Device::any();
};
FunctionPlace place_of_functions(const Attributes& attributes);

}  // namespace tutti::ir

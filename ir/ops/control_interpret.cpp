#include <tutti/ir/interpret/control_steps.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/ops/control.h>

// The reference meaning of loops and branches whose functions do not communicate.
namespace tutti::ir::family::control {

namespace {

void interpret_steps(Interpretation& in) {
  std::vector<ArrayPtr> operands;
  for (int i = 0; i < in.count(); ++i) {
    operands.push_back(std::make_shared<const Array>(in.operand(i)));
  }
  ControlSteps steps(in.graph(), in.node(), std::move(operands));
  while (const Function* const function = steps.next()) {
    steps.take(interpret_function(function->graph(), steps.inputs(), in.rank));
  }
  for (const ArrayPtr& result : steps.results()) in.result(*result);
}

}  // namespace

void interpret_scan(Interpretation& in) { interpret_steps(in); }
void interpret_while_loop(Interpretation& in) { interpret_steps(in); }
void interpret_conditional(Interpretation& in) { interpret_steps(in); }

}  // namespace tutti::ir::family::control

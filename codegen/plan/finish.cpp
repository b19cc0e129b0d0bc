#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>

namespace tutti::codegen {

Finish Finish::of(const CollectiveStart& start) {
  return {.work = start.work, .operands = start.operands, .peers = start.results};
}

Finish Finish::parse(StepParser& parser) {
  parser.lexer().take();
  const CollectiveWait& wait = parser.wait_of(parser.work());
  return {.work = wait.work, .operands = wait.operands, .peers = wait.results};
}

void Finish::print(StepPrinter& printer) const {
  printer.add("finish w" + std::to_string(work));
  printer.end_line();
}

void Finish::shift(const Shift& by) {
  work += by.works;
  for (BufferId& id : operands) id += by.buffers;
  for (BufferId& id : peers) id += by.buffers;
}

void Finish::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  for (const BufferId id : operands) f(id, false);
  for (const BufferId id : peers) f(id, true);
}

void Finish::check(PlanChecker& checker) const { checker.finish(*this); }

void Finish::bind(Binding& binding) const {
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().finish(self.number); };
  binding.add({.run = run, .number = work});
}

void Finish::emit(NativeSteps& native) const { native.call("tutti_finish", work); }

void Finish::hash(const Plan& /*plan*/, Hasher& hasher) const { hasher.add(hashed(work)); }

}  // namespace tutti::codegen

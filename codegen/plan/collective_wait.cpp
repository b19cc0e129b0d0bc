#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>

namespace tutti::codegen {

CollectiveWait CollectiveWait::of(const CollectiveStart& start) {
  return {.work = start.work, .operands = start.operands, .results = start.results};
}

CollectiveWait CollectiveWait::parse(StepParser& parser) {
  parser.lexer().take();
  return parser.wait_of(parser.work());
}

void CollectiveWait::print(StepPrinter& printer) const {
  printer.add("wait w" + std::to_string(work));
  printer.end_line();
}

void CollectiveWait::shift(const Shift& by) {
  work += by.works;
  for (std::vector<BufferId>* const list :
       {&operands, &results, &leader_reads, &follower_reads, &follower_writes}) {
    for (BufferId& id : *list) id += by.buffers;
  }
}

// The results come with the wait.
void CollectiveWait::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  for (const BufferId id : operands) f(id, false);
  for (const BufferId id : leader_reads) f(id, false);
  for (const BufferId id : follower_reads) f(id, false);
  for (const BufferId id : results) f(id, true);
  for (const BufferId id : follower_writes) f(id, true);
}

void CollectiveWait::check(PlanChecker& checker) const { checker.wait(*this); }

void CollectiveWait::bind(Binding& binding) const {
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().wait(self.number); };
  binding.add({.run = run, .number = work, .kind = BoundStep::Kind::wait});
}

void CollectiveWait::emit(NativeSteps& native) const { native.call("tutti_wait", work); }

void CollectiveWait::hash(const Plan& /*plan*/, Hasher& hasher) const { hasher.add(hashed(work)); }

}  // namespace tutti::codegen

#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>

namespace tutti::codegen {

Free Free::parse(StepParser& parser) {
  parser.lexer().take();
  return {.buffer = parser.next_buffer()};
}

void Free::print(StepPrinter& printer) const {
  printer.add("free " + StepPrinter::name(buffer));
  printer.end_line();
}

void Free::for_each_access(const Plan& /*plan*/, const OnAccess& /*f*/) const {}

void Free::check(PlanChecker& checker) const { checker.free(buffer); }

void Free::bind(Binding& binding) const {
  // Between two launches on a GPU it is a step of theirs.
  if (DeviceRegion* const region = binding.open_region()) return region->add(*this);
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().free(self.number); };
  binding.add(
      {.run = run, .number = buffer, .kind = BoundStep::Kind::free, .runs_beside_copies = true});
}

void Free::emit(NativeSteps& native) const { native.call("tutti_free", buffer); }

void Free::hash(const Plan& /*plan*/, Hasher& hasher) const { hasher.add(hashed(buffer)); }

}  // namespace tutti::codegen

#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/type_text.h>

namespace tutti::codegen {

namespace {

// b3 on cpu: the buffer with its device, which may be said again.
BufferId parse_place(StepParser& parser) {
  const BufferId id = parser.next_buffer();
  ir::Lexer& lexer = parser.lexer();
  if (!lexer.accept("on")) return id;
  const std::size_t offset = lexer.peek().offset;
  const Device device = ir::read_device(lexer, false);
  const Device lies_on = parser.plan().buffers[at(id)].device;
  if (device != lies_on) {
    lexer.fail(offset, StepPrinter::name(id) + " lies on " + lies_on.text());
  }
  return id;
}

}  // namespace

// copy b3 on cpu -> b4 on cuda:0
Copy Copy::parse(StepParser& parser) {
  parser.lexer().take();
  Copy out;
  out.from = parse_place(parser);
  parser.lexer().expect("->", "and the buffer that is written");
  out.to = parse_place(parser);
  out.location = parser.location();
  return out;
}

void Copy::print(StepPrinter& printer) const {
  const auto place = [&](BufferId id) {
    return StepPrinter::name(id) + " on " + printer.plan().buffers[at(id)].device.text();
  };
  printer.add("copy " + place(from) + " -> " + place(to));
  printer.end_line(location);
}

void Copy::shift(const Shift& by) {
  from += by.buffers;
  to += by.buffers;
}

void Copy::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  f(from, false);
  f(to, true);
}

void Copy::check(PlanChecker& checker) const {
  checker.require(checker.buffer(from).bytes >= checker.buffer(to).bytes,
                  " is copied from a smaller buffer", to);
  checker.read(from);
  checker.write(to);
}

void Copy::bind(Binding& binding) const {
  const auto run = [](Binding& with, const BoundStep& self) {
    const BufferId source = with.buffer(self.first_buffer);
    const BufferId target = with.buffer(self.first_buffer + 1);
    with.frame().copy(source, with.address_of(source), target, with.address_of(target));
  };
  const bool reads_host = binding.plan().buffers[at(from)].device.is_cpu();
  binding.add({.run = run,
               .first_buffer = binding.add_buffers(std::array{from, to}),
               .runs_beside_copies = !reads_host});
}

void Copy::emit(NativeSteps& /*native*/) const {
  throw InternalError("native code of a plan with steps for a GPU");
}

void Copy::hash(const Plan& /*plan*/, Hasher& hasher) const {
  hasher.add(hashed(from)).add(hashed(to));
}

}  // namespace tutti::codegen

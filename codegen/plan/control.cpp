#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/codegen/plan/text_attributes.h>
#include <tutti/ir/literal.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

void parse_control_field(StepParser& parser, Control& control, const ir::Token& name) {
  const bool scan = control.kind == Control::Kind::scan;
  if (name.text == "carries" && control.kind != Control::Kind::conditional) {
    control.carries = parser.number("the number of carries");
  } else if (name.text == "sequences" && scan) {
    control.sequences = parser.number("the number of sequences");
  } else if (name.text == "length" && scan) {
    control.length = parser.number("the number of steps");
  } else if (name.text == "reverse" && scan) {
    control.reverse = ir::read_flag(parser.lexer());
  } else {
    parser.lexer().fail(name.offset,
                        "there is no attribute " + shown(name.text) +
                            " here; loops have carries, and a scan sequences, length and "
                            "reverse, too");
  }
}

// What a step gives its functions and gets of them is as they say.
void check_functions(const Control& control, const PlanChecker& checker) {
  using Kind = Control::Kind;
  const std::vector<std::shared_ptr<Plan>>& functions = checker.plan().functions;
  for (const int number : control.functions) {
    if (number < 0 || std::cmp_greater_equal(number, functions.size())) {
      checker.fail("runs function " + std::to_string(number) + ", which is not there");
    }
  }
  const auto operands = std::ssize(control.operands);
  const auto results = std::ssize(control.results);
  const auto require_counts = [&](bool holds) {
    if (!holds) {
      checker.fail("has other numbers of operands and results than its kind and functions");
    }
  };
  const auto takes = [&](std::size_t i, std::int64_t inputs, std::int64_t outputs) {
    const Plan& function = *functions[at(control.functions[i])];
    require_counts(std::ssize(function.inputs) == inputs &&
                   std::ssize(function.results) == outputs);
  };
  require_counts(control.carries <= std::min(operands, results) &&
                 control.sequences <= operands - control.carries);
  switch (control.kind) {
    case Kind::scan:
      return takes(0, operands, results);
    case Kind::while_loop:
      takes(0, operands, 1);
      require_counts(results == control.carries);
      return takes(1, operands, results);
    case Kind::conditional:
      require_counts(operands >= 1);
      for (std::size_t i = 0; i < control.functions.size(); ++i) {
        takes(i, operands - 1, results);
      }
  }
}

}  // namespace

// scan f0 @body (b0, b1) -> b2 {carries = 1, sequences = 1, length = 5, reverse = true},
// while f0 @condition do f1 @body (b0) -> b1 {carries = 1}, or
// conditional f0 @first, f1 @second (b0, b1) -> b2
Control Control::parse(StepParser& parser) {
  ir::Lexer& lexer = parser.lexer();
  Control out;
  if (lexer.accept("scan")) {
    out.kind = Kind::scan;
    out.functions.push_back(parser.function());
  } else if (lexer.accept("while")) {
    out.kind = Kind::while_loop;
    out.functions.push_back(parser.function());
    lexer.expect("do", "after the condition of a loop");
    out.functions.push_back(parser.function());
  } else {
    lexer.expect("conditional", "or another step");
    out.kind = Kind::conditional;
    do out.functions.push_back(parser.function());
    while (lexer.accept(","));
  }
  out.operands = parser.buffers(true);
  if (lexer.accept("->")) out.results = parser.buffers(false);
  parser.attributes([&](const ir::Token& field) { parse_control_field(parser, out, field); });
  out.location = parser.location();
  return out;
}

void Control::print(StepPrinter& printer) const {
  switch (kind) {
    case Kind::scan:
      printer.add("scan " + printer.function(functions[0]));
      break;
    case Kind::while_loop:
      printer.add("while " + printer.function(functions[0]));
      printer.add(" do " + printer.function(functions[1]));
      break;
    case Kind::conditional:
      printer.add("conditional ");
      for (std::size_t i = 0; i < functions.size(); ++i) {
        printer.add((i == 0 ? "" : ", ") + printer.function(functions[i]));
      }
      break;
  }
  printer.add(" (" + StepPrinter::names(operands) + ")");
  if (!results.empty()) printer.add(" -> " + StepPrinter::names(results));
  TextAttributes attributes;
  attributes.add("carries", carries);
  attributes.add("sequences", sequences);
  attributes.add("length", length);
  if (reverse) attributes.add("reverse", "true");
  printer.add(attributes.text());
  printer.end_line(location);
}

bool Control::same(const Control& other) const {
  return kind == other.kind && operands == other.operands && results == other.results &&
         carries == other.carries && sequences == other.sequences && length == other.length &&
         reverse == other.reverse && functions.size() == other.functions.size();
}

void Control::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  for (const BufferId id : operands) f(id, false);
  for (const BufferId id : results) f(id, true);
}

void Control::check(PlanChecker& checker) const {
  check_functions(*this, checker);
  for (const BufferId id : operands) {
    checker.require(checker.buffer(id).is_given() || checker.buffer(id).is_allocated(),
                    " goes to a function, but has no memory of its own", id);
    checker.read(id);
  }
  for (const BufferId id : results) checker.bring(id);
}

void Control::bind(Binding& binding) const {
  std::vector<std::function<void()>>& controls = binding.frame().controls;
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().control(self.number); };
  binding.add({.run = run, .number = static_cast<std::int32_t>(controls.size())});
  controls.push_back(binding.control(*this));
}

void Control::emit(NativeSteps& native) const { native.control("tutti_control"); }

// Known by its place among them.
void Control::hash(const Plan& /*plan*/, Hasher& /*hasher*/) const {}

}  // namespace tutti::codegen

#include <tutti/codegen/kernel/text_words.h>
#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/run_control.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/codegen/plan/text_attributes.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/literal.h>

#include <algorithm>
#include <map>

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
  } else if (name.text == "calls") {
    control.calls = parser.calls();
  } else {
    parser.lexer().fail(name.offset,
                        "there is no attribute " + shown(name.text) +
                            " here; loops have carries, and a scan sequences, length and "
                            "reverse, too; those that communicate have calls");
  }
}

// How often each buffer stands in a list.
std::map<BufferId, int> uses_of(const std::vector<BufferId>& list) {
  std::map<BufferId, int> out;
  for (const BufferId id : list) ++out[id];
  return out;
}

// Which carries have a spare buffer follows from the body: the text lists the buffers alone.
void place_spares(StepParser& parser, Control& control, const std::vector<BufferId>& listed,
                  std::size_t offset) {
  std::size_t next = 0;
  const Region& body = parser.plan().regions[at(control.regions.back())];
  const auto carries = std::min<std::int64_t>(control.carries, std::ssize(body.results));
  const std::vector<bool> in_place = computed_in_place(body.donations, body.results);
  for (std::int64_t carry = 0; carry < carries; ++carry) {
    const bool stays = in_place[static_cast<std::size_t>(carry)];
    const bool missing = next == listed.size();
    control.spares.push_back(stays || missing ? -1 : listed[next++]);
    if (!stays && missing) ++next;
  }
  if (next != listed.size()) {
    parser.lexer().fail(offset,
                        "a loop has a spare buffer for each carry that its body can't "
                        "compute in place, and no more");
  }
}

// What a step gives its regions and gets of them is as they say.
class ControlCheck {
 public:
  ControlCheck(const Control& control, PlanChecker& checker)
      : control_(control), checker_(checker) {}

  void run() const {
    using Kind = Control::Kind;
    const auto operands = std::ssize(control_.operands);
    const auto results = std::ssize(control_.results);
    require(control_.regions.size() >= (control_.kind == Kind::while_loop ? 2U : 1U));
    for (const int number : control_.regions) checker_.enter(number);
    require(control_.carries <= std::min(operands, results) &&
            control_.sequences <= operands - control_.carries &&
            std::ssize(control_.spares) == control_.carries);
    switch (control_.kind) {
      case Kind::scan:
        takes(0, 0, results);
        break;
      case Kind::while_loop:
        takes(0, 0, 1);
        require(results == control_.carries && bytes(control_.condition) >= 1 &&
                region(0).results[0].type.bytes() == 1);
        lies_with(control_.condition, region(0).results[0].buffer);
        takes(1, 0, results);
        for (std::size_t i = 0; std::cmp_less(i, control_.carries); ++i) {
          require(bytes(region(0).parameters[i]) == bytes(region(1).parameters[i]));
        }
        break;
      case Kind::conditional:
        require(operands >= 1 && bytes(control_.operands[0]) >= 4);
        for (std::size_t i = 0; i < control_.regions.size(); ++i) takes(i, 1, results);
    }
    check_staged();
    check_places();
  }

 private:
  void require(bool holds) const {
    if (!holds) {
      checker_.fail("has other operands and results than its kind and regions");
    }
  }
  const Region& region(std::size_t i) const {
    return checker_.plan().regions[at(control_.regions[i])];
  }
  std::int64_t bytes(BufferId id) const { return checker_.buffer(id).bytes; }
  void lies_with(BufferId id, BufferId inside) const {
    checker_.require(checker_.buffer(id).device == checker_.buffer(inside).device,
                     " lies on another device", id);
  }

  // Operands from `first` on are as large as the region's parameters, and so are results.
  void takes(std::size_t i, std::size_t first, std::int64_t results) const {
    const Region& to = region(i);
    require(to.parameters.size() + first == control_.operands.size() &&
            std::ssize(to.results) == results);
    const auto carries = static_cast<std::size_t>(control_.carries);
    const auto sequences = static_cast<std::size_t>(control_.sequences);
    const auto parts = [&](bool stacked) { return stacked ? control_.length : 1; };
    for (std::size_t k = 0; k < to.parameters.size(); ++k) {
      const bool sequence = k >= carries && k < carries + sequences;
      const std::int64_t each = bytes(to.parameters[k]);
      require(fits(each, parts(sequence), bytes(control_.operands[k + first])));
      lies_with(control_.operands[k + first], to.parameters[k]);
    }
    const bool gives_results = control_.kind != Control::Kind::while_loop || i == 1;
    for (std::size_t k = 0; gives_results && k < to.results.size(); ++k) {
      const bool stacked = control_.kind == Control::Kind::scan && k >= carries;
      require(fits(bytes(to.results[k].buffer), parts(stacked), bytes(control_.results[k])));
      lies_with(control_.results[k], to.results[k].buffer);
    }
    if (!gives_results) return;
    const std::vector<bool> in_place = computed_in_place(to.donations, to.results);
    for (std::size_t k = 0; k < carries; ++k) {
      const std::int64_t carry = bytes(to.results[k].buffer);
      require(carry == bytes(to.parameters[k]));
      require((control_.spares[k] < 0) == in_place[k]);
      if (control_.spares[k] < 0) continue;
      require(carry <= bytes(control_.spares[k]));
      lies_with(control_.spares[k], to.results[k].buffer);
    }
  }
  // Without places of their own, parts on a GPU are where kernels expect them, which is aligned.
  void check_staged() const {
    if (control_.kind != Control::Kind::scan) return require(control_.staged.empty());
    const Region& body = region(0);
    const auto sequences = static_cast<std::size_t>(control_.sequences);
    const auto carries = static_cast<std::size_t>(control_.carries);
    const std::size_t parts = sequences + body.results.size() - carries;
    require(control_.staged.empty() || control_.staged.size() == parts);
    for (std::size_t i = 0; i < parts; ++i) {
      const BufferId inside = i < sequences ? body.parameters[carries + i]
                                            : body.results[carries + i - sequences].buffer;
      if (control_.staged.empty()) {
        const bool aligned = bytes(inside) % kDeviceAlignment == 0 || control_.length < 2;
        checker_.require(checker_.buffer(inside).device.is_cpu() || aligned,
                         " is a part that is not aligned on its device", inside);
        continue;
      }
      require(bytes(inside) <= bytes(control_.staged[i]));
      lies_with(control_.staged[i], inside);
    }
  }
  static bool fits(std::int64_t each, std::int64_t parts, std::int64_t bytes) {
    return each == 0 || parts <= bytes / each;
  }

  // Each buffer that is written has no other use, but for a carry that stays where it lies.
  void check_places() const {
    std::map<BufferId, int> uses = uses_of(control_.operands);
    for (std::size_t i = 0; i < control_.results.size(); ++i) {
      const BufferId id = control_.results[i];
      const bool stays = std::cmp_less(i, control_.carries) && control_.spares[i] < 0 &&
                         control_.operands[i] == id;
      int& known = uses[id];
      checker_.require(known == (stays ? 1 : 0), " is written, but has another use in the step",
                       id);
      if (!stays) ++known;
    }
    for (const BufferId id : own()) {
      checker_.require(uses[id]++ == 0, " is written, but has another use in the step", id);
      checker_.require(checker_.buffer(id).kind == PlanBuffer::Kind::local,
                       " is spare, but not the run's own", id);
    }
  }
  std::vector<BufferId> own() const {
    std::vector<BufferId> out;
    std::ranges::copy_if(control_.spares, std::back_inserter(out),
                         [](BufferId id) { return id >= 0; });
    std::ranges::copy(control_.staged, std::back_inserter(out));
    if (control_.condition >= 0) out.push_back(control_.condition);
    return out;
  }

  const Control& control_;
  PlanChecker& checker_;
};

}  // namespace

std::vector<int> works_of(const Plan& plan, const Control& control) {
  std::vector<int> out;
  std::vector<bool> seen(plan.regions.size(), false);
  std::vector<int> todo = control.regions;
  while (!todo.empty()) {
    const auto number = at(todo.back());
    todo.pop_back();
    if (seen[number]) continue;
    seen[number] = true;
    const Region& region = plan.regions[number];
    for (int step = region.first_step; step < region.end_step; ++step) {
      if (const auto* const start = start_of(plan.steps[at(step)])) out.push_back(start->work);
      if (const auto* const inner = control_of(plan.steps[at(step)])) {
        todo.insert(todo.end(), inner->regions.begin(), inner->regions.end());
      }
    }
  }
  return out;
}

std::vector<bool> computed_in_place(const std::vector<Donation>& donations,
                                    const std::vector<PlanResult>& results) {
  std::vector<bool> out(results.size(), false);
  for (const Donation& donation : donations) {
    if (donation.input < 0 || std::cmp_greater_equal(donation.input, results.size())) continue;
    if (results[at(donation.input)].buffer == donation.buffer) out[at(donation.input)] = true;
  }
  return out;
}

std::set<std::pair<BufferId, BufferId>> writes_in_place(const Control& control) {
  std::set<std::pair<BufferId, BufferId>> out;
  std::map<BufferId, int> uses = uses_of(control.operands);
  for (std::size_t i = 0; i < std::min(control.spares.size(), control.results.size()); ++i) {
    const BufferId read = control.operands[i];
    if (control.spares[i] < 0 && uses[read] == 1) out.emplace(read, control.results[i]);
  }
  return out;
}

// scan r0 @body (b0, b1) -> b2 with b3 {carries = 1, sequences = 1, length = 5, reverse = true},
// while r0 @condition -> b4 do r1 @body (b0) -> b1 with b2 {carries = 1}, or
// conditional r0 @first, r1 @second (b0, b1) -> b2
Control Control::parse(StepParser& parser) {
  ir::Lexer& lexer = parser.lexer();
  Control out;
  if (lexer.accept("scan")) {
    out.kind = Kind::scan;
    out.regions.push_back(parser.region());
  } else if (lexer.accept("while")) {
    out.kind = Kind::while_loop;
    out.regions.push_back(parser.region());
    lexer.expect("->", "and where the condition of a loop goes");
    out.condition = parser.next_buffer();
    lexer.expect("do", "after the condition of a loop");
    out.regions.push_back(parser.region());
  } else {
    lexer.expect("conditional", "or another step");
    out.kind = Kind::conditional;
    do out.regions.push_back(parser.region());
    while (lexer.accept(","));
  }
  out.operands = parser.buffers(true);
  if (lexer.accept("->")) out.results = parser.buffers(false);
  std::vector<BufferId> spares;
  const std::size_t offset = lexer.peek().offset;
  if (lexer.accept("with")) spares = parser.buffers(false);
  if (lexer.accept("via")) out.staged = parser.buffers(false);
  parser.attributes([&](const ir::Token& field) { parse_control_field(parser, out, field); });
  place_spares(parser, out, spares, offset);
  out.location = parser.location();
  return out;
}

void Control::print(StepPrinter& printer) const {
  switch (kind) {
    case Kind::scan:
      printer.add("scan " + printer.region(regions[0]));
      break;
    case Kind::while_loop:
      printer.add("while " + printer.region(regions[0]) + " -> " + StepPrinter::name(condition));
      printer.add(" do " + printer.region(regions[1]));
      break;
    case Kind::conditional:
      printer.add("conditional ");
      for (std::size_t i = 0; i < regions.size(); ++i) {
        printer.add((i == 0 ? "" : ", ") + printer.region(regions[i]));
      }
      break;
  }
  printer.add(" (" + StepPrinter::names(operands) + ")");
  if (!results.empty()) printer.add(" -> " + StepPrinter::names(results));
  std::vector<BufferId> listed;
  std::ranges::copy_if(spares, std::back_inserter(listed), [](BufferId id) { return id >= 0; });
  if (!listed.empty()) printer.add(" with " + StepPrinter::names(listed));
  if (!staged.empty()) printer.add(" via " + StepPrinter::names(staged));
  TextAttributes attributes;
  attributes.add("carries", carries);
  attributes.add("sequences", sequences);
  attributes.add("length", length);
  if (reverse) attributes.add("reverse", "true");
  attributes.add("calls", std::vector<std::int64_t>(calls.begin(), calls.end()));
  printer.add(attributes.text());
  printer.end_line(location);
}

bool Control::same(const Control& other) const {
  return kind == other.kind && regions == other.regions && operands == other.operands &&
         results == other.results && spares == other.spares && staged == other.staged &&
         condition == other.condition && carries == other.carries && sequences == other.sequences &&
         length == other.length && reverse == other.reverse && calls == other.calls;
}

void Control::shift(const Shift& by) {
  const auto move = [&](BufferId& id) {
    if (id >= 0) id += by.buffers;
  };
  for (std::vector<BufferId>* const list : {&operands, &results, &spares, &staged}) {
    std::ranges::for_each(*list, move);
  }
  move(condition);
}

void Control::for_each_access(const Plan& /*plan*/, const OnAccess& f) const {
  for (const BufferId id : operands) f(id, false);
  for (const BufferId id : results) f(id, true);
  for (const BufferId id : spares) {
    if (id >= 0) f(id, true);
  }
  for (const BufferId id : staged) f(id, true);
  if (condition >= 0) f(condition, true);
}

void Control::check(PlanChecker& checker) const {
  ControlCheck(*this, checker).run();
  for_each_access(checker.plan(), [&](BufferId id, bool written) {
    written ? checker.write(id) : checker.read(id);
  });
}

void Control::bind(Binding& binding) const {
  const auto run = [](Binding& with, const BoundStep& self) {
    run_control(*control_of(with.plan().steps[at(self.number)]), with);
  };
  // Inside a region it is the loop around it that starts.
  if (binding.next_step() >= binding.plan().main_step()) {
    std::vector<int> works = works_of(binding.plan(), *this);
    const bool communicates = !works.empty();
    if (communicates) binding.add_start({.works = std::move(works), .loops = true, .calls = calls});
  }
  binding.add({.run = run, .number = binding.next_step()});
}

void Control::emit(NativeSteps& native) const { native.control(*this); }

void Control::hash(const Plan& plan, Hasher& hasher) const {
  hasher.add(hashed(static_cast<std::int64_t>(kind)));
  for (const int number : regions) hasher.add(hashed(number));
  for_each_access(plan, [&](BufferId id, bool /*written*/) { add_place(plan, id, hasher); });
  for (const BufferId id : spares) hasher.add(hashed(id < 0 ? 0 : 1));
  for (const std::int64_t number : {std::ssize(operands), std::ssize(results), std::ssize(staged),
                                    carries, sequences, length}) {
    hasher.add(hashed(number));
  }
  hasher.add(hashed(reverse ? 1 : 0));
}

}  // namespace tutti::codegen

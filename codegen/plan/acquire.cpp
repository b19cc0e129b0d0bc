#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

// The last collective of some steps that reads what lies where the buffer does; -1 if there is
// none.
int last_reader(std::span<const PlaceReader> readers, const PlanBuffer& place, std::int32_t first,
                std::int32_t end) {
  const auto begins_before = [](const PlaceReader& reader, std::int32_t step) {
    return reader.step < step;
  };
  auto reader = std::lower_bound(readers.begin(), readers.end(), end, begins_before);
  while (reader != readers.begin()) {
    --reader;
    if (reader->step < first) break;
    if (reader->area == place.index && reader->begin < place.offset + place.bytes &&
        place.offset < reader->end) {
      return reader->work;
    }
  }
  return -1;
}

// The collectives one of which was the last to read what lies at the place when a step acquires it.
// Numbers grow in the order of the steps, so that of each region, and of the program itself, the
// last one is enough: of its own the last above the step, or, where there is none, that of the
// iteration or run before.
std::vector<std::int32_t> readers_before(const Binding& binding, const PlanBuffer& place,
                                         std::int32_t step) {
  const Plan& plan = binding.plan();
  const std::span<const PlaceReader> readers = binding.place_readers();
  std::vector<std::int32_t> out;
  const auto add = [&](std::int32_t first, std::int32_t end) {
    const bool own = first <= step && step < end;
    int found = own ? last_reader(readers, place, first, step) : -1;
    if (found < 0) found = last_reader(readers, place, first, end);
    if (found >= 0) out.push_back(found);
  };
  for (const Region& region : plan.regions) add(region.first_step, region.end_step);
  add(plan.main_step(), static_cast<std::int32_t>(plan.steps.size()));
  return out;
}

// The line of the collective that the buffer is for, the next one that uses it.
Location line_of_user(const Plan& plan, BufferId id, std::int32_t step) {
  for (; at(step) < plan.steps.size(); ++step) {
    const CollectiveStart* const start = start_of(plan.steps[at(step)]);
    if (start == nullptr) continue;
    if (std::ranges::count(start->operands, id) + std::ranges::count(start->results, id) == 0) {
      continue;
    }
    return start->call.location;
  }
  return {};
}

}  // namespace

Acquire Acquire::parse(StepParser& parser) {
  parser.lexer().take();
  return {.buffer = parser.next_buffer()};
}

void Acquire::print(StepPrinter& printer) const {
  printer.add("acquire " + StepPrinter::name(buffer));
  printer.end_line();
}

void Acquire::for_each_access(const Plan& /*plan*/, const OnAccess& /*f*/) const {}

void Acquire::check(PlanChecker& checker) const { checker.acquire(buffer); }

void Acquire::bind(Binding& binding) const {
  const Plan& plan = binding.plan();
  const PlanBuffer& place = plan.buffers[at(buffer)];
  const std::int32_t step = binding.next_step();
  binding.frame().add_place({.buffer = buffer,
                             .area = static_cast<std::size_t>(place.index),
                             .offset = static_cast<std::size_t>(place.offset),
                             .bytes = static_cast<std::size_t>(place.bytes),
                             .readers = readers_before(binding, place, step),
                             .where = line_of_user(plan, buffer, step)});
  binding.takes_place(buffer);
  const auto run = [](Binding& with, const BoundStep& self) { with.frame().acquire(self.number); };
  binding.add({.run = run, .number = buffer, .runs_beside_copies = true});
}

void Acquire::emit(NativeSteps& native) const { native.call("tutti_acquire", buffer); }

void Acquire::hash(const Plan& /*plan*/, Hasher& hasher) const { hasher.add(hashed(buffer)); }

}  // namespace tutti::codegen

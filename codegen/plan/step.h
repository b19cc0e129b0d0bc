#pragma once

#include <tutti/codegen/plan/acquire.h>
#include <tutti/codegen/plan/allocate.h>
#include <tutti/codegen/plan/collective_start.h>
#include <tutti/codegen/plan/collective_wait.h>
#include <tutti/codegen/plan/control.h>
#include <tutti/codegen/plan/copy.h>
#include <tutti/codegen/plan/finish.h>
#include <tutti/codegen/plan/free.h>
#include <tutti/codegen/plan/launch.h>
#include <tutti/codegen/plan/observe.h>

#include <concepts>
#include <type_traits>
#include <variant>

namespace tutti::codegen {

// The kinds of steps: a file each, and an entry here. What tells kinds apart asks one of their
// members, or one of the functions below, so that a new kind can't be forgotten.
using Step = std::variant<Allocate, Acquire, Launch, Observe, Copy, CollectiveStart, CollectiveWait,
                          Finish, Free, Control>;

// What a kind of step has to have.
template <class S>
concept IsStep =
    requires(const S& step, const S& other, S& step_to_move, const Shift& by, const Plan& plan,
             const OnAccess& f, StepParser& parser, StepPrinter& printer, PlanChecker& checker,
             Binding& binding, Hasher& hasher, NativeSteps& native) {
      // Its text: the words that it may begin with, reading and writing it, and whether another one
      // says the same, but for lines of source.
      { std::span<const std::string_view>(S::kWords) };
      { S::parse(parser) } -> std::same_as<S>;
      step.print(printer);
      { step.same(other) } -> std::same_as<bool>;
      // Its numbers, where it goes behind the steps of another plan.
      step_to_move.shift(by);
      // Its buffers: calls f for every one that it reads or writes, first those that it reads.
      step.for_each_access(plan, f);
      // Those that may be in use when the run is over.
      { step.keeps() } -> std::same_as<std::span<const BufferId>>;
      { S::kResults } -> std::convertible_to<ResultMemory>;
      // Throws InternalError where it breaks a rule of check_plan.h.
      step.check(checker);
      // Makes instructions of it, for one rank.
      step.bind(binding);
      // Makes native code of it, and adds to a hash all that this code depends on.
      step.emit(native);
      step.hash(plan, hasher);
    };

template <class... S>
constexpr bool are_steps(std::type_identity<std::variant<S...>>) {
  return (IsStep<S> && ...);
}
static_assert(are_steps(std::type_identity<Step>()));

// The launch, start, loop or branch that a step is; null for other kinds.
Launch* launch_of(Step& step);
const Launch* launch_of(const Step& step);
const CollectiveStart* start_of(const Step& step);
CollectiveStart* start_of(Step& step);
const Control* control_of(const Step& step);
Control* control_of(Step& step);

}  // namespace tutti::codegen

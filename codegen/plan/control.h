#pragma once

#include <tutti/codegen/plan/step_forward.h>
#include <tutti/ir/graph.h>

#include <set>
#include <utility>
#include <vector>

namespace tutti::codegen {

// Enters regions of the plan: the steps of a loop one after another, or one branch. It says where
// a region's parameters and results lie:
// - An operand that is no carry lies where it lies; of a sequence, a step gets its part.
// - What a scan stacks is written where it belongs.
// - A carry that the region may compute in place (Region::donations) lies where the result does, in
//   all steps. Others lie there and in a spare buffer by turns.
// Each lies on the device where its region wants it; what decides about the steps may lie on any.
struct Control {
  enum class Kind : std::uint8_t { scan, while_loop, conditional };

  Kind kind = Kind::scan;
  // In Plan::regions. Of a scan: its body. Of a while_loop: condition, body. Else: the branches.
  std::vector<int> regions = {};
  std::vector<BufferId> operands = {};
  std::vector<BufferId> results = {};
  std::vector<BufferId> spares = {};  // by carry; -1: computed in place
  BufferId condition = -1;            // of a while_loop: what its condition gives
  // Of a scan on a GPU, by sequence and then by what it stacks: where a step has its part, so that
  // all steps have the same addresses. Empty: where the part belongs.
  std::vector<BufferId> staged = {};
  std::int64_t carries = 0;
  std::int64_t sequences = 0;
  std::int64_t length = 0;
  bool reverse = false;
  // Where its regions communicate: of the traced program, as in CollectiveStart.
  std::vector<ir::CallId> calls = {};
  Location location = {};

  static constexpr std::array<std::string_view, 3> kWords = {"scan", "while", "conditional"};
  static Control parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Control& other) const;
  // The regions keep their numbers.
  void shift(const Shift& by);

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::there;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

// The works that a loop or branch starts, in its regions and in those that these enter.
std::vector<int> works_of(const Plan& plan, const Control& control);

// Which of its results a function that has these donations may compute where the argument of the
// same number lies.
std::vector<bool> computed_in_place(const std::vector<Donation>& donations,
                                    const std::vector<PlanResult>& results);
// What a loop or branch reads, and what it writes where that lies: carries that are computed in
// place, and have no other use in the step.
std::set<std::pair<BufferId, BufferId>> writes_in_place(const Control& control);

// Of a step of a loop that computes a carry by turns: where it is written in the first step, so
// that the last one, if their number is known, writes the result.
constexpr bool begins_with_spare(std::int64_t length) { return length % 2 == 0; }

}  // namespace tutti::codegen

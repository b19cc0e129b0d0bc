#pragma once

#include <tutti/codegen/plan/step_forward.h>

namespace tutti::codegen {

struct CollectiveStart;

// Says that the plan has read the operands of a collective that it reads itself: their owners may
// write them anew when all members say so.
struct Finish {
  int work = 0;
  std::vector<BufferId> operands = {};  // of the start
  std::vector<BufferId> peers = {};     // what was read

  static Finish of(const CollectiveStart& start);

  static constexpr std::array<std::string_view, 1> kWords = {"finish"};
  static Finish parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Finish& other) const { return work == other.work; }
  void shift(const Shift& by);

  // What peers wrote is theirs again, as if it were written.
  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::brought;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

#pragma once

#include <tutti/codegen/plan/step_forward.h>

namespace tutti::codegen {

struct CollectiveStart;

// Waits for a collective and binds its results. Until then its operands are in use: peers read
// them.
struct CollectiveWait {
  int work = 0;
  std::vector<BufferId> operands = {};  // of the start
  std::vector<BufferId> results = {};   // likewise
  // What its leader reads; what its follower reads beside the results, and writes.
  std::vector<BufferId> leader_reads = {};
  std::vector<BufferId> follower_reads = {};
  std::vector<BufferId> follower_writes = {};

  static CollectiveWait of(const CollectiveStart& start);

  static constexpr std::array<std::string_view, 1> kWords = {"wait"};
  static CollectiveWait parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const CollectiveWait& other) const { return work == other.work; }
  void shift(const Shift& by);

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::brought;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

#pragma once

#include <tutti/codegen/plan/step_forward.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/group.h>
#include <tutti/runtime/comm/collective.h>

#include <string>

namespace tutti::codegen {

// Announces a collective. `call` lacks only the addresses.
struct CollectiveStart {
  runtime::CollectiveCall call;
  ir::GroupPtr group;
  ir::GroupPtr parent = nullptr;        // of a message: the group whose ranks these two are
  std::vector<BufferId> operands = {};  // one a part; none where this rank only receives
  std::vector<BufferId> results = {};   // one a part; none where this rank only sends
  std::string engine = "shm";           // what carries it out
  int work = 0;                         // the number that CollectiveWait refers to
  std::vector<ir::CallId> calls = {};   // of the traced program: what it is, or a part of

  static constexpr std::array<std::string_view, 1> kWords = {"start"};
  static CollectiveStart parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const CollectiveStart& other) const;
  void shift(const Shift& by);

  // Whether the plan reads the members' operands itself: its results are where they lie, by member.
  bool reads(const Plan& plan) const;

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  // Peers may read an operand when this rank is long done.
  std::span<const BufferId> keeps() const { return operands; }
  static constexpr ResultMemory kResults = ResultMemory::later;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

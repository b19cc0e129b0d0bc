#pragma once

#include <tutti/codegen/plan/launch.h>
#include <tutti/codegen/plan/step_forward.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/group.h>
#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <memory>
#include <optional>
#include <string>

namespace tutti::codegen {

// Announces a collective. `call` lacks only the addresses.
//
// On a GPU a kernel may lead it, which makes the operand, at any time between the start and the
// wait: within the kernel that carries the collective out, or in front of that. And one may follow
// it, whose other operands are there at the start and which alone reads the result: it is done when
// the collective is, within that kernel or behind it, and what it writes comes with the wait.
struct CollectiveStart {
  runtime::CollectiveCall call;
  ir::GroupPtr group;
  ir::GroupPtr parent = nullptr;        // of a message: the group whose ranks these two are
  std::vector<BufferId> operands = {};  // one a part; none where this rank only receives
  std::vector<BufferId> results = {};   // one a part; none where this rank only sends
  std::string engine = "shm";           // what carries it out
  int work = 0;                         // the number that CollectiveWait refers to
  std::vector<ir::CallId> calls = {};   // of the traced program: what it is, or a part of
  std::optional<LaunchPart> leader = std::nullopt;    // on the operands' device
  std::optional<LaunchPart> follower = std::nullopt;  // on the results' device
  // Makes them in one with the collective; null: nobody.
  std::shared_ptr<const runtime::FusedCommKernels> fused = nullptr;

  static constexpr std::array<std::string_view, 1> kWords = {"start"};
  static CollectiveStart parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const CollectiveStart& other) const;
  void shift(const Shift& by);

  // Whether the plan reads the members' operands itself: its results are where they lie, by member.
  bool reads(const Plan& plan) const;

  // What the leader reads; it writes the collective's operand.
  std::vector<BufferId> leader_reads(const Plan& plan) const;
  // The buffers of the follower, but for the collective's result.
  std::vector<BufferId> follower_buffers(const Plan& plan, bool written) const;

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

#pragma once

#include <tutti/codegen/plan/step_forward.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/observation.h>

namespace tutti::codegen {

// Looks at what a buffer of the host holds, or begins with, and passes that on to another, which
// may be the same one.
struct Observe {
  BufferId from = -1;
  BufferId to = -1;
  ir::Observer observer = {};

  // Of a node of that op.
  static Observe of(const ir::Graph& graph, ir::NodeId id, BufferId from, BufferId to);

  static constexpr std::array<std::string_view, 1> kWords = {"observe"};
  static Observe parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Observe& other) const;
  void shift(const Shift& by);

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::there;
  void check(PlanChecker& checker) const;

  // A launch of one tile.
  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

#pragma once

#include <tutti/codegen/plan/step_forward.h>

namespace tutti::codegen {

// Runs plans of functions: the steps of a loop one after another, or one branch. It gives its
// results their memory.
struct Control {
  enum class Kind : std::uint8_t { scan, while_loop, conditional };

  Kind kind = Kind::scan;
  // In Plan::functions. Of a scan: its body. Of a while_loop: condition, body. Else: the branches.
  std::vector<int> functions = {};
  std::vector<BufferId> operands = {};
  std::vector<BufferId> results = {};
  std::int64_t carries = 0;
  std::int64_t sequences = 0;
  std::int64_t length = 0;
  bool reverse = false;
  Location location = {};

  static constexpr std::array<std::string_view, 3> kWords = {"scan", "while", "conditional"};
  static Control parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  // But for the functions, which stand elsewhere.
  bool same(const Control& other) const;

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  // What a loop or branch gives may be what it got.
  std::span<const BufferId> keeps() const { return operands; }
  static constexpr ResultMemory kResults = ResultMemory::brought;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

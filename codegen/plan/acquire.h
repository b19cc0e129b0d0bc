#pragma once

#include <tutti/codegen/plan/step_forward.h>

namespace tutti::codegen {

// Waits until all members of a group are done with what lay at a symmetric buffer's place, in an
// earlier iteration or run or of another program: the buffer may be written then.
struct Acquire {
  BufferId buffer = -1;

  static constexpr std::array<std::string_view, 1> kWords = {"acquire"};
  static Acquire parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Acquire& other) const { return buffer == other.buffer; }
  void shift(const Shift& by) { buffer += by.buffers; }

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::brought;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

#pragma once

#include <tutti/codegen/plan/step_forward.h>

namespace tutti::codegen {

// Brings what a buffer holds, or what it begins with, to one on another device that it fills.
struct Copy {
  BufferId from = -1;
  BufferId to = -1;
  Location location = {};

  static constexpr std::array<std::string_view, 1> kWords = {"copy"};
  static Copy parse(StepParser& parser);
  void print(StepPrinter& printer) const;
  bool same(const Copy& other) const { return from == other.from && to == other.to; }
  void shift(const Shift& by);

  void for_each_access(const Plan& plan, const OnAccess& f) const;
  std::span<const BufferId> keeps() const { return {}; }
  static constexpr ResultMemory kResults = ResultMemory::there;
  void check(PlanChecker& checker) const;

  void bind(Binding& binding) const;
  void emit(NativeSteps& native) const;
  void hash(const Plan& plan, Hasher& hasher) const;
};

}  // namespace tutti::codegen

#pragma once

namespace tutti::codegen {

struct Plan;

// Sees every plan that keeps the rules, as ir::test_hook (tutti/ir/test_hook.h) sees programs.
[[gnu::weak]] void test_hook(const Plan& plan);

inline void call_test_hook(const Plan& plan) {
  if (test_hook != nullptr) test_hook(plan);
}

}  // namespace tutti::codegen

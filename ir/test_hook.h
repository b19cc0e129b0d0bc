#pragma once

namespace tutti::ir {

class Graph;

// Sees every whole program: where one is verified, interpreted, given to the passes, left by one,
// or planned. A weak symbol: only the tests' main defines it (tests/support/main.cpp), to check
// that the text of each says all of it. Elsewhere its address is null, so there is no state and the
// cost is a comparison.
[[gnu::weak]] void test_hook(const Graph& graph);

inline void call_test_hook(const Graph& graph) {
  if (test_hook != nullptr) test_hook(graph);
}

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/graph.h>

#include <cstddef>
#include <optional>
#include <string>

namespace tutti::ir {

// What tells two functions apart. Names, lines and the numbers of kernels do not.
struct Difference {
  // The one nearest to the parameters, in a sentence that calls the functions A and B: "%4 =
  // mul(%2, %3) : f32[64] (train.cpp:41) is add(%2, %3) in B". Inside a function that a node runs
  // it begins with "in @cell, the body of %0 = scan(%h, %xs): ".
  std::string first;
  std::size_t more = 0;          // nodes that differ by themselves, besides
  std::size_t consequences = 0;  // nodes of A that differ only because of what they depend on
};

// Nothing if there is no difference. In O(n log n). Two functions that nodes run are compared once,
// however many nodes run them: these then differ only because of what is found there.
std::optional<Difference> difference(const Graph& a, const Graph& b);

// The first name, line or kernel's number that differs, in words, of two functions without a
// difference; empty if there is none.
std::string difference_in_names(const Graph& a, const Graph& b);

}  // namespace tutti::ir

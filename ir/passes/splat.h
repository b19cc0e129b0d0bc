#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/graph.h>

#include <optional>

// Values that repeat one number.
namespace tutti::ir {

// The number that a value repeats in all its elements, and whether it comes of ones or zeros "like"
// something, which is no constant.
struct Splat {
  Array number;
  bool is_computed = false;
};

// Nothing if there is none, or it is not known. Looks through the views that gradients put around
// numbers, and computes what is made of numbers alone; not deeper than so many nodes.
std::optional<Splat> splat_of(const Graph& graph, Value value, int depth = 4);
// Whether it is that number, to the bit.
bool is_splat(const Graph& graph, Value value, double number);

// What a value of the same dtype, replication and place was computed from, as far back as there is
// one, the smaller the better; invalid if the value was not computed.
Value source_like(const Graph& graph, Value value);

}  // namespace tutti::ir

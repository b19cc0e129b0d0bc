#pragma once

#include <tutti/ir/builder.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Values that are put together, along one axis, of a few parts.
namespace tutti::ir {

// More are not worth a node each.
inline constexpr std::size_t kMostParts = 8;

struct Split {
  int axis = 0;
  std::vector<std::int64_t> ends;  // where each part ends along it, in order

  std::size_t count() const { return ends.size(); }
  std::int64_t begin(std::size_t part) const { return part == 0 ? 0 : ends[part - 1]; }
  std::int64_t size(std::size_t part) const { return ends[part] - begin(part); }
  // Whether each part is one element thick. Such parts go without the axis: then all that is made
  // of them has one shape, whatever axis they were put together along.
  bool thin() const { return std::cmp_equal(ends.back(), ends.size()); }
  // The part that holds the elements [from, to).
  std::optional<std::size_t> part_of(std::int64_t from, std::int64_t to) const;

  friend bool operator==(const Split&, const Split&) = default;
};

// Each place of an axis of that size as a part.
Split split_into_places(int axis, std::int64_t size);
// Of a concat, or of a pad of a short axis.
std::optional<Split> split_of(const Graph& graph, NodeId id);
// That of a view's result, where its operand is split: nothing if the parts are torn apart.
std::optional<Split> split_through(const Graph& graph, NodeId view, const Split& split);
// Which part a slice's result comes of, if it comes of one.
std::optional<std::size_t> part_of_slice(const Graph& graph, NodeId slice, const Split& split);

Shape part_shape(const Shape& whole, const Split& split, std::size_t part);

// What follows appends to the builder's graph.

// One part of a value that is there.
Value cut(Builder& builder, Value whole, const Split& split, std::size_t part);
// The value of these parts.
Value put_together(Builder& builder, const std::vector<Value>& parts, const Shape& whole,
                   const Split& split);
// A view's part, of its operand's: `from` is the operand's split, `to` the result's.
Value view_of_part(Builder& builder, const Graph& graph, NodeId view, Value part, const Split& from,
                   const Split& to, std::size_t number);
// A slice of a value, of the part that it comes of.
Value slice_of_part(Builder& builder, const Graph& graph, NodeId slice, Value part,
                    const Split& split, std::size_t number);

// The value as one of this type, as far as they differ in what they are replicated over; invalid if
// it is none.
Value as_type(Builder& builder, Value value, const Type& type);

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/term.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::ir {

// A shape seen as blocks: dimensions with a step s above 1 are two, [ceil(size / s), s]. What lies
// s apart in one of them is then one column of its blocks, which a pad without zeros between
// elements puts there.
class Blocks {
 public:
  // One step, of at least 1, for each dimension. Nothing if no step is above 1, if one is larger
  // than its dimension, or if that makes too many dimensions or elements.
  static std::optional<Blocks> of(const Shape& shape, std::vector<std::int64_t> steps);

  bool operator==(const Blocks& other) const = default;

  Shape blocked_shape() const;

  // The blocks of x's elements so far apart, the first one at `first`, and of the scalar `fill`
  // everywhere else. They have to lie inside of the shape.
  Term spread(Term x, Term fill, const std::vector<std::int64_t>& first) const;
  // An element for each block, in all of its columns.
  Term everywhere(Term each) const;
  // The column, along a dimension that has a step, in which an element of the blocks lies: i32,
  // replicated like a.
  Term column(Term a, std::size_t dimension) const;
  // The tensor that blocks show.
  Term joined(Term blocks) const;

 private:
  Blocks(const Shape& shape, std::vector<std::int64_t> steps)
      : shape_(shape), steps_(std::move(steps)) {}

  Shape shape_;
  std::vector<std::int64_t> steps_;
};

}  // namespace tutti::ir

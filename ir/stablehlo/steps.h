#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tutti::ir::stablehlo {

// What an integer or truth is in step t = 0, 1, ... of a loop: slope * t + start.
struct Line {
  std::int64_t slope = 0;
  std::int64_t start = 0;

  std::int64_t at(std::int64_t t) const { return slope * t + start; }
  friend bool operator==(const Line&, const Line&) = default;
};

// Which values of a loop's body are lines over the loop's steps. Integers are taken only where none
// of the steps leaves their dtype's range.
class Lines {
 public:
  // `of_parameters` has an entry for each parameter of the body.
  Lines(const Graph& body, const std::vector<std::optional<Line>>& of_parameters,
        std::int64_t length);

  // Of a value whose elements are all the same; nothing if it isn't known.
  std::optional<Line> of(Value value) const;
  // Of element 0 of a vector.
  std::optional<Line> of_first(Value vector) const;

 private:
  std::optional<Line> line(NodeId node) const;
  std::optional<Line> compared(Op op, Line a, Line b) const;
  std::optional<Line> chosen(Line a, Line b, bool larger) const;
  bool fits(Line line, DType dtype) const;

  const Graph& body_;
  const std::int64_t length_;
  std::map<Value, Line> lines_;
};

// How often a loop runs that counts from `first` on, by `by`, as long as it is below `bound`;
// nothing if it has no end or leaves the range of the counter's dtype.
std::optional<std::int64_t> steps_of(std::int64_t first, std::int64_t bound, std::int64_t by,
                                     DType dtype);

// An element of a constant; nothing if it is no integer or truth.
std::optional<std::int64_t> integer_at(const Array& array, std::int64_t element);

}  // namespace tutti::ir::stablehlo

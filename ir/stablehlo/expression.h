#pragma once

#include <tutti/ir/stablehlo/tree.h>

#include <functional>
#include <string>
#include <unordered_map>

namespace tutti::ir::stablehlo {

// What a small region computes, as text: "select(GT(0, 2), 0, 2)", where numbers are the region's
// arguments. Comparisons go by their direction, constants are their value in brackets; other
// attributes do not show, nor does how values are to be sharded. Tells regions of known meaning
// whatever their names are.
class RegionText {
 public:
  // The array that a value from around the region is everywhere; null: it is no constant.
  using Around = std::function<const Array*(const Reference&)>;

  RegionText(const Region& region, Around around);

  // Of the n-th value that is returned; "" if it is too long to be known.
  std::string returned(std::size_t n) const;
  std::string of(const Reference& reference) const;

  // The operation that defines a value; null: an argument or a value from around the region.
  const Operation* definition(const Reference& reference) const;
  // The number of an argument; -1: it is none.
  int argument(const Reference& reference) const;
  const Reference* result(std::size_t n) const;
  // Whether the value is from around the region, and constant.
  bool is_constant_around(const Reference& reference) const;

 private:
  // What a value is, that is said to be sharded: the same elsewhere.
  const Reference& unsharded(const Reference& reference) const;
  bool append(std::string& out, const Reference& reference, int depth) const;

  const Region& region_;
  Around around_;
  std::unordered_map<std::string_view, int> arguments_;
  std::unordered_map<std::string_view, const Operation*> definitions_;
  std::unordered_map<std::string_view, const Reference*> unsharded_;
};

// The direction of a comparison, "LT", and its kind, "TOTALORDER"; "" if the text has none.
std::string direction_of(const Operation& compare);
std::string kind_of(const Operation& compare);

}  // namespace tutti::ir::stablehlo

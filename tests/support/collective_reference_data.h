#pragma once

#include <tutti/ir/array.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What PyTorch's collectives give: tests/reference/data/collectives.jsonl, made by
// tests/reference/collectives.py, which says what is in it.
namespace tutti::test {

struct CollectiveReference {
  int world = 0;
  std::string op;
  std::string by;  // PyTorch's function
  DType dtype = DType::f32;
  std::string form;                               // "world", "list", "columns"
  std::vector<std::vector<std::int64_t>> groups;  // a list of ranks, or a partition
  std::string reduce;                             // "sum", "bit_and"; empty if nothing is combined
  std::int64_t root = 0;                          // as all numbers below: places in a group's list
  std::int64_t axis = 0;
  std::optional<std::int64_t> concat_axis;
  std::vector<std::int64_t> sizes;  // as collectives take them; of all_to_all: a matrix
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  bool exact = true;  // else rounding depends on the order of combination
  // Of every rank; none where it is in no group. What PyTorch leaves open (results elsewhere than
  // at the root) are zeros, as Tutti has it.
  std::vector<std::optional<ir::Array>> inputs;
  std::vector<std::optional<ir::Array>> results;

  bool has(std::int64_t rank) const;
  // A rank's own group and its place in it; the rank must be in one.
  const std::vector<std::int64_t>& members(std::int64_t rank) const;
  std::int64_t position(std::int64_t rank) const;
  // What a rank sends to each member in an all_to_all of uneven parts, and what it receives.
  std::vector<std::int64_t> send_sizes(std::int64_t rank) const;
  std::vector<std::int64_t> receive_sizes(std::int64_t rank) const;

  std::string describe() const;
};

// All cases of an op. Throws ParseError for a file that is malformed.
std::vector<CollectiveReference> collective_references(const std::string& op);

}  // namespace tutti::test

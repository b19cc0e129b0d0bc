#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Arrays that the ranks of a mesh have parts of, as parameters and results of programs say
// (ir::Sharding).
namespace tutti::tools {

// The whole that a part of that shape belongs to.
Shape whole_shape(const Shape& part, const ir::Sharding& sharding, const ir::Mesh& mesh);

// A rank's part of a whole, whose sizes the mesh's must divide.
ir::Array part_of(const ir::Array& whole, const ir::Sharding& sharding, const ir::Mesh& mesh,
                  std::int64_t rank);

// The whole, from every rank's part. Of ranks that have the same part the first one's counts.
// Throws TypeError for parts of different shapes.
ir::Array put_together(std::span<const ir::Array* const> parts, const ir::Sharding& sharding,
                       const ir::Mesh& mesh);

// Whether a function says of any parameter or result how ranks have parts of it. Then it stands for
// a program of whole values, and a result that it says nothing of is whole on every rank.
bool is_of_wholes(const ir::Graph& function);

// The whole results of such a function, from every rank's own; as put_together does.
std::vector<ir::Array> whole_results(const ir::Graph& function,
                                     std::span<const std::vector<ir::Array>> results);

// For each result of which ranks that have the same part, or the whole, have different bits: which
// ranks these are.
std::vector<std::string> differing_copies(const ir::Graph& function,
                                          std::span<const std::vector<ir::Array>> results);

}  // namespace tutti::tools

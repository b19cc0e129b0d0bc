#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/graph.h>

#include <cstdint>
#include <optional>
#include <span>

// Arrays that the ranks of a mesh have parts of, as parameters and results of programs say
// (ir::Sharding).
namespace tutti::tools {

// The whole that a part of that shape belongs to.
Shape whole_shape(const Shape& part, const ir::Sharding& sharding, const ir::Mesh& mesh);

// A rank's part of a whole, whose sizes the mesh's must divide.
ir::Array part_of(const ir::Array& whole, const ir::Sharding& sharding, const ir::Mesh& mesh,
                  std::int64_t rank);

// The whole, from every rank's part. Ranks that have the same part must agree about it, bit by bit;
// nothing: they don't.
std::optional<ir::Array> put_together(std::span<const ir::Array* const> parts,
                                      const ir::Sharding& sharding, const ir::Mesh& mesh);

}  // namespace tutti::tools

#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/text/lexer.h>
#include <tutti/ir/text/parse_group.h>

namespace tutti::ir {

// sharding = [["dp", "tp"], []]: for each dimension of a value of that shape a list of different
// dimensions of the mesh, which may be null.
Sharding read_sharding(Lexer& lexer, const GroupParser& groups, const Mesh* mesh,
                       const Shape& shape);

}  // namespace tutti::ir

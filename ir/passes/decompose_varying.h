#pragma once

#include <tutti/ir/graph.h>

namespace tutti::ir {

// The graph with the composites that mix elements along dimensions that vary in size replaced by
// their parts. (What lies behind the elements of an instance must not come into them, and only of
// parts is it known where it would.)
Graph decompose_varying(const Graph& graph);

}  // namespace tutti::ir

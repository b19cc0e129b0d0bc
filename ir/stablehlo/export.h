#pragma once

#include <tutti/ir/op.h>
#include <tutti/ir/text/print.h>

#include <string>
#include <string_view>

namespace tutti::ir {

// The module as StableHLO in MLIR text, as jaxlib reads it. Composites are replaced by their parts.
// A single function becomes @main, as jaxlib wants it, and its name that of the module; several
// keep their names. Every rank is a replica. Throws TypeError, with the node, for what StableHLO
// cannot say. docs/stablehlo_export.md tells how each thing is written.
std::string export_stablehlo(const Module& module);

// Why no node of that op can be exported; "" if they can.
std::string_view reason_not_exported(Op op);

}  // namespace tutti::ir

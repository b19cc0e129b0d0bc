#pragma once

#include <tutti/ir/text/print.h>

#include <string>
#include <string_view>

namespace tutti::ir {

// The function of a StableHLO module in MLIR text, as jax.jit(f).lower(...).as_text() prints it:
// @main, or every function if there is none of that name. Functions it calls are put in. Throws
// ParseError ("file:line:column: message", the line, a caret) for text that is malformed and for
// operations that are not supported. docs/stablehlo.md says what is.
//
// A program that JAX splits over devices becomes that of one rank: values inside shard_map have
// this rank's shapes, and parameters and results say how they are parts of JAX's.
Module import_stablehlo(std::string_view text, const std::string& file_name = "<text>");

}  // namespace tutti::ir

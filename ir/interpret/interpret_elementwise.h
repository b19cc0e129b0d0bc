#pragma once

#include <tutti/ir/interpret/interpretation.h>
#include <tutti/ir/op.h>

namespace tutti::ir {

// The result of an elementwise op, from the scalar expression that is its meaning.
Array interpret_elementwise(const Definition& entry, const Interpretation& in);

}  // namespace tutti::ir

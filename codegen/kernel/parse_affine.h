#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/text/lexer.h>

namespace tutti::codegen {

// Reads an affine function of the kernel's loop indices, as in 3 + 128*o0 - i1. `in_loop`: of those
// of its inner axes, too.
Affine read_affine(ir::Lexer& lexer, const Kernel& kernel, bool in_loop);

}  // namespace tutti::codegen

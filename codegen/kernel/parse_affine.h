#pragma once

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/text/lexer.h>

namespace tutti::codegen {

// Reads an affine function of the kernel's loop indices, as in 3 + 128*o0 - i1. `in_loop`: of those
// of its inner axes, too.
Affine read_affine(ir::Lexer& lexer, const Kernel& kernel, bool in_loop);

// The same with terms of values, as in 3 + 64*clamp(%3, 999): the address of a load.
void read_address(ir::Lexer& lexer, const Kernel& kernel, bool in_loop, Instruction& load);

// Reads the name of one of the kernel's values, as in %0.
ValueId read_value(ir::Lexer& lexer, const Kernel& kernel);

}  // namespace tutti::codegen

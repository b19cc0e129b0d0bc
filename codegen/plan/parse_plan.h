#pragma once

#include <tutti/codegen/plan/plan.h>

#include <string>
#include <string_view>

namespace tutti::codegen {

// The plan of a text that print() gives; docs/plan.md describes it. Throws ParseError
// ("file:line:column: message", the line, a caret) for anything malformed: syntax, names of
// nothing, buffers that a kernel does not take. The rules beyond that are check()'s, of the plan
// and of its kernels. Takes time and memory linear in the text.
//
// `load` reads constants that lie beside the text; without it they are refused.
//
// The plan has no code: kernels can be compiled or evaluated, library calls can't.
Plan parse_plan(std::string_view text, std::string file_name = "<text>",
                const ir::LoadConstant& load = {});

}  // namespace tutti::codegen

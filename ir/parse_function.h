#pragma once

#include <tutti/ir/constant_files.h>
#include <tutti/ir/function_table.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/lexer.h>
#include <tutti/ir/parse_group.h>

namespace tutti::ir {

// Reads a function of a text, after the word `func`.
Graph read_function(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                    const LoadConstant& load);

}  // namespace tutti::ir

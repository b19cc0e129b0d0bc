#pragma once

#include <tutti/ir/graph.h>
#include <tutti/ir/parse/function_table.h>
#include <tutti/ir/text/constant_files.h>
#include <tutti/ir/text/lexer.h>
#include <tutti/ir/text/parse_group.h>

namespace tutti::ir {

// Reads a function of a text, after the word `func`.
Graph read_function(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                    const LoadConstant& load);

}  // namespace tutti::ir

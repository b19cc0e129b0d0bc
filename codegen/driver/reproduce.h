#pragma once

#include <tutti/codegen/driver/compile.h>

#include <string>

namespace tutti::codegen {

// Writes the traced program to a .tutti file, in a dump's folder or else (it is empty) a new file
// among the temporary ones, and says by which command the compiler does the same with it again:
// "The program is in FILE; to see this again: tutti run FILE --compile-only --disable cse". Where
// no file can be written it says that. Throws nothing but bad_alloc.
std::string how_to_reproduce(const ir::Graph& traced, const CompileOptions& options,
                             const std::string& dump_folder);

// An argument as a shell wants it: in quotes where it must be.
std::string shell_quoted(const std::string& argument);

}  // namespace tutti::codegen

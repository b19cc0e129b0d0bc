#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/text/constant_files.h>
#include <tutti/ir/text/lexer.h>

#include <string>
#include <vector>

// Numbers, texts and arrays in IR text, in both directions. Numbers are written as short as they
// can be read back bit by bit: 2.5, 1e-05, inf, nan, and nan(0x7fc00001) for a NaN with other bits
// than the usual ones. Readers fail at the token with what was expected.
namespace tutti::ir {

void append_number(std::string& out, double value);
// [1, 2, 3]
void append_integers(std::string& out, const std::vector<std::int64_t>& values);
// f32[2,2] [[1, 2], [3, 4]]; an array without elements is [] in any shape. With somewhere to store
// it a large one is f32[1000,1000] file("constants/1f3a.bin").
void append_array(std::string& out, const Array& array, const StoreConstant& store = {});

std::int64_t read_integer(Lexer& lexer, std::string_view what);
double read_number(Lexer& lexer);
bool read_flag(Lexer& lexer);
std::string read_text(Lexer& lexer, std::string_view what);
// The text that a token in quotes stands for.
std::string unquoted(const Lexer& lexer, std::string_view quoted, std::size_t offset);
std::vector<std::int64_t> read_integers(Lexer& lexer);
DType read_dtype(Lexer& lexer);
// [64,10]
Shape read_shape(Lexer& lexer);
Array read_array(Lexer& lexer, const LoadConstant& load = {});

}  // namespace tutti::ir

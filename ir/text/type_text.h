#pragma once

#include <tutti/ir/text/parse_group.h>
#include <tutti/ir/text/size_text.h>
#include <tutti/ir/type.h>

#include <string>
#include <string_view>

// Types, devices and meshes in text, in both directions. Readers fail at the token with what was
// expected.
namespace tutti::ir {

// "async f32[64,10] rep(dp)"; with the mark of literals and the device if asked for them. Null:
// there is no mesh to take the dimensions' names from.
// `shape`: how the shape is written, such as [n,10]; empty: as it is.
void append_type(std::string& out, const Type& type, const Mesh* mesh, bool literal,
                 bool with_device, std::string_view shape = {});
// The same with the device where it has to be said: the host goes without saying, and so does
// `any`, which follows from the ops.
void append_type(std::string& out, const Type& type, const Mesh* mesh, std::string_view shape = {});
// mesh (dp = 2, tp = 4), a line.
void append_mesh(std::string& out, const Mesh& mesh);

// [["dp"], []]
void append_sharding(std::string& out, const Sharding& sharding);

// A type as it is written, with its place.
struct WrittenType {
  Type type;  // with the largest sizes
  std::size_t offset = 0;
  bool has_device = false;
  std::vector<SizeExpression> sizes = {};  // empty: all are fixed
};

// Only where `full` (of a parameter) can a type say rep(*) and `on any`: elsewhere that follows
// from the ops. Without `sizes` all are fixed.
WrittenType read_type(Lexer& lexer, const GroupParser& groups, bool full,
                      SizeReader* sizes = nullptr);
// A shape in which sizes may vary; `out` gets its expressions if any does.
Shape read_shape(Lexer& lexer, SizeReader& sizes, std::vector<SizeExpression>& out);
// After `on`.
Device read_device(Lexer& lexer, bool may_be_any);

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/parse_group.h>
#include <tutti/ir/type.h>

#include <string>

// Types, devices and meshes in text, in both directions. Readers fail at the token with what was
// expected.
namespace tutti::ir {

// "async f32[64,10] rep(dp)"; with the mark of literals and the device if asked for them. Null:
// there is no mesh to take the dimensions' names from.
void append_type(std::string& out, const Type& type, const Mesh* mesh, bool literal,
                 bool with_device);
// mesh (dp = 2, tp = 4), a line.
void append_mesh(std::string& out, const Mesh& mesh);

// A type as it is written, with its place.
struct WrittenType {
  Type type;
  std::size_t offset = 0;
  bool has_device = false;
};

// Only where `full` (of a parameter) can a type say rep(*) and `on any`: elsewhere that follows
// from the ops.
WrittenType read_type(Lexer& lexer, const GroupParser& groups, bool full);
// After `on`.
Device read_device(Lexer& lexer, bool may_be_any);

}  // namespace tutti::ir

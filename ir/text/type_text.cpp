#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>

namespace tutti::ir {

namespace {

void append_replication(std::string& out, const Type& type, const Mesh* mesh, bool literal) {
  if (type.replication.dimensions == 0 && !literal) return;
  out += " rep(";
  bool first = true;
  for (std::size_t d = 0; d < 8; ++d) {
    if ((type.replication.dimensions >> d & 1) == 0) continue;
    if (!first) out += ", ";
    first = false;
    const bool named = mesh != nullptr && d < mesh->names.size();
    out += named ? name_or_quoted(mesh->names[d]) : std::to_string(d);
  }
  if (literal) out += first ? "*" : ", *";
  out += ')';
}

void read_replication(Lexer& lexer, const GroupParser& groups, Replication& out, bool full) {
  lexer.expect("(", "before the mesh dimensions of a replication");
  do {
    const Token token = lexer.peek();
    if (token.is("*") && full) {
      out.literal = true;
    } else if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
      lexer.fail_expected("the name of a mesh dimension");
    } else if (groups.mesh() == nullptr) {
      lexer.fail(token.offset, "replication needs a mesh; write 'mesh (dp = 2)' at the top");
    } else {
      out.dimensions |= static_cast<std::uint8_t>(1U << groups.dimension(*groups.mesh(), token));
    }
    lexer.take();
  } while (lexer.accept(","));
  lexer.expect(")", "or ',' after a mesh dimension");
}

}  // namespace

void append_type(std::string& out, const Type& type, const Mesh* mesh, bool literal,
                 bool with_device, std::string_view shape) {
  out += type.async ? "async " : "";
  out += name_of(type.dtype);
  out += shape.empty() ? type.shape.text() : std::string(shape);
  append_replication(out, type, mesh, literal);
  if (with_device) out += " on " + type.device.text();
}

void append_type(std::string& out, const Type& type, const Mesh* mesh, std::string_view shape) {
  append_type(out, type, mesh, false, !type.device.is_cpu() && !type.device.is_any(), shape);
}

void append_mesh(std::string& out, const Mesh& mesh) {
  out += "mesh (";
  for (std::size_t d = 0; d < mesh.names.size(); ++d) {
    if (d != 0) out += ", ";
    out += name_or_quoted(mesh.names[d]) + " = " + std::to_string(mesh.sizes[d]);
  }
  out += ")\n";
}

void append_sharding(std::string& out, const Sharding& sharding) {
  out += '[';
  for (std::size_t d = 0; d < sharding.size(); ++d) {
    out += d == 0 ? "[" : ", [";
    for (std::size_t i = 0; i < sharding[d].size(); ++i) {
      out += (i == 0 ? "" : ", ") + ir::quoted(sharding[d][i]);
    }
    out += ']';
  }
  out += ']';
}

Shape read_shape(Lexer& lexer, SizeReader& sizes, std::vector<SizeExpression>& out) {
  const std::size_t offset = lexer.peek().offset;
  out = read_sizes(lexer, sizes, "and the sizes after the dtype", "a size", Shape::kMaxRank + 1);
  const std::vector<std::int64_t> values = sizes.largest();
  std::vector<std::int64_t> largest;
  for (const SizeExpression& size : out) largest.push_back(size.at(values));
  if (std::ranges::all_of(out, &SizeExpression::is_constant)) out.clear();
  try {
    return Shape(largest);
  } catch (const TypeError& error) {
    lexer.fail(offset, error.what());
  }
}

WrittenType read_type(Lexer& lexer, const GroupParser& groups, bool full, SizeReader* sizes) {
  WrittenType out{.type = {}, .offset = lexer.peek().offset};
  out.type.async = lexer.accept("async");
  out.type.dtype = read_dtype(lexer);
  out.type.shape = sizes == nullptr ? read_shape(lexer) : read_shape(lexer, *sizes, out.sizes);
  if (lexer.accept("rep")) read_replication(lexer, groups, out.type.replication, full);
  out.has_device = lexer.accept("on");
  if (out.has_device) out.type.device = read_device(lexer, full);
  return out;
}

Device read_device(Lexer& lexer, bool may_be_any) {
  const Token word = lexer.expect(Token::Kind::word, "a device, as in cuda:0");
  std::string text(word.text.substr(0, 40));
  if (may_be_any && text == "any") return Device::any();
  if (text == "cuda" && lexer.accept(":")) {
    text += ':';
    text += lexer.expect(Token::Kind::number, "the number of a GPU, as in cuda:0").text;
  }
  const std::optional<Device> device = Device::from_text(text);
  if (device) return *device;
  lexer.fail(word.offset, "unknown device '" + text + "'; write cpu, cuda or cuda:0");
}

}  // namespace tutti::ir

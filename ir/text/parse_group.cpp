#include <tutti/ir/names.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/parse_group.h>

#include <algorithm>

namespace tutti::ir {

namespace {

// Ranges and meshes name many ranks in a few characters; these limits keep a text from asking for
// more memory than it is worth.
constexpr std::int64_t kMostRanks = 1 << 20;       // of one mesh or range
constexpr std::int64_t kMostRanksOfAll = 1 << 22;  // named by all ranges and meshes of a text

constexpr const char* kFields =
    "tag, ranks, stride, timeout, backends, name, programs_differ and algorithm";

}  // namespace

std::string name_in(const Lexer& lexer, const Token& token) {
  if (!token.text.starts_with('"')) return std::string(token.text);
  const std::size_t sign = token.kind == Token::Kind::symbol ? 1 : 0;
  return unquoted(lexer, token.text, token.offset + sign);
}

void GroupParser::mesh_line() {
  if (mesh_ != nullptr) lexer_.fail(lexer_.peek().offset, "the text has a mesh already");
  mesh_ = std::make_shared<const Mesh>(sizes());
}

void GroupParser::declaration() {
  const Token symbol = lexer_.expect(Token::Kind::symbol, "the group's name, as in @dp");
  std::string name = name_in(lexer_, symbol);
  if (groups_.contains(name)) lexer_.fail(symbol.offset, "group @" + name + " is declared twice");
  lexer_.expect("=", "after the group's name");
  Group group = blank(name);
  if (lexer_.accept("mesh")) {
    group = mesh_dimensions();
    group.tag = name;
  } else {
    lexer_.expect("{", "or 'mesh' in a group's declaration");
    do {
      const Token word = lexer_.expect(Token::Kind::word, std::string("one of ") + kFields);
      lexer_.expect("=", "after the name of a group's field");
      if (!field(word.text, group)) {
        lexer_.fail(word.offset, "a group has the fields " + std::string(kFields));
      }
    } while (lexer_.accept(","));
    lexer_.expect("}", "or ',' in a group's declaration");
  }
  groups_.emplace(std::move(name), finish(std::move(group), symbol.offset));
}

std::size_t GroupParser::dimension(const Mesh& mesh, const Token& token) const {
  const auto found = std::find(mesh.names.begin(), mesh.names.end(), name_in(lexer_, token));
  if (found != mesh.names.end()) return static_cast<std::size_t>(found - mesh.names.begin());
  const std::vector<std::string_view> names(mesh.names.begin(), mesh.names.end());
  lexer_.fail(token.offset, "the mesh has no dimension '" + std::string(token.text.substr(0, 40)) +
                                "'" + suggestion(token.text, names));
}

GroupPtr GroupParser::group(const Token& token) const {
  const auto found = groups_.find(name_in(lexer_, token));
  if (found != groups_.end()) return found->second;
  const std::string name(token.text.substr(0, 40));
  lexer_.fail(token.offset, "no group @" + name + " is declared above; write 'group @" + name +
                                " = {ranks = [0, 1], stride = 2}' before the function");
}

bool GroupParser::field(std::string_view name, Group& group) {
  const std::size_t offset = lexer_.peek().offset;
  if (name == "tag") {
    group.tag = read_text(lexer_, "the group's tag in quotes");
  } else if (name == "ranks") {
    if (!group.ranks.empty()) lexer_.fail(offset, "the group has ranks already");
    group.ranks = ranks();
  } else if (name == "stride") {
    group.stride = read_integer(lexer_, "the number of ranks in each group");
    if (group.stride < 1) lexer_.fail(offset, "the stride must be at least 1");
  } else if (name == "timeout") {
    group.timeout = read_integer(lexer_, "how many milliseconds to wait for the group's ranks");
    if (group.timeout < 0) lexer_.fail(offset, "the time-out must not be negative");
  } else if (name == "backends") {
    group.backends = read_text(lexer_, "the group's engines in quotes, \"cpu:shm\"");
  } else if (name == "name") {
    group.name = read_text(lexer_, "the name of the group's collectives in quotes");
  } else if (name == "programs_differ") {
    lexer_.expect("true", "where the ranks' programs differ");
    group.programs_differ = true;
  } else if (name == "algorithm") {
    const std::string text =
        read_text(lexer_, "the algorithm of the group's collectives in quotes");
    group.algorithm = algorithm_from_name(text);
    if (!group.algorithm) {
      lexer_.fail(offset,
                  "an algorithm is \"auto\", \"off\", \"one_shot\", \"two_shot\" or \"exact\"");
    }
  } else {
    return false;
  }
  return true;
}

GroupPtr GroupParser::finish(Group group, std::size_t offset) {
  if (group.stride == 0) group.stride = static_cast<std::int64_t>(group.ranks.size());
  try {
    check_group(group);
  } catch (const TypeError& error) {
    lexer_.fail(offset, error.what());
  }
  return std::make_shared<const Group>(std::move(group));
}

Mesh GroupParser::sizes() {
  Mesh mesh;
  std::int64_t ranks = 1;
  lexer_.expect("(", "and the mesh's dimensions");
  do {
    const Token token = lexer_.peek();
    if (token.kind != Token::Kind::word && token.kind != Token::Kind::text) {
      lexer_.fail_expected("the name of a mesh dimension");
    }
    lexer_.take();
    std::string name = name_in(lexer_, token);
    if (!is_dimension_name(name)) {
      lexer_.fail(token.offset, "the name of a mesh dimension is not empty and has no commas");
    }
    if (std::find(mesh.names.begin(), mesh.names.end(), name) != mesh.names.end()) {
      lexer_.fail(token.offset, "the mesh has two dimensions '" + name + "'");
    }
    if (mesh.names.size() == 8) lexer_.fail(token.offset, "a mesh has at most eight dimensions");
    lexer_.expect("=", "after the name of a mesh dimension");
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t size = read_integer(lexer_, "the size of a mesh dimension");
    if (size < 1) lexer_.fail(offset, "a mesh dimension has at least one rank");
    if (size > kMostRanks / ranks) {
      lexer_.fail(offset, "a mesh has at most " + std::to_string(kMostRanks) + " ranks");
    }
    ranks *= size;
    mesh.names.push_back(std::move(name));
    mesh.sizes.push_back(size);
  } while (lexer_.accept(","));
  lexer_.expect(")", "or ',' after a mesh dimension");
  return mesh;
}

// (dp = 64, tp = 8).dp; several dimensions as .dp.tp
Group GroupParser::mesh_dimensions() {
  const std::size_t offset = lexer_.peek().offset;
  const Mesh mesh = sizes();
  spend(mesh.ranks(), offset);
  Token token = lexer_.expect(Token::Kind::word, "'.' and a dimension of the mesh");
  unsigned dimensions = 0;
  while (!token.text.empty()) {
    if (token.text[0] != '.') lexer_.fail(token.offset, "expected '.' and a dimension of the mesh");
    const std::size_t length = std::min(token.text.find('.', 1), token.text.size());
    const Token name{.kind = Token::Kind::word,
                     .text = token.text.substr(1, length - 1),
                     .offset = token.offset + 1};
    dimensions |= 1U << dimension(mesh, name);
    token.text.remove_prefix(length);
    token.offset += length;
  }
  return mesh_group(mesh, static_cast<std::uint8_t>(dimensions));
}

// [0, 4, 1, 5]; 8..12 stands for 8, 9, 10, 11
std::vector<std::int64_t> GroupParser::ranks() {
  std::vector<std::int64_t> out;
  lexer_.expect("[", "before the ranks");
  if (lexer_.accept("]")) return out;
  do {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t first = read_integer(lexer_, "a rank");
    if (!lexer_.accept("..")) {
      out.push_back(first);
      continue;
    }
    const std::int64_t end = read_integer(lexer_, "the end of the range (not a member of it)");
    if (first < 0 || end <= first) lexer_.fail(offset, "this range of ranks is empty or negative");
    spend(end - first, offset);
    for (std::int64_t rank = first; rank < end; ++rank) out.push_back(rank);
  } while (lexer_.accept(","));
  lexer_.expect("]", "or ',' after a rank");
  return out;
}

void GroupParser::spend(std::int64_t ranks, std::size_t offset) {
  if (ranks > kMostRanks || ranks_spent_ + ranks > kMostRanksOfAll) {
    lexer_.fail(offset, "too many ranks: a range or mesh names at most " +
                            std::to_string(kMostRanks) + ", all of a text " +
                            std::to_string(kMostRanksOfAll));
  }
  ranks_spent_ += ranks;
}

}  // namespace tutti::ir

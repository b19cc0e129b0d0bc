#include <tutti/ir/parse/parse_sharding.h>
#include <tutti/ir/text/literal.h>

namespace tutti::ir {

namespace {

// [item, item]
template <class Item>
void read_list(Lexer& lexer, Item&& item) {
  lexer.expect("[", "before a list of a sharding");
  if (lexer.accept("]")) return;
  do item();
  while (lexer.accept(","));
  lexer.expect("]", "or ',' in a list of a sharding");
}

}  // namespace

Sharding read_sharding(Lexer& lexer, const GroupParser& groups, const Mesh* mesh,
                       const Shape& shape) {
  const std::size_t offset = lexer.peek().offset;
  lexer.expect("sharding", "in the braces after a type");
  lexer.expect("=", "after 'sharding'");
  Sharding out;
  unsigned seen = 0;
  const auto dimension = [&] {
    const Token name = lexer.expect(Token::Kind::text, "a mesh dimension, as in \"dp\"");
    if (mesh == nullptr) {
      lexer.fail(name.offset, "a sharding needs a mesh; write 'mesh (dp = 2)' at the top");
    }
    const unsigned bit = 1U << groups.dimension(*mesh, name);
    if ((seen & bit) != 0) {
      lexer.fail(name.offset, std::string(name.text.substr(0, 40)) + " is in the sharding twice");
    }
    seen |= bit;
    out.back().push_back(unquoted(lexer, name.text, name.offset));
  };
  read_list(lexer, [&] {
    out.emplace_back();
    read_list(lexer, dimension);
  });
  if (static_cast<int>(out.size()) == shape.rank()) return out;
  lexer.fail(offset, "a sharding of " + std::to_string(out.size()) +
                         " dimensions for a value of shape " + shape.text());
}

}  // namespace tutti::ir

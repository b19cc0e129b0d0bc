#pragma once

#include <tutti/ir/stablehlo/lexer.h>
#include <tutti/ir/stablehlo/tree.h>

#include <optional>
#include <string>
#include <unordered_map>

namespace tutti::ir::stablehlo {

// Reads types and attributes' values.
class ValueParser {
 public:
  explicit ValueParser(Lexer& lexer) : lexer_(lexer) {}

  // tensor<4x8xf32>, tuple<...>, !stablehlo.token; any other type is `other`.
  TreeType type();
  // T | (T, ...)
  std::vector<TreeType> types();

  // One value. With `typed` also the `: type` behind it; without, that belongs to something else.
  Attribute value(bool typed = true);
  // {name = value, flag, "text", ...} or <...>, of which the first token is next.
  Attribute container(std::string_view open, std::string_view close);
  // What follows `dense` or `dense_resource`: <elements> : tensor<...>.
  Attribute dense(std::size_t offset);
  // loc(...), which nobody asks for.
  void skip_location();

  // #name = value, whose name is taken already.
  void define_alias(std::string_view name);

  // Guards the recursion: texts may nest, but not without end.
  class Level {
   public:
    explicit Level(ValueParser& parser);
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --parser_.depth_; }

   private:
    ValueParser& parser_;
  };

 private:
  TreeType tensor(std::size_t offset);
  Attribute number(bool typed);
  Attribute array_of_integers(std::size_t offset);
  Attribute reference();
  void item(Attribute& out);
  void skip_in_brackets();
  // Copies of aliases are counted: those in aliases multiply.
  void count_nodes(const Attribute& attribute);

  Lexer& lexer_;
  std::unordered_map<std::string_view, Attribute> aliases_;
  std::size_t nodes_ = 0;
  int depth_ = 0;
};

// The value of a hexadecimal digit; -1 for any other byte.
int hex_digit(char c);

// The text between quotes, with MLIR's escapes resolved: \n, \t, \", \\ and two hexadecimal digits.
std::string unquoted(std::string_view quoted);

// The dtype that MLIR calls that: f32, i1, ui8.
std::optional<DType> dtype_from_mlir(std::string_view name);

}  // namespace tutti::ir::stablehlo

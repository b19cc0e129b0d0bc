#include <tutti/ir/array.h>
#include <tutti/ir/names.h>
#include <tutti/ir/op.h>
#include <tutti/ir/parse/parse_attributes.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/size_text.h>
#include <tutti/ir/text/type_text.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::ir {

std::vector<Attribute> AttributeParser::read(Op op, const Token& word, NodeId node,
                                             std::int32_t& fusion) {
  node_ = node;
  const auto& specs = definition(op).attributes;
  std::vector<std::optional<Attribute>> given(specs.size());
  Group inline_group = GroupParser::blank("");
  bool has_inline_group = false;
  const auto group_at = [&] {
    std::size_t i = 0;
    while (i < specs.size() && specs[i].kind != AttributeKind::group) ++i;
    return i;
  }();
  if (lexer_.accept("{")) {
    do {
      const Token name = lexer_.expect(Token::Kind::word, "the name of an attribute");
      lexer_.expect("=", "after the name of an attribute");
      std::size_t i = 0;
      while (i < specs.size() && specs[i].name != name.text) ++i;
      if (i < specs.size()) {
        if (given[i])
          lexer_.fail(name.offset, "attribute " + std::string(name.text) + " is given twice");
        attribute_ = i;
        given[i] = attribute(specs[i].kind);
      } else if (name.text == "fusion") {
        fusion = this->fusion();
      } else if (group_at < specs.size() && groups_.field(name.text, inline_group)) {
        has_inline_group = true;
      } else {
        fail_unknown_attribute(op, name);
      }
    } while (lexer_.accept(","));
    lexer_.expect("}", "or ',' after an attribute");
  }
  if (has_inline_group) {
    if (given[group_at])
      lexer_.fail(word.offset, "the group is given twice, by name and by its fields");
    given[group_at] = groups_.finish(std::move(inline_group), word.offset);
  }
  std::vector<Attribute> out;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!given[i]) given[i] = specs[i].standard;
    if (!given[i]) {
      lexer_.fail(word.offset,
                  std::string(name_of(op)) + " needs the attribute " + std::string(specs[i].name));
    }
    out.push_back(std::move(*given[i]));
  }
  return out;
}

Attribute AttributeParser::attribute(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer:
      return integer(sizes_.reader().read(lexer_, "an integer"), 0);
    case AttributeKind::number:
      return read_number(lexer_);
    case AttributeKind::flag:
      return read_flag(lexer_);
    case AttributeKind::text:
      return read_text(lexer_, "a text in quotes");
    case AttributeKind::integers:
      return integers();
    case AttributeKind::dtype:
      return read_dtype(lexer_);
    case AttributeKind::group:
      return groups_.group(lexer_.expect(Token::Kind::symbol, "a group, as in @dp"));
    case AttributeKind::array:
      return std::make_shared<const Array>(read_array(lexer_, load_));
    case AttributeKind::types:
      return plain_types();
    case AttributeKind::function:
      return function();
    case AttributeKind::functions:
      return functions();
  }
  __builtin_unreachable();
}

std::int64_t AttributeParser::integer(const SizeExpression& value, std::size_t place) {
  return sizes_.add_integer(node_, attribute_, place, value);
}

std::vector<std::int64_t> AttributeParser::integers() {
  std::vector<std::int64_t> out;
  for (const SizeExpression& value :
       read_sizes(lexer_, sizes_.reader(), "before a list of integers", "an integer", SIZE_MAX)) {
    out.push_back(integer(value, out.size()));
  }
  return out;
}

FunctionPtr AttributeParser::function() {
  return functions_.find(lexer_.expect(Token::Kind::symbol, "a function, as in @body"));
}

// [@first, @second]
std::vector<FunctionPtr> AttributeParser::functions() {
  std::vector<FunctionPtr> out;
  lexer_.expect("[", "before a list of functions");
  if (lexer_.accept("]")) return out;
  do out.push_back(function());
  while (lexer_.accept(","));
  lexer_.expect("]", "or ',' after a function");
  return out;
}

// [f32[2,3], i32[4]]
std::vector<Type> AttributeParser::plain_types() {
  std::vector<Type> out;
  lexer_.expect("[", "before a list of types");
  if (lexer_.accept("]")) return out;
  std::size_t place = 0;
  do {
    const DType dtype = read_dtype(lexer_);
    std::vector<SizeExpression> sizes;
    out.push_back({.dtype = dtype, .shape = read_shape(lexer_, sizes_.reader(), sizes)});
    for (std::size_t d = 0; d < sizes.size(); ++d) integer(sizes[d], place + d);
    place += static_cast<std::size_t>(out.back().shape.rank());
  } while (lexer_.accept(","));
  lexer_.expect("]", "or ',' after a type");
  return out;
}

std::int32_t AttributeParser::fusion() {
  const std::size_t offset = lexer_.peek().offset;
  const std::int64_t number = read_integer(lexer_, "the number of a fused kernel");
  if (number >= 0 && number <= INT32_MAX) return static_cast<std::int32_t>(number);
  lexer_.fail(offset, "a fused kernel has a number of 0 or more that fits in i32");
}

void AttributeParser::fail_unknown_attribute(Op op, const Token& name) const {
  std::vector<std::string_view> names{"fusion"};
  std::string list;
  for (const AttributeSpec& spec : definition(op).attributes) {
    names.push_back(spec.name);
    list += (list.empty() ? "" : ", ") + std::string(spec.name);
  }
  lexer_.fail(name.offset, std::string(name_of(op)) + " has no attribute '" +
                               std::string(name.text.substr(0, 40)) + "'" +
                               (list.empty() ? "; it takes none" : "; it takes " + list) +
                               suggestion(name.text, names));
}

}  // namespace tutti::ir

#include <tutti/ir/builder.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/parse/parse_function.h>
#include <tutti/ir/parse/parse_sharding.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/location_text.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/text/size_text.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>
#include <unordered_map>

namespace tutti::ir {

namespace {

// Reads one function.
class FunctionParser {
 public:
  FunctionParser(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                 const LoadConstant& load)
      : lexer_(lexer), groups_(groups), functions_(functions), load_(load) {}

  // After the word `func`.
  Graph run() {
    start_ = lexer_.peek().offset;
    graph_.name =
        name_in(lexer_, lexer_.expect(Token::Kind::symbol, "the function's name, as in @f"));
    graph_.mesh = groups_.mesh();
    parameters();
    std::vector<WrittenType> promised;
    bool any_promised = false;
    if (lexer_.accept("->")) {
      any_promised = true;
      lexer_.expect("(", "before the types of the results");
      if (!lexer_.accept(")")) {
        promised = result_types();
        lexer_.expect(")", "or ',' after the type of a result");
      }
    }
    if (lexer_.accept("on")) graph_.default_device = read_device(lexer_, false);
    lexer_.expect("{", "before the body of the function");
    while (!lexer_.peek().is_word("return")) node();
    results(any_promised ? &promised : nullptr);
    lexer_.expect("}", "after the function's 'return', which comes last");
    complete();
    return std::move(graph_);
  }

 private:
  void parameters() {
    lexer_.expect("(", "before the parameters");
    if (lexer_.accept(")")) return;
    do {
      const Token name = lexer_.expect(Token::Kind::value, "a parameter, as in %x: f32[2]");
      lexer_.expect(":", "after the parameter's name");
      const WrittenType written = read_type(lexer_, groups_, true, &sizes_);
      Type type = written.type;
      if (!written.has_device && is_number(type)) type.device = Device::any();
      bool donate = false;
      Sharding sharding;
      if (lexer_.accept("{")) {
        do {
          if (lexer_.peek().is_word("sharding")) {
            sharding = read_sharding(lexer_, groups_, graph_.mesh.get(), type.shape);
          } else {
            lexer_.expect("donate", "or 'sharding' in the braces after a parameter");
            donate = true;
          }
        } while (lexer_.accept(","));
        lexer_.expect("}", "or ',' in the braces after a parameter");
      }
      const Value value = graph_.add_parameter(std::string(name.text), type, donate);
      define(name, value);
      note(name, value, written);
      const std::size_t last = graph_.parameters().size() - 1;
      if (!sharding.empty()) graph_.set_parameter_sharding(last, std::move(sharding));
    } while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after a parameter");
  }

  std::vector<WrittenType> types() {
    std::vector<WrittenType> out;
    do out.push_back(read_type(lexer_, groups_, false, &sizes_));
    while (lexer_.accept(","));
    return out;
  }

  // Types, each perhaps with how the ranks' results make up one whole: {sharding = [["dp"], []]}.
  std::vector<WrittenType> result_types() {
    std::vector<WrittenType> out;
    do {
      out.push_back(read_type(lexer_, groups_, false, &sizes_));
      if (!lexer_.accept("{")) continue;
      const Shape& shape = out.back().type.shape;
      graph_.set_result_sharding(out.size() - 1,
                                 read_sharding(lexer_, groups_, graph_.mesh.get(), shape));
      lexer_.expect("}", "after the sharding of a result");
    } while (lexer_.accept(","));
    return out;
  }

  void node() {
    std::vector<Token> names;
    if (lexer_.peek().kind == Token::Kind::value) {
      do names.push_back(lexer_.expect(Token::Kind::value, "a result, as in %0"));
      while (lexer_.accept(","));
      lexer_.expect("=", "after the results of a node");
    }
    const Token word = lexer_.expect(Token::Kind::word, "an op, a result or 'return'");
    const Op op = this->op(word);
    const std::vector<Value> operands = values_in_parentheses();
    std::int32_t fusion = -1;
    std::vector<Attribute> attributes = this->attributes(op, word, fusion);
    std::vector<Type> inferred = infer(op, operands, attributes, word);
    std::vector<WrittenType> written;
    if (lexer_.accept(":")) {
      written = types();
      place(written, inferred);
      compare(written, inferred, name_of(op), word);
    }
    if (names.size() != inferred.size()) {
      const std::size_t offset = names.empty() ? word.offset : names.front().offset;
      lexer_.fail(offset, std::string(name_of(op)) + " has " + std::to_string(inferred.size()) +
                              (inferred.size() == 1 ? " result" : " results") + ", but " +
                              std::to_string(names.size()) +
                              (names.size() == 1 ? " is named" : " are named"));
    }
    const Location location = location_from(lexer_.comment_after());
    const NodeId id = graph_.append(op, operands, std::move(attributes), inferred, location);
    graph_.set_fusion(id, fusion);
    for (std::size_t i = 0; i < names.size(); ++i) define(names[i], graph_.result(id, i));
    node_offsets_.push_back(word.offset);
    if (sizes_.symbols().empty()) return;
    for (std::size_t i = 0; i < written.size(); ++i) note(word, graph_.result(id, i), written[i]);
  }

  Op op(const Token& word) const {
    const auto found = op_from_name(word.text);
    if (found && *found != Op::parameter) return *found;
    std::vector<std::string_view> names;
    for (const Definition& entry : definitions()) {
      if (entry.op != Op::parameter) names.push_back(entry.name);
    }
    lexer_.fail(word.offset, "unknown op '" + std::string(word.text.substr(0, 40)) + "'" +
                                 suggestion(word.text, names));
  }

  std::vector<Value> values_in_parentheses() {
    std::vector<Value> out;
    lexer_.expect("(", "and the operands after the op's name");
    if (lexer_.accept(")")) return out;
    do out.push_back(value());
    while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after an operand");
    return out;
  }

  Value value() {
    const Token token = lexer_.expect(Token::Kind::value, "a value, as in %x");
    const auto found = values_.find(token.text);
    if (found != values_.end()) return found->second;
    lexer_.fail(token.offset, "%" + std::string(token.text.substr(0, 40)) +
                                  " is not defined above; a value comes before its uses");
  }

  void define(const Token& name, Value value) {
    if (values_.try_emplace(name.text, value).second) return;
    lexer_.fail(name.offset, "%" + std::string(name.text.substr(0, 40)) +
                                 " is defined twice; every value needs a name of its own");
  }

  // { axes = [0], keepdims = true, fusion = 3 }, in any order.
  std::vector<Attribute> attributes(Op op, const Token& word, std::int32_t& fusion) {
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
        lexer_.fail(word.offset, std::string(name_of(op)) + " needs the attribute " +
                                     std::string(specs[i].name));
      }
      out.push_back(std::move(*given[i]));
    }
    return out;
  }

  Attribute attribute(AttributeKind kind) {
    switch (kind) {
      case AttributeKind::integer:
        return integer(sizes_.read(lexer_, "an integer"), 0);
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

  // An integer of the attribute that is being read, perhaps in terms of sizes that vary.
  std::int64_t integer(const SizeExpression& value, std::size_t place) {
    if (!value.is_constant()) {
      known_.attributes.emplace(
          std::tuple(static_cast<NodeId>(graph_.node_count()), attribute_, place), value);
    }
    return value.at(sizes_.largest());
  }

  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> out;
    for (const SizeExpression& value :
         read_sizes(lexer_, sizes_, "before a list of integers", "an integer", SIZE_MAX)) {
      out.push_back(integer(value, out.size()));
    }
    return out;
  }

  FunctionPtr function() {
    return functions_.find(lexer_.expect(Token::Kind::symbol, "a function, as in @body"));
  }

  // [@first, @second]
  std::vector<FunctionPtr> functions() {
    std::vector<FunctionPtr> out;
    lexer_.expect("[", "before a list of functions");
    if (lexer_.accept("]")) return out;
    do out.push_back(function());
    while (lexer_.accept(","));
    lexer_.expect("]", "or ',' after a function");
    return out;
  }

  // [f32[2,3], i32[4]]
  std::vector<Type> plain_types() {
    std::vector<Type> out;
    lexer_.expect("[", "before a list of types");
    if (lexer_.accept("]")) return out;
    std::size_t place = 0;
    do {
      const DType dtype = read_dtype(lexer_);
      std::vector<SizeExpression> sizes;
      out.push_back({.dtype = dtype, .shape = read_shape(lexer_, sizes_, sizes)});
      for (std::size_t d = 0; d < sizes.size(); ++d) integer(sizes[d], place + d);
      place += static_cast<std::size_t>(out.back().shape.rank());
    } while (lexer_.accept(","));
    lexer_.expect("]", "or ',' after a type");
    return out;
  }

  std::int32_t fusion() {
    const std::size_t offset = lexer_.peek().offset;
    const std::int64_t number = read_integer(lexer_, "the number of a fused kernel");
    if (number >= 0 && number <= INT32_MAX) return static_cast<std::int32_t>(number);
    lexer_.fail(offset, "a fused kernel has a number of 0 or more that fits in i32");
  }

  [[noreturn]] void fail_unknown_attribute(Op op, const Token& name) const {
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

  std::vector<Type> infer(Op op, std::span<const Value> operands,
                          std::span<const Attribute> attributes, const Token& word) const {
    std::vector<Type> types;
    types.reserve(operands.size());
    for (const Value operand : operands) types.push_back(graph_.type(operand));
    try {
      return infer_types(op, types, attributes, graph_.mesh.get());
    } catch (const TypeError& error) {
      lexer_.fail(word.offset, error.what());
    }
  }

  // What lies anywhere lies where it is written.
  static void place(std::span<const WrittenType> written, std::span<Type> inferred) {
    for (std::size_t i = 0; i < std::min(written.size(), inferred.size()); ++i) {
      if (inferred[i].device.is_any() && written[i].has_device) {
        inferred[i].device = written[i].type.device;
      }
    }
  }

  // The written types must be those that follow; what they do not show (literals) is not compared.
  void compare(std::span<const WrittenType> written, std::span<const Type> inferred,
               std::string_view what, const Token& word) const {
    if (written.size() != inferred.size()) {
      lexer_.fail(word.offset, std::string(what) + " has " + std::to_string(inferred.size()) +
                                   (inferred.size() == 1 ? " result" : " results") + ", but " +
                                   std::to_string(written.size()) +
                                   (written.size() == 1 ? " type is" : " types are") + " written");
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      Type wanted = inferred[i];
      wanted.replication.literal = false;
      if (wanted.device.is_any() && !written[i].has_device) wanted.device = {};
      if (written[i].type == wanted) continue;
      const Mesh* const mesh = graph_.mesh.get();
      lexer_.fail(written[i].offset, std::string(what) + " gives " + print(wanted, mesh) +
                                         ", but " + print(written[i].type, mesh) + " is written");
    }
  }

  void results(const std::vector<WrittenType>* promised) {
    const Token word = lexer_.take();  // return
    std::vector<Value> values;
    if (lexer_.peek().kind == Token::Kind::value) {
      do values.push_back(value());
      while (lexer_.accept(","));
    }
    if (promised != nullptr) {
      std::vector<Type> types;
      for (const Value value : values) types.push_back(graph_.type(value));
      compare(*promised, types, "return", word);
      for (std::size_t i = 0; i < values.size(); ++i) note(word, values[i], (*promised)[i]);
    }
    graph_.set_results(std::move(values));
  }

  // Keeps what a type says of sizes that vary, until all of them are known.
  void note(const Token& word, Value value, const WrittenType& written) {
    if (sizes_.symbols().empty()) return;
    const bool is_parameter = graph_.node(graph_.producer(value)).op == Op::parameter;
    if (is_parameter && word.kind == Token::Kind::value) {
      for (std::size_t d = 0; d < written.sizes.size(); ++d) {
        if (written.sizes[d].is_constant()) continue;
        known_.dimensions.emplace(std::pair(value.id, static_cast<int>(d)), written.sizes[d]);
      }
    } else {
      written_sizes_.push_back({value, written.offset, written.sizes});
    }
  }

  std::size_t offset_of(NodeId node) const {
    const std::size_t parameters = graph_.parameters().size();
    return node < parameters ? start_ : node_offsets_.at(node - parameters);
  }

  // Finds the sizes of all values, where some vary, and compares them with those written.
  void complete() {
    const std::vector<SizeSymbol> symbols = sizes_.symbols();
    known_.symbols = symbols;
    for (const SizeSymbol& inner : symbols_of_functions(graph_)) {
      const bool known = std::ranges::find(symbols, inner.name, &SizeSymbol::name) != symbols.end();
      if (!known) known_.symbols.push_back(inner);
    }
    if (known_.symbols.empty()) return;
    if (known_.symbols.size() > kMostSymbols) {
      lexer_.fail(lexer_.peek().offset, "a function has at most " + std::to_string(kMostSymbols) +
                                            " sizes that vary, with those of functions it runs");
    }
    graph_.sizes = std::make_shared<const SymbolicSizes>(std::move(known_));
    try {
      complete_sizes(graph_);
    } catch (const NodeTypeError& error) {
      lexer_.fail(offset_of(error.node), error.what());
    }
    std::vector<std::size_t> numbers;  // of the reader's symbols among the graph's
    std::vector<SizeSymbol> own;
    if (graph_.sizes != nullptr) own = graph_.sizes->symbols;
    for (const SizeSymbol& symbol : symbols) {
      const auto found = std::ranges::find(own, symbol);
      // What nothing depends on is not among them, and is no other's number.
      numbers.push_back(static_cast<std::size_t>(found - own.begin()));
    }
    for (const WrittenSizes& written : written_sizes_) {
      const Shape& shape = graph_.type(written.value).shape;
      for (int d = 0; d < shape.rank(); ++d) {
        const SizeExpression size =
            written.sizes.empty() ? shape[d] : written.sizes[static_cast<std::size_t>(d)];
        if (size.renumbered(numbers) == size_expression(graph_, written.value, d)) continue;
        lexer_.fail(written.offset, print(graph_, written.value) + " is " +
                                        symbolic_text(graph_, written.value) + ", but size " +
                                        std::to_string(d) + " is written as " + size.text(symbols));
      }
    }
  }

  struct WrittenSizes {
    Value value;
    std::size_t offset;
    std::vector<SizeExpression> sizes;  // empty: all are fixed
  };

  Lexer& lexer_;
  GroupParser& groups_;
  const FunctionTable& functions_;
  const LoadConstant& load_;
  Graph graph_;
  std::unordered_map<std::string_view, Value> values_;

  // Of functions with sizes that vary.
  SizeReader sizes_;
  std::size_t start_ = 0;      // of the function's name
  std::size_t attribute_ = 0;  // the number of the one that is being read
  SymbolicSizes known_;
  std::vector<WrittenSizes> written_sizes_;
  std::vector<std::size_t> node_offsets_;  // of the nodes behind the parameters
};

}  // namespace

Graph read_function(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                    const LoadConstant& load) {
  return FunctionParser(lexer, groups, functions, load).run();
}

}  // namespace tutti::ir

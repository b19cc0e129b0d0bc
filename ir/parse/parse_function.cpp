#include <tutti/ir/builder.h>
#include <tutti/ir/names.h>
#include <tutti/ir/parse/parse_attributes.h>
#include <tutti/ir/parse/parse_function.h>
#include <tutti/ir/parse/parse_sharding.h>
#include <tutti/ir/parse/written_sizes.h>
#include <tutti/ir/text/location_text.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/text/type_text.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::ir {

namespace {

// Reads one function.
class FunctionParser {
 public:
  FunctionParser(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                 const LoadConstant& load)
      : lexer_(lexer),
        groups_(groups),
        sizes_(lexer),
        attributes_(lexer, groups, functions, load, sizes_) {}

  // After the word `func`.
  Graph run() {
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
    sizes_.complete(graph_);
    return std::move(graph_);
  }

 private:
  void parameters() {
    lexer_.expect("(", "before the parameters");
    if (lexer_.accept(")")) return;
    do {
      const Token name = lexer_.expect(Token::Kind::value, "a parameter, as in %x: f32[2]");
      lexer_.expect(":", "after the parameter's name");
      const WrittenType written = read_type(lexer_, groups_, true, &sizes_.reader());
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
      sizes_.add_parameter(value, written);
      const std::size_t last = graph_.parameters().size() - 1;
      if (!sharding.empty()) graph_.set_parameter_sharding(last, std::move(sharding));
    } while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after a parameter");
  }

  std::vector<WrittenType> types() {
    std::vector<WrittenType> out;
    do out.push_back(read_type(lexer_, groups_, false, &sizes_.reader()));
    while (lexer_.accept(","));
    return out;
  }

  // Types, each perhaps with how the ranks' results make up one whole: {sharding = [["dp"], []]}.
  std::vector<WrittenType> result_types() {
    std::vector<WrittenType> out;
    do {
      out.push_back(read_type(lexer_, groups_, false, &sizes_.reader()));
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
    std::vector<Attribute> attributes =
        attributes_.read(op, word, static_cast<NodeId>(graph_.node_count()), fusion);
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
    sizes_.add_node(word.offset);
    for (std::size_t i = 0; i < written.size(); ++i) {
      sizes_.add_value(graph_.result(id, i), written[i]);
    }
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
      for (std::size_t i = 0; i < values.size(); ++i) sizes_.add_value(values[i], (*promised)[i]);
    }
    graph_.set_results(std::move(values));
  }

  Lexer& lexer_;
  GroupParser& groups_;
  Graph graph_;
  WrittenSizes sizes_;
  AttributeParser attributes_;
  std::unordered_map<std::string_view, Value> values_;
};

}  // namespace

Graph read_function(Lexer& lexer, GroupParser& groups, const FunctionTable& functions,
                    const LoadConstant& load) {
  return FunctionParser(lexer, groups, functions, load).run();
}

}  // namespace tutti::ir

#include <tutti/ir/stablehlo/parse.h>
#include <tutti/ir/stablehlo/parse_operation.h>

namespace tutti::ir::stablehlo {

namespace {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const std::string& file_name) : lexer_(text, file_name) {}

  TreeModule run() {
    bool module = false;
    while (lexer_.peek().kind != Token::Kind::end) {
      if (lexer_.peek().is_word("module")) {
        if (module) lexer_.fail(lexer_.peek().offset, "a second module; only one is read");
        module = true;
        head();
        lexer_.expect("{", "before the module's functions");
        while (!lexer_.accept("}")) entry();
        if (lexer_.peek().is_word("loc")) values_.skip_location();
      } else {
        entry();
      }
    }
    return std::move(out_);
  }

 private:
  void head() {
    lexer_.take();
    if (lexer_.peek().kind == Token::Kind::symbol) out_.name = values_.value(false).text;
    if (lexer_.accept("attributes")) out_.attributes = values_.container("{", "}");
  }

  void entry() {
    const Token token = lexer_.peek();
    if (token.kind == Token::Kind::attribute) {
      lexer_.take();
      values_.define_alias(token.text);
    } else if (lexer_.accept("func.func")) {
      function(token.offset);
    } else if (lexer_.accept("sdy.mesh")) {
      mesh(token.offset);
    } else if (token.kind == Token::Kind::text) {
      lexer_.fail(token.offset,
                  "a function in MLIR's generic form; print the module as as_text() does");
    } else {
      lexer_.fail_expected("'func.func', 'sdy.mesh' or 'module'");
    }
  }

  // public @main(%arg0: T {...}) -> (T {...}) attributes {...} {...}
  void function(std::size_t offset) {
    TreeFunction function;
    function.offset = offset;
    if (!lexer_.accept("public") && !lexer_.accept("private")) lexer_.accept("nested");
    if (lexer_.peek().kind != Token::Kind::symbol) lexer_.fail_expected("a name, as in @main");
    function.name = values_.value(false).text;
    std::vector<BlockArgument> arguments = operations_.arguments();
    if (lexer_.accept("->")) results(function);
    if (lexer_.accept("attributes")) values_.container("{", "}");
    if (lexer_.peek().is("{")) {
      function.body = operations_.region();
      function.body.arguments = std::move(arguments);
    }
    if (lexer_.peek().is_word("loc")) values_.skip_location();
    if (!out_.function_of.try_emplace(function.name, out_.functions.size()).second) {
      lexer_.fail(offset, "function @" + function.name + " is defined twice");
    }
    out_.functions.push_back(std::move(function));
  }

  void results(TreeFunction& function) {
    if (!lexer_.accept("(")) {
      function.result_types.push_back(values_.type());
      function.result_attributes.emplace_back();
      return;
    }
    if (lexer_.accept(")")) return;
    do {
      function.result_types.push_back(values_.type());
      function.result_attributes.emplace_back();
      if (lexer_.peek().is("{")) function.result_attributes.back() = values_.container("{", "}");
      if (lexer_.peek().is_word("loc")) values_.skip_location();
    } while (lexer_.accept(","));
    lexer_.expect(")", "or ',' after a result");
  }

  // @mesh = <["x"=2, "y"=4], device_ids=[...]>
  void mesh(std::size_t offset) {
    TreeMesh mesh;
    mesh.offset = offset;
    mesh.name = lexer_.expect(Token::Kind::symbol, "the mesh's name").text;
    lexer_.expect("=", "after the mesh's name");
    const Attribute value = values_.value(false);
    if (value.kind != Attribute::Kind::container || value.items.empty()) {
      lexer_.fail(value.offset, "expected the mesh's axes, as in <[\"x\"=2]>");
    }
    const Attribute& axes = value.items[0];
    for (std::size_t i = 0; i < axes.items.size(); ++i) {
      if (axes.names[i].empty() || axes.items[i].kind != Attribute::Kind::integer) {
        lexer_.fail(axes.items[i].offset, "expected an axis, as in \"x\"=2");
      }
      constexpr std::int64_t kMostRanks = 1 << 20;
      if (i == 8 || axes.items[i].integer < 1 ||
          axes.items[i].integer > kMostRanks / mesh.mesh.ranks()) {
        lexer_.fail(axes.items[i].offset, "a mesh has at most eight axes and a million ranks");
      }
      mesh.mesh.names.emplace_back(axes.names[i]);
      mesh.mesh.sizes.push_back(axes.items[i].integer);
    }
    if (const Attribute* const devices = value.find("device_ids")) {
      for (std::size_t i = 0; i < devices->items.size(); ++i) {
        mesh.in_order = mesh.in_order && devices->items[i].integer == static_cast<std::int64_t>(i);
      }
    }
    if (lexer_.peek().is("{")) values_.container("{", "}");
    if (lexer_.peek().is_word("loc")) values_.skip_location();
    out_.meshes.push_back(std::move(mesh));
  }

  Lexer lexer_;
  ValueParser values_{lexer_};
  OperationParser operations_{lexer_, values_};
  TreeModule out_;
};

}  // namespace

TreeModule parse(std::string_view text, const std::string& file_name) {
  return ModuleParser(text, file_name).run();
}

}  // namespace tutti::ir::stablehlo

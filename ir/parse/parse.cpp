#include <tutti/ir/parse/function_table.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/parse/parse_function.h>
#include <tutti/ir/text/parse_group.h>
#include <tutti/ir/text/version_line.h>

namespace tutti::ir {

Module parse(std::string_view text, std::string file_name, const LoadConstant& load) {
  Lexer lexer(text, std::move(file_name));
  check_version_line(lexer, text, "tutti ir");
  GroupParser groups(lexer);
  Module module;
  FunctionTable functions(lexer);
  bool any_function = false;
  while (lexer.peek().kind != Token::Kind::end) {
    if (lexer.peek().is_word("mesh") && any_function) {
      lexer.fail(lexer.peek().offset, "the mesh comes before the functions, which share it");
    }
    if (lexer.accept("mesh")) {
      groups.mesh_line();
    } else if (lexer.accept("group")) {
      groups.declaration();
    } else if (lexer.accept("private")) {
      lexer.expect("func", "after 'private'");
      const std::size_t offset = lexer.peek().offset;
      functions.add_private(read_function(lexer, groups, functions, load), offset);
      any_function = true;
    } else if (lexer.accept("func")) {
      const std::size_t offset = lexer.peek().offset;
      module.functions.push_back(read_function(lexer, groups, functions, load));
      functions.add(module.functions.back().name, nullptr, offset);
      any_function = true;
    } else {
      lexer.fail_expected("'func', 'private func', 'group' or 'mesh'");
    }
  }
  return module;
}

}  // namespace tutti::ir

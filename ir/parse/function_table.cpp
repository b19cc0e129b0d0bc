#include <tutti/ir/names.h>
#include <tutti/ir/parse/function_table.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/literal.h>
#include <tutti/ir/text/parse_group.h>

#include <memory>
#include <utility>
#include <vector>

namespace tutti::ir {

void FunctionTable::add_private(Graph graph, std::size_t offset) {
  const std::string name = graph.name;
  try {
    add(name, std::make_shared<const Function>(std::move(graph)), offset);
  } catch (const TypeError& error) {
    lexer_.fail(offset, error.what());
  }
}

void FunctionTable::add(const std::string& name, const FunctionPtr& function, std::size_t offset) {
  if (functions_.try_emplace(name, function).second) return;
  lexer_.fail(offset, "function @" + name + " is defined twice");
}

FunctionPtr FunctionTable::find(const Token& symbol) const {
  const std::string name = name_in(lexer_, symbol);
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [known, function] : functions_) {
      if (function != nullptr) names.push_back(known);
    }
    lexer_.fail(symbol.offset, "there is no 'private func @" + name.substr(0, 40) + "' above" +
                                   suggestion(name, names));
  }
  if (found->second == nullptr) {
    lexer_.fail(symbol.offset, "@" + name.substr(0, 40) +
                                   " is not private; nodes run functions that begin "
                                   "with 'private func'");
  }
  return found->second;
}

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/group.h>
#include <tutti/ir/text/lexer.h>

#include <map>
#include <memory>
#include <string>

namespace tutti::ir {

// Reads what the functions of a text share: its mesh line and the declarations of its groups.
class GroupParser {
 public:
  explicit GroupParser(Lexer& lexer) : lexer_(lexer) {}

  // After the word `mesh`: (dp = 2, tp = 4)
  void mesh_line();
  // After the word `group`: @dp = {ranks = [0, 1], stride = 2}, or @dp = mesh(dp = 64, tp = 8).dp
  void declaration();

  // The mesh of the text; null if it has none.
  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  // The number of a mesh dimension; `token` is its name.
  std::size_t dimension(const Mesh& mesh, const Token& token) const;
  // The group that a token `@dp` names.
  GroupPtr group(const Token& token) const;

  // One of a group's own fields (tag, ranks, stride, timeout), after its name and '='. False: it is
  // none.
  bool field(std::string_view name, Group& group);
  // The group that the fields make, checked; without a stride it is one group of all ranks.
  GroupPtr finish(Group group, std::size_t offset);
  // An empty group, ready for its fields.
  static Group blank(std::string tag) { return {.tag = std::move(tag), .ranks = {}, .stride = 0}; }

 private:
  Mesh sizes();
  Group mesh_dimensions();
  std::vector<std::int64_t> ranks();
  void spend(std::int64_t ranks, std::size_t offset);

  Lexer& lexer_;
  std::shared_ptr<const Mesh> mesh_;
  std::map<std::string, GroupPtr, std::less<>> groups_;
  std::int64_t ranks_spent_ = 0;
};

// The name that a symbol, word or quoted text stands for.
std::string name_in(const Lexer& lexer, const Token& token);

}  // namespace tutti::ir

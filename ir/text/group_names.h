#pragma once

#include <tutti/ir/group.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/hash.h>

#include <string>
#include <unordered_map>

namespace tutti::ir {

// The names of the groups of a text: one for each distinct group, in order of first use.
class GroupNames {
 public:
  const std::string& name(const GroupPtr& group);

  // `group @dp = {ranks = [0, 1], stride = 2}`, a line each.
  const std::string& declarations() const { return declarations_; }

 private:
  void declare(const Group& group, const std::string& name);

  std::unordered_map<const Group*, const std::string*> by_pointer_;
  std::unordered_map<Hash128, std::string, Hash128Hasher> by_content_;
  UniqueNames names_;
  std::string declarations_;
};

}  // namespace tutti::ir

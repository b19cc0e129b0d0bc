#include <tutti/ir/text/group_names.h>
#include <tutti/ir/text/literal.h>

namespace tutti::ir {

const std::string& GroupNames::name(const GroupPtr& group) {
  const auto [known, is_new] = by_pointer_.try_emplace(group.get(), nullptr);
  if (!is_new) return *known->second;
  Hasher hasher;
  hasher.add(group->tag).add(static_cast<std::uint64_t>(group->stride));
  hasher.add(static_cast<std::uint64_t>(group->timeout)).add(group->backends);
  hasher.add(group->name).add(static_cast<std::uint64_t>(group->programs_differ));
  hasher.add(group->algorithm ? static_cast<std::uint64_t>(*group->algorithm) + 1 : 0);
  for (const std::int64_t rank : group->ranks) hasher.add(static_cast<std::uint64_t>(rank));
  const auto [found, inserted] = by_content_.try_emplace(hasher.finish());
  if (inserted) {
    found->second = names_.add(identifier_from(group->tag, "group"));
    declare(*group, found->second);
  }
  known->second = &found->second;
  return found->second;
}

void GroupNames::declare(const Group& group, const std::string& name) {
  declarations_ += "group @" + name + " = {";
  if (group.tag != name) declarations_ += "tag = " + ir::quoted(group.tag) + ", ";
  declarations_ += "ranks = ";
  append_integers(declarations_, group.ranks);
  declarations_ += ", stride = " + std::to_string(group.stride);
  if (group.timeout != 0) declarations_ += ", timeout = " + std::to_string(group.timeout);
  if (!group.backends.empty()) declarations_ += ", backends = " + ir::quoted(group.backends);
  if (!group.name.empty()) declarations_ += ", name = " + ir::quoted(group.name);
  if (group.programs_differ) declarations_ += ", programs_differ = true";
  if (group.algorithm) {
    declarations_ += ", algorithm = " + ir::quoted(name_of(*group.algorithm));
  }
  declarations_ += "}\n";
}

}  // namespace tutti::ir

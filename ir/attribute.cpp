#include <tutti/ir/attribute.h>

#include <bit>

namespace tutti::ir {

bool equal(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  if (const auto* group = std::get_if<GroupPtr>(&a)) {
    const auto& other = std::get<GroupPtr>(b);
    return *group == other || (*group != nullptr && other != nullptr && **group == *other);
  }
  if (const auto* array = std::get_if<ArrayPtr>(&a)) {
    const auto& other = std::get<ArrayPtr>(b);
    return *array == other || (*array != nullptr && other != nullptr && **array == *other);
  }
  if (const auto* number = std::get_if<double>(&a)) {
    return std::bit_cast<std::uint64_t>(*number) ==
           std::bit_cast<std::uint64_t>(std::get<double>(b));
  }
  return a == b;
}

std::size_t Attributes::index(std::string_view name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return i;
  }
  throw InternalError("no attribute is called \"" + std::string(name) + "\" here");
}

}  // namespace tutti::ir

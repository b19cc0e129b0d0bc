#include <tutti/ir/attribute.h>
#include <tutti/ir/function.h>

#include <algorithm>
#include <bit>

namespace tutti::ir {

namespace {

bool same_function(const FunctionPtr& a, const FunctionPtr& b) {
  return a == b || (a != nullptr && b != nullptr && a->hash() == b->hash());
}

}  // namespace

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
  if (const auto* function = std::get_if<FunctionPtr>(&a)) {
    return same_function(*function, std::get<FunctionPtr>(b));
  }
  if (const auto* functions = std::get_if<std::vector<FunctionPtr>>(&a)) {
    return std::ranges::equal(*functions, std::get<std::vector<FunctionPtr>>(b), same_function);
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

#include <tutti/ir/attribute_integers.h>

namespace tutti::ir {

std::vector<std::int64_t> integers_of(const Attribute& attribute) {
  if (const auto* const one = std::get_if<std::int64_t>(&attribute)) return {*one};
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&attribute)) return *list;
  std::vector<std::int64_t> out;
  if (const auto* const types = std::get_if<std::vector<Type>>(&attribute)) {
    for (const Type& type : *types) out.insert(out.end(), type.shape.begin(), type.shape.end());
  }
  return out;
}

Attribute with_integers(const Attribute& attribute, std::span<const std::int64_t> integers) {
  if (std::holds_alternative<std::int64_t>(attribute)) return integers[0];
  if (std::holds_alternative<std::vector<std::int64_t>>(attribute)) {
    return std::vector<std::int64_t>(integers.begin(), integers.end());
  }
  const auto* const types = std::get_if<std::vector<Type>>(&attribute);
  if (types == nullptr) return attribute;
  std::vector<Type> out = *types;
  for (Type& type : out) {
    const auto rank = static_cast<std::size_t>(type.shape.rank());
    type.shape = Shape(integers.first(rank));
    integers = integers.subspan(rank);
  }
  return out;
}

}  // namespace tutti::ir

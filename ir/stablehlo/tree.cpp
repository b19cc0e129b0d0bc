#include <tutti/ir/stablehlo/tree.h>

namespace tutti::ir::stablehlo {

const Attribute* Attribute::find(std::string_view name) const {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (names[i] == name) return &items[i];
  }
  return nullptr;
}

void Attribute::add(std::string_view name, Attribute item) {
  names.push_back(name);
  items.push_back(std::move(item));
}

bool is_return(const Operation& operation) {
  return operation.name == "func.return" || operation.name == "stablehlo.return" ||
         operation.name == "sdy.return";
}

}  // namespace tutti::ir::stablehlo

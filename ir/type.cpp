#include <tutti/ir/type.h>

namespace tutti::ir {

std::string Type::text() const {
  return (async ? "async " : "") + std::string(name_of(dtype)) + shape.text();
}

}  // namespace tutti::ir

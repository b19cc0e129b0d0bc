#include <tutti/ir/type.h>

namespace tutti::ir {

std::string Type::text() const {
  return (async ? "async " : "") + std::string(name_of(dtype)) + shape.text() +
         (device.is_cpu() || device.is_any() ? "" : " on " + device.text());
}

}  // namespace tutti::ir

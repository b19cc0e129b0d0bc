#include <tutti/ir/support/location.h>

namespace tutti {

std::string Location::text() const {
  if (!known()) return "";
  std::string_view name = file();
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  return std::string(name) + ":" + std::to_string(line_);
}

}  // namespace tutti

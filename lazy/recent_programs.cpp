#include <tutti/lazy/recent_programs.h>
#include <tutti/runtime/settings.h>

namespace tutti::detail {

std::size_t kept_programs() {
  return static_cast<std::size_t>(*runtime::Settings::process().number("programs"));
}

}  // namespace tutti::detail

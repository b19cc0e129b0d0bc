#include <tutti/ir/support/error.h>

namespace tutti {

Error::Error(const std::string& what, Location where)
    : std::runtime_error(where.known() ? where.text() + ": " + what : what), where_(where) {}

std::string Error::message() const {
  std::string text = what();
  if (where_.known()) text.erase(0, where_.text().size() + 2);
  return text;
}

}  // namespace tutti

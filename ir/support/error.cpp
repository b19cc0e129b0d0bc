#include <tutti/ir/support/error.h>

namespace tutti {

Error::Error(const std::string& what, Location where)
    : std::runtime_error(where.known() ? where.text() + ": " + what : what), where_(where) {}

Error::Error(const std::string& front, const Error& error)
    : std::runtime_error(front + error.what()), where_(error.where_) {}

std::string Error::message() const {
  std::string text = what();
  if (!where_.known()) return text;
  const std::string line = where_.text() + ": ";
  return text.erase(text.find(line), line.size());  // a text may stand in front of it
}

}  // namespace tutti

#include <tutti/ir/support/error.h>

namespace tutti {

Error::Error(const std::string& what, Location where)
    : std::runtime_error(where.known() ? where.text() + ": " + what : what), where_(where) {}

}  // namespace tutti

#include "tools/launch/terminal.h"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace tutti::tools {

bool has_colours(int descriptor) {
  const char* const refusal = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (refusal == nullptr || *refusal == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace tutti::tools

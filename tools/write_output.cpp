#include "tools/write_output.h"

#include <tutti/runtime/files/write_file.h>

namespace tutti::tools {

void write_output(const std::filesystem::path& output, const std::string& text, std::ostream& out) {
  if (output.empty() || output == "-") {
    out << text;
  } else {
    runtime::write_file(output, text);
  }
}

}  // namespace tutti::tools

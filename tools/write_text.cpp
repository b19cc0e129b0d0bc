#include "tools/write_text.h"

#include <tutti/ir/support/error.h>

#include <fstream>
#include <system_error>

namespace tutti::tools {

void write_text(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, path, error);
  if (!file || error) {
    std::filesystem::remove(partial, error);
    throw EnvironmentError(path.string() + ": cannot be written");
  }
}

}  // namespace tutti::tools

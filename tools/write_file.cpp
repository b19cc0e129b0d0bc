#include "tools/write_file.h"

#include <tutti/ir/support/error.h>

#include <fstream>
#include <system_error>

namespace tutti::tools {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  const fs::path partial = direct ? path : fs::path(path.string() + ".partial");
  std::ofstream file(partial, std::ios::binary);
  file << text;
  file.close();
  error.clear();
  if (file && !direct) fs::rename(partial, path, error);
  if (file && !error) return;
  if (!direct) fs::remove(partial, error);
  throw EnvironmentError(path.string() + ": cannot be written");
}

}  // namespace tutti::tools

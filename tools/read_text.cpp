#include "tools/read_text.h"

#include <tutti/ir/support/error.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

namespace tutti::tools {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string all_of(std::istream& in) {
  std::string out{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (out.starts_with(kByteOrderMark)) out.erase(0, kByteOrderMark.size());
  return out;
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  if (path == "-") return all_of(std::cin);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const int error = std::filesystem::is_directory(path) ? EISDIR : errno;
  if (!file || error == EISDIR) {
    throw EnvironmentError(path.string() +
                           ": cannot be read: " + std::generic_category().message(error));
  }
  return all_of(file);
}

}  // namespace tutti::tools

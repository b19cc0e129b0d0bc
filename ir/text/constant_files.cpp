#include <tutti/ir/names.h>
#include <tutti/ir/support/hash.h>
#include <tutti/ir/text/constant_files.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

namespace tutti::ir {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "files are little-endian");

constexpr const char* kFolder = "constants";

std::string name_of_file(const Array& array) {
  Hasher hasher;
  hasher.add(name_of(array.dtype()));
  hasher.add(
      std::string_view(reinterpret_cast<const char*>(array.bytes().data()), array.bytes().size()));
  return std::string(kFolder) + "/" + hasher.finish().text() + ".bin";
}

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw EnvironmentError(path.string() + ": " + why);
}

// Whether it is no file that lies anywhere on the machine: a text from elsewhere may name any.
bool is_inside(const std::string& name) {
  const fs::path path(name);
  return !path.is_absolute() && name.find('\0') == name.npos &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

// Under a name first that nobody can foresee and that is new: whoever reads finds all of it or
// nothing, and no link leads elsewhere.
void write(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail(path.parent_path(), "cannot be made: " + error.message());
  fs::path draft = path;
  std::random_device random;
  draft += "." + std::to_string(random()) + std::to_string(random()) + ".draft";
  std::FILE* const file = std::fopen(draft.c_str(), "wbx");
  if (file == nullptr) fail(path, std::string("cannot be written: ") + std::strerror(errno));
  bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  written = std::fclose(file) == 0 && written;
  if (!written) error.assign(errno, std::generic_category());
  if (written) fs::rename(draft, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(draft, ignored);
  fail(path, "cannot be written: " + error.message());
}

}  // namespace

StoreConstant store_constants_beside(const std::string& folder) {
  return [folder = fs::path(folder)](const Array& array) {
    std::string name = name_of_file(array);
    const fs::path path = folder / name;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error || size != array.bytes().size()) write(path, array.bytes());
    return name;
  };
}

LoadConstant load_constants_beside(const std::string& folder) {
  return [folder = fs::path(folder)](const std::string& name, DType dtype, const Shape& shape) {
    if (!is_inside(name)) {
      throw EnvironmentError(ir::quoted(name) +
                             " should be the name of a file in the text's folder");
    }
    const fs::path path = folder / name;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error) fail(path, "cannot be read: " + error.message());
    const auto wanted =
        static_cast<std::uintmax_t>(shape.elements()) * static_cast<std::uintmax_t>(size_of(dtype));
    if (size != wanted) {
      fail(path, "has " + std::to_string(size) + " bytes, not the " + std::to_string(wanted) +
                     " of " + std::string(name_of(dtype)) + shape.text());
    }
    Array out(dtype, shape);
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(out.bytes().data()), static_cast<std::streamsize>(size));
    if (!file) fail(path, "cannot be read");
    const auto is_truth = [](std::byte byte) { return byte <= std::byte{1}; };
    if (dtype == DType::boolean && !std::ranges::all_of(out.bytes(), is_truth)) {
      fail(path, "has bytes that are no bool, which is 0 or 1");
    }
    return out;
  };
}

}  // namespace tutti::ir

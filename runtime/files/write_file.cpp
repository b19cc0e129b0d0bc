#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/write_file.h>
#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace tutti::runtime {

namespace fs = std::filesystem;

namespace {

// An errno; 0: it is written.
int write_directly(const fs::path& path, std::span<const std::byte> bytes) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid() || !write_all(file.number(), bytes)) return errno;
  return close(file.release()) == 0 ? 0 : errno;  // which may be what says that the disk is full
}

int write_whole(const fs::path& path, std::span<const std::byte> bytes) {
  NewFile file(path.string(), mode_to_write(path));
  file.write(bytes);
  return file.finish() ? 0 : file.error();
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  const auto bytes = std::as_bytes(std::span(text));
  const int failure = direct ? write_directly(path, bytes) : write_whole(path, bytes);
  if (failure == 0) return;
  throw EnvironmentError(path.string() + ": cannot be written: " + failure_text(failure));
}

fs::path file_to_write(fs::path path) {
  std::error_code error;
  constexpr int kMostLinks = 40;  // as the system has it
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    const fs::path meant = fs::read_symlink(path, error);
    if (error) throw EnvironmentError(path.string() + ": cannot be read: " + error.message());
    path = path.parent_path() / meant;
  }
  if (fs::exists(fs::symlink_status(path, error)) && !fs::is_regular_file(path, error)) {
    throw EnvironmentError(path.string() + ": is there, and is no file");
  }
  return path;
}

std::optional<mode_t> mode_to_write(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_regular_file(status)) return std::nullopt;
  return static_cast<mode_t>(status.permissions()) & mode_t{0777};
}

}  // namespace tutti::runtime

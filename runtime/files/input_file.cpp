#include <tutti/ir/support/error.h>
#include <tutti/runtime/files/input_file.h>
#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

std::uintmax_t bytes_of_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error) return bytes;
  throw EnvironmentError(path.string() + ": cannot be read: " + error.message());
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // Nobody waits for the other end of what is no file.
  file_ = Descriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file_.valid() || fstat(file_.number(), &status) != 0) {
    throw EnvironmentError(path_.string() + ": cannot be opened: " + failure_text(errno));
  }
  if (!S_ISREG(status.st_mode)) throw EnvironmentError(path_.string() + ": this is no file");
  bytes_ = status.st_size;
}

void InputFile::read(std::int64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = pread(file_.number(), to.data(), to.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw EnvironmentError(path_.string() + ": cannot be read: " + failure_text(errno));
    }
    if (count == 0) throw EnvironmentError(path_.string() + ": has become shorter");
    to = to.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

std::shared_ptr<std::byte> InputFile::map() const {
  const auto bytes = static_cast<std::size_t>(bytes_);
  void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file_.number(), 0);
  if (memory == MAP_FAILED) {
    throw EnvironmentError(path_.string() + ": cannot be mapped: " + failure_text(errno));
  }
  return {static_cast<std::byte*>(memory), [bytes](std::byte* data) { munmap(data, bytes); }};
}

}  // namespace tutti::runtime

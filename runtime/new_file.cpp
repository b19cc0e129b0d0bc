#include <tutti/runtime/new_file.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

sigset_t of_file_sizes() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGXFSZ);
  return signals;
}

}  // namespace

std::string unfinished_name(const std::string& path) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != std::ssize(bytes)) return {};
  std::string out = path.substr(0, path.rfind('/') + 1);
  out += NewFile::kUnfinished;
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

FileSizeErrors::FileSizeErrors() {
  const sigset_t signals = of_file_sizes();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

FileSizeErrors::~FileSizeErrors() {
  if (sigismember(&before_, SIGXFSZ) == 1) return;
  const int error = errno;
  const sigset_t signals = of_file_sizes();
  const timespec at_once{};
  while (sigtimedwait(&signals, nullptr, &at_once) == SIGXFSZ) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

bool write_all(int file, std::span<const std::byte> bytes) {
  const FileSizeErrors errors;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::string failure_text(int error) {
  const std::string text = std::generic_category().message(error);
  return error == EFBIG ? text + " (limited by ulimit -f?)" : text;
}

NewFile::NewFile(const std::string& path, std::optional<mode_t> mode)
    : folder_(AT_FDCWD), name_(path), mode_(mode) {
  open();
}

NewFile::NewFile(const Descriptor& folder, std::string name, mode_t mode)
    : folder_(folder.number()), name_(std::move(name)), mode_(mode) {
  open();
}

void NewFile::open() {
  unfinished_ = unfinished_name(name_);
  if (!unfinished_.empty()) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Descriptor(openat(folder_, unfinished_.c_str(), kFlags, mode_.value_or(0666)));
    is_there_ = file_.valid();
  }
  if (!is_there_) error_ = errno;
  // Bits that the umask has taken away, where the file system has permissions at all.
  if (is_there_ && mode_) static_cast<void>(fchmod(file_.number(), *mode_));
}

NewFile::~NewFile() {
  if (is_there_) unlinkat(folder_, unfinished_.c_str(), 0);
}

void NewFile::write(std::span<const std::byte> bytes) {
  if (error_ == 0 && !write_all(file_.number(), bytes)) error_ = errno;
}

void NewFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void NewFile::flush_to_disk() {
  if (error_ == 0 && fsync(file_.number()) != 0) error_ = errno;
  flushed_ = true;
}

// The name, too, as far as the file system lets itself be asked.
void NewFile::flush_folder() {
  const std::string path = std::filesystem::path(name_).parent_path().string();
  const Descriptor folder(
      openat(folder_, path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid()) fsync(folder.number());
}

// Some file systems only now say that there is no room.
bool NewFile::close() {
  if (error_ == 0 && ::close(file_.release()) != 0) error_ = errno;
  return error_ == 0;
}

bool NewFile::finish() {
  if (!close()) return false;
  if (renameat(folder_, unfinished_.c_str(), folder_, name_.c_str()) != 0) {
    error_ = errno;
    return false;
  }
  is_there_ = false;
  if (flushed_) flush_folder();
  return true;
}

bool NewFile::finish_if_first() {
  if (!close()) return false;
  if (linkat(folder_, unfinished_.c_str(), folder_, name_.c_str(), 0) == 0) return true;
  if (errno != EEXIST) error_ = errno;
  return false;
}

std::string NewFile::failure() const { return failure_text(error_); }

}  // namespace tutti::runtime

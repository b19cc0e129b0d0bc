#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/private_file.h>
#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_private(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

[[noreturn]] void refuse_folder(const std::string& path, const std::string& why) {
  throw EnvironmentError("the folder " + path + " " + why);
}

}  // namespace

Descriptor open_private_folder(const std::string& given, const std::string& base) {
  // With a slash at its end, a link would be followed.
  const std::string path = given.substr(0, given.find_last_not_of('/') + 1);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code ignored;  // opening says what is wrong
  if (!base.empty() && !std::filesystem::is_directory(base, ignored)) {
    refuse_folder(path, "is not made, since there is no " + base);
  }
  if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  mkdir(path.c_str(), S_IRWXU);
  Descriptor folder(open(path.c_str(), kFolder));
  if (!folder.valid()) {
    const int error = errno;
    struct stat status{};
    if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
      refuse_folder(path, "is a symbolic link; name the folder itself");
    }
    refuse_folder(path, "can't be opened or made: " + std::generic_category().message(error));
  }
  struct stat status{};
  if (fstat(folder.number(), &status) != 0) {
    refuse_folder(path, "can't be examined: " + std::generic_category().message(errno));
  }
  if (status.st_uid != geteuid()) {
    refuse_folder(path, "belongs to another user, whose code would be run (its number is " +
                            std::to_string(status.st_uid) + ", that of this user " +
                            std::to_string(geteuid()) + ")");
  }
  if (!is_private(status)) {
    refuse_folder(path, "can be written by others, whose code would be run; chmod go-w it");
  }
  return folder;
}

Descriptor open_private_folder(const Descriptor& folder, const char* name, bool make) {
  if (make && mkdirat(folder.number(), name, S_IRWXU) != 0 && errno != EEXIST) return {};
  Descriptor inner(openat(folder.number(), name, kFolder));
  struct stat status{};
  if (!inner.valid() || fstat(inner.number(), &status) != 0) return {};
  if (is_private(status)) return inner;
  errno = EPERM;
  return {};
}

std::optional<PrivateFile> read_private_file(const Descriptor& folder, const char* name,
                                             std::size_t most) {
  // Not blocking: it might be a pipe.
  const Descriptor file(
      openat(folder.number(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file.valid() || fstat(file.number(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode) || !is_private(status) || std::cmp_greater(status.st_size, most)) {
    errno = EPERM;
    return {};
  }
  std::vector<std::byte> content(static_cast<std::size_t>(status.st_size));
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t got = read(file.number(), content.data() + at, content.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return PrivateFile{.content = std::move(content), .modified = status.st_mtim.tv_sec};
}

bool write_private_file(const Descriptor& folder, const char* name,
                        std::span<const std::byte> content) {
  // A file does not take a folder's name.
  struct stat status{};
  if (fstatat(folder.number(), name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(status.st_mode) && !remove_private_file(folder, name)) {
    return false;
  }
  NewFile file(folder, name, S_IRUSR | S_IWUSR);
  file.write(content);
  if (file.finish()) return true;
  errno = file.error();
  return false;
}

bool remove_private_file(const Descriptor& folder, const char* name) {
  if (unlinkat(folder.number(), name, 0) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR) return false;
  const Descriptor inner(openat(folder.number(), name, kFolder));
  if (!inner.valid()) return false;
  for (const std::string& found : names_in(inner)) {
    if (!remove_private_file(inner, found.c_str())) return false;
  }
  return unlinkat(folder.number(), name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

std::vector<std::string> names_in(const Descriptor& folder) {
  std::vector<std::string> out;
  Descriptor copy(openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(fdopendir(copy.number()), closedir);
  if (opened == nullptr) return out;
  copy.release();
  while (const dirent* const found = readdir(opened.get())) {
    std::string name = found->d_name;
    if (name != "." && name != "..") out.push_back(std::move(name));
  }
  return out;
}

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace tutti::runtime {

// How long a file is. Throws EnvironmentError, naming the path, where the system does not say.
std::uintmax_t bytes_of_file(const std::filesystem::path& path);

// A file that is read at any place of it. Thread-safe.
class InputFile {
 public:
  // Throws EnvironmentError, naming the path, for what is no file or cannot be opened.
  explicit InputFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  // How long it was when it was opened.
  std::int64_t bytes() const { return bytes_; }

  // Fills `to` from the place `offset` on. Throws EnvironmentError if the file cannot be read or
  // has become shorter.
  void read(std::int64_t offset, std::span<std::byte> to) const;

  // The whole file, as memory that can be read and not written. It is read from the disk where
  // somebody looks, and stays for as long as somebody holds it, whatever becomes of the file's
  // name. If somebody makes the file shorter meanwhile, who looks at what is gone gets a SIGBUS.
  // Throws EnvironmentError where the system refuses.
  std::shared_ptr<std::byte> map() const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::int64_t bytes_ = 0;
};

}  // namespace tutti::runtime

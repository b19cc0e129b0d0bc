#pragma once

#include <string>
#include <utility>

#include <unistd.h>

namespace tutti::tools {

// Owns a file descriptor.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle() { close(); }

  int get() const { return descriptor_; }  // -1 for none
  bool is_open() const { return descriptor_ >= 0; }
  void close() {
    if (is_open()) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_ = -1;
};

// Both ends are closed by exec.
struct Pipe {
  FileHandle read;
  FileHandle write;
};
Pipe make_pipe();

void set_nonblocking(const FileHandle& file);

// Opens /dev/null for every closed one of the descriptors 0, 1 and 2: otherwise a pipe could get
// such a number, and what is printed would go there.
void open_standard_files();

// Allows this process so many open files and gives the limit before, which children shall have.
// Throws EnvironmentError if the system refuses.
struct FileLimit {
  unsigned long soft = 0;
  unsigned long hard = 0;
};
FileLimit allow_open_files(unsigned long count);

// "cannot make a pipe: Too many open files", by errno.
std::string system_failure(const std::string& what);

}  // namespace tutti::tools

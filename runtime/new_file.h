#pragma once

#include <tutti/runtime/descriptor.h>

#include <csignal>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace tutti::runtime {

// While it lives, what this thread writes beyond the limit of a file's size (ulimit -f) fails with
// EFBIG; by itself, the system would end the process without a word.
class FileSizeErrors {
 public:
  FileSizeErrors();
  FileSizeErrors(const FileSizeErrors&) = delete;
  FileSizeErrors& operator=(const FileSizeErrors&) = delete;
  ~FileSizeErrors();  // keeps errno

 private:
  sigset_t before_{};
};

// A file that takes its name when it is finished, replacing what has the name: at no time is there
// part of it, even if the process is killed. Until then it has another name in the same folder,
// which nobody can foresee and which is never one that is there already, a link among them. If it
// is not finished it goes again. The first failure is kept: what is written after it is not.
class NewFile {
 public:
  // How the names of files begin that are not finished.
  static constexpr std::string_view kUnfinished = ".new-";

  // With these permissions, whatever the umask; without, those that new files get.
  explicit NewFile(const std::string& path, std::optional<mode_t> mode = std::nullopt);
  // A name in an open folder, which must outlive it.
  NewFile(const Descriptor& folder, std::string name, mode_t mode);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Returns when the disk has what was written: then the file is whole under its name even if the
  // machine stops.
  void flush_to_disk();
  // Whether it has its name now.
  bool finish();
  // The same unless something has the name, which then stays; that is no failure.
  bool finish_if_first();

  int error() const { return error_; }  // an errno; 0: nothing failed
  std::string failure() const;          // in words

 private:
  void open();
  bool close();
  void flush_folder();

  const int folder_;
  const std::string name_;
  const std::optional<mode_t> mode_;
  std::string unfinished_;
  Descriptor file_;
  bool is_there_ = false;  // under the name unfinished_
  bool flushed_ = false;
  int error_ = 0;
};

// A name beside a file or folder for what is to take its place, which nobody can foresee. Empty,
// with errno set, where the system has no random numbers.
std::string unfinished_name(const std::string& path);

// Writes into an open file, all of it. False, with errno set, if that can't be.
bool write_all(int file, std::span<const std::byte> bytes);

// errno's meaning, with what to do about it.
std::string failure_text(int error);

}  // namespace tutti::runtime

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// A library that is loaded while the program runs, because not every machine has it.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  // Loads the first of `names` that there is in the first of `folders` that has any. The empty
  // folder stands for wherever the system looks; where it is one of them, what the process has
  // loaded already, of any of the names, comes before them all. If there is none is_open() says so.
  // A file of that name that can't be opened is passed over, which TUTTI_LOG=gpu tells.
  SharedLibrary(std::span<const std::string> folders, std::span<const std::string_view> names);
  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  bool is_open() const { return handle_ != nullptr; }
  // The file it was loaded from.
  const std::string& path() const { return path_; }
  // For messages: what was tried before it was found, with the reasons where they are not plain
  // absence: "libcuda.so.1, /usr/local/cuda/lib64/libcuda.so.1 (invalid ELF header)".
  const std::string& tried() const { return tried_; }

  // Those of them that are there, and can't be opened.
  const std::string& refused() const { return refused_; }

  // The address of what has that name in it; null if nothing has.
  void* symbol(const char* name) const;

 private:
  bool open(const std::string& file, int flags);

  void* handle_ = nullptr;
  std::string path_;
  std::string tried_;
  std::string refused_;
};

// Where libraries of CUDA that the process has not loaded may be, in order: the folders of
// TUTTI_CUDA_LIBRARIES, wherever the system looks, $CUDA_HOME/lib64, /usr/local/cuda/lib64, and
// those that packages of Python (PyTorch's) bring along. Throws EnvironmentError if a variable is
// malformed.
std::vector<std::string> cuda_library_folders();

// The folders with libraries that the packages nvidia-... of Python leave in a folder of packages,
// "/usr/lib/python3/dist-packages": those of newer CUDA come first.
std::vector<std::string> cuda_folders_of_packages(const std::string& packages);

}  // namespace tutti::runtime

#pragma once

#include <filesystem>

namespace tutti::tools {

// A new folder among the temporary ones, which goes with all that is in it at the end of the
// object's life. Throws EnvironmentError if it cannot be made.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tutti::tools

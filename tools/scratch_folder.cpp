#include "tools/scratch_folder.h"

#include <tutti/ir/support/error.h>

#include <cstdlib>
#include <string>
#include <system_error>

namespace tutti::tools {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  std::string name = (temporary / "tutti-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    throw EnvironmentError(name + ": a temporary folder cannot be made");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace tutti::tools

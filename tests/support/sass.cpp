#include "tests/support/sass.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tests/support/command.h"
#include <unistd.h>

namespace tutti::test {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> out;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (each->is_directory(error)) out.push_back(each->path());
  }
  return out;
}

// Empty where there is none.
std::string find_nvdisasm() {
  std::vector<fs::path> folders;
  for (const fs::path& wheel : folders_in(source("build/nvidia-wheels"))) {
    for (const fs::path& part : folders_in(wheel / "nvidia")) folders.push_back(part / "bin");
  }
  const char* const home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0') folders.push_back(fs::path(home) / "bin");
  folders.emplace_back("/usr/local/cuda/bin");
  const char* const path = std::getenv("PATH");
  std::istringstream list(path == nullptr ? "" : path);
  for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    const std::string file = folder / "nvdisasm";
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// "STG.E" of "/*02c0*/ @!P0 STG.E desc[UR6][R6.64], R0 ;"; empty where a line has none.
std::string operation_of(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word.starts_with(".L") && word.ends_with(":")) return "label";
  if (!word.starts_with("/*")) return {};
  word.clear();
  words >> word;
  if (word.starts_with("@")) words >> word;  // only where a predicate says so
  return word.substr(0, word.find_first_of(";,"));
}

}  // namespace

std::string why_no_nvdisasm() {
  if (!find_nvdisasm().empty()) return {};
  return "there is no nvdisasm here; scripts/nvidia-wheels fetches it";
}

std::vector<std::string> sass_of(std::span<const std::byte> cubin) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "kernel.cubin", std::string(reinterpret_cast<const char*>(cubin.data()), cubin.size()));
  // Without its data flow, which nobody asks for.
  const CommandResult result = run_command({find_nvdisasm(), "-c", "-ndf", file});
  if (result.status != 0) throw std::runtime_error("nvdisasm: " + result.errors);
  std::vector<std::string> out;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    std::string operation = operation_of(line);
    if (!operation.empty()) out.push_back(std::move(operation));
  }
  return out;
}

}  // namespace tutti::test

// The double of NVRTC: compiles CUDA C++ for the host, with the emulator's g++.

#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/fake_cuda/image.h"
#include "tests/support/cuda/emulator.h"
#include <stdlib.h>

namespace {

namespace fs = std::filesystem;
using tutti::fake_cuda::encode;
using tutti::fake_cuda::Image;
namespace cuda = tutti::test::cuda;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "tutti_fake_nvrtc_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// A letter for each parameter of a kernel (Image): they are separated by the commas of the
// parentheses behind its name.
std::string parameters_of(std::string_view text, const std::string& kernel) {
  std::size_t at = text.find("__global__");
  at = text.find(kernel, at);
  while (at != std::string_view::npos &&
         text.find_first_not_of(" \n", at + kernel.size()) != text.find('(', at)) {
    at = text.find(kernel, at + 1);
  }
  if (at == std::string_view::npos) return {};
  const std::size_t open = text.find('(', at);
  const std::size_t close = text.find(')', open);
  std::string list(text.substr(open + 1, close - open - 1));
  if (list.find_first_not_of(" \n") == std::string::npos) return {};
  std::string out;
  std::istringstream stream(list);
  for (std::string each; std::getline(stream, each, ',');) {
    out += each.find('*') != std::string::npos ? 'p' : 'v';
  }
  return out;
}

// g++ writes "text 0:6:10: error: ..."; NVRTC writes "name.cu(6): error: ...".
std::string as_of_nvrtc(const std::string& log, const std::string& name) {
  return std::regex_replace(log, std::regex("text 0:([0-9]+)(:[0-9]+)?:"), name + "($1):");
}

}  // namespace

struct _nvrtcProgram {
  std::string text;
  std::string name;
  std::string log;
  std::string cubin;
  std::string ptx;
};

namespace {

void compile(_nvrtcProgram& program, const std::string& target) {
  constexpr std::size_t kMostBytes = 32764;  // of a kernel's parameters
  Image image;
  image.target = target;
  for (const std::string& kernel : cuda::kernel_names(program.text)) {
    const std::string parameters = parameters_of(program.text, kernel);
    const std::size_t bytes = parameters.size() * sizeof(void*);
    if (bytes > kMostBytes) {
      throw std::runtime_error("ptxas error: Formal parameter space overflowed (" +
                               std::to_string(bytes) + " bytes required, max " +
                               std::to_string(kMostBytes) + " bytes allowed) in function " +
                               kernel);
    }
    image.kernels[kernel] = (cuda::waits_for_others(program.text) ? "w" : "-") + parameters;
  }
  const TemporaryFolder folder;
  const fs::path library = folder.path() / "kernel.so";
  cuda::compile_emulated({program.text}, library);
  image.library = read(library);
  program.cubin = encode(image);
}

nvrtcResult give(const std::string& text, bool ends_with_zero, std::size_t* size, char* to) {
  if (size != nullptr) *size = text.size() + (ends_with_zero ? 1 : 0);
  if (to != nullptr) std::memcpy(to, text.c_str(), text.size() + (ends_with_zero ? 1 : 0));
  return NVRTC_SUCCESS;
}

}  // namespace

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    default:
      return "NVRTC_ERROR unknown";
  }
}

// Not one that NVRTC will have, so that no cache takes the one's code for the other's.
nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 9999;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* archs) {
  for (const int arch : {80, 90, 100}) *archs++ = arch;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char* name,
                               int headers, const char* const* /*texts*/,
                               const char* const* /*names*/) {
  if (headers != 0) return NVRTC_ERROR_INVALID_INPUT;
  *program = new _nvrtcProgram();
  (*program)->text = text;
  (*program)->name = name;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  constexpr std::string_view kArchitecture = "--gpu-architecture=";
  std::string target;
  bool fused = true;
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (option.starts_with(kArchitecture)) target = option.substr(kArchitecture.size());
    if (option == "--fmad=false") fused = false;
  }
  // The emulator rounds after every op.
  if (fused) {
    program->log = "the double of NVRTC needs --fmad=false\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  try {
    if (target.starts_with("compute_")) {
      program->ptx = "// " + program->name + " for " + target + ", not really\n" + program->text;
    } else {
      compile(*program, target);
    }
  } catch (const std::exception& error) {
    program->log = as_of_nvrtc(error.what(), program->name);
    return NVRTC_ERROR_COMPILATION;
  }
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  return give(program->log, true, size, nullptr);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return give(program->log, true, nullptr, log);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  return give(program->cubin, false, size, nullptr);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  return give(program->cubin, false, nullptr, cubin);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
  return give(program->ptx, true, size, nullptr);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return give(program->ptx, true, nullptr, ptx);
}

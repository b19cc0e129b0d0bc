#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/dylib/nvrtc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>
#include <sstream>

namespace tutti::codegen::cuda {

namespace {

using runtime::Nvrtc;

constexpr std::array kOptions = {
    // Each op rounds on its own, as on the host.
    "--fmad=false",
    // Functions without a mark are for the GPU: texts need none on helpers.
    "-default-device",
    "--std=c++17",
    // For profilers and compute-sanitizer.
    "--generate-line-info",
};

class Program {
 public:
  Program(const Nvrtc& nvrtc, const Source& source) : nvrtc_(nvrtc) {
    nvrtc_.check(nvrtc_.nvrtcCreateProgram(&program_, source.text.c_str(),
                                           (source.name + ".cu").c_str(), 0, nullptr, nullptr),
                 "nvrtcCreateProgram");
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }

  nvrtcResult compile(const std::string& architecture, std::span<const char* const> more) {
    std::vector<const char*> options = {architecture.c_str()};
    options.insert(options.end(), kOptions.begin(), kOptions.end());
    options.insert(options.end(), more.begin(), more.end());
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  std::string log() const {
    std::size_t size = 0;
    nvrtc_.check(nvrtc_.nvrtcGetProgramLogSize(program_, &size), "nvrtcGetProgramLogSize");
    std::string out(size, '\0');
    nvrtc_.check(nvrtc_.nvrtcGetProgramLog(program_, out.data()), "nvrtcGetProgramLog");
    return out.c_str();  // without the zero that ends it
  }
  std::vector<std::byte> cubin() const {
    std::size_t size = 0;
    nvrtc_.check(nvrtc_.nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
    std::vector<std::byte> out(size);
    nvrtc_.check(nvrtc_.nvrtcGetCUBIN(program_, reinterpret_cast<char*>(out.data())),
                 "nvrtcGetCUBIN");
    return out;
  }
  std::string ptx() const {
    std::size_t size = 0;
    nvrtc_.check(nvrtc_.nvrtcGetPTXSize(program_, &size), "nvrtcGetPTXSize");
    std::string out(size, '\0');
    nvrtc_.check(nvrtc_.nvrtcGetPTX(program_, out.data()), "nvrtcGetPTX");
    return out.c_str();
  }

 private:
  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

// "90" of "sm_90", and of "sm_90a".
std::string number_of(std::string_view target) {
  if (!target.starts_with("sm_")) {
    throw InternalError("'" + std::string(target) + "' is no GPU to compile for; 'sm_90' is one");
  }
  std::string number(target.substr(3));
  while (!number.empty() && (number.back() < '0' || number.back() > '9')) number.pop_back();
  return number;
}

void check_target(const Nvrtc& nvrtc, std::string_view target) {
  int count = 0;
  nvrtc.check(nvrtc.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc.check(nvrtc.nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  const std::string number = number_of(target);
  std::string names;
  for (const int one : known) {
    if (std::to_string(one) == number) return;
    names += (names.empty() ? "sm_" : ", sm_") + std::to_string(one);
  }
  throw EnvironmentError("NVRTC " + nvrtc.version() + " (" + nvrtc.library().path() +
                         ") compiles no code for this GPU, " + std::string(target) +
                         "; it does for " + names + "; install the version that fits the GPU");
}

// The lines of the text that errors of the log are in, and those around them, with numbers.
std::string lines_around_errors(const std::string& text, const std::string& log) {
  constexpr int kAround = 3;
  std::set<int> errors;
  for (std::size_t at = 0; (at = log.find("): error", at)) != std::string::npos; ++at) {
    const std::size_t open = log.rfind('(', at);
    int number = 0;
    if (open == std::string::npos) continue;
    std::from_chars(log.data() + open + 1, log.data() + at, number);
    errors.insert(number);
  }
  std::string out;
  std::istringstream stream(text);
  std::string line;
  bool left_out = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto near = errors.lower_bound(number - kAround);
    if (!errors.empty() && (near == errors.end() || *near > number + kAround)) {
      left_out = true;
      continue;
    }
    if (left_out) out += "  ...\n";
    left_out = false;
    out += (errors.contains(number) ? "> " : "  ") + std::to_string(number) + "  " + line + "\n";
  }
  return out;
}

void compile(const Nvrtc& nvrtc, Program& program, const Source& source, std::string_view target,
             const std::string& architecture, std::span<const char* const> more) {
  check_target(nvrtc, target);
  const nvrtcResult result = program.compile(architecture, more);
  if (result == NVRTC_ERROR_COMPILATION) {
    const std::string log = program.log();
    throw InternalError("NVRTC refuses the kernel " + source.name + " for " + std::string(target) +
                        ":\n" + log + "\nin these lines:\n" +
                        lines_around_errors(source.text, log));
  }
  if (result != NVRTC_SUCCESS) {
    throw EnvironmentError(std::string("nvrtcCompileProgram failed: ") +
                           nvrtc.nvrtcGetErrorString(result) + ", compiling " + source.name +
                           " for " + std::string(target) + ": " + program.log());
  }
}

}  // namespace

Compiled compile_source(const Source& source, std::string_view target) {
  const Nvrtc& nvrtc = Nvrtc::process();
  Program program(nvrtc, source);
  const std::array more = {"--ptxas-options=-v"};
  compile(nvrtc, program, source, target, "--gpu-architecture=" + std::string(target), more);
  Compiled out;
  out.cubin = program.cubin();
  out.log = program.log();
  out.use = resource_use_in(out.log, source.name);
  return out;
}

std::string ptx_of(const Source& source, std::string_view target) {
  const Nvrtc& nvrtc = Nvrtc::process();
  Program program(nvrtc, source);
  compile(nvrtc, program, source, target,
          "--gpu-architecture=compute_" +
              std::string(target.substr(std::min<std::size_t>(3, target.size()))),
          {});
  return program.ptx();
}

std::string compiler_text() {
  std::string out = "NVRTC " + Nvrtc::process().version();
  for (const char* const option : kOptions) out += std::string(" ") + option;
  return out;
}

}  // namespace tutti::codegen::cuda

#include <tutti/runtime/dylib/load_functions.h>
#include <tutti/runtime/dylib/nccl.h>

#include <array>
#include <string_view>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr std::array<std::string_view, 1> kNcclNames = {"libnccl.so.2"};
constexpr const char* kNcclRemedy = "install NCCL 2.18 or later";
constexpr int kLeastVersion = 21800;
constexpr int kLeastForWindows = 22907;

std::string nccl_advice(nccl::Result result) {
  switch (result) {
    case nccl::Result::unhandled_cuda_error:
      return "NCCL_DEBUG=WARN says which call of CUDA failed; a GPU that two ranks share is one "
             "cause, a driver older than NCCL's CUDA another";
    case nccl::Result::system_error:
      return "NCCL_DEBUG=WARN says which call of the system failed; in containers /dev/shm may be "
             "too small, or NCCL_SOCKET_IFNAME name an interface that is not there";
    case nccl::Result::invalid_usage:
      return "two ranks may have one GPU: World::gpu() gives each its own, as far as there are "
             "enough; cuda:shm serves ranks that share one";
    case nccl::Result::remote_error:
      return "another rank failed or is gone: its own error says more";
    case nccl::Result::internal_error:
      return "NCCL_DEBUG=WARN says where; it is a mistake of this version of NCCL, or of a program "
             "that has overwritten its memory";
    case nccl::Result::invalid_argument:
      return "NCCL_DEBUG=WARN says which argument; another version of NCCL may take it, and "
             "cuda:shm does without NCCL";
    case nccl::Result::timeout:
      return "another rank did not come to it in time: the ranks' last collectives say which; "
             "NCCL_DEBUG=INFO says how they are connected";
    case nccl::Result::success:
    case nccl::Result::in_progress:
      break;
  }
  return {};  // also of what a later version says
}

}  // namespace

SharedLibrary open_nccl() { return {cuda_library_folders(), kNcclNames}; }

// Never destroyed, like those who use it.
const Nccl& Nccl::process() {
  static const auto* const nccl = new Nccl(open_nccl());
  return *nccl;
}

Nccl::Nccl(SharedLibrary library) : library_(std::move(library)) {
  if (!library_.is_open()) {
    throw EnvironmentError("there is no NCCL here: tried " + library_.tried() +
                           "; install it (libnccl2), and name its folder in TUTTI_CUDA_LIBRARIES "
                           "if it is none of these");
  }
#define TUTTI_LOAD(result, name, parameters) \
  load_function(library_, #name, kNcclRemedy, this->name);
  TUTTI_NCCL_FUNCTIONS(TUTTI_LOAD)
#undef TUTTI_LOAD
#define TUTTI_LOOK_UP(result, name, parameters) \
  this->name = reinterpret_cast<decltype(this->name)>(library_.symbol(#name));
  TUTTI_NCCL_NEWER_FUNCTIONS(TUTTI_LOOK_UP)
#undef TUTTI_LOOK_UP
  if (ncclGetVersion(&version_) != nccl::Result::success || version_ < kLeastVersion) {
    throw EnvironmentError(library_.path() + " is NCCL " + version_text(version_) + "; " +
                           kNcclRemedy);
  }
}

std::string Nccl::why_no_windows() const {
  const bool has = ncclCommWindowRegister != nullptr && ncclCommWindowDeregister != nullptr;
  if (has && version_ >= kLeastForWindows) return {};
  return "NCCL " + version_text(version_) + " is older than " + version_text(kLeastForWindows);
}

std::string Nccl::version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

void Nccl::fail(nccl::Result result, const char* call, nccl::Communicator* communicator) const {
  std::string text = std::string(call) + " failed: " + ncclGetErrorString(result);
  const char* const last = ncclGetLastError(communicator);
  if (last != nullptr && *last != '\0') text += " (" + std::string(last) + ")";
  const std::string advice = nccl_advice(result);
  if (!advice.empty()) text += "; " + advice;
  throw NcclError(text);
}

}  // namespace tutti::runtime

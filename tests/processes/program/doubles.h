#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

namespace tutti::test {

// Whether the ranks are on the doubles, and not on real GPUs (scripts/gpu-test), which count
// nothing and complain of nothing.
inline bool on_doubles() {
  const char* const gpu = std::getenv("TUTTI_TEST_GPU");
  return gpu == nullptr || std::string_view(gpu) != "real";
}

// A function that one of the doubles has beside the library's own. It is loaded from where the
// runtime finds it.
template <class Function>
Function* control_of(const char* library, const char* name) {
  const char* const folders = std::getenv("TUTTI_CUDA_LIBRARIES");
  std::istringstream in(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(in, folder, ':');) {
    void* const opened = dlopen((folder + "/" + library).c_str(), RTLD_NOW);
    void* const found = opened == nullptr ? nullptr : dlsym(opened, name);
    if (found != nullptr) return reinterpret_cast<Function*>(found);
  }
  throw std::runtime_error(std::string("there is no ") + name);
}

template <class Function>
Function* nccl_control(const char* name) {
  return control_of<Function>("libnccl.so.2", name);
}

template <class Function>
Function* driver_control(const char* name) {
  return control_of<Function>("libcuda.so.1", name);
}

// What the doubles that this process has loaded complain of, a line each, since the last time.
inline std::string complaints_of_doubles() {
  std::string out;
  for (const auto& [library, name] : {std::pair("libnccl.so.2", "fake_nccl_complaints"),
                                      std::pair("libcuda.so.1", "fake_cuda_complaints")}) {
    void* const loaded = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    if (loaded == nullptr) continue;
    using Text = const char*();
    // (The real libraries have no such function.)
    auto* const said = reinterpret_cast<Text*>(dlsym(loaded, name));
    if (said != nullptr) out += said();
    dlclose(loaded);
  }
  return out;
}

}  // namespace tutti::test

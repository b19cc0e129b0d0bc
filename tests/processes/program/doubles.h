#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/processes/program/scenario.h"
#include <dlfcn.h>

namespace tutti::test {

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

// Says what the doubles complain of, if they do. scripts/gpu-test runs some of the same on real
// libraries, which do not.
inline void say_complaints() {
  const char* const gpus = std::getenv("TUTTI_TEST_GPU");
  if (gpus != nullptr && std::string_view(gpus) == "real") return;
  using Text = const char*();
  const std::string said = std::string(nccl_control<Text>("fake_nccl_complaints")()) +
                           driver_control<Text>("fake_cuda_complaints")();
  if (!said.empty()) say("complaint: " + said);
}

}  // namespace tutti::test

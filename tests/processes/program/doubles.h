#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

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

}  // namespace tutti::test

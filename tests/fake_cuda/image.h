#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tutti::fake_cuda {

// What the double of NVRTC makes instead of a cubin, and the double of the driver loads: kernels
// compiled for the host by the emulator (tests/support/cuda/emulator.h).
struct Image {
  std::string target;  // "sm_90"
  // With a letter for each parameter, 8 bytes of it: 'p' a pointer, 'v' a number. Before them a 'w'
  // for those that wait for others (emulator.h), a '-' for those that do not.
  std::map<std::string, std::string> kernels;
  std::string library;  // the bytes of a shared object
};

std::string encode(const Image& image);
// Throws std::runtime_error if it is none.
Image decode(const void* bytes);

}  // namespace tutti::fake_cuda

#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/fake_cuda/driver/state.h"

// Multicast memory as the calls for mapped memory see it (multicast_calls.cpp).
namespace tutti::fake_cuda {

// Pieces of mapped memory are multiples of so many bytes.
inline constexpr std::size_t kMappedUnit = std::size_t{2} << 20;

// What the file is called.
inline constexpr const char* kMulticastFile = "fake_gpu_multicast";

MulticastTable* import_multicast(int file);
void forget_multicast(MulticastTable* table);
// How many bytes each member has.
std::size_t multicast_bytes(const MulticastTable& table);

// Kernels use it at these addresses from now on, once all devices were added; and no more.
void map_multicast(std::uintptr_t begin, const State::Physical& physical);
void unmap_multicast(std::uintptr_t begin);
void require_in_multicast(const State::Physical& physical, int device);

// For the emulator (emulation_abi.h); 0 where there is no such memory, or not all have bound
// theirs.
int find_multicast(const void* address, void** places);

}  // namespace tutti::fake_cuda

#pragma once

#include <cstdint>

namespace tutti::runtime {

// Machine code that computes tiles [begin, end) of a kernel on buffers at these addresses. It
// throws nothing.
using KernelFunction = void (*)(void* const* buffers, std::int64_t begin, std::int64_t end);

}  // namespace tutti::runtime

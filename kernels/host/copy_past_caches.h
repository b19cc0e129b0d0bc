#pragma once

#include <cstddef>

namespace tutti::kernels {

// memcpy to where nobody reads soon: written past the caches, the old contents need not be fetched
// first. finish_copies_past_caches() is to be called before others are told of such copies.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);
void finish_copies_past_caches();

}  // namespace tutti::kernels

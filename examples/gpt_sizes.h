#pragma once

#include <cstdint>

// How large the model of char_gpt.h is, and the batches that it learns from.
struct GptSizes {
  std::int64_t layers = 4, width = 128, heads = 4, context = 128, batch = 16;
};

inline constexpr std::int64_t kVocabulary = 128;

#pragma once

#include <span>
#include <string_view>

namespace tutti::kernels {

struct EmbeddedText {
  std::string_view name;  // without the extension
  std::string_view text;
};

// Every .cuh file of this folder; the build writes the definition (cmake/EmbedTexts.cmake).
std::span<const EmbeddedText> embedded_texts();

}  // namespace tutti::kernels

#pragma once

#include <span>
#include <string_view>

namespace tutti::tools::show {

struct EmbeddedText {
  std::string_view name;  // without the extension
  std::string_view text;
};

// The files of this folder that make the page; the build writes the definition
// (cmake/EmbedTexts.cmake).
std::span<const EmbeddedText> embedded_texts();

}  // namespace tutti::tools::show

#include "tools/wrap.h"

#include <algorithm>

namespace tutti::tools {

void append_wrapped(std::string& out, std::string_view text, std::size_t indent,
                    std::size_t begun) {
  if (begun < indent) out.append(indent - begun, ' ');
  std::size_t column = std::max(begun, indent);
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!first && column + 1 + word.size() > kWidth) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

}  // namespace tutti::tools

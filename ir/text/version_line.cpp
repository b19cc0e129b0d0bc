#include <tutti/ir/text/version_line.h>

#include <algorithm>
#include <string>

namespace tutti::ir {

namespace {

constexpr std::string_view kVersion = "1";

}  // namespace

void check_version_line(const Lexer& lexer, std::string_view text, std::string_view kind) {
  if (!text.starts_with("//")) return;
  std::string_view line = text.substr(2, std::min(text.find('\n'), text.size()) - 2);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  if (!line.starts_with(kind) || !line.substr(kind.size()).starts_with(' ')) return;
  const std::string_view version = line.substr(kind.size() + 1);
  if (version == kVersion) return;
  lexer.fail(0, "this reads version " + std::string(kVersion) + " of the text, not " +
                    std::string(version.substr(0, 40)));
}

}  // namespace tutti::ir

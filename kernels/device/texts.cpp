#include <tutti/ir/support/error.h>
#include <tutti/kernels/device/embedded.h>
#include <tutti/kernels/device/texts.h>

#include <set>

namespace tutti::kernels {

namespace {

constexpr std::string_view kInclude = "#include \"";
constexpr std::string_view kExtension = ".cuh\"";

void append(std::string_view name, std::set<std::string_view>& done, std::string& out) {
  if (!done.insert(name).second) return;
  std::string own;
  std::string_view rest = device_text(name);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    if (line.starts_with(kInclude)) {
      const std::string_view file = line.substr(kInclude.size());
      append(file.substr(0, file.find(kExtension)), done, out);
    } else if (!line.starts_with("#pragma once")) {
      own += line;
    }
  }
  // Blank lines that the lines left out stood between.
  own.erase(0, own.find_first_not_of('\n'));
  out += own + "\n";
}

}  // namespace

std::string_view device_text(std::string_view name) {
  for (const EmbeddedText& text : embedded_texts()) {
    if (text.name == name) return text.text;
  }
  throw InternalError("no device text " + std::string(name) + ".cuh in kernels/device");
}

std::string device_texts(std::span<const std::string_view> names) {
  std::set<std::string_view> done;
  std::string out;
  for (const std::string_view name : names) append(name, done, out);
  return out;
}

}  // namespace tutti::kernels

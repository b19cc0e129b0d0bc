#include "tools/sort_by_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::tools {

void sort_by_number(std::vector<std::filesystem::path>& entries) {
  std::ranges::sort(entries, {}, [](const std::filesystem::path& path) {
    std::string name = path.filename().string();
    std::int64_t number = 0;  // also of a name that begins with none
    std::from_chars(name.data(), name.data() + name.size(), number);
    return std::pair(number, std::move(name));
  });
}

}  // namespace tutti::tools

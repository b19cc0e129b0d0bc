#include <tutti/codegen/cuda/resource_use.h>

#include <charconv>
#include <string>

namespace tutti::codegen::cuda {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number in front of `unit`: 48 in "Used 48 registers, used 1 barriers".
std::int64_t number_before(std::string_view text, std::string_view unit) {
  const std::size_t at = text.find(unit);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::int64_t number = 0;
  std::from_chars(text.data() + begin, text.data() + at, number);
  return number;
}

}  // namespace

ResourceUse resource_use_in(std::string_view log, std::string_view kernel) {
  constexpr std::string_view kBegin = "Compiling entry function '";
  const std::size_t begin = log.find(std::string(kBegin) + std::string(kernel) + "'");
  if (begin == std::string_view::npos) return {};
  log.remove_prefix(begin + kBegin.size());
  log = log.substr(0, log.find(kBegin));
  return {.registers = number_before(log, " registers"),
          .shared_bytes = number_before(log, " bytes smem"),
          .stack_bytes = number_before(log, " bytes stack frame"),
          .spill_stores = number_before(log, " bytes spill stores"),
          .spill_loads = number_before(log, " bytes spill loads"),
          .barriers = number_before(log, " barriers")};
}

}  // namespace tutti::codegen::cuda

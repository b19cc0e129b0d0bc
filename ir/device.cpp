#include <tutti/ir/device.h>
#include <tutti/ir/support/error.h>

#include <charconv>

namespace tutti {

Device Device::cuda(int index, std::source_location at) {
  if (index < 0 || index > 255) {
    throw UsageError("Device::cuda(" + std::to_string(index) + "): GPUs are numbered from 0 to 255",
                     at);
  }
  return {.kind = Kind::cuda, .index = static_cast<std::uint8_t>(index)};
}

std::optional<Device> Device::from_text(std::string_view text) {
  if (text == "cpu") return cpu();
  if (text == "cuda") return cuda();
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  std::uint8_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return cuda(index);
}

std::string Device::text() const {
  if (is_any()) return "any";
  return is_cpu() ? "cpu" : "cuda:" + std::to_string(index);
}

}  // namespace tutti

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>

namespace tutti {

// Where a value lies and is computed: the host, or one of its GPUs. In programs also `any`, of what
// is made from constants alone: it is made wherever it is needed.
struct Device {
  enum class Kind : std::uint8_t { cpu, cuda, any };

  Kind kind = Kind::cpu;
  std::uint8_t index = 0;  // among the GPUs that this process sees; 0 for all else

  static constexpr Device cpu() { return {}; }
  // Throws UsageError for an index outside 0..255. Whether there is such a GPU shows when something
  // is put on it.
  static Device cuda(int index = 0, std::source_location at = std::source_location::current());
  static constexpr Device any() { return {.kind = Kind::any}; }
  // "cpu", "cuda" (the first) or "cuda:1"; nothing for any other text.
  static std::optional<Device> from_text(std::string_view text);

  bool is_cpu() const { return kind == Kind::cpu; }
  bool is_any() const { return kind == Kind::any; }
  // "cpu", "cuda:0" or "any".
  std::string text() const;

  friend bool operator==(const Device&, const Device&) = default;
};

}  // namespace tutti

template <>
struct std::hash<tutti::Device> {
  std::size_t operator()(const tutti::Device& device) const noexcept {
    return static_cast<std::size_t>(device.kind) << 8 | device.index;
  }
};

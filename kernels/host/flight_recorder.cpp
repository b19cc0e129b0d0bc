#include <tutti/kernels/host/flight_recorder.h>

#include <algorithm>
#include <charconv>

namespace tutti::kernels {

void write_text(std::span<char> to, std::string_view text) {
  const std::size_t length = std::min(text.size(), to.size() - 1);
  std::copy_n(text.data(), length, to.data());
  to[length] = '\0';
}

std::string printable(std::string_view text, bool lines) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Of the two bytes of a control character beyond ASCII, the second is written so.
    const bool second = i > 0 && text[i - 1] == '\xC2' && byte >= 0x80 && byte < 0xA0;
    if ((byte >= ' ' && byte != 0x7F && !second) || (byte == '\n' && lines)) {
      out += text[i];
      continue;
    }
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

namespace {

std::string_view up_to_zero(std::span<const char> from) {
  return {from.begin(), std::ranges::find(from, '\0')};
}

}  // namespace

std::string read_text(std::span<const char> from) { return printable(up_to_zero(from), true); }
std::string read_line(std::span<const char> from) { return printable(up_to_zero(from), false); }

namespace {

// "call (file:line)"
void write_call(std::span<char> to, std::string_view call, std::string_view file,
                std::uint32_t line) {
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  std::array<char, 16> digits;
  const char* const digits_end = std::to_chars(digits.begin(), digits.end(), line).ptr;
  const std::string_view number(digits.data(),
                                static_cast<std::size_t>(digits_end - digits.data()));
  constexpr std::size_t kAround = std::string_view(" (:)").size();
  const std::size_t place = file.empty() ? 0 : file.size() + number.size() + kAround;
  if (place == 0 || place >= to.size()) return write_text(to, call);
  char* end = to.data();
  const auto append = [&end](std::string_view text) { end = std::ranges::copy(text, end).out; };
  append(call.substr(0, to.size() - 1 - place));
  append(" (");
  append(file);
  append(":");
  append(number);
  append(")");
  *end = '\0';
}

}  // namespace

std::uint64_t FlightRecorder::start(const FlightKey& key, std::string_view group,
                                    std::string_view call, std::string_view file,
                                    std::uint32_t line, std::int64_t now) {
  const std::uint64_t number = count_.load(std::memory_order_relaxed) + 1;
  FlightEntry& entry = entries_[number % kRecordedCollectives];
  entry.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // before what follows is overwritten
  entry.state.store(FlightEntry::kStarted, std::memory_order_relaxed);
  entry.group_id = key.group;
  entry.sequence = key.sequence;
  entry.fingerprint = key.fingerprint;
  entry.started = now;
  entry.ended.store(0, std::memory_order_relaxed);
  write_text(entry.group, group);
  write_call(entry.call, call, file, line);
  entry.number.store(number, std::memory_order_release);
  count_.store(number, std::memory_order_release);
  return number;
}

void FlightRecorder::end(std::uint64_t number, FlightEntry::State state, std::int64_t now) {
  FlightEntry& entry = entries_[number % kRecordedCollectives];
  if (entry.number.load(std::memory_order_relaxed) != number) return;  // long overwritten
  entry.ended.store(now, std::memory_order_relaxed);
  entry.state.store(state, std::memory_order_release);
}

const FlightEntry* FlightRecorder::find(std::uint64_t number) const {
  const FlightEntry& entry = entries_[number % kRecordedCollectives];
  return number != 0 && entry.number.load(std::memory_order_acquire) == number ? &entry : nullptr;
}

}  // namespace tutti::kernels

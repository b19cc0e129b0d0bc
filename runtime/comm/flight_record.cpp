#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/flight_record.h>
#include <tutti/runtime/new_file.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <istream>
#include <ostream>
#include <sstream>
#include <string_view>

namespace tutti::runtime {

namespace {

using kernels::FlightEntry;

constexpr std::string_view kHeader =
    "tutti flight record 1: rank, number, group id, group, sequence, fingerprint, state, started, "
    "ended, call";
constexpr std::streamsize kLongestLine = 4096;  // what write() writes is far shorter
constexpr std::array<std::string_view, 3> kStates = {"started", "completed", "failed"};

// A tab or a line's end in a tag would be taken for a field's.
std::string one_field(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return out;
}

// A line's fields, from left to right.
class Fields {
 public:
  Fields(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) {}

  std::string_view next() {
    if (ended_) fail("it has too few fields");
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    if (!ended_) rest_.remove_prefix(end + 1);
    return field;
  }
  template <class Integer>
  Integer number() {
    const std::string_view field = next();
    Integer value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) {
      fail("\"" + kernels::printable(field.substr(0, 40), false) + "\" is no number");
    }
    return value;
  }
  FlightEntry::State state() {
    const std::string_view field = next();
    const auto* const found = std::find(kStates.begin(), kStates.end(), field);
    if (found == kStates.end()) {
      fail("\"" + kernels::printable(field.substr(0, 40), false) + "\" is no state");
    }
    return static_cast<FlightEntry::State>(found - kStates.begin());
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ParseError(where_ + ": " + what); }

  std::string_view rest_;
  std::string where_;
  bool ended_ = false;
};

}  // namespace

std::vector<RecordedCollective> read_recorder(std::int64_t rank,
                                              const kernels::FlightRecorder& recorder) {
  std::vector<RecordedCollective> out;
  const std::uint64_t last = recorder.count();
  // The memory may be anybody's, and the count any number.
  const std::uint64_t count = std::min(last, kernels::kRecordedCollectives);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = last - count + 1 + i;
    const FlightEntry* const entry = recorder.find(number);
    if (entry == nullptr) continue;
    RecordedCollective collective{.rank = rank,
                                  .number = number,
                                  .sequence = entry->sequence,
                                  .group_id = entry->group_id,
                                  .fingerprint = entry->fingerprint,
                                  .group = kernels::read_line(entry->group),
                                  .call = kernels::read_line(entry->call),
                                  .state = static_cast<FlightEntry::State>(std::min<std::uint32_t>(
                                      entry->state.load(), FlightEntry::kFailed)),
                                  .started = entry->started,
                                  .ended = entry->ended.load()};
    // Unless a later one took its place while we read.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (recorder.find(number) != nullptr) out.push_back(std::move(collective));
  }
  return out;
}

void write(std::ostream& out, std::span<const RecordedCollective> collectives) {
  out << kHeader << '\n';
  for (const RecordedCollective& collective : collectives) {
    out << collective.rank << '\t' << collective.number << '\t' << collective.group_id << '\t'
        << one_field(collective.group) << '\t' << collective.sequence << '\t'
        << collective.fingerprint << '\t' << kStates[collective.state] << '\t' << collective.started
        << '\t' << collective.ended << '\t' << one_field(collective.call) << '\n';
  }
}

std::vector<RecordedCollective> read(std::istream& in, const std::string& name) {
  std::vector<char> line(kLongestLine);
  const auto next = [&] { return static_cast<bool>(in.getline(line.data(), kLongestLine)); };
  if (!next() || std::string_view(line.data()) != kHeader) {
    throw ParseError(name + ":1: this is no flight record of Tutti");
  }
  std::vector<RecordedCollective> out;
  std::size_t number = 2;
  for (; next(); ++number) {
    Fields fields(line.data(), name + ":" + std::to_string(number));
    RecordedCollective collective;
    collective.rank = fields.number<std::int64_t>();
    collective.number = fields.number<std::uint64_t>();
    collective.group_id = fields.number<std::uint64_t>();
    collective.group = kernels::printable(fields.next(), false);
    collective.sequence = fields.number<std::uint64_t>();
    collective.fingerprint = fields.number<std::uint64_t>();
    collective.state = fields.state();
    collective.started = fields.number<std::int64_t>();
    collective.ended = fields.number<std::int64_t>();
    collective.call = kernels::printable(fields.next(), false);
    out.push_back(std::move(collective));
  }
  if (!in.eof()) {
    throw ParseError(name + ":" + std::to_string(number) + ": the line is too long for a record");
  }
  return out;
}

void write_file(const std::string& file, std::span<const RecordedCollective> collectives) {
  std::ostringstream text;
  write(text, collectives);
  NewFile out(file);
  out.write(text.view());
  if (out.finish()) return;
  throw EnvironmentError("the flight record " + file + " can't be written: " + out.failure());
}

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/ir/support/leaf_mutex.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>

#include <unistd.h>

namespace tutti::runtime {

namespace {

// In the order of LogTopic.
constexpr std::array kTopics = {
    SettingWord{"recompiles", "why a compiled function is compiled again"},
    SettingWord{"compile", "what is compiled, and how long it takes"},
    SettingWord{"cache", "which kernels are known already"},
    SettingWord{"evaluate", "what a look at a lazy tensor computes"},
    SettingWord{"copies", "which operands a collective copies, since peers can't reach them"},
    SettingWord{"gpu", "what a GPU does in a slower way than was meant, and why"},
};
static_assert(kTopics.size() == static_cast<std::size_t>(LogTopic::gpu) + 1);

// Of a resource that the whole process shares.
LeafMutex& mutex_of_stderr() noexcept {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): nothing starts without it
  static auto& mutex = *new LeafMutex;  // never destroyed
  return mutex;
}

// Made before there are threads: a process that is forked off while one of them makes it would wait
// for that for ever.
[[maybe_unused]] const LeafMutex& mutex_of_stderr_at_start = mutex_of_stderr();

}  // namespace

std::span<const SettingWord> log_topics() { return kTopics; }

Log::Log(std::span<const std::string> topics, Write write) : write_(std::move(write)) {
  for (const std::string& name : topics) {
    const auto found = std::ranges::find(kTopics, name, &SettingWord::name);
    if (found == kTopics.end()) throw InternalError("no topic of the log: " + name);
    topics_ |= 1U << static_cast<unsigned>(found - kTopics.begin());
  }
}

const Log& Log::process() {
  // Never destroyed, like the settings.
  static const auto* const log = new Log(Settings::process().words("TUTTI_LOG"), write_to_stderr);
  return *log;
}

void Log::write(LogTopic topic, std::int64_t rank, std::string_view text) const {
  if (!takes(topic)) return;
  std::string line = "tutti";
  if (rank >= 0) line += "[" + std::to_string(rank) + "]";
  line += " " + std::string(kTopics[static_cast<std::size_t>(topic)].name) + ": ";
  line += text;
  line += '\n';
  write_(line);
}

void write_to_stderr(std::string_view lines) {
  const std::scoped_lock lock(mutex_of_stderr());
  while (!lines.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

void warn(std::string_view text) { write_to_stderr("tutti: warning: " + std::string(text) + "\n"); }

}  // namespace tutti::runtime

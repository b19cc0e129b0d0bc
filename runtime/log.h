#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

struct SettingWord;

// What TUTTI_LOG can ask for. The table of names and meanings is in log.cpp.
enum class LogTopic : std::uint8_t { recompiles, compile, cache, evaluate, copies, gpu };

// A row for each topic, in their order.
std::span<const SettingWord> log_topics();

// Lines for whoever looks for what a program does. Immutable and thread-safe.
class Log {
 public:
  // Takes whole lines.
  using Write = std::function<void(std::string_view lines)>;

  // One that takes no topic.
  Log() = default;
  // Takes the topics named; throws InternalError for names that are none.
  Log(std::span<const std::string> topics, Write write);

  // What TUTTI_LOG asks for, on stderr. Throws EnvironmentError if a variable is malformed.
  static const Log& process();

  // To be asked before a line is put together.
  bool takes(LogTopic topic) const { return (topics_ >> static_cast<unsigned>(topic) & 1) != 0; }
  // Writes "tutti[2] recompiles: text" and a newline, in one piece; without the number where the
  // rank is -1, which stands for the whole process. Does nothing if it doesn't take the topic.
  void write(LogTopic topic, std::int64_t rank, std::string_view text) const;

 private:
  std::uint32_t topics_ = 0;
  Write write_;
};

// Writes to stderr in one piece, so that lines of threads and processes don't mix.
void write_to_stderr(std::string_view lines);

// "tutti: warning: text" and a newline, on stderr.
void warn(std::string_view text);

}  // namespace tutti::runtime

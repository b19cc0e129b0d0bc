#include <tutti/ir/support/error.h>
#include <tutti/runtime/log.h>

#include <thread>

#include <gmock/gmock.h>

namespace tutti::runtime::log_test {
namespace {

TEST(Log, TakesTheTopicsAskedForAndNoOthers) {
  std::string lines;
  const std::vector<std::string> topics = {"recompiles", "evaluate"};
  const Log log(topics, [&](std::string_view text) { lines += text; });
  EXPECT_TRUE(log.takes(LogTopic::recompiles));
  EXPECT_FALSE(log.takes(LogTopic::cache));
  log.write(LogTopic::recompiles, 2, "a shape changed");
  log.write(LogTopic::cache, 2, "nobody wants to know");
  log.write(LogTopic::evaluate, -1, "of the process");
  EXPECT_EQ(lines, "tutti[2] recompiles: a shape changed\ntutti evaluate: of the process\n");
}

TEST(Log, WithoutTopicsIsSilent) {
  const Log log;
  EXPECT_FALSE(log.takes(LogTopic::compile));
  log.write(LogTopic::compile, 0, "nothing");
}

TEST(Log, RefusesATopicThatIsNone) {
  const std::vector<std::string> topics = {"recompile"};
  EXPECT_THROW(Log(topics, [](std::string_view) {}), InternalError);
}

TEST(Log, LinesOfThreadsDoNotMix) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  const std::vector<std::string> topics = {"compile"};
  testing::internal::CaptureStderr();
  {
    const Log log(topics, write_to_stderr);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&log, i] {
        for (int line = 0; line < kLines; ++line) {
          log.write(LogTopic::compile, i, std::string(100, static_cast<char>('a' + i)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(testing::internal::GetCapturedStderr());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_GE(line.size(), 7U);
    const int i = line[6] - '0';
    EXPECT_EQ(line, "tutti[" + std::to_string(i) +
                        "] compile: " + std::string(100, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(count, kThreads * kLines);
}

TEST(Log, AWarningIsALine) {
  testing::internal::CaptureStderr();
  warn("be careful");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tutti: warning: be careful\n");
}

}  // namespace
}  // namespace tutti::runtime::log_test

#include <tutti/runtime/descriptor.h>

#include <cerrno>
#include <string>

#include "tests/runtime/processes.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tutti::runtime::descriptor_test {
namespace {

bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

void close_standard_streams() {
  for (int number = 0; number <= STDERR_FILENO; ++number) close(number);
}

TEST(Descriptors, AreNeverTheNumbersOfStandardStreams) {
  Child child([]() -> std::string {
    close_standard_streams();
    const Descriptor file(open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_GT(file.number(), STDERR_FILENO);
    EXPECT_EQ(fcntl(file.number(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    for (int number = 0; number <= STDERR_FILENO; ++number) EXPECT_FALSE(is_open(number));
    return "";
  });
  EXPECT_EQ(child.end(), "");
}

TEST(Descriptors, OtherNumbersStayAsTheyAre) {
  const int number = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GT(number, STDERR_FILENO);
  EXPECT_EQ(Descriptor(number).number(), number);
  EXPECT_FALSE(is_open(number));
}

// As some daemons start programs: what they print must not get into what the ranks share.
TEST(Descriptors, OfRanksWithoutStandardStreamsAreNotPrintedInto) {
  const std::string rendezvous = fresh_rendezvous();
  std::vector<Child> ranks;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([rank, rendezvous]() -> std::string {
      close_standard_streams();
      HostBackend backend(std::make_shared<ShmFabric>(
                              ShmOptions{.rendezvous = rendezvous, .rank = rank, .ranks = 2}),
                          rank);
      std::string open;
      for (int number = 0; number <= STDERR_FILENO; ++number) {
        if (is_open(number)) open += std::to_string(number) + " is open ";
      }
      backend.finish();
      return open;
    });
  }
  EXPECT_EQ(end_all(ranks), std::vector<std::string>(2));
}

}  // namespace
}  // namespace tutti::runtime::descriptor_test

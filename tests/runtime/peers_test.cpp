#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/peers.h>

#include <string>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime::peers_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WatchedPeers : public testing::Test {
 protected:
  void SetUp() override {
    const Descriptor own(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    if (!own.valid()) GTEST_SKIP() << "processes have no descriptors here";
  }
};

TEST_F(WatchedPeers, AreSeenToEndOnce) {
  Peers peers;
  Child child([]() -> std::string { return "ended"; });
  peers.watch(3, child.process());
  EXPECT_EQ(child.end(), "ended");
  EXPECT_THAT(peers.ended(), ElementsAre(3));
  EXPECT_THAT(peers.ended(), ElementsAre());
}

TEST_F(WatchedPeers, RaiseTheSoftLimitOfDescriptors) {
  Child child([]() -> std::string {
    allow_more_files(1);
    rlimit limit{};
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    --limit.rlim_cur;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    try {
      Peers().watch(1, getppid());
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "watched";
  });
  EXPECT_EQ(child.end(), "watched");
}

TEST_F(WatchedPeers, NeedDescriptors) {
  Child child([]() -> std::string {
    allow_more_files(0);
    try {
      Peers().watch(1, getppid());
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no error";
  });
  EXPECT_THAT(child.end(), HasSubstr("can't be watched: too many open files (ulimit -n)"));
}

}  // namespace
}  // namespace tutti::runtime::peers_test

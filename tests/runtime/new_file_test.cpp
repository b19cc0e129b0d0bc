#include <tutti/runtime/new_file.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/runtime/processes.h"
#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace tutti::runtime::new_file_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  test::TemporaryFolder folder_;
};

TEST_F(NewFiles, TakeTheirNamesWhenTheyAreFinished) {
  folder_.write("a", "before");
  NewFile file(path("a"));
  file.write("after");
  EXPECT_EQ(folder_.read("a"), "before");
  EXPECT_TRUE(file.finish());
  EXPECT_EQ(folder_.read("a"), "after");
  EXPECT_EQ(count(), 1U);
}

TEST_F(NewFiles, GoAgainWhenTheyAreNotFinished) {
  {
    NewFile file(path("a"));
    file.write("half");
    EXPECT_EQ(count(), 1U);
  }
  EXPECT_EQ(count(), 0U);
}

TEST_F(NewFiles, HaveNamesThatNobodyCanForesee) {
  const std::string first = unfinished_name(path("a"));
  const std::string second = unfinished_name(path("a"));
  EXPECT_EQ(fs::path(first).parent_path(), folder_.path());
  EXPECT_NE(first, second);
  EXPECT_EQ(fs::path(first).filename().string().size(), NewFile::kUnfinished.size() + 32);
}

TEST_F(NewFiles, ReplaceALinkAndDoNotFollowIt) {
  folder_.write("precious", "keep");
  fs::create_symlink(path("precious"), path("a"));
  NewFile file(path("a"));
  file.write("other");
  EXPECT_TRUE(file.finish());
  EXPECT_EQ(folder_.read("precious"), "keep");
  EXPECT_EQ(folder_.read("a"), "other");
}

TEST_F(NewFiles, MayLeaveTheNameToWhoeverWasFirst) {
  NewFile first(path("a"));
  first.write("first");
  EXPECT_TRUE(first.finish_if_first());
  {
    NewFile second(path("a"));
    second.write("second");
    EXPECT_FALSE(second.finish_if_first());
    EXPECT_EQ(second.error(), 0);
  }
  EXPECT_EQ(folder_.read("a"), "first");
}

TEST_F(NewFiles, SayWhatFailed) {
  NewFile nowhere(path("no/such/folder"));
  nowhere.write("text");
  EXPECT_FALSE(nowhere.finish());
  EXPECT_EQ(nowhere.error(), ENOENT);
  fs::create_directory(path("taken"));
  NewFile taken(path("taken"));
  EXPECT_FALSE(taken.finish());
  EXPECT_EQ(taken.error(), EISDIR);
}

TEST_F(NewFiles, BeyondTheLimitOfFilesAreAnErrorAndNoEnd) {
  Child limited([&]() -> std::string {
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    NewFile file(path("a"));
    file.write(std::string(4000, 'x'));
    return file.finish() ? "written" : file.failure();
  });
  EXPECT_EQ(limited.end(), "File too large (limited by ulimit -f?)");
  EXPECT_EQ(count(), 0U);
}

// What the program has arranged for itself stays so.
TEST_F(NewFiles, LeaveTheSignalOfTheLimitAsItWas) {
  Child limited([&]() -> std::string {
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    NewFile(path("a")).write(std::string(4000, 'x'));
    sigset_t blocked{};
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &blocked), 0);
    EXPECT_EQ(sigismember(&blocked, SIGXFSZ), 0);
    return "";
  });
  EXPECT_EQ(limited.end(), "");
}

}  // namespace
}  // namespace tutti::runtime::new_file_test

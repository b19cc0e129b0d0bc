#include <tutti/runtime/cache/disk_cache.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/command.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace tutti::cache_test {
namespace {

namespace fs = std::filesystem;
using runtime::DiskCache;
using test::CommandResult;
using testing::HasSubstr;
using testing::Not;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TUTTI_CACHE", "on", 1);
    setenv("TUTTI_CACHE_DIR", folder().c_str(), 1);
  }
  void TearDown() override {
    setenv("TUTTI_CACHE", "off", 1);
    unsetenv("TUTTI_CACHE_DIR");
  }

  std::string folder() const { return home_.path() / "cache"; }
  static CommandResult cache(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {TUTTI_BINARY_DIR "/bin/tutti", "cache"});
    return test::run_command(arguments);
  }
  CommandResult run_program() {
    return test::run_command({TUTTI_BINARY_DIR "/bin/tutti", "run", home_.write("p.tutti", R"(
func @f() {
  %0 = iota() {dtype = f32, shape = [64], axis = 0}
  %1 = tanh(%0)
  %2 = sum(%1) {axes = [0]}
  return %1, %2
})")});
  }
  DiskCache direct() { return DiskCache({.folder = folder(), .why_off = ""}); }
  void put(std::uint64_t key, const std::string& name, std::size_t bytes) {
    DiskCache writer = direct();
    writer.put({key << 56, key}, name, "a test", std::vector<std::byte>(bytes));
  }
  std::vector<fs::path> entries() {
    std::vector<fs::path> out;
    for (const auto& file : direct().files()) out.push_back(fs::path(folder()) / file.path);
    return out;
  }

  test::TemporaryFolder home_;
};

TEST_F(Cache, ListsEntriesWithTheirSizesAndTheTotal) {
  put(1, "mul_add_tanh", 100);
  put(2, "softmax", 2'000'000);
  const CommandResult result = cache({"ls"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, testing::ContainsRegex("mul_add_tanh +4.0 KiB +now +a test"));
  EXPECT_THAT(result.output, testing::ContainsRegex("softmax +1.9 MiB +now +a test"));
  EXPECT_THAT(result.output, HasSubstr("2 entries, 1.9 MiB of at most 1.0 GiB, in " + folder()));
}

TEST_F(Cache, OfNothingIsListedToo) {
  const CommandResult result = cache({"ls"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "0 entries, 0.0 KiB of at most 1.0 GiB, in " + folder() + "\n");
}

TEST_F(Cache, VerifyNamesWhatIsDamaged) {
  put(1, "good", 100);
  EXPECT_EQ(cache({"verify"}).output, "1 entry, 0 damaged\n");
  put(2, "bad", 100);
  fs::path bad;
  for (const auto& path : entries()) {
    if (path.filename().string().starts_with("02")) bad = path;
  }
  fs::resize_file(bad, 150);

  const CommandResult found = cache({"verify"});
  EXPECT_EQ(found.status, 1);
  EXPECT_EQ(found.output, bad.string() +
                              ": it is cut off, or longer than its header says\n"
                              "2 entries, 1 damaged\n");
  EXPECT_EQ(found.errors, "");
  EXPECT_THAT(cache({"ls"}).output, HasSubstr("(damaged)"));

  const CommandResult removed = cache({"verify", "--remove"});
  EXPECT_EQ(removed.status, 0);
  EXPECT_THAT(removed.output, HasSubstr("2 entries, 1 damaged and removed"));
  EXPECT_FALSE(fs::exists(bad));
  EXPECT_EQ(cache({"verify"}).output, "1 entry, 0 damaged\n");
}

TEST_F(Cache, ClearRemovesAllEntriesAndNothingElse) {
  put(1, "one", 100);
  put(2, "two", 100);
  home_.write("cache/mine.txt", "not an entry");
  const CommandResult result = cache({"clear"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "2 entries removed, 8.0 KiB\n");
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(home_.read("cache/mine.txt"), "not an entry");
  EXPECT_EQ(cache({"clear"}).output, "0 entries removed, 0.0 KiB\n");
}

TEST_F(Cache, SaysWhyThereIsNone) {
  const auto expect_none = [](const std::string& why) {
    for (const char* const command : {"ls", "verify", "clear"}) {
      const CommandResult result = cache({command});
      EXPECT_EQ(result.status, 1);
      EXPECT_EQ(result.output, "");
      EXPECT_THAT(result.errors, HasSubstr("there is no disk cache: " + why));
    }
  };
  setenv("TUTTI_CACHE", "off", 1);
  expect_none("TUTTI_CACHE is off");
  setenv("TUTTI_CACHE", "on", 1);
  home_.write("cache", "a file");
  expect_none("the folder " + folder());
}

TEST_F(Cache, WrongUsageIsRefused) {
  EXPECT_EQ(cache({}).status, 2);
  EXPECT_EQ(cache({"polish"}).status, 2);
  EXPECT_EQ(cache({"ls", "--remove"}).status, 2);
  setenv("TUTTI_CACHE", "perhaps", 1);
  EXPECT_THAT(cache({"ls"}).errors, HasSubstr("TUTTI_CACHE is \"perhaps\"; it is on"));
}

TEST_F(Cache, ProgramsRunWhereThereIsNone) {
  if (TUTTI_HAS_LLVM == 0) GTEST_SKIP() << "nothing is compiled";
  const CommandResult wanted = run_program();
  EXPECT_EQ(wanted.status, 0) << wanted.errors;
  const auto expect_same = [&] {
    const CommandResult result = run_program();
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.output, wanted.output);
    EXPECT_EQ(result.errors, "");
  };
  setenv("TUTTI_CACHE_DIR", "/proc/nowhere", 1);
  expect_same();
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  unsetenv("TUTTI_CACHE_DIR");
  unsetenv("HOME");
  expect_same();
  setenv("HOME", home.c_str(), 1);
  setenv("TUTTI_CACHE_DIR", folder().c_str(), 1);
  fs::permissions(folder(), fs::perms::others_all, fs::perm_options::add);
  expect_same();
}

// The second process has other addresses everywhere, if the system randomises them.
TEST_F(Cache, CodeOfOneProcessRunsInAnother) {
  if (TUTTI_HAS_LLVM == 0) GTEST_SKIP() << "nothing is compiled";
  const CommandResult first = run_program();
  EXPECT_EQ(first.status, 0) << first.errors;
  const auto files = entries();
  ASSERT_FALSE(files.empty());
  // What is used is touched, when that was long ago; what is compiled again is another file.
  std::set<std::uint64_t> numbers;
  const auto inspect = [](const fs::path& path) {
    struct stat status{};
    stat(path.c_str(), &status);
    return status;
  };
  for (const auto& path : files) {
    const timespec old{.tv_sec = std::time(nullptr) - 100'000, .tv_nsec = 0};
    const timespec times[] = {old, old};
    utimensat(AT_FDCWD, path.c_str(), times, 0);
    numbers.insert(inspect(path).st_ino);
  }
  const CommandResult second = run_program();
  EXPECT_EQ(second.output, first.output);
  EXPECT_EQ(entries().size(), files.size());
  for (const auto& path : files) {
    EXPECT_TRUE(numbers.contains(inspect(path).st_ino)) << path << " was compiled again";
    EXPECT_LT(std::time(nullptr) - inspect(path).st_mtim.tv_sec, 50'000) << path << " is not used";
  }
  // Damage changes nothing but the time that it takes.
  for (const auto& path : files) fs::resize_file(path, 100);
  EXPECT_EQ(run_program().output, first.output);
  EXPECT_THAT(cache({"verify"}).output, HasSubstr(" 0 damaged"));
}

}  // namespace
}  // namespace tutti::cache_test

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cache/disk_cache.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/support/command.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::runtime::disk_cache_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

Hash128 key(std::uint64_t number) { return Hasher().add(number).finish(); }

std::vector<std::byte> data(std::uint64_t number, std::size_t size = 200) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(number * 31 + i);
  return out;
}

class DiskCacheTest : public testing::Test {
 protected:
  DiskCache cache(std::int64_t most_bytes = CacheSettings().most_bytes) {
    return DiskCache({.folder = folder(), .why_off = "", .most_bytes = most_bytes});
  }
  std::string folder() const { return home_.path() / "cache"; }

  static void put(DiskCache& cache, std::uint64_t number, std::size_t size = 200) {
    cache.put(key(number), "kernel" + std::to_string(number), "test", data(number, size));
  }
  static bool has(DiskCache& cache, std::uint64_t number, std::size_t size = 200) {
    const auto entry = cache.get(key(number));
    return entry && std::ranges::equal(entry->data(), data(number, size));
  }
  // The file of the only entry.
  fs::path only_file() {
    DiskCache reader = cache();
    const auto files = reader.files();
    EXPECT_EQ(files.size(), 1U);
    return fs::path(folder()) / files.at(0).path;
  }
  void expect_off(const std::string& place, const std::string& why) {
    DiskCache off({.folder = place, .why_off = ""});
    EXPECT_FALSE(off.is_on());
    EXPECT_THAT(off.why_off(), HasSubstr(why));
    put(off, 1);
    EXPECT_FALSE(has(off, 1));
    EXPECT_THAT(off.files(), IsEmpty());
    EXPECT_EQ(off.counts().misses, 0U);
  }

  test::TemporaryFolder home_;
};

void age(const fs::path& file, std::int64_t seconds) {
  const timespec time{.tv_sec = std::time(nullptr) - seconds, .tv_nsec = 0};
  const timespec times[] = {time, time};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

// What a child process that runs `body` ends with.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(DiskCacheTest, KeepsWhatWasPutForOtherProcesses) {
  DiskCache writer = cache();
  ASSERT_TRUE(writer.is_on()) << writer.why_off();
  EXPECT_FALSE(has(writer, 1));
  put(writer, 1);
  put(writer, 2, 100'000);
  EXPECT_TRUE(has(writer, 1));
  EXPECT_EQ(in_child([&] {
              DiskCache reader = cache();
              return has(reader, 1) && has(reader, 2, 100'000) && !has(reader, 3) ? 0 : 1;
            }),
            0);
  const DiskCache::Counts counts = writer.counts();
  EXPECT_EQ(counts.hits, 1U);
  EXPECT_EQ(counts.misses, 1U);
  EXPECT_EQ(counts.stores, 2U);
  EXPECT_EQ(counts.damaged, 0U);
  EXPECT_EQ(counts.failures, 0U);
}

TEST_F(DiskCacheTest, ListsItsFiles) {
  DiskCache writer = cache();
  put(writer, 1);
  put(writer, 2, 5000);
  const auto files = writer.files();
  ASSERT_EQ(files.size(), 2U);
  for (const auto& file : files) {
    EXPECT_EQ(file.damage, "");
    EXPECT_EQ(file.origin, "test");
    EXPECT_EQ(file.bytes, file.name == "kernel2" ? 8192 : 4096);
  }
  EXPECT_TRUE(writer.remove(files));
  EXPECT_THAT(writer.files(), IsEmpty());
  EXPECT_TRUE(writer.remove(files));  // gone already
}

TEST_F(DiskCacheTest, NobodyElseCanWriteWhatItMakes) {
  const mode_t before = umask(0);
  DiskCache writer = cache();
  put(writer, 1);
  umask(before);
  for (const auto& entry : fs::recursive_directory_iterator(home_.path())) {
    EXPECT_EQ(entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none)
        << entry.path();
  }
}

TEST_F(DiskCacheTest, ADamagedEntryIsNotThereAndIsReplaced) {
  DiskCache writer = cache();
  put(writer, 1);
  const fs::path file = only_file();
  std::string content = home_.read(fs::relative(file, home_.path()));
  for (std::size_t at = 0; at <= content.size(); ++at) {
    std::string damaged = content;
    if (at < content.size()) {
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    } else {
      damaged.clear();
    }
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_FALSE(writer.get(key(1))) << "byte " << at;
    EXPECT_NE(writer.files().at(0).damage, "");
  }
  EXPECT_EQ(writer.counts().damaged, content.size() + 1);
  put(writer, 1);
  EXPECT_TRUE(has(writer, 1));
  EXPECT_EQ(writer.files().at(0).damage, "");
}

TEST_F(DiskCacheTest, AnotherKeysEntryIsNotTaken) {
  DiskCache writer = cache();
  put(writer, 1);
  const fs::path first = only_file();
  put(writer, 2);
  const std::string name = key(2).text();
  fs::path second;
  for (const auto& entry : fs::recursive_directory_iterator(folder())) {
    if (entry.path().filename() == name) second = entry.path();
  }
  fs::copy_file(first, second, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(writer.get(key(2)));
  EXPECT_EQ(std::ranges::count(writer.files(), "it is the entry of another key",
                               &DiskCache::File::damage),
            1);
  put(writer, 2);
  EXPECT_TRUE(has(writer, 2));
}

TEST_F(DiskCacheTest, OnlyPlainFilesOfThisUserAreRead) {
  DiskCache writer = cache();
  put(writer, 1);
  const fs::path file = only_file();
  const fs::path good = home_.path() / "good";
  fs::copy_file(file, good);

  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(writer.get(key(1)));
  put(writer, 1);
  EXPECT_TRUE(has(writer, 1));

  fs::remove(file);
  fs::create_symlink(good, file);
  EXPECT_FALSE(writer.get(key(1)));
  put(writer, 1);  // replaces the link, not what it names
  EXPECT_TRUE(has(writer, 1));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));

  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(writer.get(key(1)));
  put(writer, 1);
  EXPECT_TRUE(has(writer, 1));

  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(writer.get(key(1)));
  put(writer, 1);
  EXPECT_TRUE(has(writer, 1));
  EXPECT_EQ(writer.counts().failures, 0U);
}

TEST_F(DiskCacheTest, IsOffWhereOthersMayWrite) {
  fs::create_directory(folder());
  for (const fs::perms perms : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(folder(), fs::perms::owner_all | perms);
    expect_off(folder(), "can be written by others");
  }
  fs::permissions(folder(), fs::perms::owner_all);
  DiskCache writer = cache();
  put(writer, 1);
  EXPECT_TRUE(has(writer, 1));
  for (const fs::path& inner :
       {only_file().parent_path(), only_file().parent_path().parent_path()}) {
    fs::permissions(inner, fs::perms::others_write, fs::perm_options::add);
    DiskCache reader = cache();
    EXPECT_FALSE(reader.get(key(1)));
    put(reader, 1);
    EXPECT_EQ(reader.counts().stores, 0U);
    fs::permissions(inner, fs::perms::others_write, fs::perm_options::remove);
  }
}

TEST_F(DiskCacheTest, IsOffInAFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  fs::create_directory(folder());
  ASSERT_EQ(chown(folder().c_str(), 12345, 12345), 0);
  expect_off(folder(), "belongs to another user");
  ASSERT_EQ(chown(folder().c_str(), 0, 0), 0);
  DiskCache writer = cache();
  put(writer, 1);
  ASSERT_EQ(chown(only_file().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(writer.get(key(1)));
}

TEST_F(DiskCacheTest, IsOffWhereThereCanBeNoFolder) {
  home_.write("file", "");
  expect_off(home_.path() / "file", "Not a directory");
  expect_off(home_.path() / "file" / "inside", "Not a directory");
  fs::create_directory(home_.path() / "target");
  fs::permissions(home_.path() / "target", fs::perms::owner_all);
  fs::create_directory_symlink(home_.path() / "target", home_.path() / "link");
  expect_off(home_.path() / "link", "symbolic link");
  expect_off(home_.path() / "link/", "symbolic link");
  expect_off("/proc/tutti", "can't be opened or made");
  expect_off(std::string(5000, 'x'), "can't be opened or made");
}

TEST_F(DiskCacheTest, LosesNothingButEntriesWhenItsFolderGoes) {
  DiskCache writer = cache();
  put(writer, 1);
  fs::remove_all(folder());
  EXPECT_FALSE(has(writer, 1));
  put(writer, 2);
  home_.write("cache", "a file in its place");
  EXPECT_FALSE(has(writer, 2));
  put(writer, 3);
  EXPECT_EQ(writer.counts().failures, 2U);
}

TEST_F(DiskCacheTest, StaysWithinItsSize) {
  constexpr std::int64_t kMost = std::int64_t{2} << 20;  // eight blocks a shard
  DiskCache writer = cache(kMost);
  for (std::uint64_t i = 0; i < 1500; ++i) put(writer, i);
  const auto files = writer.files();
  std::int64_t total = 0;
  for (const auto& file : files) total += file.bytes;
  EXPECT_LE(total, kMost);
  EXPECT_GE(total, kMost * 3 / 4);
  EXPECT_TRUE(has(writer, 1499));
  put(writer, 5000, kMost / DiskCache::kShards + 1);  // would drive out all others
  EXPECT_FALSE(writer.get(key(5000)));
  EXPECT_THAT(writer.last_failure(), HasSubstr("TUTTI_CACHE_SIZE"));
}

TEST_F(DiskCacheTest, WhatWasNotUsedForTheLongestTimeGoesFirst) {
  // All in one shard, which has room for eight.
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; numbers.size() < 9; ++i) {
    if ((key(i).high >> 56) % DiskCache::kShards == 5) numbers.push_back(i);
  }
  DiskCache writer = cache(std::int64_t{2} << 20);
  for (std::size_t i = 0; i < 8; ++i) put(writer, numbers[i]);
  for (const auto& file : writer.files()) {
    const auto number = std::stoull(file.name.substr(6));
    const auto place = std::ranges::find(numbers, number) - numbers.begin();
    age(fs::path(folder()) / file.path, 100'000 - 5'000 * place);
  }
  EXPECT_TRUE(has(writer, numbers[0]));  // used now
  put(writer, numbers[8]);
  EXPECT_TRUE(has(writer, numbers[0]));
  EXPECT_FALSE(has(writer, numbers[1]));
  EXPECT_FALSE(has(writer, numbers[2]));  // some more than needed
  for (std::size_t i = 3; i < 9; ++i) EXPECT_TRUE(has(writer, numbers[i])) << i;
}

TEST_F(DiskCacheTest, ManyProcessesUseItAtATime) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  const auto work = [&] {
    DiskCache mine = cache(kMost);
    int wrong = 0;
    const auto rounds = [&] {
      for (std::uint64_t i = 0; i < 300; ++i) {
        // The same few keys all the time, and some that drive others out.
        const std::uint64_t number = i % 3 == 0 ? i : i % 7;
        put(mine, number);
        const auto entry = mine.get(key(number));
        if (entry && !std::ranges::equal(entry->data(), data(number))) ++wrong;
      }
    };
    std::thread other(rounds);
    rounds();
    other.join();
    // What the others are writing may leave no room: then an entry is not kept, and nothing else.
    return wrong + static_cast<int>(mine.counts().damaged);
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    children.push_back(fork());
    if (children.back() == 0) _exit(work() == 0 ? 0 : 1);
  }
  EXPECT_EQ(work(), 0);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  DiskCache reader = cache();
  for (const auto& file : reader.files()) {
    EXPECT_EQ(file.damage, "");
    EXPECT_FALSE(file.is_temporary);
  }
}

TEST_F(DiskCacheTest, AKilledWriterLeavesNoPartOfAnEntry) {
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      DiskCache mine = cache();
      for (;;) put(mine, 1, 2'000'000);
    }
    DiskCache reader = cache();
    EXPECT_TRUE(test::comes_true([&] { return reader.get(key(1)).has_value(); }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(has(reader, 1, 2'000'000));
    EXPECT_EQ(reader.counts().damaged, 0U);
  }
  // What the killed ones left behind goes when it is old, and is no damage until then.
  DiskCache writer = cache();
  const auto files = writer.files();
  const auto entry = std::ranges::find(files, false, &DiskCache::File::is_temporary);
  const fs::path shard = (fs::path(folder()) / entry->path).parent_path();
  std::ofstream(shard / ".new-abandoned") << "half";
  for (const auto& file : writer.files()) {
    EXPECT_EQ(file.damage, "");
    if (file.is_temporary) age(fs::path(folder()) / file.path, 7200);
  }
  put(writer, 1);
  EXPECT_EQ(writer.files().size(), 1U);
}

TEST_F(DiskCacheTest, AHomeThatIsNotThereIsNotMade) {
  const fs::path home = home_.path() / "none" / "ada";
  DiskCache off({.folder = home / ".cache/tutti", .base = home, .why_off = ""});
  EXPECT_FALSE(off.is_on());
  EXPECT_THAT(off.why_off(), HasSubstr("is not made, since there is no " + home.string()));
  EXPECT_FALSE(fs::exists(home_.path() / "none"));
  fs::create_directories(home);
  EXPECT_TRUE(DiskCache({.folder = home / ".cache/tutti", .base = home, .why_off = ""}).is_on());
}

TEST_F(DiskCacheTest, AFolderInAnEntrysPlaceIsReplaced) {
  DiskCache mine = cache();
  put(mine, 1);
  const fs::path file = only_file();
  fs::remove(file);
  fs::create_directories(file / "deep" / "deeper");
  std::ofstream(file / "deep" / "file") << "text";
  EXPECT_FALSE(has(mine, 1));
  EXPECT_EQ(mine.counts().damaged, 1U);
  put(mine, 1);
  EXPECT_TRUE(has(mine, 1));
  EXPECT_EQ(mine.counts().failures, 0U);
  // Or removed.
  fs::remove(file);
  fs::create_directories(file / "deep");
  const auto files = mine.files();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_NE(files[0].damage, "");
  EXPECT_TRUE(mine.remove(files));
  EXPECT_FALSE(fs::exists(file));
}

// Beyond the limit the system would send a signal that ends the process.
TEST_F(DiskCacheTest, ALimitOfFileSizesCostsOnlyEntries) {
  EXPECT_EQ(in_child([&] {
              const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              DiskCache mine = cache();
              put(mine, 1, 5000);
              put(mine, 2, 100);
              return mine.counts().failures == 1 && has(mine, 2, 100) ? 0 : 2;
            }),
            0);
}

TEST_F(DiskCacheTest, AFullDiskOrAReadOnlyOneCostsOnlyEntries) {
  fs::create_directory(folder());
  // 0: all is well; 1: something is wrong; 2: mounting is not allowed here.
  const int status = in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0) return 2;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 2;
    if (mount("tutti", folder().c_str(), "tmpfs", 0, "size=128k,mode=700") != 0) return 2;
    DiskCache full = cache();
    for (std::uint64_t i = 0; i < 60; ++i) put(full, i, 10'000);
    const DiskCache::Counts counts = full.counts();
    if (counts.stores == 0 || counts.failures == 0 || full.last_failure().empty()) return 1;
    std::size_t whole = 0;
    for (const auto& file : full.files()) {
      if (!file.damage.empty() || file.is_temporary) return 1;
      ++whole;
    }
    if (whole != counts.stores) return 1;
    if (mount("tutti", folder().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 2;
    DiskCache read_only = cache();
    if (!has(read_only, 0, 10'000)) return 1;
    put(read_only, 100);
    return read_only.counts().failures == 1 && !read_only.get(key(100)) ? 0 : 1;
  });
  if (status == 2) GTEST_SKIP() << "no mounting here";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tutti::runtime::disk_cache_test

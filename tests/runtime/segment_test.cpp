#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/segment.h>

#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "tests/runtime/processes.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Grants this process that much address space more than it has.
void limit_address_space(std::size_t more) {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(getpagesize()) + more;
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

TEST(Segment, WhoeverMapsItSeesTheSameBytes) {
  const Segment segment = Segment::create(64 * kMiB);
  const Segment again(Descriptor(dup(segment.descriptor())));
  EXPECT_EQ(segment.bytes(), 64 * kMiB);
  EXPECT_EQ(again.bytes(), 64 * kMiB);
  EXPECT_NE(again.data(), segment.data());
  std::strcpy(reinterpret_cast<char*>(segment.data() + 63 * kMiB), "written here");
  EXPECT_STREQ(reinterpret_cast<char*>(again.data() + 63 * kMiB), "written here");
}

TEST(Segment, IsZeroAndCostsNothingAtFirst) {
  const Segment segment = Segment::create(std::size_t{64} << 30);
  struct stat status{};
  ASSERT_EQ(fstat(segment.descriptor(), &status), 0);
  EXPECT_EQ(status.st_blocks, 0);
  EXPECT_EQ(segment.data()[segment.bytes() - 1], std::byte{0});
}

TEST(Segment, NoPeerCanTakeItsMemoryAway) {
  const Segment segment = Segment::create(64 * kMiB);
  EXPECT_EQ(ftruncate(segment.descriptor(), 4096), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(segment.descriptor(), 128 * kMiB), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(fcntl(segment.descriptor(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(Segment, IsClosedInProgramsThatThisOneStarts) {
  const Segment segment = Segment::create(64 * kMiB);
  EXPECT_EQ(fcntl(segment.descriptor(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(Segment, MovesWithoutMappingAnew) {
  Segment segment = Segment::create(64 * kMiB);
  std::byte* const data = segment.data();
  const Segment moved(std::move(segment));
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.bytes(), 64 * kMiB);
  EXPECT_EQ(*moved.data(), std::byte{0});
}

TEST(Segment, WithLessAddressSpaceItIsSmaller) {
  Child limited([]() -> std::string {
    limit_address_space(3 * 1024 * kMiB);
    const Segment segment = Segment::create(64 * 1024 * kMiB);
    EXPECT_EQ(segment.bytes(), 2 * 1024 * kMiB);
    return "";
  });
  EXPECT_EQ(limited.end(), "");
}

TEST(Segment, WithNextToNoneItIsAnError) {
  Child limited([]() -> std::string {
    limit_address_space(16 * kMiB);
    try {
      Segment::create(1024 * kMiB);
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "no error";
  });
  EXPECT_THAT(limited.end(), HasSubstr("no address space for the shared memory"));
}

TEST(Segment, WhatIsNoSegmentIsAnError) {
  EXPECT_THROW(Segment(Descriptor(-1)), EnvironmentError);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor other(ends[1]);
  EXPECT_THROW(Segment(Descriptor(ends[0])), EnvironmentError);
}

}  // namespace
}  // namespace tutti::runtime

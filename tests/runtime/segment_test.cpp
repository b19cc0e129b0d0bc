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

namespace tutti::runtime::segment_test {
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

// As where the system sets memory aside for whatever could be written: for that stands a limit
// below what this process has.
TEST(Segment, WhatAForkedProcessWritesReachesNobodyWithoutRoomForItEither) {
  for (const bool keeps : {false, true}) {
    Child parent([keeps]() -> std::string {
      const Segment segment = Segment::create(64 * kMiB);
      segment.data()[0] = std::byte{1};
      if (keeps) segment.keep_in_forks(segment.data() + kMiB, kMiB);
      rlimit data{};
      EXPECT_EQ(getrlimit(RLIMIT_DATA, &data), 0);
      const rlim_t before = std::exchange(data.rlim_cur, 4096);
      EXPECT_EQ(setrlimit(RLIMIT_DATA, &data), 0);
      Child child([&segment]() -> std::string {
        segment.data()[0] = std::byte{2};  // ends it where that can't be written
        return "";
      });
      data.rlim_cur = before;
      EXPECT_EQ(setrlimit(RLIMIT_DATA, &data), 0);
      child.end();
      return segment.data()[0] == std::byte{1} ? "untouched" : "changed";
    });
    EXPECT_EQ(parent.end(), "untouched");
  }
}

// Its parent could not wait until they are whole.
TEST(Segment, AProcessThatIsForkedOffWithNoDescriptorLeftHasNoCopies) {
  Child rank([]() -> std::string {
    const Segment segment = Segment::create(64 * kMiB);
    segment.keep_in_forks(segment.data(), kMiB);
    allow_more_files(2);  // for what the child says
    Child child([&segment]() -> std::string {
      // A look at what is not mapped would end it; the system only says so.
      const int found = access(reinterpret_cast<const char*>(segment.data()), F_OK);
      return found != 0 && errno == EFAULT ? "not mapped" : "mapped";
    });
    return child.end();
  });
  EXPECT_EQ(rank.end(), "not mapped");
}

TEST(Segment, WhatIsForkedOffAForkedProcessHasWhatThatOneHad) {
  Child rank([]() -> std::string {
    const Segment segment = Segment::create(64 * kMiB);
    segment.keep_in_forks(segment.data(), kMiB);
    segment.data()[0] = std::byte{1};
    Child child([&segment]() -> std::string {
      segment.data()[kMiB] = std::byte{2};
      Child grandchild([&segment]() -> std::string {
        return std::to_string(std::to_integer<int>(segment.data()[kMiB])) + " written, " +
               std::to_string(std::to_integer<int>(segment.data()[0])) + " kept";
      });
      return grandchild.end();
    });
    return child.end();
  });
  EXPECT_EQ(rank.end(), "2 written, 1 kept");
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

TEST(Segment, WithSmallFilesItIsSmaller) {
  const auto limited = [](std::size_t most) {
    return Child([most]() -> std::string {
      const rlimit limit{.rlim_cur = most, .rlim_max = most};
      EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
      try {
        return std::to_string(Segment::create(4 * 1024 * kMiB).bytes() / kMiB) + " MiB";
      } catch (const EnvironmentError& error) {
        return error.what();
      }
    });
  };
  EXPECT_EQ(limited(1500 * kMiB).end(), "1024 MiB");
  EXPECT_THAT(limited(4096).end(), HasSubstr("is larger than a file may be (ulimit -f)"));
}

// Whoever looks at it would be killed.
TEST(Segment, WhatCouldBeTakenAwayIsAnError) {
  const auto offer = [](int seals) {
    Descriptor descriptor(memfd_create("tutti", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(descriptor.number(), 4096), 0);
    EXPECT_EQ(fcntl(descriptor.number(), F_ADD_SEALS, seals), 0);
    return descriptor;
  };
  EXPECT_THROW(Segment(offer(0)), EnvironmentError);
  EXPECT_THROW(Segment(offer(F_SEAL_GROW | F_SEAL_SEAL)), EnvironmentError);
  EXPECT_EQ(Segment(offer(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)).bytes(), 4096U);
}

TEST(Segment, WhatIsNoSegmentIsAnError) {
  EXPECT_THROW(Segment(Descriptor(-1)), EnvironmentError);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor other(ends[1]);
  EXPECT_THROW(Segment(Descriptor(ends[0])), EnvironmentError);
}

}  // namespace
}  // namespace tutti::runtime::segment_test

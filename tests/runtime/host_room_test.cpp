#include <tutti/runtime/host_room.h>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace tutti::runtime::host_room_test {
namespace {

using testing::HasSubstr;

TEST(HostRoom, IsThereAndNotMoreThanAll) {
  const auto room = host_room();
  ASSERT_TRUE(room.has_value());
  EXPECT_GT(room->free, 0U);
  EXPECT_LE(room->free, room->total);
  EXPECT_THAT(host_room_text(), HasSubstr(" free, for all programs that use it"));
}

TEST(HostRoom, NamesTheProcessesOwnLimits) {
  Child child([]() -> std::string {
    // More than a process has addresses for: a sanitizer's memory counts, too.
    const rlimit limit{.rlim_cur = rlim_t{512} << 40, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) return "setrlimit failed";
    return host_room_text();
  });
  EXPECT_THAT(child.end(), HasSubstr("this process may have 512 TiB (ulimit -d)"));
}

}  // namespace
}  // namespace tutti::runtime::host_room_test

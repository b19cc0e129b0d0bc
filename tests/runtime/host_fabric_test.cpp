#include <tutti/runtime/comm/host_fabric.h>

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::runtime::host_fabric_test {
namespace {

// What a user's code that runs where a buffer goes does to them.
TEST(KeptCollectives, MayBeDroppedWhileTheyAreDropped) {
  KeptCollectives kept;
  int number = 0;
  std::vector<std::shared_ptr<Buffer>> buffers = {
      Buffer::wrap(&number, sizeof number, [&](void*) { kept.drop_through(1); })};
  kept.add(1, buffers);
  const auto later = Buffer::wrap(&number, sizeof number);
  buffers = {later};
  kept.add(2, buffers);
  buffers.clear();
  kept.drop_through(1);
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_EQ(later.use_count(), 2);
  kept.drop_through(2);
  EXPECT_EQ(kept.size(), 0U);
  EXPECT_EQ(later.use_count(), 1);
}

}  // namespace
}  // namespace tutti::runtime::host_fabric_test

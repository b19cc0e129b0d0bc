#include <tutti/runtime/comm/host_fabric.h>
#include <tutti/runtime/comm/local.h>

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

TEST(HostFabric, ARankThatDiedWaitsForNobody) {
  LocalFabric fabric(70);
  const auto waiting = [&](std::int64_t rank) { return fabric.page(rank).waiting_peers.load(); };
  for (const std::int64_t peer : {0, 65, 69}) {
    EXPECT_TRUE(kernels::ask(fabric.page(2), fabric.page(peer), peer));
    EXPECT_TRUE(kernels::ask(fabric.page(3), fabric.page(peer), peer));
  }
  for (int time = 0; time < 2; ++time) {  // by two that saw it
    fabric.note_death(2);
    EXPECT_EQ(fabric.page(2).presence.load(), kernels::RankPage::kDied);
    for (const std::int64_t peer : {0, 65, 69}) EXPECT_EQ(waiting(peer), 1U);
    EXPECT_EQ(waiting(1), 0U);
  }
  fabric.page(3).presence.store(kernels::RankPage::kGone);
  fabric.note_death(3);
  EXPECT_EQ(fabric.page(3).presence.load(), kernels::RankPage::kGone);
  for (const std::int64_t peer : {0, 65, 69}) EXPECT_EQ(waiting(peer), 0U);
}

}  // namespace
}  // namespace tutti::runtime::host_fabric_test

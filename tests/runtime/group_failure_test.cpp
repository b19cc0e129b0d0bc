// What members hear of a rank that died, whoever saw it first.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/message_of.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::group_failure_test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// Where a death is overlooked, a wait ends as a time-out.
std::shared_ptr<LocalFabric> fabric_of(std::int64_t ranks) {
  return std::make_shared<LocalFabric>(ranks,
                                       HostOptions{.timeout = milliseconds(50), .progress = false});
}

// The rank's process ends, and a peer that waited for a release has seen it.
void die_and_be_buried(LocalFabric& fabric, std::int64_t rank, const GroupKey& key) {
  fabric.page(rank).presence.store(kernels::RankPage::kDied);
  fabric.group(key)->rank_left(rank);
}

// Its works are over once that is said.
class ToldEngine final : public Engine {
 public:
  static std::atomic<bool>& works_are_over() {
    static std::atomic<bool> over;
    return over;
  }
  std::shared_ptr<EngineWork> start(const CollectiveCall& /*call*/) override {
    return std::make_shared<ToldWork>();
  }
  void abort(const std::string& /*reason*/) noexcept override {}

 private:
  class ToldWork final : public EngineWork {
   public:
    bool test() override { return works_are_over(); }
    bool wait(milliseconds /*timeout*/) override { return works_are_over(); }
    void on_complete(std::function<void(std::exception_ptr)> /*f*/) override {}
  };
};

void add_told() {
  static const bool added = [] {
    EngineRegistry::process().add(
        "told", [](const EngineGroup& /*group*/) { return std::make_unique<ToldEngine>(); });
    return true;
  }();
  EXPECT_TRUE(added);
  ToldEngine::works_are_over() = false;
}

const GroupKey& key_of_told() {
  static const GroupKey key{.tag = "group", .purpose = "told", .members = {0, 1}};
  return key;
}

TEST(GroupFailure, ADeathIsSeenWhileAnEngineWorksThoughItWasBuried) {
  add_told();
  const std::vector<float> x(3, 1);
  std::vector<float> y;
  std::vector<float> z;
  const auto fabric = fabric_of(2);
  HostBackend survivor(fabric, 0);
  HostBackend victim(fabric, 1);
  const auto work = survivor.communicator({0, 1}, "group", "told")->start(all_reduce_call(x, y));
  victim.communicator({0, 1}, "group", "told")->start(all_reduce_call(x, z));
  die_and_be_buried(*fabric, 1, key_of_told());
  EXPECT_THAT(message_of<CommError>([&] { work->wait(); }), HasSubstr("rank 1 died"));
}

TEST(GroupFailure, AMemberThatDiedAfterItsPartOfAnEnginesCallIsNotMissed) {
  add_told();
  const std::vector<float> x(3, 1);
  std::vector<float> y;
  std::vector<float> z;
  const auto fabric = fabric_of(2);
  HostBackend survivor(fabric, 0);
  HostBackend victim(fabric, 1);
  const auto group = survivor.communicator({0, 1}, "group", "told");
  const auto work = group->start(all_reduce_call(x, y));
  victim.communicator({0, 1}, "group", "told")->start(all_reduce_call(x, z));
  fabric->group(key_of_told())->page.progress(1).done_through.store(1);
  die_and_be_buried(*fabric, 1, key_of_told());
  EXPECT_FALSE(work->test());
  ToldEngine::works_are_over() = true;
  EXPECT_NO_THROW(work->wait());
  EXPECT_THAT(message_of<CommError>([&] { group->start(all_reduce_call(x, y))->wait(); }),
              HasSubstr("rank 1 died"));
}

// It takes no chunks, so the others have them all, or will have.
TEST(GroupFailure, AReaderThatDiedAfterItsPartIsNotMissed) {
  constexpr std::int64_t kElements = 100'000;
  const GroupKey key{.tag = "world", .purpose = {}, .members = {0, 1, 2}};
  const auto fabric = fabric_of(3);
  HostBackend survivor(fabric, 0);
  HostBackend busy(fabric, 1);
  HostBackend reader(fabric, 2);
  const auto start = [&](HostBackend& backend, bool reads) {
    const auto world = backend.communicator({0, 1, 2}, "world");
    const auto operand = backend.allocate(kElements * sizeof(float));
    std::fill_n(reinterpret_cast<float*>(operand->data()), kElements, 1.F);
    return world->start(
        world->prepare({.kind = CollectiveKind::all_reduce, .parts = {{.elements = kElements}}}),
        {{operand}}, {.reads = reads});
  };
  const auto work = start(survivor, false);
  const auto work_of_busy = start(busy, false);
  const auto reading = start(reader, true);
  reading->arrive();
  reading->finish();
  const auto group = fabric->group(key);
  group->page.chunks(1).claimed.store(1);  // by rank 1, which is at it
  die_and_be_buried(*fabric, 2, key);
  EXPECT_FALSE(work->test());
  group->page.chunks(1).done.fetch_add(1);
  EXPECT_TRUE(work->test());
  EXPECT_NO_THROW(work_of_busy->wait());
}

// The failure of the group of ranks 0 and 1, which that rank is about to write down.
kernels::Failure& failure_of_pair_by(HostFabric& fabric, std::int64_t rank) {
  const auto group = fabric.group({.tag = "pair", .purpose = {}, .members = {0, 1}});
  auto& header = reinterpret_cast<kernels::GroupHeader&>(group->page.signal());
  header.failure.from.store(0);
  header.failure.state.store(kernels::Failure::being_written_by(rank));
  return header.failure;
}

// Whoever aborts a group need not be in it.
TEST(GroupFailure, HalfWrittenByWhoIsNoMemberAndDiedEndsWaits) {
  const auto fabric = fabric_of(3);
  HostBackend backend(fabric, 0);
  const auto work = backend.communicator({0, 1}, "pair")->start(barrier_call());
  failure_of_pair_by(*fabric, 2);
  fabric->page(2).presence.store(kernels::RankPage::kDied);
  EXPECT_THAT(message_of<CommError>([&] { work->wait(); }),
              HasSubstr("rank 2 died while group \"pair\" failed"));
}

// Messages fail with their group.
TEST(GroupFailure, HalfWrittenOnThePageOfAParentEndsWaits) {
  const auto fabric = fabric_of(3);
  HostBackend backend(fabric, 0);
  const auto pair = backend.communicator({0, 1}, "pair");
  const auto work = backend.messages({1, 0}, "pair messages", *pair)->start(barrier_call());
  failure_of_pair_by(*fabric, 2);
  EXPECT_FALSE(work->test());
  fabric->page(2).presence.store(kernels::RankPage::kDied);
  EXPECT_THAT(message_of<CommError>([&] { work->wait(); }),
              HasSubstr("rank 2 died while group \"pair\" failed"));
}

TEST(GroupFailure, WhoWritesAFailureIsNotTakenForADeadOne) {
  const auto fabric = fabric_of(3);
  HostBackend backend(fabric, 0);
  const auto work = backend.communicator({0, 1}, "pair")->start(barrier_call());
  kernels::Failure& failure = failure_of_pair_by(*fabric, 1);
  fabric->page(2).presence.store(kernels::RankPage::kDied);
  EXPECT_FALSE(work->test());
  kernels::write_text(failure.text, "why");
  failure.state.store(kernels::Failure::kWritten);
  EXPECT_THAT(message_of<CommError>([&] { work->wait(); }), HasSubstr("why"));
}

}  // namespace
}  // namespace tutti::runtime::group_failure_test

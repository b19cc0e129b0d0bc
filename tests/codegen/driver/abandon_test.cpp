// Which communicator hears that a call won't come: the one that was to make it. The other one's
// members would wait for it up to their time-out.

#include <tutti/codegen/driver/abandon.h>
#include <tutti/ir/parse/parse.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/codegen/idle_group.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::abandon_test {
namespace {

using testing::ElementsAre;

using Told = std::vector<std::string>;  // "tag by engine: reason"

// Hears of what is abandoned.
class Listener final : public test::IdleGroup {
 public:
  Listener(std::vector<std::int64_t> members, std::string tag, std::string engine, Told& told)
      : IdleGroup(std::move(members), std::move(tag)), engine_(std::move(engine)), told_(told) {}

  void abandon(const std::string& reason) override {
    told_.push_back(tag() + " by " + engine_ + ": " + reason);
  }

 private:
  const std::string engine_;
  Told& told_;
};

class ListeningBackend final : public test::BackendOfIdleGroups {
 public:
  explicit ListeningBackend(Told& told) : told_(told) {}

  std::string_view name() const override { return "listening"; }
  std::shared_ptr<runtime::Communicator> communicator(std::vector<std::int64_t> members,
                                                      std::string tag,
                                                      const std::string& engine) override {
    return std::make_shared<Listener>(std::move(members), std::move(tag), engine, told_);
  }

 private:
  Told& told_;
};

// A sum of 100 MB for each member, and one of 24 bytes.
Told told_with(ir::Algorithm algorithm) {
  Told told;
  runtime::Context context(std::make_unique<ListeningBackend>(told), 1);
  const ir::Graph graph = ir::parse(R"(
group @large = {ranks = [0..2], backends = "cpu:shm,cuda:nccl"}
group @small = {ranks = [0..2], backends = "cpu:shm,cuda:nccl"}
func @f(%x: f32[25000000] on cuda:0, %y: f32[6] on cuda:0) {
  %0 = all_reduce(%x) {op = "sum", group = @large}
  %1 = all_reduce(%y) {op = "sum", group = @small}
  return
})")
                              .functions.at(0);
  abandon_collectives(graph, context, algorithm, "no");
  return told;
}

TEST(Abandon, TellsThoseOfTheEngineThatWasToMakeTheCall) {
  const std::string large =
      "rank 0 did not start all_reduce sum f32[25000000] over \"large\", "
      "because its evaluation failed before: no";
  const std::string small =
      "rank 0 did not start all_reduce sum f32[6] over \"small\", because "
      "its evaluation failed before: no";
  EXPECT_THAT(told_with(ir::Algorithm::automatic),
              ElementsAre("large by nccl: " + large, "small by nccl: " + small));
  EXPECT_THAT(told_with(ir::Algorithm::exact),
              ElementsAre("large by shm: " + large, "small by nccl: " + small));
}

}  // namespace
}  // namespace tutti::codegen::abandon_test

// Which communicator hears that a call won't come: the one that was to make it. The other one's
// members would wait for it up to their time-out.

#include <tutti/codegen/driver/abandon.h>
#include <tutti/ir/parse/parse.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::codegen::abandon_test {
namespace {

using runtime::Buffer;
using testing::ElementsAre;

using Told = std::vector<std::string>;  // "tag by engine: reason"

// Hears of what is abandoned, and has no other use.
class Listener final : public runtime::Communicator {
 public:
  Listener(std::vector<std::int64_t> members, std::string tag, std::string engine, Told& told)
      : members_(std::move(members)),
        tag_(std::move(tag)),
        engine_(std::move(engine)),
        told_(told) {}

  std::shared_ptr<const runtime::PreparedCall> prepare(runtime::CollectiveCall) override {
    throw std::logic_error("nothing is prepared");
  }
  std::shared_ptr<runtime::Work> start(const std::shared_ptr<const runtime::PreparedCall>&,
                                       std::span<const std::shared_ptr<Buffer>>,
                                       const runtime::StartOptions&) override {
    throw std::logic_error("nothing is started");
  }
  std::shared_ptr<runtime::Work> start(runtime::CollectiveCall,
                                       std::vector<std::shared_ptr<Buffer>>) override {
    throw std::logic_error("nothing is started");
  }
  bool released(std::uint64_t) override { return true; }
  void wait_released(std::uint64_t, const Location&) override {}
  std::shared_ptr<runtime::SymmetricMemory> symmetric_memory(std::size_t,
                                                             runtime::Accelerator*) override {
    return nullptr;
  }
  std::shared_ptr<runtime::SymmetricMemory> common_memory(std::size_t) override { return nullptr; }
  std::shared_ptr<runtime::RecordedCalls> record_calls(
      std::vector<std::shared_ptr<const runtime::PreparedCall>>, runtime::Accelerator&) override {
    return nullptr;
  }
  void abort(const std::string&) override {}
  void abandon(const std::string& reason) override {
    told_.push_back(tag_ + " by " + engine_ + ": " + reason);
  }
  void close() override {}
  void set_timeout(std::chrono::milliseconds) override {}
  const std::string& tag() const override { return tag_; }
  const std::vector<std::int64_t>& members() const override { return members_; }
  int position() const override { return 0; }

 private:
  const std::vector<std::int64_t> members_;
  const std::string tag_;
  const std::string engine_;
  Told& told_;
};

// Rank 0 of two.
class ListeningBackend final : public runtime::Backend {
 public:
  explicit ListeningBackend(Told& told) : told_(told) {}

  std::string_view name() const override { return "listening"; }
  std::int64_t rank() const override { return 0; }
  std::int64_t ranks() const override { return 2; }
  std::shared_ptr<runtime::Communicator> communicator(std::vector<std::int64_t> members,
                                                      std::string tag,
                                                      const std::string& engine) override {
    return std::make_shared<Listener>(std::move(members), std::move(tag), engine, told_);
  }
  std::shared_ptr<runtime::Communicator> messages(std::vector<std::int64_t>, std::string,
                                                  const runtime::Communicator&) override {
    throw std::logic_error("no messages");
  }
  void close(const std::vector<std::int64_t>&, const std::string&) override {}
  std::shared_ptr<Buffer> allocate(std::size_t, const runtime::MemoryLabel&) override {
    throw std::logic_error("nothing lies anywhere");
  }
  std::shared_ptr<runtime::MemoryUse> memory_use() const override { return memory_use_; }
  bool peer_waits() const override { return false; }
  void finish() override {}
  void leave(const std::string&) noexcept override {}
  void abort(const std::vector<std::int64_t>&, const std::string&, const std::string&) override {}
  void abort(const std::string&) override {}

 private:
  Told& told_;
  const std::shared_ptr<runtime::MemoryUse> memory_use_ = std::make_shared<runtime::MemoryUse>();
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

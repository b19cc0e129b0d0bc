// Every collective against what PyTorch's gave: tests/reference/data/collectives.jsonl.

#include <array>
#include <functional>
#include <utility>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/collective_reference_calls.h"
#include "tests/support/run_graph.h"

namespace tutti::test::torch_reference_test {
namespace {

constexpr SimulateOptions kOptions = {.threads = 1, .timeout = std::chrono::seconds(30)};
constexpr std::array kWorlds = {2, 3, 4, 8};
constexpr std::array<const char*, 3> kModes = {"lazy", "eager", "compiled"};

// What a rank calls, and what it gives.
using Call = std::function<Tensor(const CollectiveReference&, const Group&, const Tensor&, int)>;
// [rank][case and mode]; none where the rank takes no part.
using Results = std::vector<std::vector<std::optional<Array>>>;

std::array<Array, kModes.size()> in_every_mode(const CollectiveReference& use, World& world,
                                               const Call& call) {
  const int rank = world.rank();
  const Group group = group_of(use, world);
  const Tensor x = from(*use.inputs[static_cast<std::size_t>(rank)]);
  std::array<Array, kModes.size()> out;
  out[0] = call(use, group, x, rank).array();
  world.set_eager(true);
  out[1] = call(use, group, x, rank).array();
  world.set_eager(false);
  auto compiled = compile([&](const Tensor& y) { return call(use, group, y, rank); });
  out[2] = compiled(x).array();
  return out;
}

// All cases of a world, one after another. What a rank throws is thrown, with its case.
Results run(int world_size, const std::vector<const CollectiveReference*>& uses, const Call& call) {
  Results out(static_cast<std::size_t>(world_size));
  simulate(
      world_size,
      [&](World& world) {
        auto& own = out[static_cast<std::size_t>(world.rank())];
        for (const CollectiveReference* use : uses) {
          if (!use->has(world.rank())) {
            own.resize(own.size() + kModes.size());
            continue;
          }
          try {
            for (Array& result : in_every_mode(*use, world, call)) own.emplace_back(result);
          } catch (const CommError&) {
            throw;  // most often it is another rank that failed
          } catch (const Error& error) {
            ADD_FAILURE() << use->describe() << ": " << error.what();
            throw;
          }
        }
      },
      kOptions);
  return out;
}

testing::AssertionResult agrees(const CollectiveReference& use, const Array& actual,
                                const Array& expected) {
  return use.exact ? same_bits(actual, expected) : close(actual, expected);
}

// `leaves_out`: ranks whose result says nothing.
void expect_agreement(
    const std::string& op, const Call& call,
    const std::function<bool(const CollectiveReference&, std::int64_t rank)>& leaves_out = {}) {
  const std::vector<CollectiveReference> references = collective_references(op);
  for (const int world : kWorlds) {
    std::vector<const CollectiveReference*> uses;
    for (const CollectiveReference& use : references) {
      if (use.world == world) uses.push_back(&use);
    }
    ASSERT_FALSE(uses.empty()) << "no cases of " << op << " in a world of " << world;
    const Results actual = run(world, uses, call);
    for (std::size_t i = 0; i < uses.size() * kModes.size(); ++i) {
      const CollectiveReference& use = *uses[i / kModes.size()];
      for (std::int64_t rank = 0; rank < world; ++rank) {
        if (!use.has(rank) || (leaves_out && leaves_out(use, rank))) continue;
        const auto number = static_cast<std::size_t>(rank);
        const Array& own = *actual[number][i];
        EXPECT_TRUE(agrees(use, own, *use.results[number]))
            << use.describe() << ", rank " << rank << ", " << kModes[i % kModes.size()];
        if (op != "all_reduce") continue;
        const auto first = static_cast<std::size_t>(use.members(rank)[0]);
        EXPECT_TRUE(same_bits(own, *actual[first][i]))
            << use.describe() << ", ranks " << rank << " and " << first;
      }
    }
  }
}

TEST(TorchReference, AllReduce) { expect_agreement("all_reduce", call_reference); }

TEST(TorchReference, Reduce) { expect_agreement("reduce", call_reference); }

TEST(TorchReference, ReduceScatter) { expect_agreement("reduce_scatter", call_reference); }

TEST(TorchReference, Broadcast) { expect_agreement("broadcast", call_reference); }

TEST(TorchReference, AllGather) { expect_agreement("all_gather", call_reference); }

TEST(TorchReference, Gather) { expect_agreement("gather", call_reference); }

TEST(TorchReference, Scatter) { expect_agreement("scatter", call_reference); }

TEST(TorchReference, AllToAll) { expect_agreement("all_to_all", call_reference); }

TEST(TorchReference, CollectivePermute) { expect_agreement("collective_permute", call_reference); }

// The same cases as messages.
TEST(TorchReference, SendAndReceive) {
  expect_agreement(
      "collective_permute",
      [](const auto& use, const Group& group, const Tensor& x, int me) {
        Tensor out = x;
        for (const auto& [source, target] : use.pairs) {
          if (source == use.position(me)) send(x, group, target);
        }
        for (const auto& [source, target] : use.pairs) {
          if (target == use.position(me)) out = recv(x.shape(), x.dtype(), group, source);
        }
        return out;
      },
      [](const auto& use, std::int64_t rank) {
        return std::ranges::none_of(
            use.pairs, [&](const auto& pair) { return pair.second == use.position(rank); });
      });
}

TEST(TorchReference, BatchSendReceive) {
  expect_agreement(
      "collective_permute",
      [](const auto& use, const Group& group, const Tensor& x, int me) {
        std::vector<Send> sends;
        std::vector<Receive> receives;
        for (const auto& [source, target] : use.pairs) {
          if (source == use.position(me)) sends.push_back({x, target});
          if (target == use.position(me)) receives.push_back({x.shape(), x.dtype(), source});
        }
        const std::vector<AsyncTensor> came = batch_send_recv(sends, receives, group);
        return came.empty() ? x : Tensor(came[0]);
      },
      [](const auto& use, std::int64_t rank) {
        return std::ranges::none_of(
            use.pairs, [&](const auto& pair) { return pair.second == use.position(rank); });
      });
}

}  // namespace
}  // namespace tutti::test::torch_reference_test

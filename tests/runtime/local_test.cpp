#include <string>
#include <vector>

#include "tests/runtime/collective_reference.h"
#include "tests/runtime/ranks.h"
#include <gtest/gtest.h>

namespace tutti::runtime {
namespace {

using test::Bytes;

// A collective with the data of all its members. The memory outlives every rank.
struct Exchange {
  CollectiveKind kind;
  Reduction reduction;
  DType dtype;
  int root;
  std::vector<kernels::PartShape> shapes;
  std::vector<std::vector<Bytes>> operands, results, expected;  // [part][member]

  Exchange(CollectiveKind the_kind, Reduction the_reduction, DType the_dtype, int members,
           const std::vector<std::int64_t>& sizes)
      : kind(the_kind), reduction(the_reduction), dtype(the_dtype), root(members / 2) {
    for (const std::int64_t size : sizes) {
      const kernels::PartShape shape = test::shape_for(kind, size, members);
      shapes.push_back(shape);
      operands.emplace_back();
      for (int member = 0; member < members; ++member) {
        operands.back().push_back(
            test::random_operand(dtype, shape.elements, static_cast<unsigned>(member)));
      }
      expected.push_back(
          test::expected_results(kind, reduction, dtype, root, shape, operands.back()));
      results.emplace_back();
      for (const Bytes& bytes : expected.back()) results.back().emplace_back(bytes.size());
    }
  }

  std::string text() const {
    std::string what(name_of(kind));
    if (kernels::reduces(kind)) what += " " + std::string(name_of(reduction));
    for (const auto& shape : shapes) {
      what += " " + std::string(name_of(dtype)) + "[" + std::to_string(shape.elements) + "]";
    }
    return what + " of " + std::to_string(operands[0].size()) + " members";
  }

  CollectiveCall call(int member) {
    CollectiveCall call{.kind = kind, .reduction = reduction, .dtype = dtype, .root = root};
    const auto at = static_cast<std::size_t>(member);
    for (std::size_t part = 0; part < shapes.size(); ++part) {
      const kernels::PartShape& shape = shapes[part];
      call.parts.push_back({.operand = operands[part][at].data(),
                            .result = results[part][at].data(),
                            .elements = shape.elements,
                            .outer = shape.outer,
                            .axis_size = shape.axis_size,
                            .inner = shape.inner});
    }
    return call;
  }

  void expect_right() const {
    for (std::size_t part = 0; part < shapes.size(); ++part) {
      for (std::size_t member = 0; member < results[part].size(); ++member) {
        if (kind != CollectiveKind::reduce_scatter && member > 0) {
          // Bit for bit: replicas never drift.
          EXPECT_EQ(results[part][member], results[part][0]) << text();
        } else {
          EXPECT_EQ(test::without_payloads(dtype, results[part][member]),
                    test::without_payloads(dtype, expected[part][member]))
              << text() << ", part " << part << ", member " << member;
        }
      }
    }
  }
};

void run_exchanges(int ranks, std::vector<Exchange> exchanges) {
  run_ranks_well(ranks, [&](LocalBackend& backend) {
    const auto world = backend.communicator(first_ranks(ranks), "world");
    for (Exchange& exchange : exchanges) {
      world->start(exchange.call(world->position()))->wait();
    }
  });
  for (const Exchange& exchange : exchanges) exchange.expect_right();
}

constexpr CollectiveKind kTensorKinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                           CollectiveKind::reduce_scatter,
                                           CollectiveKind::broadcast};

class LocalCollectives : public testing::TestWithParam<int> {};

TEST_P(LocalCollectives, EveryKindAndDType) {
  const int ranks = GetParam();
  std::vector<Exchange> exchanges;
  for (const DType dtype : test::kAllDTypes) {
    const std::int64_t above_one_shot = kernels::kOneShotBytes / size_of(dtype) + 1037;
    const Reduction first = test::reductions_of(dtype).front();
    for (const CollectiveKind kind : kTensorKinds) {
      for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}}) {
        exchanges.emplace_back(kind, first, dtype, ranks, std::vector{size});
      }
      if (ranks == 1 || ranks == 2 || ranks == 3 || ranks == 8) {
        exchanges.emplace_back(kind, first, dtype, ranks, std::vector{above_one_shot});
      }
    }
  }
  run_exchanges(ranks, std::move(exchanges));
}

TEST_P(LocalCollectives, EveryReduction) {
  const int ranks = GetParam();
  std::vector<Exchange> exchanges;
  for (const DType dtype : test::kAllDTypes) {
    for (const Reduction reduction : test::reductions_of(dtype)) {
      exchanges.emplace_back(CollectiveKind::all_reduce, reduction, dtype, ranks,
                             std::vector{257L});
      exchanges.emplace_back(CollectiveKind::reduce_scatter, reduction, dtype, ranks,
                             std::vector{99L});
    }
  }
  for (const Reduction reduction : test::reductions_of(DType::bf16)) {
    exchanges.emplace_back(CollectiveKind::all_reduce, reduction, DType::bf16, ranks,
                           std::vector{40'000L});
  }
  run_exchanges(ranks, std::move(exchanges));
}

TEST_P(LocalCollectives, Lists) {
  const int ranks = GetParam();
  std::vector<Exchange> exchanges;
  for (const CollectiveKind kind : kTensorKinds) {
    exchanges.emplace_back(kind, Reduction::sum, DType::f32, ranks, std::vector{3L, 0L, 100L});
    exchanges.emplace_back(kind, Reduction::mean, DType::f16, ranks,
                           std::vector{9L, 30'000L, 0L, 1L, 20'000L});
  }
  run_exchanges(ranks, std::move(exchanges));
}

INSTANTIATE_TEST_SUITE_P(Ranks, LocalCollectives, testing::Range(1, 9));

TEST(Local, EveryRankMayBeTheRoot) {
  run_ranks_well(3, [](LocalBackend& backend) {
    const auto world = backend.communicator({0, 1, 2}, "world");
    for (int root = 0; root < 3; ++root) {
      const std::vector<float> operand{static_cast<float>(10 * backend.rank())};
      std::vector<float> result;
      CollectiveCall call = all_reduce_call(operand, result);
      call.kind = CollectiveKind::broadcast;
      call.root = root;
      if (root != world->position()) call.parts[0].operand = nullptr;  // nobody reads it
      world->start(call)->wait();
      EXPECT_EQ(result[0], static_cast<float>(10 * root));
      // Our operand lies on this loop's stack: peers have to be done with it.
      world->wait_released(static_cast<std::uint64_t>(root) + 1);
    }
  });
}

TEST(Local, TheMembersOrderIsTheOrderOfTheGroup) {
  std::vector<std::vector<float>> operands = {{0}, {1}, {2}};
  std::vector<std::vector<float>> results(3);
  run_ranks_well(3, [&](LocalBackend& backend) {
    const auto group = backend.communicator({2, 0, 1}, "turned");
    const auto rank = static_cast<std::size_t>(backend.rank());
    results[rank].resize(3);
    CollectiveCall call{
        .kind = CollectiveKind::all_gather,
        .parts = {
            {.operand = operands[rank].data(), .result = results[rank].data(), .elements = 1}}};
    group->start(call)->wait();
    EXPECT_EQ(results[rank], (std::vector<float>{2, 0, 1}));
  });
}

// In place: the result is the operand.
TEST(Local, InPlace) {
  for (const std::size_t elements : {3UL, 100'000UL}) {
    std::vector<std::vector<float>> values;
    for (float rank = 0; rank < 4; ++rank) values.emplace_back(elements, rank + 1);
    run_ranks_well(4, [&](LocalBackend& backend) {
      const auto world = backend.communicator(first_ranks(4), "world");
      std::vector<float>& own = values[static_cast<std::size_t>(backend.rank())];
      CollectiveCall call = all_reduce_call(own, own);
      world->start(call)->wait();
      call.kind = CollectiveKind::broadcast;
      call.root = 2;
      world->start(call)->wait();
    });
    for (const auto& value : values) EXPECT_EQ(value, std::vector<float>(elements, 10));
  }
}

TEST(Local, AResultMayOverlapItsOperandInAnyWay) {
  // Each rank's part of a reduce_scatter goes over its own operand, a gathered one around it.
  std::vector<std::vector<float>> values(2, {1, 2, 3, 4});
  run_ranks_well(2, [&](LocalBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    float* own = values[static_cast<std::size_t>(backend.rank())].data();
    CollectiveCall scatter{
        .kind = CollectiveKind::reduce_scatter,
        .parts = {{.operand = own, .result = own, .elements = 4, .axis_size = 4}}};
    world->start(scatter)->wait();
    CollectiveCall gather{
        .kind = CollectiveKind::all_gather,
        .parts = {{.operand = own, .result = own, .elements = 2, .axis_size = 2}}};
    world->start(gather)->wait();
  });
  for (const auto& value : values) EXPECT_EQ(value, (std::vector<float>{2, 4, 6, 8}));
}

TEST(Local, AGroupOfOneCopies) {
  run_ranks_well(2, [](LocalBackend& backend) {
    const auto alone = backend.communicator({backend.rank()}, "alone");
    const std::vector<float> operand{1, 2, 3};
    std::vector<float> result;
    const auto work = alone->start(all_reduce_call(operand, result));
    EXPECT_EQ(result, operand);
    EXPECT_TRUE(work->test());
    EXPECT_EQ(work->sequence(), 0U);
    alone->start(barrier_call())->wait();
  });
}

TEST(Local, ABarrierHoldsUntilAllHaveCome) {
  std::atomic<int> came{0};
  run_ranks_well(6, [&](LocalBackend& backend) {
    const auto world = backend.communicator(first_ranks(6), "world");
    for (int round = 1; round <= 50; ++round) {
      came.fetch_add(1);
      const auto barrier = world->start(barrier_call());
      EXPECT_EQ(barrier->sequence(), static_cast<std::uint64_t>(round));
      barrier->wait();
      EXPECT_GE(came.load(), 6 * round);
    }
  });
}

TEST(Local, AskingForTheSameGroupGivesTheSameEnd) {
  LocalBackend backend(std::make_shared<LocalFabric>(3), 1);
  const auto group = backend.communicator({0, 1}, "dp");
  EXPECT_EQ(backend.communicator({0, 1}, "dp"), group);
  EXPECT_NE(backend.communicator({0, 1}, "tp"), group);
  EXPECT_EQ(group->position(), 1);
  EXPECT_EQ(group->size(), 2);
  EXPECT_THROW(backend.communicator({0, 2}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({1, 1}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({1, 3}, "dp"), UsageError);
  EXPECT_THROW(backend.communicator({}, "dp"), UsageError);
}

TEST(Local, CallsWithoutMeaningAreRefusedBeforeTheyCount) {
  LocalBackend backend(std::make_shared<LocalFabric>(2), 0);
  const auto group = backend.communicator({0, 1}, "dp");
  const std::vector<float> operand(3);
  std::vector<float> result;
  CollectiveCall call = all_reduce_call(operand, result);
  call.reduction = Reduction::bit_xor;
  EXPECT_THROW(group->start(call), TypeError);
  call.kind = CollectiveKind::reduce_scatter;
  call.reduction = Reduction::sum;
  call.parts[0].axis_size = 3;
  EXPECT_THROW(group->start(call), TypeError);
  call.kind = CollectiveKind::broadcast;
  call.root = 2;
  EXPECT_THROW(group->start(call), TypeError);
  EXPECT_EQ(group->start(barrier_call())->sequence(), 1U);
}

}  // namespace
}  // namespace tutti::runtime

#include "tests/lazy/lazy_testing.h"

// Messages from rank to rank, in programs that differ from rank to rank.
namespace tutti::test::point_to_point_test {
namespace {

constexpr SimulateOptions kQuickly = {.threads = 0, .timeout = std::chrono::seconds(20)};

TEST(PointToPoint, OneSendsAndTheOtherReceives) {
  simulate(3, [](World& world) {
    if (world.rank() == 0) {
      send(tensor({1.F, 2.F}), world, 2);
    } else if (world.rank() == 2) {
      const AsyncTensor x = recv({2}, DType::f32, world, 0);
      EXPECT_THAT(describe(x), testing::HasSubstr("async f32[2] from recv over world"));
      EXPECT_EQ((x * 2.F).to_vector<float>(), Floats({2, 4}));
    }
    // The group's own collectives are not disturbed.
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 3);
  });
}

TEST(PointToPoint, MessagesOfAPairComeInTheirOrder) {
  for (const bool eager : {false, true}) {
    simulate(
        2,
        [&](World& world) {
          world.set_eager(eager);
          const std::int64_t peer = 1 - world.rank();
          for (int i = 0; i < 100; ++i) {
            const auto number = static_cast<float>(i);
            // Either order; nobody waits before it looks.
            if (i % 2 == 0) send(tensor({number}), world, peer);
            const AsyncTensor x = recv({1}, DType::f32, world, peer);
            if (i % 2 != 0) send(tensor({number}), world, peer);
            send(tensor({i}), world, peer);
            EXPECT_EQ(x.item<float>(), number);
            EXPECT_EQ(recv({1}, DType::i32, world, peer).item<std::int32_t>(), i);
          }
        },
        kQuickly);
  }
}

TEST(PointToPoint, WhatIsReceivedFirstDoesNotHoldUpWhatIsSent) {
  for (const bool compiled : {false, true}) {
    simulate(
        2,
        [&](World& world) {
          const std::int64_t peer = 1 - world.rank();
          const auto swap = [&](const Tensor& x) {
            const AsyncTensor other = recv({2}, DType::f32, world, peer);
            const Tensor own = x * 2.F;
            send(own, world, peer);
            return own + other;
          };
          const auto early = [&](const Tensor& x) {
            const Tensor own = x * 3.F;
            const AsyncTensor other = recv({2}, DType::f32, world, peer);
            send(x, world, peer);
            return own + other;
          };
          const Tensor x = full({2}, static_cast<float>(world.rank() + 1));
          EXPECT_EQ((compiled ? compile(swap)(x) : swap(x)).to_vector<float>(), Floats({6, 6}));
          const auto one = static_cast<float>(world.rank() == 0 ? 5 : 7);
          EXPECT_EQ((compiled ? compile(early)(x) : early(x)).to_vector<float>(),
                    Floats({one, one}));
        },
        kQuickly);
  }
}

TEST(PointToPoint, AMessageNobodyLooksAtTakesPlaceAllTheSame) {
  simulate(
      2,
      [](World& world) {
        if (world.rank() == 0) {
          send(tensor({1.F}), world, 1);
          send(tensor({2.F}), world, 1);
        } else {
          recv({1}, DType::f32, world, 0);
          EXPECT_EQ(recv({1}, DType::f32, world, 0).item<float>(), 2);
        }
      },
      kQuickly);
}

// Stage r adds r to what comes and hands it on; compiled, with nothing but messages going around.
TEST(PointToPoint, APipelineOfCompiledStages) {
  simulate(
      4,
      [](World& world) {
        const int rank = world.rank();
        auto stage = compile([&](const Tensor& x) {
          const Tensor in = rank == 0 ? x : Tensor(recv({2}, DType::f32, world, rank - 1));
          const Tensor out = in + static_cast<float>(rank);
          if (rank + 1 < world.size()) send(out, world, rank + 1);
          return out;
        });
        for (int i = 0; i < 5; ++i) {
          const auto number = static_cast<float>(i);
          EXPECT_EQ(stage(tensor({number, 0.F})).to_vector<float>()[0],
                    number + static_cast<float>(rank * (rank + 1) / 2));
        }
        EXPECT_EQ(stage.programs(), 1U);
      },
      kQuickly);
}

class Ring : public testing::TestWithParam<int> {};

TEST_P(Ring, ABatchIsStartedBeforeAnyOfItIsWaitedFor) {
  const int ranks = GetParam();
  simulate(
      ranks,
      [&](World& world) {
        const std::int64_t next = (world.rank() + 1) % ranks;
        const std::int64_t previous = (world.rank() + ranks - 1) % ranks;
        const auto rank = static_cast<float>(world.rank());
        const auto exchange = [&](const Tensor& x) {
          const std::vector<AsyncTensor> got = batch_send_recv(
              {{x, next}, {cast(x, DType::i32), previous}, {x + 0.5F, next}},
              {{{1}, DType::f32, previous}, {{1}, DType::i32, next}, {{1}, DType::f32, previous}},
              world);
          return std::vector<Tensor>(got.begin(), got.end());
        };
        const auto expect_right = [&](const std::vector<Tensor>& got) {
          EXPECT_EQ(got[0].item<float>(), static_cast<float>(previous));
          EXPECT_EQ(got[1].item<std::int32_t>(), next);
          EXPECT_EQ(got[2].item<float>(), static_cast<float>(previous) + 0.5F);
        };
        expect_right(exchange(tensor({rank})));
        auto compiled = compile(exchange);
        expect_right(compiled(tensor({rank})));
        expect_right(compiled(tensor({rank})));
        world.set_eager(true);
        expect_right(exchange(tensor({rank})));
      },
      kQuickly);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Ring, testing::Values(2, 3, 4, 5));

TEST(PointToPoint, PositionsAreThoseOfTheGroup) {
  simulate(4, [](World& world) {
    const Group reversed({3, 2, 1, 0});
    const std::int64_t position = 3 - world.rank();
    if (position % 2 == 0) {
      send(full({}, static_cast<float>(world.rank())), reversed, position + 1);
    } else {
      EXPECT_EQ(recv({}, DType::f32, reversed, position - 1).item<float>(),
                static_cast<float>(world.rank() + 1));
    }
  });
}

// More messages than a rank can have under way: 64 of a pair.
TEST(PointToPoint, SendingWaitsForNothingHoweverManyThereAre) {
  constexpr std::int64_t kMessages = 200;
  simulate(2, [](World& world) {
    const std::int64_t peer = 1 - world.rank();
    // Both send first, and receive in the end.
    for (std::int64_t i = 0; i < kMessages; ++i) send(full({2}, float(i)), world, peer);
    std::vector<Tensor> received;
    for (std::int64_t i = 0; i < kMessages; ++i) {
      received.emplace_back(recv({2}, DType::f32, world, peer));
    }
    for (std::int64_t i = 0; i < kMessages; ++i) {
      EXPECT_EQ(received[static_cast<std::size_t>(i)].to_vector<float>()[1], float(i));
    }
    // The other rank turns to the messages after a collective.
    if (world.rank() == 0) {
      for (std::int64_t i = 0; i < kMessages; ++i) send(full({2}, float(i)), world, 1);
    }
    EXPECT_EQ(Tensor(all_reduce(full({1}, 1.F), world)).item<float>(), 2);
    for (std::int64_t i = 0; world.rank() == 1 && i < kMessages; ++i) {
      EXPECT_EQ(Tensor(recv({2}, DType::f32, world, 0)).to_vector<float>()[0], float(i));
    }
    // And before one.
    AsyncTensor sum = all_reduce(full({1}, 1.F), world);
    if (world.rank() == 0) {
      for (std::int64_t i = 0; i < kMessages; ++i) send(full({2}, float(i)), world, 1);
    } else {
      for (std::int64_t i = 0; i < kMessages; ++i) {
        EXPECT_EQ(Tensor(recv({2}, DType::f32, world, 0)).to_vector<float>()[0], float(i));
      }
    }
    EXPECT_EQ(Tensor(sum).item<float>(), 2);
  });
}

TEST(PointToPoint, AbortOfTheGroupFreesWhoReceives) {
  EXPECT_THAT(
      [] {
        simulate(2, [](World& world) {
          const Group group(world);
          if (world.rank() == 1) {
            group.abort("the operator said so");
            return;
          }
          Tensor(recv({2}, DType::f32, group, 1)).to_vector<float>();
        });
      },
      testing::ThrowsMessage<CommError>(testing::HasSubstr("the operator said so")));
}

TEST(PointToPoint, ErrorsNameTheLineOfTheMessage) {
  const unsigned line = std::source_location::current().line() + 8;
  const auto body = [](World& world) {
    // After a batch, whose messages are several of the plan's steps.
    const std::int64_t peer = 1 - world.rank();
    const Tensor x = tensor({1.F});
    batch_send_recv({{x, peer}, {x, peer}}, {{{1}, DType::f32, peer}, {{1}, DType::f32, peer}},
                    world);
    if (world.rank() == 0) {
      send(zeros({2}), world, 1);
    } else {
      eval(recv({3}, DType::f32, world, 0));
    }
  };
  const std::string file = "point_to_point_test.cpp:";
  EXPECT_THAT(
      [&] { simulate(2, body, kQuickly); },
      testing::ThrowsMessage<CommError>(testing::AllOf(
          testing::HasSubstr("collective #3 of group \"world [0,1] messages\""),
          testing::HasSubstr("send f32[2] to rank 1 (" + file + std::to_string(line)),
          testing::HasSubstr("recv f32[3] from rank 0 (" + file + std::to_string(line + 2)))));
}

TEST(PointToPoint, PositionsThatMakeNoSenseAreRefused) {
  simulate(2, [](World& world) {
    const Tensor x = zeros({2});
    expect_error<TypeError>([&] { send(x, world, 2); }, {"send: to 2 is not in 0..1"});
    expect_error<TypeError>([&] { recv({2}, DType::f32, world, -1); }, {"recv: from -1"});
    expect_error<TypeError>([&] { send(x, world, world.rank()); },
                            {"this rank itself", "use collective_permute"});
    expect_error<TypeError>([&] { batch_send_recv({{x, world.rank()}}, {}, world); },
                            {"batch_send_recv", "this rank itself"});
    if (world.rank() == 0) {
      expect_error<UsageError>([&] { send(x, Group({1}), 0); }, {"does not include this rank"});
    }
  });
}

}  // namespace
}  // namespace tutti::test::point_to_point_test

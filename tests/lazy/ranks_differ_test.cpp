#include <cmath>
#include <thread>

#include "tests/lazy/lazy_testing.h"

// Ranks that look at different things, fail, or disagree: a right result or an error on every rank,
// never a hang.
namespace tutti::test::ranks_differ_test {
namespace {

constexpr SimulateOptions kQuickly = {.threads = 0, .timeout = std::chrono::seconds(20)};

TEST(RanksDiffer, OneRankAloneReadsOrPrints) {
  for (const int reader : {0, 1, 2}) {
    simulate(
        3,
        [&](World& world) {
          Tensor x = tensor({static_cast<float>(world.rank() + 1)});
          for (int step = 0; step < 5; ++step) {
            x = all_reduce(x, world, Reduce::mean) + 1.F;
            if (world.rank() == reader) {
              std::ostringstream text;
              text << x;
              EXPECT_EQ(text.str(), "f32[1] [" + std::to_string(3 + step) + "]");
            }
          }
          if (world.rank() != reader) return;
          EXPECT_EQ(x.item<float>(), 7);
        },
        kQuickly);
  }
}

TEST(RanksDiffer, EveryRankReadsSomethingElse) {
  simulate(
      3,
      [](World& world) {
        const Tensor x = tensor({static_cast<float>(world.rank())});
        const AsyncTensor first = all_reduce(x, world);
        const AsyncTensor second = all_reduce(x * 10.F, world);
        const AsyncTensor third = all_gather(x, world);
        if (world.rank() == 0) {
          EXPECT_EQ(third.to_vector<float>(), Floats({0, 1, 2}));
        }
        if (world.rank() == 1) {
          EXPECT_EQ(first.item<float>(), 3);
        }
        if (world.rank() == 2) {
          EXPECT_EQ((second + first).item<float>(), 33);
        }
        EXPECT_EQ(all_reduce(first, world).item<float>(), 9);
      },
      kQuickly);
}

// What takes place on each rank alone is no call that is counted.
TEST(RanksDiffer, ErrorsNameTheLineBehindCollectivesOfOneRank) {
  unsigned line = 0;
  try {
    simulate(
        2,
        [&](World& world) {
          const Tensor x = tensor({1.F, 2.F});
          const Tensor own = Tensor(all_reduce(x, Group({world.rank()}))) + 1.F;
          const Tensor part = slice(own, {{0, world.rank() + 1}});
          if (world.rank() == 0) line = std::source_location::current().line() + 1;
          const Tensor total = all_reduce(part, world);
          total.to_vector<float>();
        },
        kQuickly);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("ranks_differ_test.cpp:" + std::to_string(line)));
  }
}

TEST(RanksDiffer, OneRankIsEager) {
  simulate(
      2,
      [](World& world) {
        world.set_eager(world.rank() == 1);
        Tensor x = tensor({1.F});
        for (int i = 0; i < 10; ++i) x = all_reduce(x, world) * 0.5F + 1.F;
        EXPECT_EQ(x.item<float>(), 11);
      },
      kQuickly);
}

TEST(RanksDiffer, OneRankCompilesAndTheOtherDoesNot) {
  simulate(
      2,
      [](World& world) {
        const auto body = [&](const Tensor& x) -> Tensor {
          return all_reduce(exp(x), world) + 1.F;
        };
        auto compiled = compile(body);
        for (int i = 0; i < 3; ++i) {
          const Tensor x = tensor({static_cast<float>(world.rank())});
          const Tensor y = world.rank() == 0 ? compiled(x) : body(x);
          EXPECT_FLOAT_EQ(y.item<float>(), 2 + std::exp(1.F));
        }
      },
      kQuickly);
}

TEST(RanksDiffer, ALateRankStillTakesPart) {
  simulate(
      2,
      [](World& world) {
        const AsyncTensor total = all_reduce(tensor({1.F}), world);
        if (world.rank() == 1)
          return;  // evaluates nothing: closing its world issues what it recorded
        EXPECT_EQ(total.item<float>(), 2);
      },
      kQuickly);
}

TEST(RanksDiffer, ARankThatOnlyTracesDoesNotHoldUpItsPeer) {
  simulate(
      2,
      [](World& world) {
        const AsyncTensor total = all_reduce(tensor({1.F}), world);
        if (world.rank() == 0) {
          EXPECT_EQ(total.item<float>(), 2);
          return;
        }
        // Goes on recording until the peer has what it waits for.
        Tensor x = tensor({0.F});
        for (int i = 0; i < 1000; ++i) x = x + 1.F;
        EXPECT_EQ(x.item<float>(), 1000);
      },
      kQuickly);
}

// ---- Mistakes

// What each rank throws, as "type: message".
std::vector<std::string> thrown_by_ranks(int ranks, const std::function<void(World&)>& body,
                                         SimulateOptions options = kQuickly) {
  std::vector<std::string> out(static_cast<std::size_t>(ranks));
  try {
    simulate(
        ranks,
        [&](World& world) {
          std::string& mine = out[static_cast<std::size_t>(world.rank())];
          try {
            body(world);
            world.close();
          } catch (const CommError& error) {
            mine = std::string("CommError: ") + error.what();
            throw;
          } catch (const std::exception& error) {
            mine = std::string("other: ") + error.what();
            throw;
          }
        },
        options);
  } catch (const std::exception&) {
  }
  return out;
}

TEST(Mistakes, DifferentCollectivesAreAnErrorOnEveryRankWithBothLines) {
  unsigned sum_line = 0;
  unsigned gather_line = 0;
  const std::vector<std::string> thrown = thrown_by_ranks(2, [&](World& world) {
    const Tensor x = tensor({1.F, 2.F});
    if (world.rank() == 0) {
      sum_line = __LINE__ + 1;
      all_reduce(x, world).to_vector<float>();
    } else {
      gather_line = __LINE__ + 1;
      all_gather(x, world).to_vector<float>();
    }
  });
  for (const std::string& message : thrown) {
    EXPECT_THAT(message,
                testing::AllOf(testing::StartsWith("CommError: "), testing::HasSubstr("all_reduce"),
                               testing::HasSubstr("all_gather"), testing::HasSubstr("world"),
                               testing::HasSubstr("cpp:" + std::to_string(sum_line)),
                               testing::HasSubstr("cpp:" + std::to_string(gather_line))));
  }
}

TEST(Mistakes, DifferentShapesDTypesReductionsAndRootsAreErrors) {
  const std::vector<std::function<Tensor(World&)>> mistakes = {
      [](World& world) -> Tensor { return all_reduce(zeros({2 + world.rank()}), world); },
      [](World& world) -> Tensor {
        return all_reduce(zeros({2}, world.rank() == 0 ? DType::f32 : DType::i32), world);
      },
      [](World& world) -> Tensor {
        return all_reduce(zeros({2}), world, world.rank() == 0 ? Reduce::sum : Reduce::max);
      },
      [](World& world) -> Tensor { return broadcast(zeros({2}), world, world.rank()); },
  };
  for (const auto& mistake : mistakes) {
    for (const std::string& message :
         thrown_by_ranks(2, [&](World& world) { eval(mistake(world)); })) {
      EXPECT_THAT(message, testing::AllOf(testing::StartsWith("CommError: "),
                                          testing::HasSubstr("ranks_differ_test.cpp")));
    }
  }
}

TEST(Mistakes, ACollectiveTooFewIsAnError) {
  const std::vector<std::string> thrown = thrown_by_ranks(2, [](World& world) {
    const Tensor x = tensor({1.F});
    all_reduce(x, world);
    if (world.rank() == 0) all_reduce(x, world).item<float>();
  });
  EXPECT_THAT(thrown[0],
              testing::AllOf(testing::StartsWith("CommError: "), testing::HasSubstr("rank 1"),
                             testing::HasSubstr("ranks_differ_test.cpp")));
}

TEST(Mistakes, AnExceptionOnOneRankAbortsTheOthersAndIsRethrownWithItsRank) {
  expect_error<TypeError>(
      [] {
        simulate(
            3,
            [](World& world) {
              const AsyncTensor total = all_reduce(tensor({1.F}), world);
              if (world.rank() == 1) matmul(zeros({2, 3}), zeros({2, 3}));
              total.item<float>();
              barrier(world);
            },
            kQuickly);
      },
      {"rank 1: ", "matmul", "ranks_differ_test.cpp"}, kNowhere);
}

TEST(Mistakes, AnotherLibrarysExceptionComesOutAsItIs) {
  EXPECT_THROW(simulate(
                   2,
                   [](World& world) {
                     if (world.rank() == 0) throw std::out_of_range("mine");
                     barrier(world);
                   },
                   kQuickly),
               std::out_of_range);
}

TEST(Mistakes, ARankThatNeverComesIsATimeOut) {
  SimulateOptions soon = kQuickly;
  soon.timeout = std::chrono::milliseconds(100);
  std::atomic<bool> gave_up = false;
  const std::vector<std::string> thrown = thrown_by_ranks(
      2,
      [&](World& world) {
        if (world.rank() == 1) {
          while (!gave_up) std::this_thread::yield();
          return;
        }
        try {
          all_reduce(tensor({1.F}), world).item<float>();
        } catch (...) {
          gave_up = true;
          throw;
        }
      },
      soon);
  EXPECT_THAT(thrown[0],
              testing::AllOf(testing::StartsWith("CommError: "), testing::HasSubstr("all_reduce"),
                             testing::HasSubstr("rank 1")));
}

// ---- What a failure leaves

TEST(Mistakes, AFailureLosesOnlyWhatNeedsACollective) {
  simulate(
      2,
      [](World& world) {
        const Group broken({0, 1}, "broken");
        const Tensor local = tensor({1.F}) * 3.F + 1.F;
        const Tensor common = local + 1.F;
        const AsyncTensor lost =
            world.rank() == 0 ? all_reduce(common, broken) : all_gather(common, broken);
        const Tensor lost_too = sum(lost) + local;
        for (const Tensor& tensor : {lost.wait(), lost_too, lost_too + 1.F}) {
          EXPECT_THAT([&] { tensor.to_vector<float>(); },
                      testing::ThrowsMessage<CommError>(testing::HasSubstr("does not match")));
        }
        EXPECT_EQ((common + local).item<float>(), 9);
        EXPECT_EQ(all_reduce(common, Group({0, 1}, "other")).item<float>(), 10);
      },
      kQuickly);
}

// Rank 0 never comes to start a collective, which rank 1 must not take its next one for.
TEST(Mistakes, WhatAFailedEvaluationDidNotStartFailsOnThePeersToo) {
  std::atomic<bool> recorded = false;
  simulate(
      2,
      [&](World& world) {
        const Group broken({0, 1}, "broken");
        const Group whole = Group({0, 1}, "whole").named("call");
        const Tensor x = tensor({1.F});
        if (world.rank() == 0) {
          const Tensor waits = all_reduce(x, broken) + 1.F;
          const Tensor second = all_reduce(waits, broken);
          all_reduce(waits, whole);
          recorded = true;
          EXPECT_THROW(second.item<float>(), CommError);
          expect_error<CommError>([&] { all_reduce(x * 10.F, whole).item<float>(); },
                                  {"\"whole\"", "rank 0 did not start all_reduce sum f32[1]"});
        } else {
          while (!recorded) std::this_thread::yield();
          EXPECT_THROW(all_gather(x, broken).to_vector<float>(), CommError);
          expect_error<CommError>([&] { all_reduce(x, whole).item<float>(); },
                                  {"rank 0 did not start all_reduce sum f32[1]"});
        }
      },
      kQuickly);
}

TEST(Mistakes, AGroupWithoutThisRankIsRefused) {
  for (const std::string& message : thrown_by_ranks(2, [](World& world) {
         if (world.rank() == 1) all_reduce(tensor({1.F}), Group({0})).item<float>();
       })) {
    if (message.empty()) continue;
    EXPECT_THAT(message,
                testing::AllOf(testing::StartsWith("other: "), testing::HasSubstr("this rank, 1")));
  }
}

TEST(Mistakes, SimulateNeedsARank) {
  expect_error<UsageError>([] { simulate(0, [](World&) {}); }, {"0 ranks"});
  expect_error<UsageError>([] { simulate(1'000'000, [](World&) {}); }, {"at most 4096"});
  expect_error<UsageError>([] { simulate(2, [](World&) {}, {.threads = -1}); }, {"threads"});
}

TEST(Mistakes, TheEnvironmentIsChecked) {
  const auto with = [](const char* size, const char* rank) {
    ::setenv("WORLD_SIZE", size, 1);
    ::setenv("RANK", rank, 1);
    const auto restore = [](int*) {
      ::unsetenv("WORLD_SIZE");
      ::unsetenv("RANK");
    };
    int dummy = 0;
    const std::unique_ptr<int, decltype(restore)> guard(&dummy, restore);
    init();
  };
  expect_error<EnvironmentError>([&] { with("two", "0"); }, {"WORLD_SIZE", "two", "number"},
                                 kNowhere);
  expect_error<EnvironmentError>([&] { with("1", "1"); }, {"RANK is 1", "WORLD_SIZE 1"}, kNowhere);
  expect_error<EnvironmentError>([&] { with("2", "0"); }, {"MASTER_PORT"}, kNowhere);
  with("1", "0");
}

}  // namespace
}  // namespace tutti::test::ranks_differ_test

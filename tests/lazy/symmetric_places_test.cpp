// Operands of collectives that lie at the same places in every run: whatever the ranks run one
// after the other, and however far one is ahead, everybody reads what was written for him.

#include <atomic>
#include <numeric>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::symmetric_places_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The lines of a plan that say where symmetric buffers lie, and of its head what they take.
std::string places_in(const std::string& plan) {
  std::string out;
  for (std::size_t begin = 0; begin < plan.size();) {
    const std::size_t end = plan.find('\n', begin);
    const std::string line = plan.substr(begin, end - begin);
    if (line.find("symmetric at") != line.npos) out += line + "\n";
    if (line.starts_with("plan ")) out += line.substr(line.find("arena")) + "\n";
    begin = end + 1;
  }
  return out;
}

Tensor small(World& world, float number) {
  return from(std::vector<float>(8, number + static_cast<float>(world.rank())), {8});
}

TEST(SymmetricPlaces, AreTheSameOnAllRanksWhateverRanBefore) {
  constexpr int kRanks = 3;
  std::vector<std::string> places(kRanks);
  simulate(kRanks, [&](World& world) {
    auto step = compile([&](const Tensor& x) {
      const Tensor sum = all_reduce(x * 2, world, Reduce::sum);
      const Tensor parts = all_gather(sum + x, world, 0);
      return Tensor(reduce_scatter(parts * parts, world, Reduce::sum, 0));
    });
    // One rank has run something else.
    if (world.rank() == 1) {
      auto other = compile([](const Tensor& x) { return exp(x) * 2; });
      eval(other(small(world, 1)));
    }
    for (int run = 0; run < 3; ++run) eval(step(small(world, 1)));
    places[static_cast<std::size_t>(world.rank())] = places_in(step.plan());
  });
  EXPECT_THAT(places[0], HasSubstr("symmetric at"));
  EXPECT_EQ(places[1], places[0]);
  EXPECT_EQ(places[2], places[0]);
}

TEST(SymmetricPlaces, ARankThatIsAheadOverwritesNothing) {
  constexpr int kRanks = 4;
  simulate(kRanks, [](World& world) {
    auto step = compile([&](const Tensor& x) {
      // Three calls at one place.
      Tensor y = x;
      for (int i = 0; i < 3; ++i) y = Tensor(all_reduce(y * 0.5F, world, Reduce::sum)) + x;
      return y;
    });
    for (int run = 0; run < 200; ++run) {
      const auto number = static_cast<float>(run);
      const std::vector<float> y = step(small(world, number)).to_vector<float>();
      float expected = 0;
      // By rank: y is sum(y) / 2 + x.
      std::vector<float> all(kRanks);
      std::iota(all.begin(), all.end(), number);
      std::vector<float> now = all;
      for (int i = 0; i < 3; ++i) {
        float sum = 0;
        for (const float each : now) sum += each * 0.5F;
        for (std::size_t rank = 0; rank < now.size(); ++rank) now[rank] = sum + all[rank];
      }
      expected = now[static_cast<std::size_t>(world.rank())];
      ASSERT_EQ(y, std::vector<float>(8, expected)) << "run " << run;
    }
  });
}

TEST(SymmetricPlaces, ProgramsUseTheirGroupsMemoryByTurns) {
  simulate(3, [](World& world) {
    const auto sum = [&](const Tensor& x) { return Tensor(all_reduce(x, world, Reduce::sum)); };
    auto first = compile([&](const Tensor& x) { return sum(x * 2) + sum(x * 3); });
    auto second = compile([&](const Tensor& x) { return sum(x * 5) * sum(x + 1); });
    for (int run = 0; run < 60; ++run) {
      const auto number = static_cast<float>(run);
      const float all = 3 * number + 3;  // of the ranks' numbers
      EXPECT_EQ(first(small(world, number)).to_vector<float>()[3], 5 * all);
      if (run % 3 != 0) {
        EXPECT_EQ(second(small(world, number)).to_vector<float>()[5], 5 * all * (all + 3));
      }
      // Op by op, too.
      EXPECT_EQ(sum(small(world, number) * 4).to_vector<float>()[0], 4 * all);
    }
  });
}

TEST(SymmetricPlaces, ARankWithAShorterBatchNeedsNoAgreement) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) {
      const Tensor mean = sum(x * x, {0});  // of the batch
      return Tensor(all_reduce(mean, world, Reduce::sum)) +
             all_reduce(mean * 2, world, Reduce::sum);
    });
    for (int run = 0; run < 20; ++run) {
      const bool is_short = run == 7 && world.rank() == 1;
      const std::int64_t batch = is_short ? 3 : 5;
      const Tensor x = from(std::vector<float>(static_cast<std::size_t>(batch * 4), 1), {batch, 4});
      const float of_both = run == 7 ? 5 + 3 : 5 + 5;
      EXPECT_THAT(step(x).to_vector<float>(),
                  ElementsAre(3 * of_both, 3 * of_both, 3 * of_both, 3 * of_both));
    }
  });
}

TEST(SymmetricPlaces, ACompiledRankMeetsOneThatRunsOpByOp) {
  simulate(2, [](World& world) {
    const auto body = [&](const Tensor& x) {
      const Tensor sum = all_reduce(x * 2, Group(world).named("sum"), Reduce::sum);
      return Tensor(all_reduce(sum * x, Group(world).named("product"), Reduce::sum));
    };
    auto step = compile(body);
    for (int run = 0; run < 30; ++run) {
      const auto number = static_cast<float>(run);
      const Tensor x = small(world, number);
      const Tensor y = world.rank() == 0 ? step(x) : body(x);
      const float all = 2 * number + 1;
      EXPECT_EQ(y.to_vector<float>()[2], 2 * all * all);
    }
  });
}

TEST(SymmetricPlaces, GroupsThatOverlapHaveMemoryOfTheirOwn) {
  simulate(3, [](World& world) {
    const Group low({0, 1}, "low");
    const Group high({1, 2}, "high");
    auto step = compile([&](const Tensor& x) {
      Tensor y = x;
      if (world.rank() < 2) y = Tensor(all_reduce(y * 2, low, Reduce::sum));
      if (world.rank() > 0) y = Tensor(all_reduce(y * 3, high, Reduce::sum));
      return y;
    });
    for (int run = 0; run < 40; ++run) {
      const auto number = static_cast<float>(run);
      const float of_low = 2 * (2 * number + 1);
      const float of_high = 3 * (of_low + number + 2);
      const float y = step(small(world, number)).to_vector<float>()[0];
      EXPECT_EQ(y, world.rank() == 0 ? of_low : of_high);
    }
  });
}

TEST(SymmetricPlaces, AGroupThatIsWrittenInTwoWaysHasOneMemory) {
  simulate(4, [](World& world) {
    const Group halves({{0, 1}, {2, 3}});
    const Group low({0, 1});
    auto step = compile([&](const Tensor& x) {
      AsyncTensor doubled = all_reduce(x * 2, halves, Reduce::sum);
      if (world.rank() > 1) return Tensor(doubled);
      AsyncTensor tripled = all_reduce(x * 3, low, Reduce::sum);
      return Tensor(doubled) + Tensor(tripled);
    });
    for (int run = 0; run < 20; ++run) {
      const auto number = static_cast<float>(run);
      const float y = step(small(world, number)).to_vector<float>()[4];
      EXPECT_EQ(y, world.rank() < 2 ? 5 * (2 * number + 1) : 2 * (2 * number + 5));
    }
  });
}

TEST(SymmetricPlaces, InLoopsEachIterationWaitsForTheOneBefore) {
  simulate(4, [](World& world) {
    for (const std::int64_t steps : {3, 1500}) {  // walked, and in native code
      auto loop = compile([&](const Tensor& x) {
        return for_loop(
            steps,
            [&](const Tensor&, const Tensor& each) {
              return Tensor(all_reduce(each * 0.25F, world, Reduce::sum)) + x;
            },
            x);
      });
      for (int run = 0; run < 3; ++run) {
        std::vector<float> now = {1, 2, 3, 4};
        for (std::int64_t step = 0; step < steps; ++step) {
          float sum = 0;
          for (const float each : now) sum += each * 0.25F;
          for (std::size_t rank = 0; rank < now.size(); ++rank) {
            now[rank] = sum + static_cast<float>(rank + 1);
          }
        }
        EXPECT_EQ(loop(small(world, 1)).to_vector<float>()[1],
                  now[static_cast<std::size_t>(world.rank())]);
      }
      EXPECT_THAT(loop.plan(), HasSubstr("symmetric at"));
    }
  });
}

// A rank that drops a program, and with it its memory, while a peer has not read it yet.
TEST(SymmetricPlaces, OutliveTheirProgramUntilEverybodyIsDone) {
  std::atomic<int> gone = 0;
  simulate(2, [&](World& world) {
    for (int run = 0; run < 20; ++run) {
      const auto number = static_cast<float>(run);
      AsyncTensor later = [&] {
        auto step = compile([&](const Tensor& x) {
          const Tensor first = all_reduce(x * 2, world, Reduce::sum);
          return all_gather(first + x, world, 0);
        });
        return step(small(world, number));
      }();
      ++gone;
      // Memory of that size is used for something else.
      const std::vector<float> other = (small(world, 100) * 3).to_vector<float>();
      EXPECT_EQ(other[0], 300 + 3 * static_cast<float>(world.rank()));
      const float sum = 2 * (2 * number + 1);
      const std::vector<float> got = Tensor(later).to_vector<float>();
      EXPECT_EQ(got[0], sum + number);
      EXPECT_EQ(got[8], sum + number + 1);
    }
  });
  EXPECT_EQ(gone, 40);
}

TEST(SymmetricPlaces, AreUsableAgainAfterARunThatFailedOnTheWay) {
  simulate(2, [](World& world) {
    const Group other({0, 1}, "other");
    auto step =
        compile([&](const Tensor& x) { return Tensor(all_reduce(x * 2, world, Reduce::sum)) + 1; });
    auto breaks = compile([&](const Tensor& x) {
      const Tensor first = all_reduce(x * 3, world, Reduce::sum);
      return Tensor(all_reduce(first * x, other, Reduce::sum));
    });
    EXPECT_EQ(breaks(small(world, 1)).to_vector<float>()[0], 27);
    barrier(world);
    if (world.rank() == 0) other.abort("enough");
    EXPECT_THROW(breaks(small(world, 1)).to_vector<float>(), CommError);
    for (int run = 0; run < 10; ++run) {
      EXPECT_EQ(step(small(world, static_cast<float>(run))).to_vector<float>()[7],
                4 * static_cast<float>(run) + 3);
    }
  });
}

// What the first collective gave lay where the second one's result does.
TEST(SymmetricPlaces, WhatWasOverwrittenBeforeARunFailedIsNotHandedOut) {
  simulate(2, [](World& world) {
    const Group other({0, 1}, "other");
    barrier(other);
    barrier(world);
    if (world.rank() == 0) other.abort("enough");
    const Tensor x = small(world, 1);
    const Tensor y = Tensor(all_reduce(x * 3, world, Reduce::sum)) * 2;
    const Tensor second = all_reduce(y * x, world, Reduce::sum) - 1;
    const Tensor z = exp(second);
    EXPECT_THROW(Tensor(all_reduce(z, other, Reduce::sum)).to_vector<float>(), CommError);
    try {
      EXPECT_EQ(y.to_vector<float>()[0], 18);
      EXPECT_EQ(second.to_vector<float>()[0], 53);
    } catch (const CommError& error) {
      EXPECT_THAT(error.what(), HasSubstr("its results were lost"));
    }
  });
}

}  // namespace
}  // namespace tutti::test::symmetric_places_test

// Results that all ranks have in common and that a compiled program uses up itself: they lie where
// its plan says, in one rank's memory, and nobody counts who reads them.

#include <atomic>
#include <numeric>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::common_results_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// More than is computed by each rank for itself.
constexpr std::int64_t kElements = 40'000;

Tensor large(World& world, float number, std::int64_t elements = kElements) {
  return from(std::vector<float>(static_cast<std::size_t>(elements),
                                 number + static_cast<float>(world.rank())),
              {elements});
}

// The sum over ranks of number + rank.
float sum_of(const World& world, float number) {
  const auto ranks = static_cast<float>(world.size());
  return ranks * number + ranks * (ranks - 1) / 2;
}

// Two results, of which the second lies where the first one did.
Tensor two_sums(const Tensor& x, const Group& group) {
  const Tensor first = Tensor(all_reduce(x * 2.F, group)) + x;
  return Tensor(all_reduce(first * 0.5F, group)) * 2.F + x;
}

float expected_of_two_sums(const World& world, float number) {
  const auto ranks = static_cast<float>(world.size());
  const float first = 2 * sum_of(world, number);
  return ranks * first + sum_of(world, number) + number + static_cast<float>(world.rank());
}

void expect_all(const Tensor& x, float value) {
  const Floats numbers = x.to_vector<float>();
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), value), std::ssize(numbers))
      << numbers[0] << " is not " << value;
}

TEST(CommonResults, LieAtPlacesThatRanksHaveByTurns) {
  for (const int ranks : {2, 3, 5}) {
    std::vector<std::string> heads(static_cast<std::size_t>(ranks));
    simulate(ranks, [&](World& world) {
      auto step = compile([&](const Tensor& x) { return two_sums(x, world); });
      for (int run = 0; run < 6; ++run) {
        const auto number = static_cast<float>(run);
        expect_all(step(large(world, number)), expected_of_two_sums(world, number));
      }
      const std::string plan = step.plan();
      EXPECT_THAT(plan, AllOf(HasSubstr("of member 0"), HasSubstr("of member 1")));
      EXPECT_THAT(plan, Not(HasSubstr("= comm"))) << plan;
      const std::size_t begin = plan.find("arena");
      heads[static_cast<std::size_t>(world.rank())] =
          plan.substr(begin, plan.find('\n', begin) - begin);
    });
    for (const std::string& head : heads) EXPECT_EQ(head, heads[0]);
  }
}

// A rank may be a whole run behind in its reading; what it reads is not written over.
TEST(CommonResults, AreReadByASlowRankInPeace) {
  simulate(4, [](World& world) {
    auto step = compile([&](const Tensor& x) { return two_sums(x, world); });
    for (int run = 0; run < 40; ++run) {
      // Other ranks are late by turns.
      if (run % 4 == static_cast<int>(world.rank())) {
        volatile float work = 0;
        for (int i = 0; i < 200'000; ++i) work = work + 1;
      }
      const auto number = static_cast<float>(run);
      expect_all(step(large(world, number)), expected_of_two_sums(world, number));
    }
  });
}

TEST(CommonResults, OfAllGatherAndBroadcastAndListsLieSo) {
  simulate(3, [](World& world) {
    auto step = compile([&](const Tensor& x, const Tensor& y) {
      const std::vector<Tensor> sums = all_reduce(std::vector{x * 2.F, y + 1.F}, world);
      const Tensor gathered = all_gather(sums[0] + x, world, 0);
      const Tensor root = Tensor(broadcast(sums[1] * x, world, 1)) * 1.F;
      return sum(gathered) + sum(root) * 0.F;
    });
    for (int run = 0; run < 4; ++run) {
      const auto number = static_cast<float>(run % 2);
      const float got = step(large(world, number), large(world, 0)).item<float>();
      const float one = 3 * 2 * sum_of(world, number) + sum_of(world, number);
      EXPECT_FLOAT_EQ(got, one * static_cast<float>(kElements));
    }
    EXPECT_THAT(step.plan(), HasSubstr("of member 2"));
  });
}

// Where records differ nobody relies on places.
TEST(CommonResults, ARankThatRunsAnotherProgramChangesNothing) {
  simulate(3, [](World& world) {
    const Group group = Group(world).named("sum");
    auto step = compile([&](const Tensor& x) { return two_sums(x, group); });
    for (int run = 0; run < 12; ++run) {
      const auto number = static_cast<float>(run);
      const bool other = run % 3 == 1 && world.rank() == run / 3 % 3;
      const Tensor x = large(world, number);
      if (other) {
        // Op by op, and what it gets it keeps.
        const Tensor first = all_reduce(x * 2.F, group);
        const Tensor second = all_reduce((first + x) * 0.5F, group);
        const Tensor third = large(world, number) * 1.F;
        expect_all(second * 2.F + third, expected_of_two_sums(world, number));
        expect_all(first, 2 * sum_of(world, number));
      } else {
        expect_all(step(x), expected_of_two_sums(world, number));
      }
    }
  });
}

// The ranks run one program, but one of them two calls later: its calls meet others of the program,
// whose results lie elsewhere.
TEST(CommonResults, RanksMayBeAtOtherCallsOfOneProgram) {
  simulate(2, [](World& world) {
    const Group group = Group(world).named("sum");
    auto step = compile([&](const Tensor& x) {
      const Tensor nothing = x * 0.F;
      std::vector<Tensor> sums;
      for (int i = 0; i < 6; ++i) {
        const float factor = i < 2 ? 1 : i < 4 ? 2 : 5;
        const Tensor behind = i < 2 ? nothing : sums[static_cast<std::size_t>(i) - 2] * 0.F;
        sums.push_back(all_reduce(x * factor + behind, group));
      }
      return sums[0] + sums[4] * 0.F + sums[5] * 0.F;
    });
    const auto two_others = [&](const Tensor& x) {
      const Tensor one = all_reduce(x * 3.F, group);
      const Tensor two = all_reduce(x * 3.F, group);
      eval(std::vector{one, two});
    };
    for (int run = 0; run < 10; ++run) {
      const Tensor x = from(std::vector<float>(kElements, 1.F), {kElements});
      if (world.rank() == 1) two_others(x);
      // Rank 0's first call meets one of 3, rank 1's first call rank 0's third, of 2.
      expect_all(step(x), world.rank() == 0 ? 4.F : 3.F);
      if (world.rank() == 0) two_others(x);
    }
  });
}

TEST(CommonResults, ProgramsUseTheMemoryByTurns) {
  simulate(2, [](World& world) {
    auto a = compile([&](const Tensor& x) { return two_sums(x, world); });
    auto b = compile([&](const Tensor& x) {
      const Tensor y = Tensor(all_reduce(x - 1.F, world)) * 3.F;
      const Tensor z = Tensor(all_reduce(y, world)) * 1.F;
      return y + z;
    });
    for (int run = 0; run < 10; ++run) {
      const auto number = static_cast<float>(run);
      expect_all(a(large(world, number)), expected_of_two_sums(world, number));
      if (run % 3 != 0) expect_all(b(large(world, number)), 9 * (sum_of(world, number) - 2));
    }
  });
}

TEST(CommonResults, InLoopsTheyLieAtOnePlaceInAllIterations) {
  simulate(2, [](World& world) {
    auto loop = compile([&](const Tensor& x) -> Tensor {
      const Tensor before = Tensor(all_reduce(x, world)) * 1.F;
      const auto [last, all] = scan(
          [&](const Tensor& carry, const Tensor& step) {
            const Tensor next = Tensor(all_reduce(carry * 0.5F, world)) * 1.F + step;
            return std::pair(next, mean(next));
          },
          x, from(std::vector<float>{1, 2, 3, 4, 5}, {5}));
      return last + before + sum(all) * 0.F;
    });
    for (int run = 0; run < 4; ++run) {
      const Tensor x = large(world, static_cast<float>(run));
      float carry = 0;
      float own[2];
      for (int rank = 0; rank < 2; ++rank) own[rank] = static_cast<float>(run + rank);
      const float before = own[0] + own[1];
      for (int step = 1; step <= 5; ++step) {
        carry = (own[0] + own[1]) * 0.5F + static_cast<float>(step);
        own[0] = own[1] = carry;
      }
      expect_all(loop(x), carry + before);
    }
    EXPECT_THAT(loop.plan(), HasSubstr("of member"));
  });
}

TEST(CommonResults, OfProgramsThatAreTheRanksOwnAreNotPlaced) {
  simulate(2, [](World& world) {
    const Group group = Group(world).programs_differ();
    auto step = compile([&](const Tensor& x) { return two_sums(x, group); });
    expect_all(step(large(world, 1)), expected_of_two_sums(world, 1));
    EXPECT_THAT(step.plan(), Not(HasSubstr("of member")));
  });
}

// A rank that closes the group, and uses memory for something else, while another one still reads.
TEST(CommonResults, OutliveTheirMembersEndOfTheGroup) {
  std::atomic<int> ended = 0;
  simulate(3, [&](World& world) {
    for (int round = 0; round < 8; ++round) {
      const Group group({0, 1, 2}, "round " + std::to_string(round));
      auto step = compile([&](const Tensor& x) {
        const Tensor y = Tensor(all_reduce(x * 2.F, group)) * 1.F;
        return y + exp(y * 0.F) - 1.F;
      });
      const auto number = static_cast<float>(round);
      expect_all(step(large(world, number)), 2 * sum_of(world, number));
      group.close();
      expect_all(large(world, number) * 3.F, 3 * (number + static_cast<float>(world.rank())));
    }
    ++ended;
  });
  EXPECT_EQ(ended, 3);
}

// What a failed run has got lies where others' results will lie: it is kept apart.
TEST(CommonResults, OfAFailedRunAreRightOrLost) {
  simulate(2, [](World& world) {
    const Group other({0, 1}, "other");
    auto step = compile([&](const Tensor& x) { return two_sums(x, world); });
    auto breaks = compile([&](const Tensor& x) {
      const Tensor first = Tensor(all_reduce(x * 3.F, world)) * 1.F;
      return Tensor(all_reduce(first * x, other)) * 1.F;
    });
    expect_all(breaks(large(world, 1)), 27);
    barrier(world);
    if (world.rank() == 0) other.abort("enough");
    EXPECT_THROW(breaks(large(world, 1)).to_vector<float>(), CommError);
    for (int run = 0; run < 5; ++run) {
      const auto number = static_cast<float>(run);
      expect_all(step(large(world, number)), expected_of_two_sums(world, number));
    }
  });
}

}  // namespace
}  // namespace tutti::test::common_results_test

// Results of collectives that leave their program: any number of them, for as long as anybody
// likes.

#include <algorithm>
#include <thread>
#include <utility>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::escaping_results_test {
namespace {

Tensor numbers(World& world, float number, std::int64_t elements) {
  return from(std::vector<float>(static_cast<std::size_t>(elements),
                                 number + static_cast<float>(world.rank())),
              {elements});
}

void expect_all(const Tensor& x, float value) {
  const Floats found = x.to_vector<float>();
  EXPECT_EQ(std::count(found.begin(), found.end(), value), std::ssize(found))
      << found[0] << " is not " << value;
}

// Computed by each rank, and by all together.
class EscapingResults : public testing::TestWithParam<std::int64_t> {};

TEST_P(EscapingResults, OfManyRunsAreHeldAtOnce) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) {
      const Tensor inside = Tensor(all_reduce(x * 2.F, world)) * 0.5F;
      return all_reduce(inside + x, world);
    });
    std::vector<Tensor> held;
    for (int run = 0; run < 50; ++run) {
      held.emplace_back(step(numbers(world, static_cast<float>(run), GetParam())));
    }
    for (int run = 0; run < 50; ++run) {
      // 2r + 1 in all, twice, and both ranks' own.
      expect_all(held[static_cast<std::size_t>(run)], 3 * (2 * static_cast<float>(run) + 1));
    }
  });
}

TEST_P(EscapingResults, MayBeUnderWayWhenTheNextRunsBegin) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) {
      return std::vector<AsyncTensor>{all_reduce(x, world), all_reduce(x * 2.F, world),
                                      all_reduce(x * 3.F, world)};
    });
    std::vector<std::vector<AsyncTensor>> held;
    for (int run = 0; run < 5; ++run) {
      held.push_back(step(numbers(world, static_cast<float>(run), GetParam())));
    }
    for (int run = 4; run >= 0; --run) {
      for (int i = 2; i >= 0; --i) {
        const auto sum = 2 * static_cast<float>(run) + 1;
        expect_all(held[static_cast<std::size_t>(run)][static_cast<std::size_t>(i)],
                   sum * static_cast<float>(i + 1));
      }
    }
  });
}

TEST_P(EscapingResults, AreOperandsOfOtherCollectives) {
  simulate(3, [](World& world) {
    auto step = compile([&](const Tensor& x) { return Tensor(all_reduce(x, world)); });
    const Tensor sum = step(numbers(world, 1, GetParam()));  // 6
    const AsyncTensor again = all_reduce(sum, world);        // op by op
    const Tensor compiled = step(sum);
    expect_all(step(compiled), 54);
    expect_all(again, 18);
    expect_all(sum, 6);
  });
}

TEST_P(EscapingResults, AreDroppedByAnotherThread) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) { return Tensor(all_reduce(x, world)); });
    for (int run = 0; run < 10; ++run) {
      const auto number = static_cast<float>(run);
      Tensor sum = step(numbers(world, number, GetParam()));
      eval(sum);
      Array kept = sum.array();
      std::thread([gone = std::move(sum)]() mutable { gone = Tensor(); }).join();
      expect_all(step(numbers(world, 100, GetParam())), 201);
      const auto* const data = reinterpret_cast<const float*>(kept.bytes().data());
      EXPECT_EQ(std::count(data, data + GetParam(), 2 * number + 1), GetParam());
    }
  });
}

TEST_P(EscapingResults, AreReadWhenTheWorldIsClosed) {
  std::vector<Tensor> left(2);
  simulate(2, [&](World& world) {
    auto step = compile([&](const Tensor& x) { return Tensor(all_reduce(x, world)); });
    left[static_cast<std::size_t>(world.rank())] = step(numbers(world, 1, GetParam()));
    eval(left[static_cast<std::size_t>(world.rank())]);
  });
  for (const Tensor& each : left) expect_all(each, 3);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EscapingResults, testing::Values(8, 40'000));

}  // namespace
}  // namespace tutti::test::escaping_results_test

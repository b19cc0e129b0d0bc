// Loops and branches in which ranks do not meet.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::control_collective_errors_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ControlCollectiveErrors, AConditionThatMayDifferBetweenThemIsAnError) {
  simulate(2, [](World& world) {
    const Tensor own = full({}, 1.0) + cast(rank_index(world), DType::f32);
    const auto body = [&](const Tensor& x) { return Tensor(all_reduce(x, world, Reduce::sum)); };
    EXPECT_THAT(
        [&] {
          while_loop([](const Tensor& x) { return x < 100; },
                     [&](const Tensor& x) { return body(x) + own; }, own);
        },
        ThrowsMessage<TypeError>(
            testing::AllOf(HasSubstr("communicates over \"world\""),
                           HasSubstr("the condition of the loop may differ"))));
    EXPECT_THAT([&] { cond(own > 1.0, body, [](const Tensor& x) { return x; }, own); },
                ThrowsMessage<TypeError>(HasSubstr("the index of the branch may differ")));
  });
}

TEST(ControlCollectiveErrors, LoopsOfDifferentLengthsAreAnErrorAtTheNextCall) {
  const auto run_apart = [] {
    simulate(2, [](World& world) {
      const Tensor x = for_loop(
          3 + world.rank(),
          [&](const Tensor&, const Tensor& each) {
            return Tensor(all_reduce(each, world, Reduce::sum));
          },
          ones({2}));
      const Tensor y = all_reduce(x * 2, world, Reduce::max);
      y.to_vector<float>();
    });
  };
  EXPECT_THAT(run_apart, ThrowsMessage<CommError>(HasSubstr("all_reduce")));
}

TEST(ControlCollectiveErrors, AnErrorInsideOfALoopSaysInWhichIteration) {
  for (const std::int64_t steps : {3, 2000}) {  // walked, and in native code
    std::string said;
    simulate(2, [&](World& world) {
      const auto run = [&] {
        const Tensor x = for_loop(
            steps + world.rank(),
            [&](const Tensor&, const Tensor& each) {
              return Tensor(all_reduce(each, world, Reduce::max));
            },
            ones({2}));
        Tensor(all_reduce(x * 2, world, Reduce::sum)).to_vector<float>();
      };
      if (world.rank() == 0) {
        EXPECT_THROW(run(), CommError);
      } else {
        try {
          run();
        } catch (const CommError& error) {
          said = error.what();
        }
      }
    });
    EXPECT_THAT(said, HasSubstr("; in iteration " + std::to_string(steps) + " of @"));
  }
}

// A number that differs between the ranks, in the function of a loop.
TEST(ControlCollectiveErrors, ANumberInALoopIsComparedAtTheNextCall) {
  EXPECT_THAT(
      [] {
        simulate(2, [](World& world) {
          const double rate = world.rank() == 0 ? 0.1 : 0.2;
          const Tensor w = for_loop(
              3,
              [&](const Tensor&, const Tensor& each) {
                return each - Tensor(all_reduce(each * 0.5, world, Reduce::mean)) * rate;
              },
              replicated(ones({2}, DType::f64), world));
          Tensor(all_reduce(w * 1.0, world, Reduce::mean)).to_vector<double>();
        });
      },
      ThrowsMessage<CommError>(HasSubstr("control_collective_errors_test.cpp")));
}

}  // namespace
}  // namespace tutti::test::control_collective_errors_test

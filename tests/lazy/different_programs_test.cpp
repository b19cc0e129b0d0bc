// Ranks with quite different programs that share groups.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::different_programs_test {
namespace {

// Two stages of two ranks each: a stage's ranks sum among themselves, and hand on to the next.
TEST(DifferentPrograms, PipelineStagesShareGroups) {
  simulate(4, [](World& world) {
    const Group stage({{0, 1}, {2, 3}}, "stage");
    const Group hand_over({{0, 2}, {1, 3}}, "hand_over");
    const auto run = [&](auto&& first, auto&& second) {
      for (int batch = 0; batch < 3; ++batch) {
        const Tensor x = full({4}, static_cast<float>(world.rank() + batch));
        if (world.rank() < 2) {
          first(x);
        } else {
          const float sum = 2 * (2 * static_cast<float>(batch) + 1);
          EXPECT_EQ(second(x).template to_vector<float>(), Floats(4, sum + 1));
        }
      }
    };
    const auto first = [&](const Tensor& x) {
      const Tensor sum = all_reduce(x, stage);
      send(sum * 2.F, hand_over, 1);
      return sum;
    };
    const auto second = [&](const Tensor& x) -> Tensor {
      const AsyncTensor given = recv(x.shape(), x.dtype(), hand_over, 0);
      return all_reduce(given * 1.F, stage, Reduce::max) * 1.F + 1.F;
    };
    run([&](const Tensor& x) { first(x); }, [&](const Tensor& x) { return second(x); });
    auto compiled_first = compile(first);
    auto compiled_second = compile(second);
    run([&](const Tensor& x) { compiled_first(x); },
        [&](const Tensor& x) { return compiled_second(x); });
    world.set_eager(true);
    run([&](const Tensor& x) { first(x); }, [&](const Tensor& x) { return second(x); });
  });
}

// Rank 0 serves; the others ask for as much as they like.
TEST(DifferentPrograms, AServerAndItsClients) {
  simulate(3, [](World& world) {
    if (world.rank() == 0) {
      Tensor total = zeros({2});
      for (int client = 1; client < 3; ++client) {
        for (int i = 0; i < 2 * client; ++i) {
          total = total + recv({2}, DType::f32, world, client);
        }
      }
      for (int client = 1; client < 3; ++client) send(total, world, client);
      EXPECT_EQ(total.to_vector<float>(), Floats(2, 1 * 2 + 2 * 4));
    } else {
      const auto rank = static_cast<float>(world.rank());
      auto ask = compile([&](const Tensor& x) {
        send(x * 1.F, world, 0);
        return x;
      });
      for (int i = 0; i < 2 * world.rank(); ++i) ask(full({2}, rank));
      EXPECT_EQ(recv({2}, DType::f32, world, 0).to_vector<float>(), Floats(2, 10));
    }
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 3);
  });
}

}  // namespace
}  // namespace tutti::test::different_programs_test

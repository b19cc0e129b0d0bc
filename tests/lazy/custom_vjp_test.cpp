#include "tests/lazy/lazy_testing.h"

// Gradients of one's own.
namespace tutti::test::custom_vjp_test {
namespace {

auto soft() {
  return custom_vjp([](const Tensor& x) { return std::pair(log1p(exp(x)), x); },
                    [](const Tensor& x, const Tensor& g) { return g * sigmoid(x); });
}

// 1 on rank 0, 2 on rank 1.
Tensor rank_factor(const World& world) { return tensor({static_cast<float>(world.rank() + 1)}); }

// The value of x * x, with a gradient that no op would give.
auto odd_square() {
  return custom_vjp([](const Tensor& x) { return std::pair(x * x, x); },
                    [](const Tensor& x, const Tensor& g) { return g * x * 10.F; });
}

TEST(CustomVjp, TheGradientIsTheGivenOne) {
  const auto f = odd_square();
  const auto [value, gradient] =
      value_and_grad([&](const Tensor& x) { return sum(f(x) * 3.F); })(tensor({1.F, 2.F}));
  EXPECT_EQ(value.item<float>(), 15);
  EXPECT_EQ(gradient.to_vector<float>(), Floats({30, 60}));
}

TEST(CustomVjp, HigherOrdersAreThoseOfTheBackwardFunction) {
  const auto f = soft();
  const auto plain = [](const Tensor& x) { return softplus(x); };
  const auto third = [](auto g) { return grad(grad(grad(g))); };
  for (const float at : {-1.5F, 0.F, 2.F}) {
    EXPECT_NEAR(grad(f)(tensor(at)).item<float>(), grad(plain)(tensor(at)).item<float>(), 1e-6);
    EXPECT_NEAR(grad(grad(f))(tensor(at)).item<float>(),
                grad(grad(plain))(tensor(at)).item<float>(), 1e-6);
    EXPECT_NEAR(third(f)(tensor(at)).item<float>(), third(plain)(tensor(at)).item<float>(), 1e-6);
  }
}

TEST(CustomVjp, TakesAndGivesTrees) {
  struct Pair {
    Tensor a;
    Tensor b;
    TUTTI_FIELDS(a, b)
  };
  const auto f = custom_vjp(
      [](const Pair& p, int power, const Tensor& index) {
        return std::pair(Pair{p.a * p.b, take(p.a, index)},
                         std::tuple(p, static_cast<float>(power)));
      },
      [](const auto& kept, const Pair& g) {
        const auto& [p, power] = kept;
        return Pair{g.a * p.b * power, g.b * 100.F};
      });
  const Pair p = {tensor({1.F, 2.F}), tensor({5.F, 7.F})};
  const auto gradient = grad([&](const Pair& q) {
    const Pair out = f(q, 2, tensor({1, 0}));
    return sum(out.a) + sum(out.b * 3.F);
  })(p);
  EXPECT_EQ(gradient.a.to_vector<float>(), Floats({10, 14}));
  EXPECT_EQ(gradient.b.to_vector<float>(), Floats({300, 300}));
}

TEST(CustomVjp, ResultsThatNobodyUsesHaveZeroCotangents) {
  const auto f = custom_vjp(
      [](const Tensor& x) { return std::pair(std::pair(x * 2.F, x * 3.F), 0); },
      [](int, const std::pair<Tensor, Tensor>& g) { return g.first * 2.F + g.second * 3.F; });
  const Tensor gradient = grad([&](const Tensor& x) { return sum(f(x).first); })(tensor({1.F}));
  EXPECT_EQ(gradient.item<float>(), 2);
}

TEST(CustomVjp, MayBeNonlinearInTheCotangent) {
  const auto clipped = custom_vjp([](const Tensor& x) { return std::pair(x, 0); },
                                  [](int, const Tensor& g) { return clamp(g, -1.F, 1.F); });
  const Tensor gradient = grad(
      [&](const Tensor& x) { return sum(clipped(x) * tensor({5.F, 0.5F})); })(tensor({1.F, 1.F}));
  EXPECT_EQ(gradient.to_vector<float>(), Floats({1, 0.5}));
}

TEST(CustomVjp, WorksWithVjpAndJvpAndCheckpoints) {
  const auto f = odd_square();
  const auto [value, pullback] = vjp(f)(tensor({3.F}));
  EXPECT_EQ(pullback(tensor({2.F})).item<float>(), 60);
  const auto [same, tangent] = jvp(f)(tensor({3.F}), tensor({2.F}));
  EXPECT_EQ(tangent.item<float>(), 60);
  const auto again = checkpoint([&](const Tensor& x) { return sum(exp(f(x))); });
  EXPECT_FLOAT_EQ(grad(again)(tensor({0.5F})).item<float>(), std::exp(0.25F) * 5);
}

TEST(CustomVjp, WorksInLoopsAndBranches) {
  const auto f = odd_square();
  const auto loop = [&](const Tensor& x) {
    return sum(for_loop(2, [&](const Tensor&, const Tensor& c) { return f(c); }, x));
  };
  // d f(f(x)) = 10 x^2 * 10 x.
  EXPECT_EQ(grad(loop)(tensor({2.F})).item<float>(), 800);
  const auto branch = [&](const Tensor& x) {
    return sum(cond(
        tensor(true), [&](const Tensor& c) { return f(c); }, [](const Tensor& c) { return c; }, x));
  };
  EXPECT_EQ(grad(branch)(tensor({2.F})).item<float>(), 20);
}

TEST(CustomVjp, IsOneProgramWhenCompiled) {
  const auto f = odd_square();
  auto step =
      compile([&](const Tensor& x) { return grad([&](const Tensor& y) { return sum(f(y)); })(x); });
  EXPECT_EQ(step(tensor({1.F, 2.F})).to_vector<float>(), Floats({10, 20}));
  EXPECT_THAT(step.ir(), testing::HasSubstr("custom_gradient("));
  EXPECT_THAT(step.ir("decompose"), testing::Not(testing::HasSubstr("custom_gradient(")));
  auto forward = compile([&](const Tensor& x) { return f(x); });
  EXPECT_EQ(forward(tensor({3.F})).item<float>(), 9);
  EXPECT_THAT(forward.ir(), testing::Not(testing::HasSubstr("custom_gradient(")));
}

TEST(CustomVjp, BackwardMayUseWhatIsAround) {
  const Tensor factor = tensor({7.F});
  const auto f = custom_vjp([](const Tensor& x) { return std::pair(x * 2.F, 0); },
                            [&](int, const Tensor& g) { return g * factor; });
  EXPECT_EQ(grad([&](const Tensor& x) { return sum(f(x)); })(tensor({1.F})).item<float>(), 7);
}

TEST(CustomVjp, ForwardMayUseWhatIsUnderWay) {
  simulate(1, [](World& world) {
    const auto loss = [&](const Tensor& x) {
      const AsyncTensor three = all_reduce(tensor({3.F}), Group(world));
      const auto f = custom_vjp([&](const Tensor& own) { return std::pair(own * three, 0); },
                                [](int, const Tensor& g) { return g * 7.F; });
      return sum(f(x));
    };
    const auto [value, slope] = value_and_grad(loss)(tensor({2.F}));
    EXPECT_EQ(value.item<float>(), 6);
    EXPECT_EQ(slope.item<float>(), 7);
  });
}

TEST(CustomVjp, WhatForwardUsesBesideItsArgumentsHasNoGradient) {
  const auto around = [](const Tensor& w) {
    const auto f = custom_vjp([&](const Tensor& x) { return std::pair(x * w, x); },
                              [](const Tensor& x, const Tensor& g) { return g * x; });
    return sum(f(tensor({2.F})));
  };
  expect_error<TypeError>([&] { grad(around)(tensor({1.F})); },
                          {"is no argument of it; pass it as one", "f32[1]"}, kNowhere);
  const auto itself = [](const Tensor& w) {
    const auto f = custom_vjp([&](const Tensor& x) { return std::pair(w, x); },
                              [](const Tensor& x, const Tensor& g) { return g * x; });
    return sum(f(tensor({2.F})));
  };
  expect_error<TypeError>([&] { grad(itself)(tensor({1.F})); }, {"pass it as one"}, kNowhere);
  const auto in_a_loop = [](const Tensor& w) {
    const auto f = custom_vjp([&](const Tensor& c) { return std::pair(c * w, c); },
                              [](const Tensor& c, const Tensor& g) { return g * c; });
    return sum(for_loop(2, [&](const Tensor&, const Tensor& c) { return f(c); }, tensor({2.F})));
  };
  expect_error<TypeError>([&] { grad(in_a_loop)(tensor({1.F})); }, {"pass it as one"}, kNowhere);
  // Constants are no matter.
  const Tensor w = tensor({3.F});
  const auto f = custom_vjp([&](const Tensor& x) { return std::pair(x * w, x); },
                            [](const Tensor& x, const Tensor& g) { return g * x; });
  EXPECT_EQ(grad([&](const Tensor& x) { return sum(f(x)); })(tensor({2.F})).item<float>(), 2);
}

TEST(CustomVjp, CotangentsHaveTheArgumentsTypes) {
  const auto with = [](auto backward) {
    const auto f = custom_vjp(
        [](const Tensor& x, const Tensor& y) { return std::pair(sum(x * y), 0); }, backward);
    return grad([f](const Tensor& x) { return f(x, x); });
  };
  const Tensor x = tensor({1.F, 2.F});
  expect_error<TypeError>(
      [&] { with([](int, const Tensor& g) { return g; })(x); },
      {"custom_vjp: backward gives 1 cotangents for arguments with 2 floating-point"}, kNowhere);
  expect_error<TypeError>(
      [&] { with([](int, const Tensor& g) { return std::pair(g, g); })(x); },
      {"custom_vjp: backward gives f32[] as the cotangent of argument 0, which is f32[2]"},
      kNowhere);
  expect_error<TypeError>(
      [&] {
        with([](int, const Tensor& g) {
          const Tensor wide = broadcast_to(g, {2});
          return std::pair(wide, cast(wide, DType::f64));
        })(x);
      },
      {"f64[2] as the cotangent of argument 1"}, kNowhere);
}

TEST(CustomVjp, GivesWhatIsWaitedFor) {
  simulate(2, [](World& world) {
    const auto f = custom_vjp([&](const Tensor& x) { return std::pair(all_reduce(x, world), 0); },
                              [](int, const Tensor& g) { return g; });
    EXPECT_EQ(f(tensor({1.F})).item<float>(), 2);
    EXPECT_EQ(grad([&](const Tensor& x) { return sum(f(x)); })(tensor({1.F})).item<float>(), 1);
  });
}

TEST(CustomVjp, BackwardMayNotCommunicateInALoopYet) {
  simulate(2, [](World& world) {
    const auto f = custom_vjp([](const Tensor& x) { return std::pair(x * 2.F, 0); },
                              [&](int, const Tensor& g) { return Tensor(all_reduce(g, world)); });
    const auto loop = [&](const Tensor& x) {
      return sum(for_loop(2, [&](const Tensor&, const Tensor& c) { return f(c); }, x));
    };
    expect_error<UsageError>([&] { grad(loop)(tensor({1.F})); },
                             {"not possible in a loop or branch yet"}, kNowhere);
  });
}

TEST(CustomVjp, JvpNeedsALinearBackwardFunction) {
  const auto clipped = custom_vjp([](const Tensor& x) { return std::pair(x, 0); },
                                  [](int, const Tensor& g) { return clamp(g, -1.F, 1.F); });
  expect_error<TypeError>([&] { jvp(clipped)(tensor({1.F}), tensor({1.F})); },
                          {"is not linear in its cotangent, as that of custom_vjp"}, kNowhere);
}

// One concat, and no sum of padded parts.
TEST(SplitGradient, IsAConcat) {
  auto step = compile([](const Tensor& x) {
    return grad([](const Tensor& y) {
      const std::vector<Tensor> parts = split(y, 3, 1);
      return sum(parts[0] * parts[1] + parts[2] * 5.F);
    })(x);
  });
  EXPECT_EQ(step(tensor({{1.F, 2.F, 3.F}, {4.F, 5.F, 6.F}})).to_vector<float>(),
            Floats({2, 1, 5, 5, 4, 5}));
  EXPECT_THAT(step.ir("decompose"), testing::AllOf(testing::HasSubstr("concat("),
                                                   testing::Not(testing::HasSubstr("pad("))));
  const auto second = grad(grad([](const Tensor& x) {
    const std::vector<Tensor> parts =
        split(expand_dims(x, {0}), std::vector<std::int64_t>{1, 0}, 0);
    return sum(parts[0] * parts[0] * parts[0]);
  }));
  EXPECT_EQ(second(tensor(2.F)).item<float>(), 12);
}

// Of a tensor-parallel layer: the value as it is, the gradient summed over the ranks.
TEST(CustomVjp, BackwardMakesTheSumOverRanks) {
  simulate(2, [](World& world) {
    const auto entering = [&](bool sums) {
      return custom_vjp([&](const Tensor& x) { return std::pair(x * rank_factor(world), 0); },
                        [&, sums](int, const Tensor& g) {
                          const Tensor own = g * rank_factor(world);
                          return sums ? Tensor(all_reduce(own, world)) : own;
                        });
    };
    const Tensor x = replicated(tensor({1.F, 2.F}), world);
    const auto loss = [&](const auto& f) {
      return [&](const Tensor& y) { return all_reduce(sum(f(y)), world) + 0.F; };
    };
    const auto right = entering(true);
    EXPECT_EQ(grad(loss(right))(x).template to_vector<float>(), Floats({3, 3}));
    const auto wrong = entering(false);
    expect_error<TypeError>([&] { grad(loss(wrong))(x); },
                            {"as the cotangent of argument 0", "the same on the ranks of world",
                             "all_reduce(cotangent, ...)"},
                            kNowhere);
  });
}

}  // namespace
}  // namespace tutti::test::custom_vjp_test

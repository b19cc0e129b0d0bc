#include <tutti/lazy/tutti.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace tutti::control_test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing::ThrowsMessage;

struct Cell {
  Tensor h;
  Tensor c;
  TUTTI_FIELDS(h, c)
};

Tensor numbers(const Shape& shape, double scale = 0.1) {
  return reshape(cast(arange(shape.elements()), DType::f32) * scale,
                 std::vector<std::int64_t>(shape.begin(), shape.end()));
}

void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_THAT(a.to_vector<float>(), Pointwise(FloatNear(1e-5F), b.to_vector<float>()));
}

// How often a text has a part.
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

std::pair<Cell, Tensor> lstm_like(const Cell& cell, const Tensor& x, const Tensor& w) {
  Cell next;
  next.h = tanh(matmul(cell.h, w) + x);
  next.c = cell.c * 0.5 + next.h;
  return {next, next.c * 2.0};
}

Tensor step_of(const Tensor& xs, std::int64_t i) { return take(xs, i); }

// The same loop, step by step.
std::pair<Cell, Tensor> unrolled(Cell cell, const Tensor& xs, const Tensor& w) {
  std::vector<Tensor> ys;
  for (std::int64_t i = 0; i < xs.shape()[0]; ++i) {
    auto [next, y] = lstm_like(cell, step_of(xs, i), w);
    cell = next;
    ys.push_back(y);
  }
  return {cell, stack(ys)};
}

std::pair<Cell, Tensor> scanned(const Cell& cell, const Tensor& xs, const Tensor& w) {
  return scan([&](const Cell& own, const Tensor& x) { return lstm_like(own, x, w); }, cell, xs);
}

TEST(Control, ScanCarriesATreeAndStacksWhatItGives) {
  const Tensor w = numbers({4, 4}, 0.05);
  const Tensor xs = numbers({5, 2, 4});
  const Cell init{zeros({2, 4}), ones({2, 4})};
  const auto [cell, ys] = scanned(init, xs, w);
  EXPECT_EQ(ys.shape(), Shape({5, 2, 4}));
  const auto [expected, all] = unrolled(init, xs, w);
  expect_near(cell.h, expected.h);
  expect_near(cell.c, expected.c);
  expect_near(ys, all);
}

TEST(Control, ScanInReverseGoesFromTheLastStepToTheFirst) {
  const auto [last, ys] =
      scan([](const Tensor& sum, const Tensor& x) { return std::pair(sum * 2 + x, sum); },
           full({}, 0.0), numbers({3}, 1), {.reverse = true});
  EXPECT_EQ(last.item<float>(), 2 * (2 * 2 + 1) + 0);
  EXPECT_THAT(ys.to_vector<float>(), ElementsAre(5, 2, 0));
}

TEST(Control, TheProgramDoesNotGrowWithTheNumberOfSteps) {
  const auto text_of = [](std::int64_t count) {
    return dump_ir(for_loop(
        count, [](const Tensor& i, const Tensor& x) { return x + cast(i, DType::f32); },
        ones({3})));
  };
  const std::string few = text_of(3);
  const std::string many = text_of(100000);
  EXPECT_THAT(few, HasSubstr("private func @body("));
  EXPECT_EQ(std::ranges::count(few, '\n'), std::ranges::count(many, '\n'));
}

TEST(Control, ForLoopCountsFromZero) {
  const Tensor sum = for_loop(
      5, [](const Tensor& i, const Tensor& x) { return x * 10 + i; }, full({}, std::int64_t{7}));
  EXPECT_EQ(sum.item<std::int64_t>(), 701234);
  const Tensor none =
      for_loop(0, [](const Tensor&, const Tensor& x) { return x * 10; }, full({}, std::int64_t{7}));
  EXPECT_EQ(none.item<std::int64_t>(), 7);
}

TEST(Control, WhileLoopStopsWhenItsConditionFails) {
  const Tensor limit = full({}, 1000.0);
  const auto [x, steps] =
      while_loop([&](const std::pair<Tensor, Tensor>& carry) { return carry.first < limit; },
                 [](const std::pair<Tensor, Tensor>& carry) {
                   return std::pair(carry.first * 3, carry.second + 1);
                 },
                 std::pair(full({}, 1.0), full({}, std::int64_t{0})));
  EXPECT_EQ(x.item<float>(), 2187);
  EXPECT_EQ(steps.item<std::int64_t>(), 7);
  const Tensor never = while_loop([](const Tensor& v) { return v < 0; },
                                  [](const Tensor& v) { return v + 1; }, full({}, 3.0));
  EXPECT_EQ(never.item<float>(), 3);
}

TEST(Control, CondTakesOneBranchOnly) {
  const Tensor x = numbers({3}, 1) + 1.0;
  for (const bool yes : {true, false}) {
    const Tensor y = cond(
        full({}, yes), [](const Tensor& v) { return v * 2; }, [](const Tensor& v) { return -v; },
        x);
    EXPECT_THAT(y.to_vector<float>(), yes ? ElementsAre(2, 4, 6) : ElementsAre(-1, -2, -3));
  }
}

TEST(Control, ConditionalTakesTheLastBranchForAnIndexOutOfRange) {
  const Tensor captured = full({}, 100.0);
  const std::vector<std::function<Tensor(const Tensor&)>> branches = {
      [](const Tensor& v) { return v + 1; }, [&](const Tensor& v) { return v + captured; },
      [](const Tensor& v) { return v * v; }};
  const auto at = [&](std::int64_t index) {
    return conditional(full({}, index), branches, full({}, 3.0)).item<float>();
  };
  EXPECT_EQ(at(0), 4);
  EXPECT_EQ(at(1), 103);
  EXPECT_EQ(at(2), 9);
  EXPECT_EQ(at(7), 9);
  EXPECT_EQ(at(-1), 9);
  EXPECT_EQ(at(std::int64_t{1} << 32), 9);
  EXPECT_EQ(at(-(std::int64_t{1} << 32)), 9);
  const Tensor natural = full({}, (std::uint64_t{1} << 32) + 1);
  EXPECT_EQ(conditional(natural, branches, full({}, 3.0)).item<float>(), 9);
}

TEST(Control, LoopsNest) {
  const Tensor table = for_loop(
      3,
      [](const Tensor& i, const Tensor& sum) {
        return for_loop(
            4, [&](const Tensor& j, const Tensor& inner) { return inner + i * 10 + j; }, sum);
      },
      full({}, std::int64_t{0}));
  EXPECT_EQ(table.item<std::int64_t>(), 4 * (0 + 10 + 20) + 3 * 6);
}

TEST(Control, AConditionIsATruthValue) {
  const auto one = [](const Tensor& x) { return x + 1.F; };
  const auto two = [](const Tensor& x) { return x + 2.F; };
  EXPECT_EQ(cond(tensor(std::int64_t{-2}), one, two, tensor(0.F)).item<float>(), 1);
  EXPECT_EQ(cond(tensor(std::int64_t{0}), one, two, tensor(0.F)).item<float>(), 2);
  EXPECT_THAT([&] { cond(tensor(0.5F), one, two, tensor(0.F)); },
              ThrowsMessage<TypeError>(HasSubstr("cond: the condition is bool[], not f32[]")));
}

TEST(Control, GradientsOfAScanAreThoseOfTheStepsOneByOne) {
  const Tensor xs = numbers({5, 2, 4});
  const Cell init{numbers({2, 4}, 0.02), ones({2, 4})};
  const auto loss = [&](auto&& loop) {
    return [&, loop](const std::tuple<Tensor, Tensor, Cell>& arguments) {
      const auto& [w, x, cell] = arguments;
      const auto [last, ys] = loop(cell, x, w);
      return sum(ys * ys) + sum(last.h);
    };
  };
  const std::tuple<Tensor, Tensor, Cell> arguments(numbers({4, 4}, 0.05), xs, init);
  const auto [value, gradient] = value_and_grad(loss(scanned))(arguments);
  const auto [expected, wanted] = value_and_grad(loss(unrolled))(arguments);
  expect_near(value, expected);
  expect_near(std::get<0>(gradient), std::get<0>(wanted));
  expect_near(std::get<1>(gradient), std::get<1>(wanted));
  expect_near(std::get<2>(gradient).h, std::get<2>(wanted).h);
  expect_near(std::get<2>(gradient).c, std::get<2>(wanted).c);
}

// What the gradient computes again of the forward loop is one loop with it.
TEST(Control, AGradientGoesThroughTheStepsTwice) {
  auto step = compile([](const Tensor& w, const Tensor& x) {
    return value_and_grad([&](const Tensor& own) {
      const auto [cell, ys] = scanned({zeros({2, 4}), ones({2, 4})}, x, own);
      return sum(ys * ys) + sum(cell.h);
    })(w);
  });
  step(numbers({4, 4}, 0.05), numbers({5, 2, 4}));
  EXPECT_EQ(count(step.ir(), "= scan("), 3U);
  EXPECT_EQ(count(step.ir("fuse"), "= scan("), 2U) << step.ir("fuse");
}

// A step has one product; its gradient needs two more, and the first once more only where the user
// would rather compute than keep.
TEST(Control, AGradientKeepsWhatIsCostlyUnlessThereIsACheckpoint) {
  const Tensor w = numbers({4, 4}, 0.05);
  const Tensor x = numbers({5, 2, 4});
  const auto cell = [](const Tensor& h, const Tensor& in, const Tensor& weight) {
    return sin(matmul(tanh(h), weight) + in) * 2;
  };
  const auto gradient = [&](bool again) {
    return compile([=](const Tensor& own, const Tensor& xs) {
      return grad([&](const Tensor& weight) {
        const auto step = [&](const Tensor& h, const Tensor& in) {
          const Tensor next = again ? checkpoint(cell)(h, in, weight) : cell(h, in, weight);
          return std::pair(next, next);
        };
        return sum(scan(step, zeros({2, 4}), xs).second);
      })(own);
    });
  };
  auto keeps = gradient(false);
  auto computes = gradient(true);
  const Tensor kept = keeps(w, x);
  expect_near(kept, computes(w, x));
  EXPECT_EQ(count(keeps.ir("fuse"), "= matmul("), 3U) << keeps.ir("fuse");
  EXPECT_EQ(count(computes.ir("fuse"), "= matmul("), 4U) << computes.ir("fuse");
  EXPECT_THAT(computes.ir(), HasSubstr("recompute = true"));
}

// Rows that are carries, those that are steps of a sequence, and those that the step computes; a
// weight that meets columns of its own; one that is multiplied from the left, and a bias.
TEST(Control, AWeightsGradientIsOneProductBehindTheLoop) {
  using Weights = std::array<Tensor, 5>;
  const auto cell = [](const Tensor& h, const Tensor& x, const Weights& w) {
    const Tensor inner = tanh(matmul(h, w[0]) + matmul(x, w[1]) + w[4]);
    return matmul(w[3], sin(matmul(inner, w[2])));
  };
  const Tensor h = numbers({2, 4}, 0.3);
  const Tensor xs = numbers({5, 2, 3}, 0.1);
  const auto loop = [&](const Weights& w) {
    const auto [last, ys] = scan(
        [&](const Tensor& carry, const Tensor& x) {
          const Tensor next = cell(carry, x, w);
          return std::pair(next, next);
        },
        constant(h), constant(xs));
    return sum(ys * ys) + sum(last);
  };
  const auto steps = [&](const Weights& w) {
    Tensor carry = h;
    Tensor total = tensor(0.F);
    for (std::int64_t i = 0; i < 5; ++i) {
      carry = cell(carry, take(xs, i), w);
      total = total + sum(carry * carry);
    }
    return total + sum(carry);
  };
  const Weights w = {numbers({4, 6}, 0.05), numbers({3, 6}, 0.05), numbers({6, 4}, 0.05),
                     numbers({2, 2}, 0.2), numbers({6}, 0.1)};
  const Weights gradient = grad(loop)(w);
  const Weights expected = grad(steps)(w);
  const auto expect_alike = [](const Tensor& a, const Tensor& b) {
    const float largest = max(abs(b)).item<float>();
    EXPECT_LE(max(abs(a - b)).item<float>(), 1e-5F * largest) << a << b;
  };
  for (std::size_t i = 0; i < w.size(); ++i) expect_alike(gradient[i], expected[i]);
  const auto slope = [](const auto& f) {
    return [&f](const Weights& at) {
      Tensor total = tensor(0.F);
      for (const Tensor& each : grad(f)(at)) total = total + sum(each * each);
      return total;
    };
  };
  const Weights second = grad(slope(loop))(w);
  const Weights wanted = grad(slope(steps))(w);
  for (std::size_t i = 0; i < w.size(); ++i) expect_alike(second[i], wanted[i]);

  auto compiled = compile([&](const Weights& at) { return grad(loop)(at); });
  compiled(w);
  const std::string text = compiled.ir();
  const std::string behind = text.substr(text.find("func @compiled"));
  EXPECT_EQ(count(behind, "= matmul("), 3U) << text;
  EXPECT_THAT(behind, testing::AllOf(HasSubstr("f32[4,6]"), HasSubstr("f32[3,6]")));
}

TEST(Control, AGradientMayNeedResultsThatNobodyElseDoes) {
  const Tensor w = numbers({6}, 0.3);
  // The order of a sort is known to its gradient alone.
  const auto sorted = [&](int steps, auto&& loop) {
    return grad([&, steps](const Tensor& x) { return sum(loop(steps, x) * w); })(sin(w * 7));
  };
  const auto step = [](const Tensor& x) { return sort(x).values * sin(x + 1); };
  expect_near(sorted(3,
                     [&](int steps, const Tensor& x) {
                       return for_loop(
                           steps, [&](const Tensor&, const Tensor& c) { return step(c); }, x);
                     }),
              sorted(3, [&](int, const Tensor& x) { return step(step(step(x))); }));
  // The last carry of the inner loop counts for nothing.
  const Tensor xs = numbers({3, 4, 2});
  const auto cell = [](const Tensor& h, const Tensor& x) {
    const Tensor next = sin(h * 0.5 + x);
    return std::pair(next, next * next);
  };
  const auto inner = [&](const Tensor& h, const Tensor& x) { return sum(scan(cell, h, x).second); };
  const auto looped = grad([&](const Tensor& h) {
    const auto outer = [&](const Tensor& total, const Tensor& x) {
      return std::pair(total + inner(h, x), Tensor(total));
    };
    return scan(outer, full({}, 0.F), xs).first;
  });
  const auto written_out = grad([&](const Tensor& h) {
    const auto at = [&](std::int64_t i) { return squeeze(slice(xs, {{i, i + 1}}), {0}); };
    return inner(h, at(0)) + inner(h, at(1)) + inner(h, at(2));
  });
  expect_near(looped(numbers({2}, 0.4)), written_out(numbers({2}, 0.4)));
}

// Each loop is differentiated once, however deep it lies.
TEST(Control, GradientsOfNestedLoopsAreMadeInLinearTime) {
  const auto nodes = [](int depth) {
    const std::function<Tensor(int, const Tensor&)> nested = [&](int level, const Tensor& x) {
      if (level == 0) return sum(x) * x;
      return for_loop(
          2, [&, level](const Tensor&, const Tensor& c) { return nested(level - 1, c); }, x);
    };
    auto f = compile([&](const Tensor& x) {
      return grad([&](const Tensor& own) { return sum(nested(depth, own)); })(x);
    });
    const std::string text = f.lower({}, abstract({2})).ir();
    return static_cast<double>(std::ranges::count(text, '\n'));
  };
  EXPECT_LT(nodes(8) - nodes(7), 3 * (nodes(4) - nodes(3)));
}

TEST(Control, ForwardDerivativesOfAScan) {
  const auto f = [](const Tensor& w) {
    return for_loop(4, [&](const Tensor&, const Tensor& x) { return x * w; }, w);
  };
  const auto [value, tangent] = jvp(f)(full({}, 2.0), full({}, 1.0));
  EXPECT_EQ(value.item<float>(), 32);
  EXPECT_EQ(tangent.item<float>(), 80);
}

TEST(Control, ForwardDerivativesOfAScanThatBeginsWithANumber) {
  const auto f = [](const Tensor& w) {
    return for_loop(4, [&](const Tensor&, const Tensor& x) { return x * w; }, full({}, 1.0));
  };
  const auto [value, tangent] = jvp(f)(full({}, 2.0), full({}, 1.0));
  EXPECT_EQ(value.item<float>(), 16);
  EXPECT_EQ(tangent.item<float>(), 32);
}

TEST(Control, CompiledFunctionsReplayTheirLoops) {
  auto f = compile([](const Tensor& x, float factor) {
    return for_loop(10, [&](const Tensor&, const Tensor& carry) { return carry * factor + 1; }, x);
  });
  for (const float factor : {0.5F, 2.0F, 1.0F, 0.25F}) {
    float expected = 3;
    for (int i = 0; i < 10; ++i) expected = expected * factor + 1;
    EXPECT_FLOAT_EQ(f(full({}, 3.0), factor).item<float>(), expected);
  }
  EXPECT_EQ(f.programs(), 1U) << f.explain();
  EXPECT_THAT(f.plan(), testing::ContainsRegex("scan r0 @body .*length = 10"));
  EXPECT_THAT(f.kernels(), HasSubstr("kernel mul_add outer [1]"));
}

TEST(Control, WhatIsCapturedMayBeComputedLazily) {
  const Tensor base = exp(numbers({3}));
  const Tensor twice = base * 2;
  const Tensor y =
      for_loop(2, [&](const Tensor&, const Tensor& x) { return x + twice; }, zeros({3}));
  expect_near(y, base * 4);
}

TEST(Control, AnAsyncTensorFromOutsideIsWaitedForOutside) {
  simulate(1, [](World& world) {
    const Group group = world;
    const AsyncTensor async = all_reduce(numbers({3}), group, Reduce::sum);
    const Tensor y =
        for_loop(2, [&](const Tensor&, const Tensor& x) { return x + async; }, zeros({3}));
    EXPECT_THAT(dump_ir(y), HasSubstr("wait("));
    expect_near(y, numbers({3}) * 2);
  });
}

TEST(Control, AViewOfAnAsyncTensorFromOutsideIsOfUseThereAfterwards) {
  simulate(1, [](World& world) {
    const AsyncTensor async = all_reduce(numbers({3}), Group(world));
    const AsyncTensor view = reshape(async, {3, 1});
    const auto plus = [&](const Tensor& x) { return x + view; };
    const auto minus = [&](const Tensor& x) { return x - view; };
    expect_near(cond(tensor(true), plus, minus, zeros({3, 1})), reshape(numbers({3}), {3, 1}));
    expect_near(Tensor(view) * 2, reshape(numbers({3}) * 2, {3, 1}));
    // What uses a value of the body is computed there.
    const Tensor sums = for_loop(
        2,
        [&](const Tensor&, const Tensor& c) -> Tensor {
          return async.then([&](const Tensor& t) { return t + c; });
        },
        zeros({3}));
    expect_near(sums, numbers({3}) * 2);
  });
}

TEST(Control, WhatIsOutsideMayBeReadInABody) {
  const Tensor y = exp(zeros({}));
  const Tensor x = for_loop(
      2, [&](const Tensor&, const Tensor& c) { return c * y.item<float>() + 0.5F; }, ones({}));
  EXPECT_EQ(x.item<float>(), 2);
}

TEST(Control, LargeCarriesPassFromStepToStepWithoutLimit) {
  const Tensor y =
      for_loop(1000, [](const Tensor&, const Tensor& x) { return x + 1; }, zeros({1 << 16}));
  EXPECT_EQ(max(y).item<float>(), 1000);
  EXPECT_EQ(min(y).item<float>(), 1000);
}

// ---- Mistakes ----

TEST(Control, ACarryKeepsItsNames) {
  const TensorMap init = {{"mean", ones({2})}, {"var", ones({2})}};
  EXPECT_THAT(
      [&] {
        for_loop(
            2,
            [](const Tensor&, const TensorMap& c) {
              return TensorMap{{"mean", c.at("mean")}, {"std", c.at("var")}};
            },
            init);
      },
      ThrowsMessage<TypeError>(HasSubstr("a step gives 'std' where the carry has 'var'")));
}

TEST(Control, BranchesGiveWhatIsCalledTheSame) {
  const auto one = [](const Tensor& x) { return TensorMap{{"mean", x}}; };
  const auto other = [](const Tensor& x) { return TensorMap{{"var", x}}; };
  EXPECT_THAT([&] { cond(tensor(true), one, other, ones({2})); },
              ThrowsMessage<TypeError>(
                  HasSubstr("cond: one branch gives 'var' where another gives 'mean'")));
}

TEST(Control, ACarryKeepsItsType) {
  EXPECT_THAT(
      [] {
        for_loop(2, [](const Tensor&, const Tensor& x) { return cast(x, DType::f64); }, zeros({3}));
      },
      ThrowsMessage<TypeError>(
          HasSubstr("for_loop: a step gives f64[3] for the carry, which begins as f32[3]")));
  const std::map<std::string, Tensor> init = {{"x", zeros({2})}, {"y", zeros({3})}};
  const auto wider = [](const auto& carry) {
    auto next = carry;
    next["y"] = concat({carry.at("y"), carry.at("x")});
    return next;
  };
  EXPECT_THAT(
      [&] {
        scan([&](auto c, const Tensor&) { return std::pair(wider(c), 1.F * c["x"]); }, init,
             zeros({4}));
      },
      ThrowsMessage<TypeError>(
          HasSubstr("scan: a step gives f32[5] for 'y', which begins as f32[3]")));
  EXPECT_THAT([&] { while_loop([](const auto& c) { return sum(c.at("x")) < 1; }, wider, init); },
              ThrowsMessage<TypeError>(HasSubstr("while_loop: a step gives f32[5] for 'y'")));
  const std::vector<Tensor> two = {zeros({2}), zeros({2})};
  EXPECT_THAT(
      [&] {
        for_loop(2, [](const Tensor&, const auto& c) { return std::vector<Tensor>{c[0]}; }, two);
      },
      ThrowsMessage<TypeError>(HasSubstr("for_loop: a step gives 1 tensor for a carry of 2")));
}

TEST(Control, AnIndexIsAnIntegerAndAConditionAScalar) {
  const auto same = [](const Tensor& x) { return x; };
  const std::vector<std::function<Tensor(const Tensor&)>> branches = {same, same};
  EXPECT_THAT([&] { conditional(ones({}) * 1.7, branches, ones({2})); },
              ThrowsMessage<TypeError>(HasSubstr("an integer, not f32[]")));
  EXPECT_THAT([&] { cond(ones({2}) > 0, same, same, ones({2})); },
              ThrowsMessage<TypeError>(HasSubstr("the condition is bool[], not bool[2]")));
}

TEST(Control, TensorsCantBeReadInside) {
  EXPECT_THAT(
      [] {
        for_loop(
            2, [](const Tensor&, const Tensor& x) { return x * x.item<float>(); }, full({}, 1.0));
      },
      ThrowsMessage<UsageError>(HasSubstr("there is no data to read")));
}

TEST(Control, WhatWasMadeInsideHasNoValueOutside) {
  Tensor leaked;
  for_loop(
      2,
      [&](const Tensor&, const Tensor& x) {
        leaked = x * 2;
        return leaked;
      },
      full({}, 1.0));
  EXPECT_THAT([&] { (leaked + 1).item<float>(); }, testing::Throws<UsageError>());
}

TEST(Control, SequencesHaveEquallyManySteps) {
  const auto f = [](const Tensor& c, const std::pair<Tensor, Tensor>& x) {
    return std::pair(c, x.first + x.second);
  };
  EXPECT_THAT([&] { scan(f, zeros({}), std::pair(zeros({3}), zeros({4}))); },
              ThrowsMessage<TypeError>(HasSubstr("3 and 4 steps")));
  EXPECT_THAT([&] { scan(f, zeros({}), std::pair(zeros({3}), zeros({}))); },
              ThrowsMessage<TypeError>(HasSubstr("first axis, which f32[] lacks")));
  EXPECT_THAT([&] { for_loop(-1, [](const Tensor&, const Tensor& x) { return x; }, zeros({})); },
              testing::Throws<Error>());
}

TEST(Control, AnErrorInsideLeavesTheRankUsable) {
  EXPECT_THROW(for_loop(
                   2, [](const Tensor&, const Tensor&) -> Tensor { throw std::runtime_error("x"); },
                   zeros({3})),
               std::runtime_error);
  EXPECT_EQ(sum(ones({3})).item<float>(), 3);
}

}  // namespace
}  // namespace tutti::control_test

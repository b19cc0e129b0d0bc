#include <cmath>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::vjp_test {
namespace {

using Doubles = std::vector<double>;
using testing::DoubleNear;
using testing::Each;
using testing::Pointwise;

struct Two {
  Tensor wave;
  Tensor total;
  Tensor largest;  // an index: no derivative
  TUTTI_FIELDS(wave, total, largest)
};

Two two(const Tensor& x) {
  return {.wave = sin(x) * x, .total = sum(exp(x)), .largest = argmax(x, 0)};
}

MATCHER_P(IsNear, expected, "") {
  return testing::ExplainMatchResult(Pointwise(DoubleNear(1e-9), expected), arg, result_listener);
}

TEST(Vjp, WeighsEveryLeafOfTheValue) {
  const Doubles x = {0.5, -1, 2};
  const auto [value, pullback] = vjp(two)(from(x, {3}));
  EXPECT_EQ(value.largest.item<std::int64_t>(), 2);
  const Two cotangent = {
      .wave = tensor({1.0, 2.0, 3.0}), .total = tensor(10.0), .largest = value.largest};
  Doubles expected;
  for (std::size_t i = 0; i < 3; ++i) {
    expected.push_back(double(i + 1) * (std::cos(x[i]) * x[i] + std::sin(x[i])) +
                       10 * std::exp(x[i]));
  }
  EXPECT_THAT(pullback(cotangent).to_vector<double>(), IsNear(expected));
}

TEST(Vjp, MayBeUsedAfterTheValueWasReadAndMoreThanOnce) {
  const auto [value, pullback] =
      vjp([](const Tensor& x) { return tanh(x) * 2.0; })(tensor({0.0, 1.0}));
  EXPECT_EQ(value.to_vector<double>()[0], 0);  // evaluates
  const double slope = 2 * (1 - std::tanh(1.0) * std::tanh(1.0));
  EXPECT_THAT(pullback(tensor({1.0, 1.0})).to_vector<double>(), IsNear(Doubles{2, slope}));
  EXPECT_THAT(pullback(tensor({3.0, 0.0})).to_vector<double>(), IsNear(Doubles{6, 0}));
}

TEST(Vjp, OfAScalarIsTheGradient) {
  const auto f = [](const Tensor& x) { return sum(x * x * x); };
  const Tensor x = tensor({1.0, -2.0});
  const auto [value, pullback] = vjp(f)(x);
  EXPECT_EQ(pullback(ones_like(value)).to_vector<double>(), grad(f)(x).to_vector<double>());
}

TEST(Vjp, WorksInsideCompiledFunctionsAndGradients) {
  const auto f = [](const Tensor& x) { return exp(x) * x; };
  const auto pulled = [&](const Tensor& x) { return vjp(f)(x).second(ones_like(x)); };
  const Tensor x = tensor({0.5, 1.5});
  const Doubles expected = {std::exp(0.5) * 1.5, std::exp(1.5) * 2.5};
  EXPECT_THAT(compile(pulled)(x).to_vector<double>(), IsNear(expected));
  const auto second = grad([&](const Tensor& t) { return sum(pulled(t)); })(x);
  EXPECT_THAT(second.to_vector<double>(),
              IsNear(Doubles{std::exp(0.5) * 2.5, std::exp(1.5) * 3.5}));
}

TEST(Vjp, NumbersStayRunTimeParameters) {
  std::size_t programs = 0;
  for (int step = 0; step < 4; ++step) {
    const double rate = 0.1 * (step + 1);
    const auto [value, pullback] = vjp([&](const Tensor& x) { return x * rate; })(tensor({1.0}));
    EXPECT_THAT(pullback(tensor({1.0})).to_vector<double>(), IsNear(Doubles{rate}));
    if (step == 0) programs = detail::RankContext::current().compiled_programs();
  }
  EXPECT_EQ(detail::RankContext::current().compiled_programs(), programs);
}

TEST(Vjp, RefusesCotangentsThatDoNotFit) {
  const auto [value, pullback] = vjp([](const Tensor& x) { return x * 2.0; })(tensor({1.0, 2.0}));
  expect_error<TypeError>([&, &pull = pullback] { pull(tensor({1.0})); },
                          {"cotangent0 must be f64[2], not f64[1]"});
  expect_error<TypeError>([&, &pull = pullback] { pull(tensor({1.F, 2.F})); },
                          {"cotangent0 must be f64[2], not f32[2]"});
  expect_error<UsageError>([&, &pull = pullback] { pull(Tensor()); }, {"never given a value"});
}

TEST(Vjp, RefusesIntegersAndOpsWithoutGradient) {
  const auto twice = [](const Tensor& x) { return x * 2; };
  expect_error<TypeError>([&] { vjp(twice)(tensor({1, 2})); },
                          {"no derivative with respect to i32[2]", "not floating-point"});
  const unsigned line = __LINE__ + 1;
  const auto bits = [](const Tensor& x) { return bitcast(cast(x, DType::f16), DType::bf16); };
  expect_error<TypeError>([&] { vjp(bits)(tensor({1.F})); }, {"bitcast has no gradient"}, line);
}

TEST(Vjp, OfWhatIsReplicatedTakesCotangentsThatAre) {
  simulate(2, [](World& world) {
    const double own = double(world.rank()) + 1;
    const auto [value, pullback] = vjp(
        [&](const Tensor& x) -> Tensor { return all_reduce(x * own, world); })(tensor({1.0, 2.0}));
    EXPECT_THAT(pullback(replicated(tensor({1.0, 10.0}), world)).template to_vector<double>(),
                IsNear(Doubles{own, 10 * own}));
    const Tensor varying = tensor({own, own});
    EXPECT_THROW(pullback(varying), TypeError);
  });
}

TEST(Vjp, OfWhatIsReplicatedAndNumbersIsReplicated) {
  simulate(2, [](World& world) {
    const Tensor x = replicated(tensor({1.0, 2.0}), world);
    const auto [value, pullback] = vjp([](const Tensor& t) -> Tensor { return -t; })(x);
    const Tensor cotangent = pullback(ones({2}, DType::f64));
    EXPECT_EQ(cotangent.state()->type.replication, x.state()->type.replication);
    const auto [same, tangent] =
        jvp([](const Tensor& t) -> Tensor { return -t; })(x, full({2}, 3.0, DType::f64));
    EXPECT_EQ(tangent.state()->type.replication, x.state()->type.replication);
  });
}

// ---- Forward mode.

Doubles difference(const std::function<Tensor(const Tensor&)>& f, const Doubles& x,
                   const Doubles& tangent) {
  constexpr double kStep = 1e-6;
  const auto at = [&](double step) {
    Doubles moved = x;
    for (std::size_t i = 0; i < x.size(); ++i) moved[i] += step * tangent[i];
    return f(from(moved, {static_cast<std::int64_t>(x.size())})).to_vector<double>();
  };
  const Doubles up = at(kStep);
  const Doubles down = at(-kStep);
  Doubles out;
  for (std::size_t i = 0; i < up.size(); ++i) out.push_back((up[i] - down[i]) / (2 * kStep));
  return out;
}

TEST(Jvp, IsTheDerivativeAlongTheTangent) {
  const Doubles x = {0.3, -0.8, 1.7, 0.9};
  const Doubles tangent = {1, -2, 0.5, 3};
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      [](const Tensor& t) { return tanh(t) * exp(t) / (1.0 + t * t); },
      [](const Tensor& t) { return softmax(t); },
      [](const Tensor& t) { return matmul(reshape(t, {2, 2}), reshape(sin(t), {2, 2})); },
      [](const Tensor& t) {
        return concat(std::vector{max(t, {}, true), relu(t), reverse(t, {0})});
      },
      [](const Tensor& t) { return take(t * t, tensor({3, 3, 0})); },
      [](const Tensor& t) { return layer_norm(t, t, sin(t)); },
      [](const Tensor& t) { return cast(cast(t, DType::f64) * 3.0, DType::f64); },
      [](const Tensor& t) { return grad([](const Tensor& s) { return sum(exp(s) * s); })(t); },
      [](const Tensor& t) { return pad(slice(t, {{1, 3}}), {1}, {2}, sum(t)); },
  };
  for (const auto& f : functions) {
    SCOPED_TRACE(&f - functions.data());
    const auto [value, derivative] = jvp(f)(from(x, {4}), from(tangent, {4}));
    EXPECT_THAT(value.to_vector<double>(), IsNear(f(from(x, {4})).to_vector<double>()));
    EXPECT_THAT(derivative.to_vector<double>(),
                Pointwise(DoubleNear(1e-6), difference(f, x, tangent)));
  }
}

// Their functions take the first pullback's cotangents, too, which nothing comes of.
TEST(Jvp, GoesThroughLoopsAndBranches) {
  const Doubles x = {0.3, -0.8, 1.7, 0.9};
  const Doubles tangent = {1, -2, 0.5, 3};
  const auto branch = [](const Tensor& t) {
    return cond(
        sum(t) > 0.0, [](const Tensor& v) { return sin(v) * v; },
        [](const Tensor& v) { return ones_like(v); }, t);
  };
  const auto cell = [](const Tensor& c, const Tensor& v) {
    const Tensor next = cond(
        v > 0.0, [](const Tensor& a) { return sin(a) + 1.0; },
        [](const Tensor& a) { return a * a; }, c * 0.5 + v);
    return std::pair(next, next * v);
  };
  const auto loop = [](auto step) {
    return [step](const Tensor& t) {
      return for_loop(3, [&](const Tensor&, const Tensor& h) { return step(h, t); }, t);
    };
  };
  const auto slope = [](auto f) {
    return [f](const Tensor& t) {
      return grad([&](const Tensor& s) { return sum(f(s) * sin(s)); })(t);
    };
  };
  const auto normed =
      loop([](const Tensor& h, const Tensor& t) { return layer_norm(h * h, sin(t) + 2.0, t); });
  const auto extremes = loop([](const Tensor& h, const Tensor& t) {
    return sin(h * max(h, {}, true)) * 0.5 + logsumexp(h * t) * 0.1 + t;
  });
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      branch,
      [&](const Tensor& t) { return branch(t - 5.0); },
      [&](const Tensor& t) { return scan(cell, zeros({}, DType::f64), t).second; },
      loop([&](const Tensor& h, const Tensor& t) { return branch(h * t + 1.0); }),
      normed,
      extremes,
      loop([](const Tensor& h, const Tensor& t) { return cumprod(h * 0.5 + t, 0); }),
      loop([](const Tensor& h, const Tensor& t) { return cummax(h * t, 0); }),
      slope(branch),
      slope([&](const Tensor& t) { return scan(cell, zeros({}, DType::f64), t).second; }),
      slope(normed),
      slope(extremes),
  };
  for (const auto& f : functions) {
    SCOPED_TRACE(&f - functions.data());
    const auto [value, derivative] = jvp(f)(from(x, {4}), from(tangent, {4}));
    EXPECT_THAT(value.to_vector<double>(), IsNear(f(from(x, {4})).to_vector<double>()));
    const Doubles expected = difference(f, x, tangent);
    const Doubles found = derivative.to_vector<double>();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-5 * (1 + std::abs(expected[i])));
    }
  }
}

TEST(Jvp, IsZeroWhereNothingDepends) {
  const Tensor x = tensor({1.0, 2.0});
  const Tensor tangent = tensor({1.0, 3.0});
  const auto derivative = [&](auto f) { return jvp(f)(x, tangent).second; };
  EXPECT_THAT(
      derivative([](const Tensor&) { return zeros({2}, DType::f64); }).template to_vector<double>(),
      Each(0));
  EXPECT_THAT(derivative([](const Tensor& t) { return floor(t); }).template to_vector<double>(),
              Each(0));
  EXPECT_THAT(
      derivative(grad([](const Tensor& t) { return sum(t * 3); })).template to_vector<double>(),
      Each(0));
  const auto [square, same] = derivative([&](const Tensor& t) { return std::pair(t * t, x); });
  EXPECT_THAT(square.template to_vector<double>(), IsNear(Doubles{2, 12}));
  EXPECT_THAT(same.template to_vector<double>(), Each(0));
}

TEST(Jvp, GoesThroughCheckpoints) {
  const Tensor x = tensor({1.0, 2.0});
  const Tensor tangent = tensor({1.0, 3.0});
  const auto block = [](const Tensor& t) { return softmax(sin(t) * t); };
  const auto twice = [&](auto f) {
    return [=](const Tensor& t) {
      const Tensor y = f(f(t));
      return sum(y * y * y);
    };
  };
  const auto plain = twice(block);
  const auto kept = twice([&](const Tensor& t) { return checkpoint(block)(t); });
  EXPECT_THAT(jvp(kept)(x, tangent).second.template to_vector<double>(),
              IsNear(jvp(plain)(x, tangent).second.template to_vector<double>()));
  EXPECT_THAT(jvp(grad(kept))(x, tangent).second.template to_vector<double>(),
              IsNear(jvp(grad(plain))(x, tangent).second.template to_vector<double>()));
}

TEST(Jvp, OfTrees) {
  const std::vector<Tensor> x = {tensor({1.0, 2.0}), tensor(3.0)};
  const std::vector<Tensor> tangent = {tensor({1.0, 0.0}), tensor(2.0)};
  const auto f = [](const std::vector<Tensor>& t) {
    return std::pair(t[0] * t[1], std::vector{t[1] * t[1], argmax(t[0], 0)});
  };
  const auto [value, derivative] = jvp(f)(x, tangent);
  EXPECT_THAT(derivative.first.to_vector<double>(), IsNear(Doubles{3 + 2, 4}));
  EXPECT_THAT(derivative.second[0].to_vector<double>(), IsNear(Doubles{12}));
  EXPECT_EQ(derivative.second[1].item<std::int64_t>(), 1);  // stands as it is
}

TEST(Jvp, OfGradientsGivesTheProductWithTheHessian) {
  const auto f = [](const Tensor& x) { return sum(x * x * x) + sum(x) * sum(x); };
  const Tensor x = tensor({1.0, 2.0});
  const auto [gradient, product] = jvp(grad(f))(x, tensor({1.0, -1.0}));
  EXPECT_THAT(product.to_vector<double>(), IsNear(Doubles{6 * 1 + 2 - 2, -12 + 2 - 2}));
}

TEST(Jvp, ComputesNoMoreThanItNeeds) {
  CompiledGraphs graphs;
  auto both = compile([](const Tensor& x, const Tensor& t) {
    return jvp([](const Tensor& y) { return tanh(y); })(x, t);
  });
  both(tensor({0.5}), tensor({2.0}));
  std::map<ir::Op, int> ops;
  for (ir::NodeId id = 0; id < graphs.last().node_count(); ++id) ++ops[graphs.last().node(id).op];
  EXPECT_EQ(ops[ir::Op::tanh], 1);
  EXPECT_EQ(ops[ir::Op::mul], 2);  // t * (1 - r * r)
}

TEST(Jvp, OfCollectivesSendsTangents) {
  simulate(2, [](World& world) {
    const double own = double(world.rank()) + 1;
    const auto f = [&](const Tensor& x) -> Tensor { return all_reduce(x * x, world); };
    const auto [value, derivative] = jvp(f)(tensor({own}), tensor({1.0}));
    EXPECT_EQ(value.item<double>(), 5);
    EXPECT_EQ(derivative.item<double>(), 2 * 1 + 2 * 2);
  });
}

// ---- stop_gradient.

TEST(StopGradient, IsAConstantToDerivatives) {
  const auto f = [](const Tensor& x) { return sum(stop_gradient(x) * x); };
  EXPECT_EQ(grad(f)(tensor({3.0, 4.0})).to_vector<double>(), (Doubles{3, 4}));
  EXPECT_EQ(jvp(f)(tensor({3.0, 4.0}), tensor({1.0, 10.0})).second.item<double>(), 43);
  const auto all = [](const Tensor& x) { return sum(stop_gradient(x * x)); };
  EXPECT_EQ(grad(all)(tensor({3.0})).to_vector<double>(), (Doubles{0}));
}

}  // namespace
}  // namespace tutti::test::vjp_test

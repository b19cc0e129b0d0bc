#include <cmath>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::grad_test {
namespace {

Tensor cube(const Tensor& x) { return x * x * x; }

TEST(Grad, OfAScalarFunction) {
  const auto [value, gradient] = value_and_grad(cube)(tensor(2.0));
  EXPECT_EQ(value.item<double>(), 8);
  EXPECT_EQ(gradient.item<double>(), 12);
}

TEST(Grad, Nests) {
  const Tensor x = tensor(2.0);
  const auto second = [](const Tensor& t) { return grad(cube)(t); };
  const auto third = [&](const Tensor& t) { return grad(second)(t); };
  EXPECT_EQ(grad(second)(x).item<double>(), 12);
  EXPECT_EQ(grad(third)(x).item<double>(), 6);
}

TEST(Grad, OfSecondOrderThroughManyOps) {
  const Tensor x = tensor({0.3, -0.7, 1.1});
  const auto f = [](const Tensor& t) { return sum(tanh(t) * exp(t) / (1.0 + t * t)); };
  const auto directional = [&](const Tensor& t) {
    return sum(grad(f)(t) * tensor({1.0, 2.0, -1.0}));
  };
  const std::vector<double> gradient = grad(directional)(x).to_vector<double>();
  for (std::size_t i = 0; i < 3; ++i) {
    const double step = 1e-5;
    std::vector<double> moved = {0.3, -0.7, 1.1};
    moved[i] += step;
    const double up = directional(from(moved, {3})).item<double>();
    moved[i] -= 2 * step;
    const double down = directional(from(moved, {3})).item<double>();
    EXPECT_NEAR(gradient[i], (up - down) / (2 * step), 1e-8);
  }
}

TEST(Grad, OfInnerGradientsWithRespectToTheOuterArgument) {
  // d/dx of x * d/dy (x * y * y) at y = x: x * 2 x y -> with y = x: 2 x^3... differentiated by
  // hand.
  const auto f = [](const Tensor& x) {
    const auto inner = [&](const Tensor& y) { return x * y * y; };
    return x * grad(inner)(x);  // x * 2 x x = 2 x^3
  };
  EXPECT_EQ(grad(f)(tensor(3.0)).item<double>(), 54);
}

struct Model {
  Tensor weight;
  std::optional<Tensor> bias;
  int layers = 3;
  TUTTI_FIELDS(weight, bias, layers)
};

TEST(Grad, IsATreeLikeTheFirstArgument) {
  const Model model{.weight = tensor({{1.F, 2.F}}), .bias = tensor({3.F})};
  const auto loss = [](const Model& m, const Tensor& x, float scale) {
    return sum(matmul(m.weight, x) + *m.bias) * scale;
  };
  const Model gradient = grad(loss)(model, tensor({{5.F}, {7.F}}), 2.F);
  EXPECT_EQ(gradient.weight.to_vector<float>(), Floats({10, 14}));
  EXPECT_EQ(gradient.bias->to_vector<float>(), Floats({2}));
  EXPECT_EQ(gradient.layers, 3);
}

TEST(Grad, GivesWhatTheFunctionGivesBesideItsValue) {
  const auto f = [](const Tensor& x, float factor) {
    const Tensor scaled = x * factor;
    return std::pair(sum(scaled * scaled), std::vector<Tensor>{scaled});
  };
  const auto [value, scaled, gradient] = value_and_grad(f)(tensor({1.F, 2.F}), 3.F);
  EXPECT_EQ(value.item<float>(), 45);
  EXPECT_EQ(scaled.at(0).to_vector<float>(), Floats({3, 6}));
  EXPECT_EQ(gradient.to_vector<float>(), Floats({18, 36}));
  const auto [alone, beside] = grad(f)(tensor({1.F, 2.F}), 3.F);
  EXPECT_EQ(alone.to_vector<float>(), Floats({18, 36}));
  EXPECT_EQ(beside.at(0).to_vector<float>(), Floats({3, 6}));
}

TEST(Grad, OfArgumentsByNumber) {
  const auto f = [](const std::vector<Tensor>& x, std::int64_t power, const Tensor& y) {
    return sum(x[0] * y * static_cast<float>(power));
  };
  const std::vector<Tensor> x = {tensor({1.F, 2.F})};
  const Tensor y = tensor({5.F, 7.F});
  const auto [value, both] = value_and_grad<0, 2>(f)(x, 2, y);
  EXPECT_EQ(value.item<float>(), 38);
  EXPECT_EQ(std::get<0>(both)[0].to_vector<float>(), Floats({10, 14}));
  EXPECT_EQ(std::get<1>(both).to_vector<float>(), Floats({2, 4}));
  EXPECT_EQ(grad<2>(f)(x, 2, y).to_vector<float>(), Floats({2, 4}));
}

TEST(Grad, LeavesOtherArgumentsWhereTheyAre) {
  simulate(2, [](World& world) {  // which cannot be copied
    const auto f = [](const Tensor& x, World& w) { return all_reduce(sum(x * x), w); };
    const Tensor gradient = grad([&](const Tensor& x, const std::unique_ptr<int>& power) -> Tensor {
      return f(x, world) * static_cast<float>(*power);
    })(tensor({1.F}), std::make_unique<int>(3));
    EXPECT_EQ(gradient.item<float>(), 6);
  });
}

TEST(Grad, IsOfWhatGoesThroughTheArgumentAlone) {
  const Tensor x = tensor(3.F);
  const auto f = [&](const Tensor& t) { return t * x; };  // the captured x is a constant here
  EXPECT_EQ(grad(f)(x).item<float>(), 3);
  const Tensor recorded = x * x;
  const auto g = [&](const Tensor& t) { return t * recorded; };
  EXPECT_EQ(grad(g)(x).item<float>(), 9);
}

TEST(Grad, OfSharedLeavesCountsEachPlace) {
  const Tensor w = tensor(3.F);
  const auto f = [](const std::vector<Tensor>& v) { return v[0] * v[1]; };
  const std::vector<Tensor> gradient = grad(f)(std::vector<Tensor>{w, w});
  EXPECT_EQ(gradient[0].item<float>(), 3);
  EXPECT_EQ(gradient[1].item<float>(), 3);
}

TEST(Grad, IsZeroWhereNothingDepends) {
  const auto f = [](const std::vector<Tensor>& v) { return sum(v[0]); };
  const std::vector<Tensor> gradient =
      grad(f)(std::vector<Tensor>{zeros({2}), ones({3}), zeros({0})});
  EXPECT_EQ(gradient[0].to_vector<float>(), Floats({1, 1}));
  EXPECT_EQ(gradient[1].to_vector<float>(), Floats({0, 0, 0}));
  EXPECT_EQ(gradient[2].shape(), Shape({0}));
  const auto constant_function = [](const Tensor&) { return tensor(5.F); };
  EXPECT_EQ(grad(constant_function)(tensor(1.F)).item<float>(), 0);
}

TEST(Grad, NeedsAFloatingPointScalar) {
  const auto same = [](const Tensor& x) { return x; };
  expect_error<TypeError>([&] { grad(same)(tensor({1.F, 2.F})); }, {"scalar", "f32[2]"});
  const auto whole = [](const Tensor& x) { return sum(cast(x, DType::i32)); };
  expect_error<TypeError>([&] { grad(whole)(tensor({1.F})); }, {"scalar", "i32[]"});
  const auto ignore = [](const Tensor&) { return tensor(1.F); };
  expect_error<TypeError>([&] { grad(ignore)(tensor({1})); }, {"not floating-point", "i32"});
}

TEST(Grad, NamesTheLeafThatIsNotFloatingPoint) {
  const auto f = [](const Model& model) { return sum(model.weight); };
  const Model model = {.weight = tensor({1.F}), .bias = tensor({1, 2})};
  expect_error<TypeError>([&] { grad(f)(model); }, {"'bias', i32[2]", "not floating-point"});
  expect_error<TypeError>([&] { vjp(f)(model); }, {"'bias', i32[2]"});
}

struct Option {
  double spot = 100;
  Tensor volatility = tensor(0.2F);
  float rate = 0.03F;
  long double years = 0.5L;
  int steps = 7;
  TUTTI_FIELDS(spot, volatility, rate, years, steps)
};

// They are no variables, and what looks like a derivative would be a wrong one.
TEST(Grad, OfNumbersIsNaN) {
  const auto price = [](const Option& option) { return option.volatility * option.spot; };
  const auto expect_one = [](const Option& slopes, float slope) {
    EXPECT_EQ(slopes.volatility.item<float>(), slope);
    EXPECT_TRUE(std::isnan(slopes.spot));
    EXPECT_TRUE(std::isnan(slopes.rate));
    EXPECT_TRUE(std::isnan(slopes.years));
    EXPECT_EQ(slopes.steps, 7);
  };
  const Option option;
  expect_one(grad(price)(option), 100);
  expect_one(compile([&](const Option& given) { return grad(price)(given); })(option), 100);
  const auto [value, pullback] = vjp(price)(option);
  expect_one(pullback(tensor(2.F)), 200);
  const auto same = [](const Option& given) { return given; };
  expect_one(jvp(same)(option, Option{.volatility = tensor(3.F)}).second, 3);
  EXPECT_EQ(option.spot, 100);
}

TEST(Grad, OfAnOpWithoutOneNamesOpAndLine) {
  const auto f = [](const Tensor& x) { return sum(bitcast(cast(x, DType::f16), DType::bf16)); };
  expect_error<TypeError>([&] { grad(f)(tensor({1.F})); }, {"bitcast has no gradient"},
                          __LINE__ - 2);
}

TEST(Grad, NothingIsReadInsideTheFunction) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    y.item<float>();
    return y;
  };
  expect_error<UsageError>([&] { grad(f)(tensor(1.F)); }, {"differentiated", "outside"}, kNowhere);
  EXPECT_EQ(grad(cube)(tensor(2.F)).item<float>(), 12) << "it works again afterwards";
}

TEST(Grad, NothingOfItIsReadInsideALoopOfTheFunction) {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    return for_loop(2, [&](const Tensor&, const Tensor& c) { return c * y.item<float>(); }, y);
  };
  expect_error<UsageError>([&] { grad(f)(tensor(3.F)); }, {"differentiated", "outside"}, kNowhere);
  EXPECT_EQ(grad(cube)(tensor(2.F)).item<float>(), 12) << "it works again afterwards";
}

TEST(Grad, WorksInsideCompiledFunctionsAndOfThem) {
  auto step = compile([](const Tensor& x, float rate) { return x - rate * grad(cube)(x); });
  EXPECT_FLOAT_EQ(step(tensor(2.F), 0.5F).item<float>(), -4);
  EXPECT_FLOAT_EQ(step(tensor(2.F), 0.25F).item<float>(), -1);
  EXPECT_EQ(step.programs(), 1U);
  auto inner = compile([](const Tensor& x) { return cube(x) * 2.F; });
  EXPECT_EQ(grad([&](const Tensor& x) { return inner(x); })(tensor(2.F)).item<float>(), 24);
}

TEST(Grad, AloneDoesNotComputeTheValue) {
  auto gradient = compile([](const Tensor& x, const Tensor& weight) {
    return grad([&](const Tensor& w) { return mean(exp(matmul(x, w)) * 3.F + matmul(x, w)); })(
        weight);
  });
  gradient(ones({64, 64}), ones({64, 64}));
  const std::string plan = gradient.plan();
  EXPECT_THAT(plan, testing::Not(testing::HasSubstr("mean"))) << plan;
  EXPECT_THAT(plan, testing::Not(testing::HasSubstr("reduce.add"))) << plan;
}

TEST(Grad, ValueAndGradientShareTheForwardPass) {
  const CompiledGraphs graphs;
  const auto f = [](const Tensor& x) { return sum(exp(x)); };
  const auto [value, gradient] = value_and_grad(f)(zeros({2, 5, 3}));
  eval(std::vector<Tensor>{value, gradient});
  EXPECT_EQ(graphs.count(ir::Op::exp), 1);
}

TEST(Grad, InEagerModeIsTheSame) {
  World world = init();
  world.set_eager(true);
  EXPECT_EQ(grad(cube)(tensor(2.F)).item<float>(), 12);
}

TEST(Grad, OfNarrowDTypesStaysThere) {
  const auto f = [](const Tensor& x) { return sum(softmax(x) * x); };
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor gradient = grad(f)(cast(tensor({1.F, 2.F, 3.F}), dtype));
    EXPECT_EQ(gradient.dtype(), dtype);
    const Floats wide = grad(f)(tensor({1.F, 2.F, 3.F})).to_vector<float>();
    const Floats narrow = cast(gradient, DType::f32).to_vector<float>();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(narrow[i], wide[i], 0.03);
  }
}

TEST(Grad, OfALongChain) {
  const auto f = [](Tensor x) {
    for (int i = 0; i < 3000; ++i) x = x * 1.0001;
    return x;
  };
  EXPECT_NEAR(grad(f)(tensor(1.0)).item<double>(), std::pow(1.0001, 3000), 1e-9);
}

TEST(Grad, WhoLosesGetsNothingOfAnInfiniteCotangent) {
  const auto f = [](const Tensor& x) { return sum(sqrt(maximum(x, 0.F))); };
  EXPECT_EQ(grad(f)(tensor({-1.F, 4.F})).to_vector<float>(), std::vector<float>({0, 0.25F}));
}

TEST(Grad, OfPowersAtZeroHasADerivativeOfItsOwn) {
  const auto first = [](const Tensor& x) {
    return sum(grad([](const Tensor& z) { return sum(pow(z, zeros({1}))); })(x));
  };
  EXPECT_EQ(grad(first)(zeros({1})).to_vector<float>(), std::vector<float>({0}));
}

}  // namespace
}  // namespace tutti::test::grad_test

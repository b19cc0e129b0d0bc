#include <atomic>
#include <cmath>
#include <map>

#include "tests/lazy/lazy_testing.h"

// compile(): what is traced when, and what a compiled function takes and gives.
namespace tutti::test::compile_test {
namespace {

TEST(Compile, TracesOnceAndReplays) {
  int traced = 0;
  auto f = compile([&](const Tensor& x) {
    ++traced;
    return exp(x) * 2.F;
  });
  EXPECT_EQ(f.calls(), 0);
  for (int i = 0; i < 5; ++i) {
    const float x = 0.25F * static_cast<float>(i);
    EXPECT_FLOAT_EQ(f(tensor({x})).item<float>(), 2 * std::exp(x));
  }
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(f.calls(), 5);
  EXPECT_EQ(f.programs(), 1U);
  EXPECT_THAT(f.ir(), testing::HasSubstr("exp("));
  EXPECT_THAT(f.plan(), testing::HasSubstr("launch"));
  EXPECT_THAT(f.explain(), testing::HasSubstr("first call"));
}

TEST(Compile, BeforeTheFirstCallThereIsNothingToShow) {
  const auto f = compile([](const Tensor& x) { return x; });
  expect_error<UsageError>([&] { f.ir(); }, {"not called yet"}, __LINE__ - 1);
  expect_error<UsageError>([&] { f.plan(); }, {"not called yet"}, __LINE__ - 2);
}

TEST(Compile, ANewShapeOrDTypeIsANewProgramAndSaysWhy) {
  auto f = compile([](const Tensor& x) { return x + x; });
  f(zeros({3}));
  f(zeros({4}));
  EXPECT_EQ(f.programs(), 2U);
  EXPECT_THAT(f.explain(),
              testing::AllOf(testing::HasSubstr("2 times"), testing::HasSubstr("f32[3]"),
                             testing::HasSubstr("f32[4]")));
  f(zeros({4}, DType::f64));
  EXPECT_THAT(f.explain(), testing::HasSubstr("f64[4]"));
  f(zeros({3}));
  EXPECT_EQ(f.programs(), 3U) << "the first one is still known";
}

enum class Mode : std::uint8_t { add, multiply };

TEST(Compile, IntegersEnumsBoolsAndStringsAreStatic) {
  auto f = compile(
      [](const Tensor& x, std::int64_t power, Mode mode, bool negate, const std::string& name) {
        Tensor y = x;
        for (std::int64_t i = 1; i < power; ++i) y = mode == Mode::add ? y + x : y * x;
        if (name == "half") y = y * 0.5F;
        return negate ? -y : y;
      });
  const Tensor x = tensor({3.F});
  EXPECT_EQ(f(x, 2, Mode::add, false, "whole").item<float>(), 6);
  EXPECT_EQ(f(x, 3, Mode::multiply, false, "whole").item<float>(), 27);
  EXPECT_THAT(f.explain(), testing::HasSubstr("1 = 2 became 1 = 3"));
  EXPECT_EQ(f(x, 3, Mode::multiply, true, "whole").item<float>(), -27);
  EXPECT_EQ(f(x, 3, Mode::multiply, true, "half").item<float>(), -13.5F);
  EXPECT_EQ(f.programs(), 4U);
  f(x, 2, Mode::add, false, "whole");
  EXPECT_EQ(f.programs(), 4U);
}

TEST(Compile, AFunctionOfAnotherRankIsRefused) {
  for (int round = 0; round < 20; ++round) {
    auto f = compile([](const Tensor& x) { return x * 2.F; });
    std::atomic<int> refused = 0;
    simulate(3, [&](World&) {
      try {
        for (int i = 0; i < 5; ++i) EXPECT_EQ(f(ones({3})).to_vector<float>(), Floats({2, 2, 2}));
      } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("belongs to another rank"));
        ++refused;
      }
    });
    EXPECT_EQ(refused, 2);
  }
}

TEST(Compile, TheKeysOfMapsAreStatic) {
  using Map = std::map<std::string, Tensor>;
  auto f = compile([](Map map) {
    for (auto& [name, value] : map) value = name == "mask" ? value * 0.F : value * 2.F;
    return map;
  });
  EXPECT_EQ(f(Map{{"x", tensor({3.F})}}).at("x").item<float>(), 6);
  EXPECT_EQ(f(Map{{"mask", tensor({3.F})}}).at("mask").item<float>(), 0);
  EXPECT_EQ(f.programs(), 2U);
  EXPECT_THAT(f.explain(), testing::HasSubstr("0.x: f32[1] became 0.mask: f32[1]"));
}

TEST(Compile, FloatingPointArgumentsAreRunTimeParameters) {
  auto f = compile([](const Tensor& x, float scale, double shift) { return x * scale + shift; });
  for (int i = 0; i < 1000; ++i) {
    const float scale = 0.5F + static_cast<float>(i);
    ASSERT_EQ(f(tensor({2.F}), scale, i * 0.25).item<float>(),
              2 * scale + static_cast<float>(i) * 0.25F);
  }
  EXPECT_EQ(f.programs(), 1U);
}

TEST(Compile, ADoubleKeepsItsPrecision) {
  auto f = compile([](const Tensor& x, double shift) { return x + shift; });
  EXPECT_EQ(f(zeros({}, DType::f64), 0.1).item<double>(), 0.1);
  EXPECT_EQ(f(zeros({}, DType::f64), 1 + 0x1p-50).item<double>(), 1 + 0x1p-50);
}

TEST(Compile, FloatsThatAreNanOrInfiniteGoThrough) {
  auto f = compile([](const Tensor& x, float y) { return x + y; });
  EXPECT_EQ(f(tensor({1.F}), 2.F).item<float>(), 3);
  EXPECT_TRUE(std::isnan(f(tensor({1.F}), std::nanf("")).item<float>()));
  EXPECT_TRUE(std::isinf(f(tensor({1.F}), INFINITY).item<float>()));
  EXPECT_EQ(f.programs(), 1U);
}

TEST(Compile, AFloatThatDoesNotFitIsAnErrorOfTheCall) {
  auto f = compile([](const Tensor& x, float y) { return x * y; });
  const Tensor x = ones({1}, DType::f16);
  for (int i = 0; i < 2; ++i) {
    expect_error<TypeError>([&] { f(x, 65536.F); }, {"65536 meets a tensor of f16", "not fit"});
    EXPECT_EQ(cast(f(x, 2.F), DType::f32).item<float>(), 2);
  }
  EXPECT_TRUE(std::isinf(cast(f(x, INFINITY), DType::f32).item<float>()));
  EXPECT_EQ(f.programs(), 1U);
  auto in_loop = compile([](const Tensor& y, double z) {
    return for_loop(2, [&](const Tensor&, const Tensor& carry) { return carry + z; }, y);
  });
  expect_error<TypeError>([&] { in_loop(ones({1}), 1e300); }, {"meets a tensor of f32", "not fit"});
}

TEST(Compile, CPlusPlusArithmeticOnAFloatMakesItStatic) {
  auto f = compile([](const Tensor& x, float rate) { return x * (1.F - rate); });
  EXPECT_EQ(f(tensor({4.F}), 0.25F).item<float>(), 3);
  EXPECT_EQ(f(tensor({4.F}), 0.5F).item<float>(), 2);
  EXPECT_EQ(f(tensor({4.F}), 0.25F).item<float>(), 3);
  EXPECT_EQ(f.programs(), 2U);
}

TEST(Compile, AFloatInANarrowerOneIsStatic) {
  auto f = compile([](const Tensor& x, float rate) { return x * tensor({Float16(rate)}); });
  const Tensor x = full({1}, 4, DType::f16);
  EXPECT_EQ(cast(f(x, 0.25F), DType::f32).item<float>(), 1);
  EXPECT_EQ(cast(f(x, 0.5F), DType::f32).item<float>(), 2);
  auto widened =
      compile([](const Tensor& y, float rate) { return y * static_cast<float>(BFloat16(rate)); });
  EXPECT_EQ(widened(tensor({4.F}), 0.25F).item<float>(), 1);
  EXPECT_EQ(widened(tensor({4.F}), 0.5F).item<float>(), 2);
}

TEST(Compile, ABranchOnAFloatMakesItStatic) {
  auto f = compile([](const Tensor& x, double rate) { return rate > 0.5 ? x * 2.F : x; });
  EXPECT_EQ(f(tensor({4.F}), 0.25).item<float>(), 4);
  EXPECT_EQ(f(tensor({4.F}), 0.75).item<float>(), 8);
  EXPECT_EQ(f(tensor({4.F}), 0.25).item<float>(), 4);
}

struct Counted {
  int count;
  Tensor weight;
  TUTTI_FIELDS(count, weight)
};

TEST(Compile, EachTraceIsOfTheArgumentsAsTheyWereGiven) {
  // The comparison is what makes a second trace.
  auto f = compile([](Counted& counted, float rate) {
    ++counted.count;
    return rate > 0 ? counted.weight * 2.F + counted.count : counted.weight;
  });
  EXPECT_EQ(f(Counted{1, tensor({1.F})}, 0.5F).item<float>(), 4);
  auto g = compile([](std::vector<Tensor>& list, float rate) {
    list.push_back(list[0] * 2.F);
    return rate > 0 ? list.back() : list[0];
  });
  EXPECT_EQ(g(std::vector<Tensor>{tensor({3.F})}, 0.5F).item<float>(), 6);
}

TEST(Compile, ANegatedFloatIsRight) {
  auto f = compile([](const Tensor& x, float rate) { return x * -rate; });
  EXPECT_EQ(f(tensor({4.F}), 0.5F).item<float>(), -2);
  EXPECT_EQ(f(tensor({4.F}), 0.25F).item<float>(), -1);
}

TEST(Compile, ACapturedTensorIsAnErrorThatNamesTheLine) {
  const Tensor captured = tensor({1.F});
  auto f = compile([&](const Tensor& x) { return x + captured; });
  expect_error<UsageError>([&] { f(tensor({1.F})); },
                           {"captures", "pass it as an argument", "constant(t)"}, __LINE__ - 2);
  EXPECT_THAT(Location(std::source_location::current()).text(),
              testing::HasSubstr("compile_test.cpp"));
}

TEST(Compile, AConstantIsMeant) {
  Tensor captured = tensor({1.F}) + 1.F;
  auto f = compile([&](const Tensor& x) { return x + constant(captured); });
  EXPECT_EQ(f(tensor({1.F})).item<float>(), 3);
  captured = tensor({100.F});
  EXPECT_EQ(f(tensor({2.F})).item<float>(), 4) << "the same data in every call";
  EXPECT_EQ(constant(captured).item<float>(), 100);
}

TEST(Compile, AConstantIsMeantInALoopToo) {
  const Tensor captured = tensor({2.F}) + 1.F;
  auto f = compile([&](const Tensor& x) {
    const auto step = [&](const Tensor&, const Tensor& c) { return c * constant(captured); };
    return for_loop(2, step, x) + constant(captured);
  });
  EXPECT_EQ(f(tensor({1.F})).item<float>(), 12);
  EXPECT_EQ(
      for_loop(
          2, [&](const Tensor&, const Tensor& c) { return c * constant(captured); }, tensor({1.F}))
          .item<float>(),
      9);
}

struct Schedule {
  Tensor weight;
  float rate;
  double other;
  TUTTI_FIELDS(weight, rate, other)
};

TEST(Compile, FloatsThatAreResultsTooArePassedAtRunTime) {
  auto step = compile([](Schedule s) {
    s.weight = s.weight * s.rate;
    return s;
  });
  Schedule s{tensor({1.F}), 1, 2};
  for (int i = 0; i < 5; ++i) {
    s.rate = static_cast<float>(i + 1);
    s.other = i;
    s = step(s);
    EXPECT_EQ(s.rate, static_cast<float>(i + 1));
    EXPECT_EQ(s.other, i);
  }
  EXPECT_EQ(s.weight.item<float>(), 120);
  EXPECT_EQ(step.programs(), 1U) << step.explain();
}

TEST(Compile, MoreNumbersThanCanBeToldApartArePartOfTheProgram) {
  auto last = compile([](const Tensor& x, const std::vector<float>& numbers) {
    return x * numbers[40'000] + numbers[20'000];
  });
  std::vector<float> numbers(40'001);
  numbers[40'000] = 3;
  numbers[20'000] = 4;
  EXPECT_EQ(last(tensor({2.F}), numbers).item<float>(), 10);
  numbers[20'000] = 5;
  EXPECT_EQ(last(tensor({2.F}), numbers).item<float>(), 11);
}

TEST(Compile, DataMadeInsideIsPartOfTheProgram) {
  auto f = compile([](const Tensor& x) { return x + tensor({1.F, 2.F}) + full({2}, 0.5F); });
  EXPECT_EQ(f(tensor({0.F, 0.F})).to_vector<float>(), Floats({1.5, 2.5}));
  EXPECT_EQ(f(tensor({1.F, 1.F})).to_vector<float>(), Floats({2.5, 3.5}));
}

TEST(Compile, ThereIsNothingToReadInside) {
  auto f = compile([](const Tensor& x) {
    x.item<float>();
    return x;
  });
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"no data to read", "return"}, __LINE__ - 3);
  auto print = compile([](const Tensor& x) {
    std::ostringstream out;
    out << x;
    return x;
  });
  expect_error<UsageError>([&] { print(tensor({1.F})); }, {"no data to read"}, kNowhere);
}

TEST(Compile, WhatIsCapturedIsNotReadInsideEither) {
  Tensor rate = tensor(2.F);
  auto f = compile([&](const Tensor& x) { return x * rate.item<float>(); });
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"reads a tensor", "argument"}, __LINE__ - 1);
  rate += 1.F;  // is not computed yet
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"reads a tensor", "argument"}, __LINE__ - 3);
  EXPECT_EQ(rate.item<float>(), 3);
}

TEST(Compile, AnErrorInsideLeavesEverythingUsable) {
  auto f = compile([](const Tensor& x) { return x.rank() == 1 ? x + zeros({7}) : x; });
  expect_error<TypeError>([&] { f(zeros({3})); }, {"broadcast"}, __LINE__ - 1);
  EXPECT_EQ(f(tensor({{1.F}})).item<float>(), 1);
  EXPECT_EQ((tensor({1.F}) + 1.F).item<float>(), 2);
  EXPECT_EQ(f.programs(), 1U);
}

TEST(Compile, ATensorThatEscapesHasNoValue) {
  Tensor escaped;
  auto f = compile([&](const Tensor& x) {
    escaped = x + 1.F;
    return x;
  });
  f(tensor({1.F}));
  expect_error<UsageError>([&] { return escaped.item<float>(); }, {"has no value", "compile()"});
}

TEST(Compile, NestedFunctionsAreInlined) {
  auto inner = compile([](const Tensor& x, float scale) { return x * scale; });
  auto outer = compile([&](const Tensor& x) { return inner(x, 3.F) + inner(x, 4.F); });
  EXPECT_EQ(outer(tensor({2.F})).item<float>(), 14);
  EXPECT_EQ(inner.programs(), 0U);
  EXPECT_EQ(inner(tensor({2.F}), 0.5F).item<float>(), 1);
}

TEST(Compile, ANestedFunctionTakesTheOuterRunTimeFloat) {
  auto inner = compile([](const Tensor& x, float scale) { return x * scale; });
  auto outer = compile([&](const Tensor& x, float scale) { return inner(x, scale); });
  EXPECT_EQ(outer(tensor({2.F}), 3.F).item<float>(), 6);
  EXPECT_EQ(outer(tensor({2.F}), 4.F).item<float>(), 8);
  EXPECT_EQ(outer.programs(), 1U);
}

TEST(Compile, ArgumentsAreComputedFirst) {
  auto f = compile([](const Tensor& x) { return x * 2.F; });
  const Tensor x = tensor({1.F}) + 1.F;
  const Tensor y = f(x);
  EXPECT_TRUE(computed(x) && computed(y));
  EXPECT_EQ(y.item<float>(), 4);
}

TEST(Compile, ResultsMayBeArgumentsTwiceOrConstants) {
  auto f = compile([](const Tensor& x, const Tensor& y) {
    return std::tuple(x, x, y + 1.F, full({2}, 3.F), transpose(y), y);
  });
  const Tensor x = tensor({1.F});
  const Tensor y = tensor({{1.F, 2.F}, {3.F, 4.F}});
  const auto [a, b, c, d, e, g] = f(x, y);
  EXPECT_EQ(a.item<float>(), 1);
  EXPECT_EQ(b.item<float>(), 1);
  EXPECT_EQ(c.to_vector<float>(), Floats({2, 3, 4, 5}));
  EXPECT_EQ(d.to_vector<float>(), Floats({3, 3}));
  EXPECT_EQ(e.to_vector<float>(), Floats({1, 3, 2, 4}));
  EXPECT_EQ(g.to_vector<float>(), Floats({1, 2, 3, 4}));
}

TEST(Compile, AFunctionOfNothing) {
  auto f = compile([] { return iota({3}, 0, DType::f32) * 2.F; });
  EXPECT_EQ(f().to_vector<float>(), Floats({0, 2, 4}));
  EXPECT_EQ(f().to_vector<float>(), Floats({0, 2, 4}));
}

TEST(Compile, TheSameTensorTwiceIsAnotherProgram) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return x - y; });
  const Tensor x = tensor({5.F});
  const Tensor y = tensor({3.F});
  EXPECT_EQ(f(x, y).item<float>(), 2);
  EXPECT_EQ(f(x, x).item<float>(), 0);
  EXPECT_EQ(f(y, x).item<float>(), -2);
}

TEST(Compile, KeysAreRunTimeParameters) {
  auto f = compile([](const Key& key) { return uniform({4}, key); });
  const Floats first = f(Key(1)).to_vector<float>();
  EXPECT_NE(first, f(Key(2)).to_vector<float>());
  EXPECT_EQ(first, f(Key(1)).to_vector<float>());
  EXPECT_EQ(first, uniform({4}, Key(1)).to_vector<float>());
  EXPECT_EQ(f.programs(), 1U);
}

TEST(Compile, BelongsToTheWorldThatCalledItFirst) {
  auto f = compile([](const Tensor& x) { return x; });
  {
    World world = init();
    f(tensor({1.F}));
  }
  World world = init();
  expect_error<UsageError>([&] { f(tensor({1.F})); }, {"another rank or World"});
}

// ---- Trees as arguments and results

struct Layer {
  Tensor weight;
  std::optional<Tensor> bias;
  TUTTI_FIELDS(weight, bias)
};
struct Net {
  std::vector<Layer> layers;
  std::map<std::string, Tensor> extra;
  std::int64_t repeat = 1;
  TUTTI_FIELDS(layers, extra, repeat)
};

TEST(Compile, TakesAndGivesTrees) {
  auto f = compile([](Net net, const Tensor& x) {
    for (Layer& layer : net.layers) layer.weight = layer.weight * x;
    if (net.layers[0].bias) net.layers[0].bias = *net.layers[0].bias + 1.F;
    net.extra["scale"] = net.extra.at("scale") * static_cast<float>(net.repeat);
    return net;
  });
  Net net{.layers = {{tensor({1.F}), tensor({2.F})}, {tensor({3.F}), std::nullopt}},
          .extra = {{"scale", tensor({4.F})}}};
  net = f(net, tensor({10.F}));
  EXPECT_EQ(net.layers[0].weight.item<float>(), 10);
  EXPECT_EQ(net.layers[0].bias->item<float>(), 3);
  EXPECT_EQ(net.layers[1].weight.item<float>(), 30);
  EXPECT_FALSE(net.layers[1].bias.has_value());
  EXPECT_EQ(net.extra.at("scale").item<float>(), 4);
  f(net, tensor({1.F}));
  EXPECT_EQ(f.programs(), 1U);
  net.repeat = 2;
  EXPECT_EQ(f(net, tensor({1.F})).extra.at("scale").item<float>(), 8);
  EXPECT_THAT(f.explain(), testing::HasSubstr("repeat"));
  net.layers[1].bias = tensor({0.F});
  EXPECT_TRUE(f(net, tensor({1.F})).layers[1].bias.has_value());
  EXPECT_THAT(f.explain(), testing::HasSubstr("layers.1.bias"));
  net.layers.pop_back();
  EXPECT_EQ(f(net, tensor({1.F})).layers.size(), 1U);
  EXPECT_EQ(f.programs(), 4U);
}

}  // namespace
}  // namespace tutti::test::compile_test

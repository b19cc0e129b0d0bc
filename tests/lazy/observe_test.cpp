// debug_print, check_finite and TUTTI_SET=nan=error: values are looked at where they are computed.

#include <cmath>
#include <functional>
#include <limits>

#include "tests/lazy/lazy_testing.h"

namespace tutti::observe_test {
namespace {

using test::expect_error;
using test::Floats;
using testing::HasSubstr;
using testing::Not;

// What f prints.
std::string printed(const std::function<void()>& f) {
  testing::internal::CaptureStdout();
  try {
    f();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  return testing::internal::GetCapturedStdout();
}

TEST(DebugPrint, PrintsWhereItsResultIsComputed) {
  const Tensor x = tensor({1.F, 2.F});
  Tensor y;
  EXPECT_EQ(printed([&] { y = debug_print("y = {}, seen", x * 2.F); }), "");
  EXPECT_EQ(printed([&] { y.to_vector<float>(); }), "y = f32[2] [2, 4], seen\n");
  EXPECT_EQ(printed([&] { eval(debug_print("count", tensor({true, false}))); }),
            "count: bool[2] [true, false]\n");
  EXPECT_EQ(printed([&] { (void)debug_print("unused", x); }), "");
}

TEST(DebugPrint, PrintsInEveryRunOfACompiledFunction) {
  auto f = compile([](const Tensor& x) {
    const Tensor h = debug_print("h", x + 1.F);
    return debug_print("result", h * h);
  });
  for (const float value : {1.F, 2.F, 3.F}) {
    const float next = value + 1;
    std::ostringstream text;
    text << "h: f32[] " << next << "\nresult: f32[] " << next * next << "\n";
    EXPECT_EQ(printed([&] { EXPECT_EQ(f(tensor(value)).item<float>(), next * next); }), text.str());
  }
  EXPECT_THAT(f.plan(), HasSubstr("observe print \"h\" f32[] ("));
}

TEST(DebugPrint, PrintsConstantsInEveryRun) {
  auto f = compile([](const Tensor& x) { return x + debug_print("one", ones({2})); });
  const Tensor x = zeros({2});
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(printed([&] { f(x).to_vector<float>(); }), "one: f32[2] [1, 1]\n");
  }
}

TEST(DebugPrint, PrintsEachStepOfALoopAndTheBranchTaken) {
  auto f = compile([](const Tensor& x) {
    const Tensor last = for_loop(
        3,
        [](const Tensor& i, const Tensor& c) { return c + cast(debug_print("i", i), DType::f32); },
        x);
    return cond(
        last > 100.F, [](const Tensor& y) { return debug_print("large", y); },
        [](const Tensor& y) { return debug_print("small", y); }, last);
  });
  EXPECT_EQ(printed([&] { EXPECT_EQ(f(tensor(1.F)).item<float>(), 4); }),
            "i: i64[] 0\ni: i64[] 1\ni: i64[] 2\nsmall: f32[] 4\n");
}

TEST(DebugPrint, LetsDerivativesOfAnyOrderThrough) {
  const auto f = [](const Tensor& x) { return sum(pow(debug_print("x", x), 3.F)); };
  const auto slope = [&](const Tensor& x) { return sum(grad(f)(x)); };
  printed([&] {
    EXPECT_EQ(grad(f)(tensor({2.F})).item<float>(), 12);
    EXPECT_EQ(grad(slope)(tensor({2.F})).item<float>(), 12);
    EXPECT_EQ(jvp(f)(tensor({2.F}), tensor({1.F})).second.item<float>(), 12);
  });
  EXPECT_EQ(printed([&] { value_and_grad(f)(tensor({2.F})).first.item<float>(); }),
            "x: f32[1] [2]\n");
}

TEST(DebugPrint, RanksThatAreThreadsSayWhichTheyAre) {
  const std::string text = printed([] {
    simulate(2, [](World& world) {
      const Tensor sum = all_reduce(rank_index(world) + 1, world);
      barrier(world);
      eval(debug_print("sum", sum));
    });
  });
  EXPECT_THAT(text, HasSubstr("[0] sum: i64[] 3\n"));
  EXPECT_THAT(text, HasSubstr("[1] sum: i64[] 3\n"));
}

TEST(DebugPrint, ShowsWhatVariesInSizeWithZerosBehind) {
  auto f = compile([](const Tensor& x) { return sum(debug_print("x", check_finite(x, "x"))); },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 4}});
  EXPECT_EQ(printed([&] { EXPECT_EQ(f(tensor({1.F, 2.F})).item<float>(), 3); }),
            "x: f32[4] [1, 2, 0, 0]\n");
}

TEST(DebugPrint, ShowsWhatALargerTensorBeginsWith) {
  const Tensor x = tensor({1.F, 2.F, 3.F});
  EXPECT_EQ(printed([&] { eval(debug_print("first", x[0])); }), "first: f32[] 1\n");
  auto f =
      compile([](const Tensor& own) { return sum(debug_print("two", slice(own, {Range{0, 2}}))); });
  EXPECT_EQ(printed([&] { EXPECT_EQ(f(x).item<float>(), 3); }), "two: f32[2] [1, 2]\n");
  auto none =
      compile([](const Tensor& own) { return debug_print("none", slice(own, {Range{0, 0}})); });
  EXPECT_EQ(printed([&] { EXPECT_EQ(none(x).shape(), Shape{0}); }), "none: f32[0] []\n");
  const auto step = [&](const Tensor&, const Tensor& c) { return debug_print("c", x[0]) + c; };
  EXPECT_EQ(printed([&] { EXPECT_EQ(for_loop(2, step, tensor(0.F)).item<float>(), 2); }),
            "c: f32[] 1\nc: f32[] 1\n");
}

TEST(DebugPrint, EachPrints) {
  auto f = compile([](const Tensor& x) { return debug_print("x", x) + debug_print("x", x); });
  EXPECT_EQ(printed([&] { EXPECT_EQ(f(tensor(1.F)).item<float>(), 2); }),
            "x: f32[] 1\nx: f32[] 1\n");
}

TEST(CheckFinite, NamesItsOwnLineOfTwoThatDoTheSame) {
  eval(check_finite(log(tensor(1.F)), "x"));
  expect_error<NumericError>([&] { eval(check_finite(log(tensor(0.F)), "x")); }, {"x: 1 of 1"});
  const auto looped = [](float start) {
    return for_loop(
        1, [](const Tensor&, const Tensor& c) { return check_finite(log(c), "c"); }, tensor(start));
  };
  EXPECT_EQ(looped(1).item<float>(), 0);
  const Tensor other = for_loop(
      1, [](const Tensor&, const Tensor& c) { return check_finite(log(c), "c"); }, tensor(0.F));
  expect_error<NumericError>([&] { other.item<float>(); }, {"c: 1 of 1"}, __LINE__ - 2);
}

TEST(CheckFinite, PassesWhatIsFinite) {
  EXPECT_EQ(check_finite(tensor({1.F, -2.F}), "x").to_vector<float>(), Floats({1, -2}));
  EXPECT_EQ(check_finite(tensor({7}), "x").item<int>(), 7);
  EXPECT_EQ(check_finite(zeros({0}), "x").shape(), Shape{0});
  EXPECT_EQ(
      grad([](const Tensor& x) { return check_finite(x * x, "y"); })(tensor(3.F)).item<float>(), 6);
}

TEST(CheckFinite, SaysHowManyAreNotAndWhichIsTheFirst) {
  const Tensor x = reshape(tensor({1.F, 0.F, 2.F, -1.F, 0.F, 3.F}), {2, 3});
  expect_error<NumericError>([&] { eval(check_finite(log(x), "log x")); },
                             {"check_finite: log x: 3 of 6 elements are not finite, the first is "
                              "-inf at [0, 1]"});
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16, DType::f8_e5m2}) {
    expect_error<NumericError>(
        [&] { eval(check_finite(cast(tensor({1.F, INFINITY}), dtype), "x")); },
        {"1 of 2 elements is not finite, the first is inf at [1]"});
  }
}

TEST(CheckFinite, IsAnErrorInsideALoopAndTheProgramGoesOn) {
  auto f = compile([](const Tensor& x) {
    return for_loop(4, [](const Tensor&, const Tensor& c) { return check_finite(c * c, "c"); }, x);
  });
  EXPECT_EQ(f(tensor(1.F)).item<float>(), 1);
  expect_error<NumericError>([&] { f(tensor(1e15F)).item<float>(); },
                             {"the first is inf at []; in iteration 1 of @"}, __LINE__ - 5);
  EXPECT_EQ(f(tensor(1.F)).item<float>(), 1);
}

TEST(CheckFinite, OfOneRankIsAnErrorOfAll) {
  EXPECT_THROW(simulate(2,
                        [](World& world) {
                          const Tensor x = from(full({2}, world.rank() == 1 ? NAN : 1.F).array());
                          all_reduce(check_finite(x, "x"), world).item<float>();
                        }),
               Error);
}

// As TUTTI_SET=nan=error does.
class NansAreErrors : public testing::Test {
 protected:
  NansAreErrors() { detail::RankContext::current().compile_options.no_nans = true; }
  ~NansAreErrors() override { detail::RankContext::current().compile_options.no_nans = false; }
};

TEST_F(NansAreErrors, TheFirstOpThatMakesOneIsNamed) {
  auto f = compile([](const Tensor& x) {
    const Tensor y = exp(x) * 2.F;
    const Tensor root = sqrt(y - 10.F);
    return sum(root + 1.F);
  });
  EXPECT_FLOAT_EQ(f(tensor({3.F})).item<float>(), std::sqrt(std::exp(3.F) * 2 - 10) + 1);
  expect_error<NumericError>([&] { f(tensor({3.F, 1.F, 0.F})).item<float>(); },
                             {"nan=error: sqrt: 2 of 3 elements are NaN, the first at [1]"},
                             __LINE__ - 6);
}

TEST_F(NansAreErrors, OfLiteralsAloneToo) {
  expect_error<NumericError>([] { sqrt(-iota({3}, 0, DType::f32)).to_vector<float>(); },
                             {"nan=error: sqrt: 2 of 3 elements are NaN, the first at [1]"});
  auto f = compile([](const Tensor& x) { return x + log(zeros({2}) - 1.F); });
  expect_error<NumericError>([&] { f(ones({2})).to_vector<float>(); }, {"nan=error: log: 2 of 2"},
                             __LINE__ - 2);
  const Tensor hidden = where(tensor({true, true}), ones({2}), full({2}, NAN));
  EXPECT_EQ(hidden.to_vector<float>(), Floats({1, 1}));
}

TEST_F(NansAreErrors, OnTheLineOfItsOwnOpOfTwoThatAreEqual) {
  EXPECT_EQ(sqrt(tensor({4.F})).item<float>(), 2);
  expect_error<NumericError>([&] { sqrt(tensor({-1.F})).item<float>(); }, {"nan=error: sqrt"});
}

TEST_F(NansAreErrors, OnTheLineOfItsOwnBodyOfTwoLoopsOfOneLine) {
  const auto last = [](float start, const auto& step) {
    return for_loop(1, step, tensor(start)).template item<float>();
  };
  EXPECT_EQ(last(1, [](const Tensor&, const Tensor& c) { return log(c); }), 0);
  expect_error<NumericError>(
      [&] { last(-1, [](const Tensor&, const Tensor& c) { return log(c); }); },
      {"nan=error: log: 1 of 1"}, __LINE__ - 1);
}

TEST_F(NansAreErrors, WhereSizesVaryToo) {
  auto f = compile([](const Tensor& x) { return sqrt(x) / x; },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  EXPECT_EQ(f(tensor({4.F, 1.F})).to_vector<float>(), Floats({0.5F, 1}));
  expect_error<NumericError>([&] { f(tensor({4.F, -1.F, 1.F})).to_vector<float>(); },
                             {"nan=error: sqrt: 1 of"}, __LINE__ - 4);
}

TEST_F(NansAreErrors, InLoopsAndLazyProgramsToo) {
  auto f = compile([](const Tensor& x) {
    return for_loop(3, [](const Tensor&, const Tensor& c) { return log(c); }, x);
  });
  expect_error<NumericError>([&] { f(tensor(2.F)).item<float>(); }, {"nan=error: log: 1 of 1"},
                             __LINE__ - 3);
  const Tensor infinite = tensor({INFINITY});
  EXPECT_THROW((infinite - infinite).item<float>(), NumericError);
  EXPECT_EQ((infinite + infinite).item<float>(), INFINITY);
}

TEST_F(NansAreErrors, WhatComesFromOtherRanksToo) {
  const auto run = [](float value) {
    simulate(2, [&](World& world) {
      detail::RankContext::current().compile_options.no_nans = true;
      auto f = compile([&](const Tensor& x) {
        return for_loop(
            2, [&](const Tensor&, const Tensor& c) { return all_reduce(c, world) * 0.5F; }, x);
      });
      const Tensor x = from(full({2}, world.rank() == 0 ? value : -INFINITY).array());
      f(x).to_vector<float>();
    });
  };
  EXPECT_NO_THROW(run(1));
  EXPECT_THROW(run(INFINITY), NumericError);
}

TEST_F(NansAreErrors, ReductionsOfOnesOwnAreLeftAlone) {
  const ReduceFunction larger([](const Tensor& a, const Tensor& b) { return maximum(a, b); });
  simulate(1, [&](World& world) {
    detail::RankContext::current().compile_options.no_nans = true;
    EXPECT_EQ(all_reduce(tensor({1.F, 2.F}), world, larger).wait().to_vector<float>(),
              Floats({1, 2}));
  });
}

}  // namespace
}  // namespace tutti::observe_test

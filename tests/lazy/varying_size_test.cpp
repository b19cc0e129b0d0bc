#include "tests/lazy/lazy_testing.h"

// compile() with sizes that vary: one program for all of them.
namespace tutti::test::varying_size_test {
namespace {

using testing::HasSubstr;

std::vector<VaryingSize> batch(std::int64_t most = 16) {
  return {{.argument = "0", .dimension = 0, .name = "n", .most = most},
          {.argument = "1", .dimension = 0, .name = "n"}};
}

TEST(VaryingSizes, OneProgramServesAllSizes) {
  int traced = 0;
  const auto loss = [&](const Tensor& x, const Tensor& y, const Tensor& w) {
    ++traced;
    const Tensor difference = matmul(x, w) - y;
    return std::pair(mean(difference * difference), softmax(matmul(x, w), 0));
  };
  auto f = compile(loss, batch());
  for (const std::int64_t n : {3, 16, 1, 7}) {
    const Tensor x = normal({n, 4}, Key(1));
    const Tensor y = normal({n, 2}, Key(2));
    const Tensor w = normal({4, 2}, Key(3));
    const auto [value, shares] = f(x, y, w);
    const auto [wanted, wanted_shares] = loss(x, y, w);
    EXPECT_NEAR(value.item<float>(), wanted.item<float>(), 1e-4);
    EXPECT_EQ(shares.shape(), (Shape{n, 2}));
    EXPECT_LT(max(abs(shares - wanted_shares)).item<float>(), 1e-5F);
  }
  EXPECT_EQ(f.programs(), 1U);
  EXPECT_EQ(f.sizes(), "1 <= n <= 16\n");
  EXPECT_THAT(f.ir(), HasSubstr("f32[n<=16,4]"));
  EXPECT_THAT(f.explain(), HasSubstr("first call"));
}

TEST(VaryingSizes, GradientsAreThoseOfTheSizeThatIsThere) {
  const auto loss = [](const Tensor& w, const Tensor& x, const Tensor& labels) {
    return mean(cross_entropy(matmul(tanh(matmul(x, w)), transpose(w)), labels));
  };
  auto f = compile(value_and_grad(loss), {{.argument = "1", .dimension = 0, .name = "n", .most = 9},
                                          {.argument = "2", .dimension = -1, .name = "n"}});
  for (const std::int64_t n : {9, 2, 5}) {
    const Tensor w = normal({3, 4}, Key(3));
    const Tensor x = normal({n, 3}, Key(4));
    const Tensor labels = cast(arange(n), DType::i32) % 3;
    const auto [value, gradient] = f(w, x, labels);
    const auto [wanted, wanted_gradient] = value_and_grad(loss)(w, x, labels);
    EXPECT_NEAR(value.item<float>(), wanted.item<float>(), 1e-5);
    EXPECT_LT(max(abs(gradient - wanted_gradient)).item<float>(), 1e-5F);
  }
  EXPECT_EQ(f.programs(), 1U);
}

TEST(VaryingSizes, SeveralSizesMakeProductsAndSums) {
  const auto plain = [](const Tensor& x, const Tensor& y) {
    const Tensor flat = reshape(x, {x.size(0) * x.size(1), 2});
    return std::pair(concat({flat, y}, 0), sum(flat) / static_cast<float>(x.size(1)));
  };
  auto f = compile(plain, {{.argument = "0", .dimension = 0, .name = "b", .most = 4},
                           {.argument = "0", .dimension = 1, .name = "t", .most = 6},
                           {.argument = "1", .dimension = 0, .name = "m", .most = 5}});
  for (const auto& [b, t, m] : std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>{
           {4, 6, 5}, {1, 3, 2}, {3, 1, 1}, {2, 5, 4}}) {
    const Tensor x = normal({b, t, 2}, Key(1));
    const Tensor y = normal({m, 2}, Key(2));
    const auto [joined, total] = f(x, y);
    const auto [wanted, wanted_total] = plain(x, y);
    EXPECT_EQ(joined.to_vector<float>(), wanted.to_vector<float>());
    EXPECT_NEAR(total.item<float>(), wanted_total.item<float>(), 1e-4);
  }
  EXPECT_EQ(f.programs(), 1U);
}

TEST(VaryingSizes, LoopsTakeAsManyStepsAsThereAre) {
  const auto plain = [](const Tensor& xs, const Tensor& h) {
    return scan(
        [](const Tensor& state, const Tensor& x) {
          const Tensor next = tanh(state + x);
          return std::pair(next, next * 2.F);
        },
        h, xs);
  };
  auto f = compile(plain, {{.argument = "0", .dimension = 0, .name = "t", .most = 8}});
  for (const std::int64_t t : {8, 1, 5}) {
    const Tensor xs = normal({t, 3}, Key(5));
    const auto [last, all] = f(xs, zeros({3}));
    const auto [wanted_last, wanted_all] = plain(xs, zeros({3}));
    EXPECT_LT(max(abs(last - wanted_last)).item<float>(), 1e-5F);
    EXPECT_EQ(all.shape(), (Shape{t, 3}));
    EXPECT_LT(max(abs(all - wanted_all)).item<float>(), 1e-5F);
  }
  EXPECT_EQ(f.programs(), 1U);
}

TEST(VaryingSizes, RanksCombineWhatTheyMadeOfTheirs) {
  simulate(2, [](World& world) {
    auto f = compile(
        [&](const Tensor& x) {
          const Tensor own = mean(x, {0});
          return std::pair(Tensor(all_reduce(own, world)), x - Tensor(all_reduce(own, world)));
        },
        {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
    for (const std::int64_t n : {8, 3}) {
      const float rank = static_cast<float>(world.rank());
      const auto [total, rest] = f(full({n, 2}, 1 + rank));
      EXPECT_EQ(total.to_vector<float>(), Floats({3, 3}));
      EXPECT_EQ(rest.to_vector<float>(), Floats(static_cast<std::size_t>(2 * n), rank - 2));
    }
    EXPECT_EQ(f.programs(), 1U);
  });
}

TEST(VaryingSizes, OfWhatRanksExchangeAreTheSameOrAnError) {
  const std::string message = [] {
    try {
      simulate(2, [&](World& world) {
        auto f = compile(
            [&](const Tensor& x, float factor) -> Tensor {
              const Tensor fixed = all_reduce(sum(x, {0}), world);
              return all_reduce(x * factor, world) + fixed;
            },
            {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
        for (const std::int64_t n : {8, 3}) {
          EXPECT_EQ(f(full({n, 2}, 1.F), 2.F).to_vector<float>()[0], 4 + 2 * n);
        }
        f(full({3 + world.rank(), 2}, 1.F), 2.F).to_vector<float>();
        ADD_FAILURE() << "nothing was thrown";
      });
    } catch (const CommError& error) {
      return std::string(error.what());
    }
    return std::string();
  }();
  EXPECT_THAT(message, HasSubstr("is called with other sizes, of those that vary, on rank 0 than "
                                 "on rank 1: at varying_size_test.cpp:"));
}

TEST(VaryingSizes, TheSmallestSizeIsRaisedToWhatTheFunctionTakes) {
  auto f = compile([](const Tensor& x) { return slice(x, {{x.size(0) - 3, x.size(0)}}); },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  EXPECT_EQ(f(tensor({1.F, 2.F, 3.F, 4.F})).to_vector<float>(), (std::vector<float>{2, 3, 4}));
  EXPECT_THAT(f.sizes(), testing::ContainsRegex("^3 <= n <= 8\n  3 <= n: .*: for n = 2: slice: "));
  expect_error<TypeError>([&] { f(tensor({1.F, 2.F})); }, {"n is 2", "3 <= n <= 8"}, kNowhere);
}

TEST(VaryingSizes, ASizeOutOfItsBoundsIsAnErrorThatNamesIt) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return x + y; }, batch());
  expect_error<TypeError>([&] { f(zeros({17}), zeros({17})); },
                          {"dimension 0 of argument 0 has size 17", "n <= 16"}, kNowhere);
  expect_error<TypeError>([&] { f(zeros({3}), zeros({4})); },
                          {"dimension 0 of argument 1 has size 4", "but n is 3"}, kNowhere);
  EXPECT_EQ(f(zeros({3}), ones({3})).to_vector<float>(), std::vector<float>(3, 1));
}

TEST(VaryingSizes, WhatIsNoProgramForAllSizesIsAnErrorWithTheLine) {
  auto branches = compile([](const Tensor& x) { return x.size(0) % 2 == 0 ? exp(x) : tanh(x); },
                          {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  expect_error<TypeError>([&] { branches(zeros({4})); },
                          {"differs for other sizes", "n = 8", "n = 7", "exp", "tanh"}, kNowhere);
  auto squares =
      compile([](const Tensor& x) { return sum(x) * static_cast<float>(x.size(0) * x.size(0)); },
              {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  expect_error<TypeError>([&] { squares(zeros({4})); }, {"not a sum of products"}, kNowhere);
}

TEST(VaryingSizes, NumbersInTheResultMayNotDependOnThem) {
  const std::vector<VaryingSize> sizes = {
      {.argument = "0", .dimension = 0, .name = "n", .most = 8}};
  auto same = compile([](const Tensor& x) { return std::pair(sum(x), 7); }, sizes);
  EXPECT_EQ(same(ones({3})).second, 7);
  auto size = compile([](const Tensor& x) { return std::pair(sum(x), x.size(0)); }, sizes);
  expect_error<UsageError>([&] { size(ones({3})); }, {"the result 1, which is no tensor"},
                           kNowhere);
  auto text =
      compile([](const Tensor& x) { return std::pair(sum(x), std::to_string(x.size(0))); }, sizes);
  expect_error<UsageError>([&] { text(ones({3})); }, {"the result 1"}, kNowhere);
}

TEST(VaryingSizes, BetweenTheBoundsAProgramMayNotExist) {
  auto f =
      compile([](const Tensor& x, const Tensor& y) { return slice(concat({x, y}, 0), {{0, 9}}); },
              {{.argument = "0", .dimension = 0, .name = "n", .most = 8},
               {.argument = "1", .dimension = 0, .name = "m", .most = 8}});
  EXPECT_EQ(f(ones({4}), ones({5})).to_vector<float>(), Floats(9, 1));
  expect_error<TypeError>([&] { f(ones({2}), ones({2})); }, {"for m = 2, n = 2: slice: "},
                          kNowhere);
}

TEST(VaryingSizes, BranchesOnSmallSizesAreSeen) {
  auto f = compile([](const Tensor& x) { return x.size(0) < 3 ? exp(x) : x; },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 8}});
  expect_error<TypeError>([&] { f(ones({4})); }, {"differs for other sizes", "n = 2"}, kNowhere);
}

TEST(VaryingSizes, MayBeZero) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return sum(x + y); },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 8, .least = 0},
                    {.argument = "1", .dimension = 0, .name = "n"}});
  EXPECT_EQ(f(zeros({0}), zeros({0})).item<float>(), 0);
  EXPECT_EQ(f(ones({3}), ones({3})).item<float>(), 6);
  EXPECT_EQ(f.sizes(), "0 <= n <= 8\n");
}

TEST(VaryingSizes, BucketsHaveProgramsOfTheirOwn) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return sum(x * y, {0}); },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 64, .buckets = {16, 4}},
                    {.argument = "1", .dimension = 0, .name = "n"}});
  const auto call = [&](std::int64_t n) {
    EXPECT_EQ(f(ones({n, 2}), full({n, 2}, 3.F)).to_vector<float>(),
              Floats(2, static_cast<float>(3 * n)));
  };
  call(5);
  EXPECT_EQ(f.sizes(), "1 <= n <= 16\n");
  EXPECT_THAT(f.ir(), HasSubstr("f32[n<=16,2]"));
  call(16);
  EXPECT_EQ(f.programs(), 1U);
  call(17);
  EXPECT_EQ(f.sizes(), "1 <= n <= 64\n");
  EXPECT_THAT(f.explain(), HasSubstr("n <= 16 became n <= 64"));
  call(1);
  call(64);
  call(4);
  EXPECT_EQ(f.programs(), 3U);
  expect_error<TypeError>([&] { f(ones({65, 2}), ones({65, 2})); },
                          {"dimension 0 of argument 0 has size 65", "n <= 64"}, kNowhere);
  expect_error<TypeError>([&] { f(ones({3, 2}), ones({5, 2})); }, {"but n is 3"}, kNowhere);
  EXPECT_EQ(f.programs(), 3U);
}

TEST(VaryingSizes, BucketsRefuseNothing) {
  const auto make = [](auto f, std::vector<std::int64_t> buckets) {
    return compile(f, {{.argument = "0",
                        .dimension = 0,
                        .name = "n",
                        .most = 64,
                        .buckets = std::move(buckets)}});
  };
  // Traced for the bucket's sizes, it would not exist for some.
  auto sixth = make([](const Tensor& x) { return x[5]; }, {6, 8});
  for (const std::int64_t n : {7, 6, 9}) EXPECT_EQ(sixth(arange(n)).item<std::int64_t>(), 5);
  expect_error<TypeError>([&] { sixth(arange(3)); }, {"n is 3"}, kNowhere);
  // What is refused without buckets is with them.
  auto half = make([](const Tensor& x) { return slice(x, {{0, x.size(0) / 2}}); }, {3});
  expect_error<TypeError>([&] { half(arange(2)); }, {"not a sum of products"}, kNowhere);
  // Loops have bodies with sizes of their own.
  auto loop = make(
      [](const Tensor& x) {
        return for_loop(3, [](const Tensor&, const Tensor& y) { return y + mean(y); }, x);
      },
      {8});
  for (const std::int64_t n : {5, 40}) {
    EXPECT_EQ(loop(ones({n})).to_vector<float>(), Floats(static_cast<std::size_t>(n), 8));
  }
  // Its parts are others for n = 1, and no program is for 1 and 2 alone.
  auto product = make(
      [](const Tensor& x) {
        const Tensor y = broadcast_to(expand_dims(x, {1}), {x.size(0), 3});
        return dot_general(y, y, {.contract_x = {0, 1}, .contract_y = {0, 1}});
      },
      {2});
  for (const std::int64_t n : {1, 2, 5}) {
    EXPECT_EQ(product(ones({n})).item<float>(), static_cast<float>(3 * n));
  }
  expect_error<UsageError>([&] { make([](const Tensor& x) { return x; }, {65}); }, {"bucket 65"},
                           kNowhere);
}

TEST(VaryingSizes, BucketsRefuseNoTwoSizesTogether) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return concat({x, y}, 0)[12]; },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 64, .buckets = {10}},
                    {.argument = "1", .dimension = 0, .name = "m", .most = 64, .buckets = {8}}});
  EXPECT_EQ(f(arange(9), arange(6)).item<std::int64_t>(), 3);
  EXPECT_EQ(f(arange(40), arange(6)).item<std::int64_t>(), 12);
  EXPECT_EQ(f(arange(9), arange(60)).item<std::int64_t>(), 3);
}

TEST(VaryingSizes, RanksMayBeInDifferentBuckets) {
  simulate(2, [&](World& world) {
    auto f = compile([&](const Tensor& x) -> Tensor { return all_reduce(sum(x, {0}), world); },
                     {{.argument = "0", .dimension = 0, .name = "n", .most = 64, .buckets = {8}}});
    const auto call = [&](std::int64_t n) { return f(ones({n, 2})).to_vector<float>()[0]; };
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(call(3 + world.rank()), 7);
      EXPECT_EQ(call(33 + world.rank()), 67);
      EXPECT_EQ(call(world.rank() == 0 ? 5 : 50), 55);
    }
  });
}

TEST(VaryingSizes, ARefusedCallChangesNothingForTheNext) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return x - y; },
                   {{.argument = "0", .dimension = 0, .name = "n", .most = 16},
                    {.argument = "1", .dimension = 0, .name = "n", .most = 16}});
  EXPECT_EQ(f(ones({3}), ones({3})).to_vector<float>(), std::vector<float>(3, 0));
  expect_error<UsageError>([&] { f(ones({3}), tensor(1.F)); }, {"cannot vary"}, kNowhere);
  EXPECT_EQ(f(ones({4}), ones({4})).to_vector<float>(), std::vector<float>(4, 0));
  EXPECT_EQ(f.programs(), 1U);
}

// ceil(n m / 2) is no sum of products, though it looks like one at the bounds.
TEST(VaryingSizes, ASizeThatOnlyLooksLikeAProductIsAnErrorAndNoOtherNumber) {
  auto f = compile(
      [](const Tensor& x) {
        return slice(reshape(x, {x.size(0) * x.size(1)}), {Range{0, x.size(0) * x.size(1), 2}});
      },
      {{.argument = "0", .dimension = 0, .name = "n", .most = 3},
       {.argument = "0", .dimension = 1, .name = "m", .most = 3}});
  for (std::int64_t n = 1; n <= 3; ++n) {
    for (std::int64_t m = 1; m <= 3; ++m) {
      try {
        EXPECT_EQ(f(ones({n, m})).size(0), (n * m + 1) / 2) << n << " " << m;
      } catch (const TypeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("sum of products"));
      }
    }
  }
}

TEST(VaryingSizes, StepsOfSlicesMayNotVary) {
  auto f = compile([](const Tensor& x) { return slice(reshape(x, {-1}), {{.step = x.size(1)}}); },
                   {{.argument = "0", .dimension = 1, .name = "m", .most = 8}});
  expect_error<TypeError>([&] { f(ones({4, 3})); }, {"`step` cannot vary"}, kNowhere);
}

TEST(VaryingSizes, MarksThatMakeNoSenseAreErrors) {
  const auto make = [](VaryingSize size) {
    return compile([](const Tensor& x) { return x; }, std::vector{size});
  };
  expect_error<UsageError>([&] { make({.argument = "0", .name = "n"}); }, {"`most`"}, kNowhere);
  expect_error<UsageError>([&] { make({.argument = "0", .name = "2n", .most = 4}); },
                           {"identifier"}, kNowhere);
  expect_error<UsageError>([&] { make({.argument = "0", .name = "inf", .most = 4}); },
                           {"identifier"}, kNowhere);
  expect_error<UsageError>([&] { make({.argument = "0", .name = "n", .most = 4, .least = -1}); },
                           {"from -1 to 4"}, kNowhere);
  for (const std::int64_t bucket : {0, 1, 5}) {
    expect_error<UsageError>(
        [&] { make({.argument = "0", .name = "n", .most = 4, .buckets = {2, bucket}}); },
        {"the bucket " + std::to_string(bucket) + " of the size n", "1 and 4"}, kNowhere);
  }
  auto twice = compile([](const Tensor& x) { return x; },
                       {{.argument = "0", .dimension = 0, .name = "n", .most = 4},
                        {.argument = "0", .dimension = -1, .name = "m", .most = 4}});
  expect_error<UsageError>([&] { twice(ones({2})); }, {"dimension 0 of argument 0 is marked twice"},
                           kNowhere);
  auto other = make({.argument = "1", .name = "n", .most = 4});
  expect_error<UsageError>([&] { other(zeros({2})); }, {"no tensor 1", "they are 0"}, kNowhere);
  auto beyond = make({.argument = "0", .dimension = 2, .name = "n", .most = 4});
  expect_error<UsageError>([&] { beyond(zeros({2})); }, {"dimension 2 cannot vary"}, kNowhere);
}

}  // namespace
}  // namespace tutti::test::varying_size_test

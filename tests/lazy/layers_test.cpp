#include <sstream>

#include "tests/lazy/wave.h"

// Layers, statistics and optimisers. Numbers of PyTorch 2.15.0.
namespace tutti::test::layers_test {
namespace {

TEST(Statistics, ArePyTorchs) {
  const Tensor x = wave({2, 3});
  expect_close(var(x, 1), {0.4340372F, 0.8470093F});
  expect_close(var(x, 1, 0), {0.2893581F, 0.5646729F});
  expect_close(stddev(x), {0.7190032F});
  expect_close(norm(x, 1, 0), {2, 3});
  expect_close(norm(x, 1, 1), {1.247206F, 2.218415F});
  expect_close(norm(x, 1), {1.024061F, 1.318659F});
  expect_close(norm(x, 1, 3), {0.9972891F, 1.124857F});
  expect_close(norm(x, 1, INFINITY), {0.9916648F, 0.9258147F});
  EXPECT_EQ(norm(x, 1, 2, true).shape(), Shape({2, 1}));
  EXPECT_EQ(norm(cast(x, DType::bf16)).dtype(), DType::bf16);
  for (const double order : {1.0, 2.0, 3.0}) {
    const Tensor dx = grad([&](const Tensor& y) { return norm(y, {}, order); })(zeros({3}));
    EXPECT_EQ(dx.to_vector<float>(), Floats({0, 0, 0})) << order;
  }
  const Tensor half = grad([](const Tensor& y) { return norm(y, {}, 0.5); })(tensor({0.F, 1.F}));
  EXPECT_EQ(half.to_vector<float>(), Floats({0, 1}));
  const Tensor dx = grad([](const Tensor& y) { return stddev(y); })(ones({3}));
  EXPECT_EQ(dx.to_vector<float>(), Floats({0, 0, 0}));
  EXPECT_NEAR(norm(tensor({3.0, 4.0}), {}, 2.5).item<double>(), 4.6881408423435884, 1e-15);
  expect_error<TypeError>([] { var(tensor({1, 2})); }, {"floating-point numbers, not i32"});
  expect_error<UsageError>([&] { norm(x, 1, -1); }, {"an order of -1"});
}

TEST(Statistics, OfTooFewElementsAreInfiniteOrNoNumber) {
  EXPECT_TRUE(std::isnan(var(tensor({5.F})).item<float>()));
  EXPECT_TRUE(std::isnan(stddev(tensor({5.F})).item<float>()));
  EXPECT_TRUE(std::isnan(var(zeros({0})).item<float>()));
  EXPECT_TRUE(std::isnan(var(ones({3}), {}, 4).item<float>()));
  EXPECT_EQ(var(tensor({1.F, 2.F}), {}, 2).item<float>(), INFINITY);
  EXPECT_EQ(var(tensor({1.F, 2.F}), {}, std::numeric_limits<std::int64_t>::max()).item<float>(),
            INFINITY);
  EXPECT_EQ(stddev(tensor({1.F, 2.F}), {}, 3).item<float>(), INFINITY);
  EXPECT_NEAR(var(tensor({1.F, 2.F}), {}, std::numeric_limits<std::int64_t>::min()).item<float>(),
              0, 1e-18F);
}

TEST(GroupNorm, IsPyTorchs) {
  nn::GroupNorm layer = nn::group_norm(2, 4);
  layer.scale = wave({4}) + 1.F;
  layer.shift = wave({4});
  expect_close(layer(wave({1, 4, 2})), {0.06886479F, 1.508907F, 0.3897473F, -1.54881F, 0.307175F,
                                        0.6494079F, -1.00352F, -0.9943619F});
  layer.groups = 3;
  expect_error<TypeError>([&] { layer(zeros({1, 4})); }, {"3 groups of 4 channels"});
}

TEST(BatchNorm, IsPyTorchs) {
  const nn::BatchNorm layer = {.scale = wave({2}) + 1.F, .shift = wave({2})};
  const auto [y, statistics] = layer.train(wave({3, 2, 2}), nn::batch_statistics(2));
  expect_close(y, {-1.763107F, 1.200162F, 3.22965F, -1.104709F, -0.2866096F, 0.6229128F, 0.3563435F,
                   0.8849038F, 0.8042194F, -0.5775765F, -1.334807F, 3.918609F});
  expect_close(statistics.mean, {0.05900279F, -0.06016273F});
  expect_close(statistics.variance, {0.9134378F, 0.9113821F});
  expect_close(layer(wave({3, 2, 2}), statistics),
               {-0.06173489F, 0.9758486F, 0.5840592F, -0.8142903F, 0.4552582F, 0.7737259F,
                -0.3429259F, -0.1724019F, 0.8372101F, 0.3533766F, -0.8885244F, 0.8063313F});
}

// Ranks have one and two of the three examples.
TEST(BatchNorm, OverRanksIsThatOfTheWholeBatch) {
  simulate(2, [](World& world) {
    const nn::BatchNorm layer = {.scale = wave({2}) + 1.F, .shift = wave({2})};
    const Tensor all = wave({3, 2, 2});
    const Tensor own = world.rank() == 0 ? slice(all, {{.stop = 1}}) : slice(all, {{.start = 1}});
    const auto [y, statistics] = layer.train(own, nn::batch_statistics(2), {.group = world});
    expect_close(statistics.mean, {0.05900279F, -0.06016273F});
    expect_close(statistics.variance, {0.9134378F, 0.9113821F});
    expect_close(slice(y, {{.stop = 1}}),
                 world.rank() == 0 ? Floats{-1.763107F, 1.200162F, 3.22965F, -1.104709F}
                                   : Floats{-0.2866096F, 0.6229128F, 0.3563435F, 0.8849038F});
  });
}

TEST(Rotary, IsLlamas) {
  const Tensor positions = tensor({0, 2, 5});
  expect_close(nn::rotary(wave({1, 3, 4}), positions),
               {0, 0.9916648F, -0.2555411F, -0.9258147F, 0.4307705F, 0.8106893F, 0.7405466F,
                -0.6020448F, -0.6781957F, 0.4036916F, -1.096583F, -0.128984F});
  expect_error<TypeError>([&] { nn::rotary(zeros({3, 3}), positions); }, {"3 elements"});
  expect_error<TypeError>([&] { nn::rotary(zeros({2, 4}), positions); }, {"[3]", "2 places"});
}

TEST(CrossEntropy, IgnoresAndSmoothsAsPyTorch) {
  const Tensor logits = wave({3, 4});
  expect_close(
      nn::cross_entropy(logits, tensor({1, -100, 3}), {.ignore = -100, .label_smoothing = 0.1}),
      {1.226376F});
  expect_close(nn::cross_entropy(logits, tensor({1, 0, 3})), {1.153951F});
  EXPECT_TRUE(
      std::isnan(nn::cross_entropy(logits, tensor({7, 7, 7}), {.ignore = 7}).item<float>()));
  const Tensor gradient = grad([&](const Tensor& x) {
    return nn::cross_entropy(x, tensor({1, -100, 3}), {.ignore = -100});
  })(logits);
  EXPECT_EQ(slice(gradient, {{1, 2}}).to_vector<float>(), Floats({0, 0, 0, 0}));
}

TEST(CrossEntropy, SmoothsDoublesAsDoubles) {
  const Tensor loss =
      nn::cross_entropy(zeros({1, 2}, DType::f64), tensor({0}), {.label_smoothing = 0.1});
  EXPECT_NEAR(loss.item<double>(), std::log(2.0), 1e-15);
}

TEST(CrossEntropy, NoLabelIsANumberThatItsDtypeDoesNotHave) {
  const Tensor labels = cast(tensor({1, 0, 3}), DType::u8);
  expect_close(nn::cross_entropy(wave({3, 4}), labels, {.ignore = -100}), {1.153951F});
}

TEST(Embedding, TakesRows) {
  const nn::Embedding layer = nn::embedding(Key(1), 5, 3);
  const Tensor rows = layer(tensor({{0, 4}, {2, 2}}));
  EXPECT_EQ(rows.shape(), Shape({2, 2, 3}));
  EXPECT_EQ(slice(rows, {{0, 1}, {1, 2}}).to_vector<float>(),
            slice(layer.weight, {{4, 5}}).to_vector<float>());
}

// x of [1, -2, 0.5] after four steps down sum(x^2 * [1, 0.5, 2]).
template <class Optimiser>
Tensor after_four_steps(const Optimiser& optimiser) {
  std::vector<Tensor> x = {tensor({1.F, -2.F, 0.5F})};
  auto state = optimiser.init(x);
  auto step = compile([&](std::vector<Tensor> model, typename Optimiser::State s) {
    const auto slopes = grad([](const std::vector<Tensor>& m) {
      return sum(m[0] * m[0] * tensor({1.F, 0.5F, 2.F}));
    })(model);
    return optimiser.update(std::move(model), slopes, std::move(s), 0.1F);
  });
  for (int i = 0; i < 4; ++i) std::tie(x, state) = step(std::move(x), std::move(state));
  return x[0];
}

TEST(Optimisers, ArePyTorchs) {
  expect_close(after_four_steps(Sgd()), {0.40959996F, -1.3122F, 0.064800002F});
  expect_close(after_four_steps(Sgd{.momentum = 0.9F}), {-0.30860001F, -0.45359993F, -0.40499997F});
  expect_close(after_four_steps(Sgd{.momentum = 0.9F, .nesterov = true, .weight_decay = 0.05F}),
               {-0.33615288F, -0.12583864F, -0.17183848F});
  expect_close(after_four_steps(adam()), {0.60393912F, -1.6015049F, 0.11291539F});
  expect_close(after_four_steps(AdamW{.weight_decay = 0.1F}),
               {0.57104766F, -1.5290326F, 0.10021055F});
}

TEST(Optimisers, AreRecordedOnTheCallersLine) {
  const std::vector<Tensor> model = {ones({2})};
  const AdamW adam;
  const auto [next, state] = adam.update(model, model, adam.init(model), 0.1F);
  const auto [clipped, length] = clip_by_global_norm(next, 1.F);
  const std::string program = dump_ir(clipped[0] * linear_schedule(tensor(3), 0, 1, 9));
  EXPECT_THAT(program, testing::HasSubstr("// layers_test.cpp:"));
  EXPECT_THAT(program, testing::Not(testing::HasSubstr("// optim")));
}

TEST(Layers, AreRecordedOnTheCallersLine) {
  const Tensor x = ones({2, 4, 6});
  const Tensor y = nn::batch_norm(4).train(x, nn::batch_statistics(4)).first;
  const Tensor z = nn::linear(Key(1), 6, 5)(nn::group_norm(2, 4)(nn::rotary(y, arange(4)) * 0.5F));
  const Tensor loss = nn::cross_entropy(z, zeros({2, 4}, DType::i64), {.ignore = 7});
  const std::string program = dump_ir(loss + stddev(max_pool(x, {2})) + sum(tril(at(x, 0))) +
                                      sum(dropout(x, Key(2), 0.5F)) + norm(x));
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find("// ");
    if (line.find(" = ") == std::string::npos || comment == std::string::npos) continue;
    EXPECT_THAT(line.substr(comment), testing::StartsWith("// layers_test.cpp:")) << line;
  }
}

TEST(Optimisers, StructuresThatDifferAreNamed) {
  const std::vector<Tensor> model = {zeros({2})};
  expect_error<UsageError>([&] { (void)Sgd().update(model, {}, {}, 0.1F); },
                           {"Sgd: model, gradients and state differ in structure"});
  expect_error<UsageError>([&] { (void)Sgd{.momentum = 1}.update(model, model, {}, 0.1F); },
                           {"Sgd: "});
  const std::vector<Tensor> wide = {zeros({3})};
  expect_error<UsageError>([&] { (void)Sgd().update(model, wide, {}, 0.1F); },
                           {"Sgd: '0' is f32[2], and its gradient f32[3]"});
}

// A gradient, a rate or a state that differs would make a replicated leaf vary without a word.
TEST(Optimisers, RefuseForAReplicatedLeafWhatMayDiffer) {
  simulate(2, [](World& world) {
    const std::vector<Tensor> same = {replicated(tensor({1.F}), world)};
    const std::vector<Tensor> own = {tensor({1.F})};
    const Sgd sgd{.momentum = 0.9F};
    expect_error<UsageError>([&] { (void)sgd.update(same, own, sgd.init(same), 0.1F); },
                             {"Sgd: '0' is the same on the ranks of world, and its gradient may"});
    expect_error<UsageError>([&] { (void)sgd.update(same, same, sgd.init(own), 0.1F); },
                             {"its velocity tensor may differ there", "replicated()"});
    expect_error<UsageError>([&] { (void)Sgd().update(same, same, {}, tensor(0.1F)); },
                             {"and the rate may differ there"});
    AdamW::State state = adam().init(same);
    state.steps = adam().init(own).steps;
    expect_error<UsageError>([&] { (void)adam().update(same, same, state, 0.1F); },
                             {"AdamW: ", "the number of its steps may differ there"});
    // What may differ takes everything.
    EXPECT_EQ(Sgd().update(own, same, {}, tensor(1.F)).first[0].item<float>(), 0);
  });
}

TEST(Optimisers, TakeOneRateAndOneLimit) {
  const Tensor x = ones({2});
  expect_error<TypeError>([&] { return Sgd().update(x, x, Sgd().init(x), ones({3, 2})); },
                          {"a scalar, not f32[3,2]"});
  expect_error<TypeError>([&] { clip_by_global_norm(x, ones({2})); }, {"a scalar, not f32[2]"});
  expect_error<TypeError>([&] { clip_by_global_norm(tensor({1, 2}), 1.F); },
                          {"floating-point, not i32[2]"});
}

TEST(Clipping, IsByTheLengthOfAll) {
  const std::vector<Tensor> gradients = {tensor({3.F}), tensor({0.F, 4.F})};
  EXPECT_EQ(global_norm(gradients).item<float>(), 5);
  const auto [short_ones, norm] = clip_by_global_norm(gradients, 1.F);
  EXPECT_EQ(norm.item<float>(), 5);
  expect_close(short_ones[0], {0.6F});
  expect_close(short_ones[1], {0, 0.8F});
  const auto [same, before] = clip_by_global_norm(gradients, 10.F);
  EXPECT_EQ(same[1].to_vector<float>(), Floats({0, 4}));
  const std::vector<Tensor> none = {zeros({2})};
  EXPECT_EQ(clip_by_global_norm(none, 1.F).first[0].to_vector<float>(), Floats({0, 0}));
  const std::vector<Tensor> bad = {tensor({NAN, 1.F})};
  EXPECT_TRUE(std::isnan(clip_by_global_norm(bad, 1.F).first[0].to_vector<float>()[1]));
  const std::vector<Tensor> endless = {tensor({1e30F, 1.F})};
  for (const float most : {1.F, INFINITY}) {
    EXPECT_TRUE(std::isnan(clip_by_global_norm(endless, most).first[0].to_vector<float>()[1]));
  }
  const auto unlimited = clip_by_global_norm(gradients, INFINITY).first;
  EXPECT_EQ(unlimited[1].to_vector<float>(), Floats({0, 4}));
  const std::vector<Tensor> narrow = {cast(tensor({3.F, 4.F}), DType::bf16)};
  EXPECT_EQ(clip_by_global_norm(narrow, 1.F).first[0].dtype(), DType::bf16);
}

TEST(Schedules, GoByTheStep) {
  auto rates = compile([](const Tensor& step) {
    return stack({linear_schedule(step, 1, 3, 4), cosine_schedule(step, 1, 0, 4),
                  warmup_cosine_schedule(step, 2, 2, 6, 1)});
  });
  const std::array expected = {Floats{1, 1, 0},   Floats{1.5, 0.8535534F, 1},
                               Floats{2, 0.5, 2}, Floats{2.5, 0.1464466F, 1.8535534F},
                               Floats{3, 0, 1.5}, Floats{3, 0, 1.1464466F},
                               Floats{3, 0, 1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_close(rates(tensor(static_cast<std::int64_t>(i))), expected[i]);
  }
  EXPECT_EQ(rates.programs(), 1U);
  EXPECT_EQ(linear_schedule(2, 0, 1, 4).item<float>(), 0.5F);
  expect_error<UsageError>([] { linear_schedule(1, 0, 1, 0); }, {"at least one step"});
  expect_error<UsageError>([] { warmup_cosine_schedule(1, 1, 5, 5); }, {"fewer than all 5"});
}

TEST(Schedules, GoByANumberThatACompiledFunctionTakes) {
  const auto rates = [](auto step) {
    return stack({linear_schedule(step, 1, 0, 100), cosine_schedule(step, 1, 0, 100),
                  warmup_cosine_schedule(step, 1, 40, 100)});
  };
  auto compiled =
      compile([&](float step, double other) { return stack({rates(step), rates(other)}); });
  for (const float step : {0.F, 25.F, 50.F}) {
    const Floats expected = rates(tensor(step)).to_vector<float>();
    EXPECT_FALSE(std::isnan(expected[0]));
    Floats both = expected;
    both.insert(both.end(), expected.begin(), expected.end());
    expect_close(compiled(step, static_cast<double>(step)), both);
  }
  EXPECT_EQ(compiled.programs(), 1U);
}

// However small it is beside the first rate.
TEST(Schedules, EndExactlyWhereTheyShould) {
  constexpr float kEnd = 1e-9F;
  for (const Operand& step : {Operand(tensor(7)), Operand(tensor(9)), Operand(7)}) {
    EXPECT_EQ(linear_schedule(step, 1, 1e-9, 7).item<float>(), kEnd);
    EXPECT_EQ(cosine_schedule(step, 1, 1e-9, 7).item<float>(), kEnd);
    EXPECT_EQ(warmup_cosine_schedule(step, 1, 2, 7, 1e-9).item<float>(), kEnd);
  }
}

TEST(Schedules, OfANumberAreTheSameOnAllRanks) {
  simulate(2, [](World& world) {
    std::vector<Tensor> model = {replicated(tensor({1.F}), world)};
    Sgd::State state = Sgd().init(model);
    for (int step = 0; step < 3; ++step) {
      const auto slopes = grad([&](const std::vector<Tensor>& m) {
        return sum(m[0] * (1.F + cast(rank_index(world), DType::f32)));
      })(model);
      EXPECT_EQ(slopes[0].item<float>(), 3);  // of both ranks
      std::tie(model, state) =
          Sgd().update(model, slopes, state, warmup_cosine_schedule(step, 0.1, 1, 10));
    }
  });
}

TEST(Schedules, OfAnArgumentAreTheSameOnAllRanks) {
  simulate(2, [](World& world) {
    const Tensor model = replicated(tensor({1.F}), world);
    auto scaled =
        compile([](const Tensor& x, float step) { return x * linear_schedule(step, 1, 0, 4); });
    const Tensor next = scaled(model, 1.F);
    EXPECT_EQ(next.item<float>(), 0.75F);
    EXPECT_EQ(next.state()->type.replication, model.state()->type.replication);
  });
}

// What is made of x and of places alone is known where x is: gradients are summed once.
TEST(Replication, StaysThroughWhatIsMadeOfParts) {
  simulate(2, [](World& world) {
    const Tensor x = replicated(wave({1, 2, 4, 4}), world);
    const auto expect_alone = [&](const auto& f) {
      const Tensor here = grad([&](const Tensor& y) { return sum(f(y)); })(x);
      const Tensor alone = grad([&](const Tensor& y) { return sum(f(y)); })(wave({1, 2, 4, 4}));
      EXPECT_EQ(here.template to_vector<float>(), alone.template to_vector<float>());
    };
    expect_alone([](const Tensor& y) { return tril(y); });
    expect_alone([](const Tensor& y) { return triu(y, 1); });
    expect_alone([](const Tensor& y) { return set_at(y, 0.F, 0, 1); });
    expect_alone([](const Tensor& y) { return set_at(y, 0.F, 0, 1, Range{.step = 2}); });
    expect_alone([](const Tensor& y) { return add_at(y, 1.F, 0, 1); });
    expect_alone([](const Tensor& y) { return add_at(y, full({4}, 1.F), 0, 1); });
    expect_alone([](const Tensor& y) { return set_at(y, full({4}, 0.F), 0, 1, Range{.step = 2}); });
    const Key key = replicated(Key(5), world);
    expect_alone([&](const Tensor& y) { return dropout(y, key, 0.25F); });
    expect_alone([&](const Tensor& y) { return dropout(y, key, full({}, 0.25F)); });
    const Tensor count = replicated(tensor(3), world);
    expect_alone(
        [&](const Tensor& y) { return attention(y, y, y, {.causal = true, .keys = count}); });
    expect_alone([](const Tensor& y) { return avg_pool(y, {2}, {.padding = {1}}, false); });
    expect_alone([](const Tensor& y) { return max_pool(y, {2}, {.padding = {1}}); });
    expect_alone([](const Tensor& y) { return nn::rotary(y, arange(4)); });
    expect_alone([](const Tensor& y) { return roll(y, 1, 2); });
    expect_alone([](const Tensor& y) { return split(y, 2, 1)[0] * 2.F; });
  });
}

TEST(Averages, MoveTowardsTheModel) {
  const std::vector<Tensor> average = {tensor({1.F, 2.F})};
  const std::vector<Tensor> model = {tensor({3.F, 2.F})};
  EXPECT_EQ(moving_average(average, model, 0.5F)[0].to_vector<float>(), Floats({2, 2}));
}

// What f16 does not hold on the way, it may hold at the end.
TEST(NarrowFloats, OfLossesAndOptimisersAreRoundedAtTheEnd) {
  const Tensor labels = zeros({70000}, DType::i64);
  const auto loss = [&](const Tensor& logits) {
    return nn::cross_entropy(logits, labels, {.ignore = -1});
  };
  const Tensor logits = zeros({70000, 2}, DType::f16);
  EXPECT_NEAR(loss(logits).item<Float16>(), 0.6931F, 1e-3F);
  EXPECT_NE(sum(abs(cast(grad(loss)(logits), DType::f32))).item<float>(), 0);

  const Tensor weight = full({1}, 1, DType::f16);
  const auto [next, state] =
      adam().update(weight, full({1}, 300, DType::f16), adam().init(weight), 0.1F);
  EXPECT_NEAR(cast(next, DType::f32).to_vector<float>()[0], 0.9F, 1e-3F);

  const auto [clipped, length] = clip_by_global_norm(full({1'000'000}, 60000, DType::f16), 1.F);
  EXPECT_NEAR(cast(clipped, DType::f32).to_vector<float>()[7], 0.001F, 1e-5F);

  // 0.99 * 249 rounds to 247, and to 246 where 0.99 is rounded before.
  const Tensor some = full({1}, 249, DType::bf16);
  const Tensor none = zeros({1}, DType::bf16);
  const auto first = [](const Tensor& x) { return cast(x, DType::f32).to_vector<float>()[0]; };
  const auto [moved, sgd] = Sgd{.momentum = 0.99F}.update(none, none, {.velocity = {some}}, 1.F);
  EXPECT_EQ(first(sgd.velocity[0]), 247);
  EXPECT_EQ(first(moved), -247);
  EXPECT_EQ(first(moving_average(some, none, 0.99F)), 247);
}

TEST(ClipByGlobalNorm, HasADerivativeWhereAllIsZero) {
  const Tensor dx =
      grad([](const Tensor& x) { return global_norm(std::vector<Tensor>{x}); })(zeros({3}));
  EXPECT_EQ(dx.to_vector<float>(), Floats({0, 0, 0}));
}

TEST(ClipByGlobalNorm, OfDoublesIsADouble) {
  const std::vector<Tensor> gradients = {full({1}, 3e30, DType::f64), tensor({4.F})};
  const auto [clipped, length] = clip_by_global_norm(gradients, 1.);
  EXPECT_EQ(length.item<double>(), 3e30);
  EXPECT_EQ(clipped[0].to_vector<double>(), std::vector<double>({1}));
  EXPECT_EQ(clipped[1].dtype(), DType::f32);
}

}  // namespace
}  // namespace tutti::test::layers_test

#include "tests/lazy/lazy_testing.h"

// Collectives of the front end over 1 to 4 ranks, their AsyncTensors, and the types they give.
namespace tutti::test::collectives_test {
namespace {

class Collectives : public testing::TestWithParam<int> {
 protected:
  static int ranks() { return GetParam(); }
  // Runs on every rank, with that rank's number as a float.
  static void on_ranks(const std::function<void(World&, float)>& body) {
    simulate(ranks(), [&](World& world) { body(world, static_cast<float>(world.rank())); });
  }
  // f(0) + f(1) + ... over the ranks.
  static float over_ranks(const std::function<float(float)>& f) {
    float total = 0;
    for (int rank = 0; rank < ranks(); ++rank) total += f(static_cast<float>(rank));
    return total;
  }
};

TEST_P(Collectives, AllReduceCombines) {
  on_ranks([](World& world, float rank) {
    const Tensor x = tensor({rank, 2 * rank, -rank});
    const float last = static_cast<float>(world.size() - 1);
    const float sum = over_ranks([](float r) { return r; });
    EXPECT_EQ(all_reduce(x, world).to_vector<float>(), Floats({sum, 2 * sum, -sum}));
    const Floats mean = all_reduce(x, world, Reduce::mean).to_vector<float>();
    EXPECT_FLOAT_EQ(mean[1], 2 * sum / static_cast<float>(ranks()));
    EXPECT_EQ(all_reduce(x, world, Reduce::max).to_vector<float>(), Floats({last, 2 * last, 0}));
    EXPECT_EQ(all_reduce(x, world, Reduce::min).to_vector<float>(), Floats({0, 0, -last}));
    float factorial = 1;
    for (float r = 1; r <= last + 1; ++r) factorial *= r;
    EXPECT_EQ(all_reduce(x + 1.F, world, Reduce::product).to_vector<float>()[0], factorial);
    const Tensor bit = shift_left(tensor({1}), cast(tensor({rank}), DType::i32));
    EXPECT_EQ(all_reduce(bit, world, Reduce::bit_or).item<std::int32_t>(), (1 << ranks()) - 1);
    EXPECT_EQ(all_reduce(bit, world, Reduce::bit_and).item<std::int32_t>(), ranks() == 1 ? 1 : 0);
    EXPECT_EQ(all_reduce(bit, world, Reduce::bit_xor).item<std::int32_t>(), (1 << ranks()) - 1);
    const Tensor truth = tensor({rank == 0});
    EXPECT_EQ(all_reduce(truth, world, Reduce::bit_or).item<bool>(), true);
    EXPECT_EQ(all_reduce(truth, world, Reduce::bit_and).item<bool>(), ranks() == 1);
  });
}

TEST_P(Collectives, GatherScatterAndBroadcastMove) {
  on_ranks([](World& world, float rank) {
    const Tensor x = tensor({{rank, 10 + rank}});
    Floats rows;
    for (int r = 0; r < ranks(); ++r) rows.insert(rows.end(), {float(r), 10 + float(r)});
    const AsyncTensor gathered = all_gather(x, world);
    EXPECT_EQ(gathered.shape(), Shape({ranks(), 2}));
    EXPECT_EQ(gathered.to_vector<float>(), rows);
    const AsyncTensor wide = all_gather(x, world, -1);
    EXPECT_EQ(wide.shape(), Shape({1, 2 * ranks()}));
    EXPECT_EQ(wide.to_vector<float>(), rows);
    EXPECT_EQ(broadcast(x, world, ranks() - 1).to_vector<float>(),
              Floats({float(ranks() - 1), 10 + float(ranks() - 1)}));
    const Tensor parts = iota({ranks(), 3}, 0, DType::f32) + rank;
    const float sum = over_ranks([&](float r) { return rank + r; });
    EXPECT_EQ(reduce_scatter(parts, world).to_vector<float>(), Floats({sum, sum, sum}));
    EXPECT_EQ(rank_index(world).item<std::int64_t>(), world.rank());
    // Where this rank's rows begin, and how many are behind them.
    const Tensor rows_here = tensor({std::int64_t{world.rank()} + 1});
    const std::int64_t own = world.rank() + 1;
    const std::int64_t before = own * (own - 1) / 2;
    const std::int64_t all = ranks() * (ranks() + 1) / 2;
    EXPECT_EQ(scan_ranks(rows_here, world).item<std::int64_t>(), before + own);
    EXPECT_EQ(scan_ranks(rows_here, world, Reduce::sum, {.exclusive = true}).item<std::int64_t>(),
              before);
    EXPECT_EQ(scan_ranks(rows_here, world, Reduce::sum, {.exclusive = true, .reverse = true})
                  .item<std::int64_t>(),
              all - before - own);
    barrier(world);
  });
}

TEST_P(Collectives, ATreeIsOneLaunchPerDType) {
  on_ranks([](World& world, float rank) {
    const CompiledGraphs graphs;
    const std::vector<Tensor> tree = {tensor({rank}), tensor({1, 2}), tensor({{2 * rank, 1.F}})};
    const std::vector<Tensor> sums = all_reduce(tree, world);
    eval(sums);
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 2);
    EXPECT_EQ(sums[0].item<float>(), over_ranks([](float r) { return r; }));
    EXPECT_EQ(sums[1].to_vector<std::int32_t>()[1], 2 * ranks());
    EXPECT_EQ(sums[2].to_vector<float>()[1], static_cast<float>(ranks()));
  });
}

TEST_P(Collectives, AnAsyncTensorWaitsByItselfWhereverItIsUsed) {
  on_ranks([](World& world, float rank) {
    const float sum = over_ranks([](float r) { return r; });
    const AsyncTensor total = all_reduce(tensor({rank}), world);
    EXPECT_THAT(describe(total), testing::AllOf(testing::HasSubstr("async f32[1]"),
                                                testing::HasSubstr("all_reduce over world"),
                                                testing::HasSubstr("collectives_test.cpp")));
    EXPECT_EQ((total * 2.F).item<float>(), 2 * sum);
    EXPECT_EQ((1.F - total).item<float>(), 1 - sum);
    EXPECT_EQ(exp(total).item<float>(), exp(tensor({sum})).item<float>());
    const Tensor same = total;
    EXPECT_EQ(total.wait().state(), same.state()) << "the second wait gives the same tensor";
    std::ostringstream text;
    text << all_reduce(tensor({rank}), world);
    EXPECT_THAT(text.str(), testing::StartsWith("f32[1] ["));
    EXPECT_EQ(all_reduce(all_reduce(tensor({rank}), world), world).item<float>(),
              sum * float(ranks()));
  });
}

TEST_P(Collectives, AnAsyncTensorGoesIntoAndComesOutOfCompiledFunctions) {
  on_ranks([](World& world, float rank) {
    const float sum = over_ranks([](float r) { return r; });
    auto start = compile([&](const Tensor& x) { return all_reduce(x * 2.F, world); });
    auto finish = compile([](const AsyncTensor& x, const Tensor& y) { return x + y; });
    for (int i = 0; i < 3; ++i) {
      const AsyncTensor flying = start(tensor({rank}));
      EXPECT_THAT(describe(flying), testing::HasSubstr("all_reduce sum f32[1] over world"));
      const Tensor meanwhile = tensor({1.F}) + 1.F;
      EXPECT_EQ(finish(flying, meanwhile).item<float>(), 2 * sum + 2);
      EXPECT_EQ(flying.item<float>(), 2 * sum);
    }
    EXPECT_EQ(start.programs(), 1U);
    EXPECT_EQ(finish.programs(), 1U);
    // One that was recorded only, and one that was waited for already.
    EXPECT_EQ(finish(all_reduce(tensor({rank}), world), tensor({0.F})).item<float>(), sum);
    const AsyncTensor done = all_reduce(tensor({rank}), world);
    done.wait();
    EXPECT_EQ(finish(done, tensor({0.F})).item<float>(), sum);
    EXPECT_EQ(finish.programs(), 1U);
  });
}

TEST_P(Collectives, ADroppedAsyncTensorTakesPlaceAllTheSame) {
  on_ranks([](World& world, float rank) {
    for (int i = 0; i < 20; ++i) {
      all_reduce(tensor({rank + static_cast<float>(i)}), world);
      if (i % 7 == 3) eval(tensor({1.F}) + 1.F);
    }
    auto f = compile([&](const Tensor& x) {
      all_reduce(x, world);
      return x;
    });
    EXPECT_EQ(f(tensor({rank})).item<float>(), rank);
    EXPECT_EQ(all_reduce(tensor({rank}), world).item<float>(),
              over_ranks([](float r) { return r; }));
  });
}

TEST_P(Collectives, EvaluationNeverRepeatsOne) {
  on_ranks([](World& world, float rank) {
    const CompiledGraphs graphs;
    const AsyncTensor total = all_reduce(tensor({rank}), world);
    const Tensor a = total + 1.F;
    const Tensor b = total * 2.F;
    const float sum = over_ranks([](float r) { return r; });
    EXPECT_EQ(a.item<float>(), sum + 1);
    EXPECT_EQ(b.item<float>(), 2 * sum);
    EXPECT_EQ(total.item<float>(), sum);
    EXPECT_EQ((total - 1.F).item<float>(), sum - 1);
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 1);
  });
}

TEST_P(Collectives, AreTheSameInEagerMode) {
  on_ranks([](World& world, float rank) {
    world.set_eager(true);
    const AsyncTensor total = all_reduce(tensor({rank}), world);
    EXPECT_TRUE(total.state()->is_data());
    const Tensor meanwhile = tensor({rank}) + 1.F;
    const float sum = over_ranks([](float r) { return r; });
    EXPECT_EQ((total + meanwhile).item<float>(), sum + rank + 1);
    EXPECT_EQ(all_reduce(all_reduce(tensor({rank}), world) + 1.F, world).item<float>(),
              (sum + 1) * float(ranks()));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, testing::Values(1, 2, 3, 4));

TEST(Groups, AreListsPartitionsOrTheWorld) {
  simulate(4, [](World& world) {
    const Tensor x = tensor({static_cast<float>(1 << world.rank())});
    const bool even = world.rank() % 2 == 0;
    const std::vector<std::vector<std::int64_t>> halves = {{0, 2}, {1, 3}};
    EXPECT_EQ(all_reduce(x, Group(halves)).item<float>(), even ? 5 : 10);
    if (even) {
      EXPECT_EQ(all_reduce(x, Group({2, 0}, "even")).item<float>(), 5);
    }
    // The group's order is the order of concatenation, and what a root counts in.
    if (even) {
      EXPECT_EQ(all_gather(x, Group({2, 0})).to_vector<float>(), Floats({4, 1}));
    }
    if (even) {
      EXPECT_EQ(broadcast(x, Group({2, 0}), 1).item<float>(), 1);
    }
    EXPECT_EQ(rank_index(Group({3, 2, 1, 0})).item<std::int64_t>(), 3 - world.rank());
    EXPECT_EQ(all_reduce(x, world).item<float>(), 15);
  });
}

TEST(Groups, ThatMakeNoSenseAreRefused) {
  expect_error<TypeError>([] { Group({0, 0}); }, {"rank 0", "twice"});
  expect_error<TypeError>([] { Group(std::vector<std::int64_t>{}); }, {"has no ranks"});
  expect_error<TypeError>([] { Group(std::vector<std::vector<std::int64_t>>{{0, 1}, {2}}); },
                          {"equally many"});
}

TEST(Collective, ShapesAndDTypesAreCheckedWhereItIsCalled) {
  simulate(2, [](World& world) {
    const Tensor odd = zeros({3});
    expect_error<TypeError>([&] { reduce_scatter(odd, world); },
                            {"reduce_scatter", "2 ranks", "3"});
    expect_error<TypeError>([&] { all_gather(odd, world, 1); }, {"all_gather", "axis 1"});
    expect_error<TypeError>([&] { broadcast(odd, world, 2); }, {"broadcast", "root 2"});
    expect_error<TypeError>([&] { all_reduce(tensor({1, 2}), world, Reduce::mean); },
                            {"mean", "floating"});
    expect_error<TypeError>([&] { all_reduce(odd, world, Reduce::bit_and); },
                            {"and", "integers or bool"});
    expect_error<TypeError>([&] { all_reduce(tensor({true}), world); }, {"bool"});
  });
}

}  // namespace
}  // namespace tutti::test::collectives_test

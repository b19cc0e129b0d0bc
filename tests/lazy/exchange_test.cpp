#include "tests/lazy/lazy_testing.h"

// Rooted collectives, exchanges and uneven parts in the front end, over 1 to 5 ranks; of tensors
// and of trees.
namespace tutti::test::exchange_test {
namespace {

class Exchange : public testing::TestWithParam<int> {
 protected:
  static int ranks() { return GetParam(); }
  static void on_ranks(const std::function<void(World&, float)>& body) {
    simulate(ranks(), [&](World& world) { body(world, static_cast<float>(world.rank())); });
  }
  // {f(0), f(1), ...} of `count` numbers.
  static Floats list(int count, const std::function<float(int)>& f) {
    Floats out;
    for (int i = 0; i < count; ++i) out.push_back(f(i));
    return out;
  }
  // Member i has i + 1 of the parts.
  static Sizes uneven() {
    Sizes out;
    for (int i = 0; i < ranks(); ++i) out.push_back(i + 1);
    return out;
  }
  static int uneven_total() { return ranks() * (ranks() + 1) / 2; }
};

TEST_P(Exchange, ReduceAndGatherGiveZerosElsewhereThanAtTheRoot) {
  on_ranks([](World& world, float rank) {
    const std::int64_t root = ranks() - 1;
    const bool at_root = world.rank() == root;
    const float sum = static_cast<float>(ranks() * (ranks() - 1)) / 2;
    const Tensor x = tensor({rank, 1.F});
    EXPECT_EQ(reduce(x, world, Reduce::sum, root).to_vector<float>(),
              at_root ? Floats({sum, float(ranks())}) : Floats({0, 0}));
    EXPECT_EQ(reduce(x, world, Reduce::max).to_vector<float>()[0],
              world.rank() == 0 ? static_cast<float>(root) : 0);
    const AsyncTensor rows = gather(expand_dims(x, {0}), world, root);
    EXPECT_EQ(rows.shape(), Shape({ranks(), 2}));
    EXPECT_EQ(rows.to_vector<float>(), list(2 * ranks(), [&](int i) {
                return !at_root ? 0 : i % 2 == 0 ? static_cast<float>(i) / 2 : 1;
              }));
  });
}

TEST_P(Exchange, ScatterCutsTheRootsTensor) {
  on_ranks([](World& world, float rank) {
    const std::int64_t root = ranks() / 2;
    const Tensor whole = iota({2, 3 * ranks()}, 1, DType::f32) + 100.F * rank;
    const AsyncTensor part = scatter(whole, world, root, -1);
    EXPECT_EQ(part.shape(), Shape({2, 3}));
    EXPECT_EQ(part.to_vector<float>(), list(6, [&](int i) {
                return static_cast<float>(100 * root + 3 * world.rank() + i % 3);
              }));
  });
}

TEST_P(Exchange, AllToAllExchangesParts) {
  on_ranks([](World& world, float rank) {
    // Part j of rank i is 10 * i + j.
    const Tensor x = iota({ranks(), 2}, 0, DType::f32) + 10.F * rank;
    const Floats expected =
        list(2 * ranks(), [&](int i) { return 10 * static_cast<float>(i / 2) + rank; });
    EXPECT_EQ(all_to_all(x, world).to_vector<float>(), expected);
    const AsyncTensor wide = all_to_all(x, world, 0, 1);
    EXPECT_EQ(wide.shape(), Shape({1, 2 * ranks()}));
    EXPECT_EQ(wide.to_vector<float>(), expected);
    // There and back.
    const Tensor back = all_to_all(all_to_all(x, world, 0, -1), world, 1, 0);
    EXPECT_EQ(back.to_vector<float>(), x.to_vector<float>());
    const Tensor cube = iota({2, ranks(), 3}, 1, DType::f32) + 10.F * rank;
    const AsyncTensor turned = all_to_all(cube, world, 1, 0);
    EXPECT_EQ(turned.shape(), Shape({2 * ranks(), 1, 3}));
    EXPECT_EQ(turned.to_vector<float>(),
              list(6 * ranks(), [&](int i) { return 10 * static_cast<float>(i / 6) + rank; }));
    EXPECT_EQ(
        all_to_all(transpose(all_to_all(transpose(cube, {0, 2, 1}), world, 2), {0, 2, 1}), world, 1)
            .to_vector<float>(),
        cube.to_vector<float>());
  });
}

TEST_P(Exchange, AllToAllTakesAsManyDimensionsAsThereCanBe) {
  on_ranks([](World& world, float) {
    const std::vector<std::pair<std::int64_t, std::int64_t>> axes = {{0, 1}, {7, 0}, {3, 4},
                                                                     {4, 3}, {6, 2}, {1, 7}};
    for (const auto& [source, target] : axes) {
      std::vector<std::int64_t> sizes = {1, 2, 1, 1, 3, 1, 2, 1};
      sizes[static_cast<std::size_t>(source)] *= ranks();
      const Tensor x = reshape(arange(12 * ranks()), Shape(sizes)) + 1000 * world.rank();
      const Tensor apart = all_to_all(x, world, source);
      const Tensor wanted = concat(split_evenly(apart, ranks(), source), target);
      const Tensor moved = all_to_all(x, world, source, target);
      EXPECT_EQ(moved.shape(), wanted.shape());
      EXPECT_EQ(moved.to_vector<std::int64_t>(), wanted.to_vector<std::int64_t>());
    }
  });
}

TEST_P(Exchange, AllToAllTakesUnevenParts) {
  on_ranks([](World& world, float rank) {
    // Rank i sends i + j numbers 10 * i + j to rank j.
    Sizes sizes;
    Floats mine;
    Floats expected;
    for (int j = 0; j < ranks(); ++j) {
      sizes.push_back(world.rank() + j);
      for (int n = 0; n < world.rank() + j; ++n) {
        mine.push_back(10 * rank + static_cast<float>(j));
        expected.push_back(10 * static_cast<float>(j) + rank);
      }
    }
    const auto count = std::ssize(mine);
    const Tensor x = from(Array::from(std::span<const float>(mine), {count}));
    EXPECT_EQ(all_to_all(x, world, sizes, sizes).to_vector<float>(), expected);
  });
}

TEST_P(Exchange, PermuteMovesAlongPairs) {
  on_ranks([](World& world, float rank) {
    Pairs ring;
    Pairs shift;
    for (int i = 0; i < ranks(); ++i) {
      ring.emplace_back(i, (i + 1) % ranks());
      if (i > 0) shift.emplace_back(i, i - 1);
    }
    const Tensor x = tensor({rank + 1});
    EXPECT_EQ(collective_permute(x, world, ring).item<float>(),
              static_cast<float>((world.rank() + ranks() - 1) % ranks() + 1));
    EXPECT_EQ(collective_permute(x, world, shift).item<float>(),
              world.rank() + 1 < ranks() ? rank + 2 : 0);
    EXPECT_EQ(collective_permute(x, world, {}).item<float>(), 0);
  });
}

TEST_P(Exchange, PartsMayBeUneven) {
  on_ranks([](World& world, float rank) {
    const int own = world.rank() + 1;
    const int before = own * (own - 1) / 2;
    const Tensor part = full({own, 2}, rank);
    const Floats all = list(2 * uneven_total(), [&](int i) {
      int member = 0;
      for (int end = 2; i >= end; ++member) end += 2 * (member + 2);
      return static_cast<float>(member);
    });
    EXPECT_EQ(all_gather(part, world, 0, uneven()).to_vector<float>(), all);
    EXPECT_EQ(gather(part, world, 0, 0, uneven()).to_vector<float>(),
              world.rank() == 0 ? all : Floats(all.size()));
    const Tensor whole = iota({2, uneven_total()}, 1, DType::f32);
    const auto expected = [&](float factor) {
      return list(2 * own, [&](int i) { return factor * static_cast<float>(before + i % own); });
    };
    const AsyncTensor sum = reduce_scatter(whole, world, Reduce::sum, 1, uneven());
    EXPECT_EQ(sum.shape(), Shape({2, own}));
    EXPECT_EQ(sum.to_vector<float>(), expected(static_cast<float>(ranks())));
    EXPECT_EQ(scatter(whole * (rank + 1), world, ranks() - 1, 1, uneven()).to_vector<float>(),
              expected(static_cast<float>(ranks())));
  });
}

TEST_P(Exchange, TreesAreOneLaunchPerDType) {
  on_ranks([](World& world, float rank) {
    const CompiledGraphs graphs;
    const std::int64_t n = ranks();
    const std::vector<Tensor> x = {full({n}, rank), full({n, 2}, 2 * rank),
                                   cast(full({n}, rank), DType::i32)};
    Pairs ring;
    for (int i = 0; i < ranks(); ++i) ring.emplace_back(i, (i + 1) % ranks());
    Sizes sizes;
    for (int i = 0; i < ranks(); ++i) sizes.push_back(1);
    std::vector<std::vector<Tensor>> results = {
        reduce(x, world),
        all_gather(x, world),
        all_gather(x, world, 0, Sizes(static_cast<std::size_t>(n), n)),
        gather(x, world),
        reduce_scatter(x, world),
        reduce_scatter(x, world, Reduce::sum, 0, sizes),
        scatter(x, world),
        broadcast(x, world, n - 1),
        all_to_all(x, world),
        all_to_all(x, world, sizes, sizes),
        collective_permute(x, world, ring)};
    std::vector<Tensor> flat;
    for (const auto& tree : results) flat.insert(flat.end(), tree.begin(), tree.end());
    eval(flat);
    for (const ir::Op op : {ir::Op::reduce, ir::Op::gather, ir::Op::scatter, ir::Op::broadcast,
                            ir::Op::collective_permute}) {
      EXPECT_EQ(graphs.count(op), 2) << ir::name_of(op);
    }
    for (const ir::Op op : {ir::Op::all_gather, ir::Op::reduce_scatter, ir::Op::all_to_all}) {
      EXPECT_EQ(graphs.count(op), 4) << ir::name_of(op);
    }
    const float sum = static_cast<float>(ranks() * (ranks() - 1)) / 2;
    const float previous = static_cast<float>((world.rank() + ranks() - 1) % ranks());
    const std::vector<float> first = {world.rank() == 0 ? sum : 0,  // of the second tensor: twice
                                      0,
                                      0,
                                      0,
                                      sum,
                                      sum,
                                      0,
                                      static_cast<float>(n - 1),
                                      0,
                                      0,
                                      previous};
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i][1].to_vector<float>()[0], 2 * first[i]) << i;
    }
    EXPECT_EQ(results[1][0].to_vector<float>().back(), static_cast<float>(n - 1));
    EXPECT_EQ(results[2][1].to_vector<float>().back(), 2 * static_cast<float>(n - 1));
    EXPECT_EQ(results[8][2].to_vector<std::int32_t>().back(), n - 1);
  });
}

TEST_P(Exchange, ATreeOfAsyncTensorsStaysAsync) {
  on_ranks([](World& world, float rank) {
    const std::vector<AsyncTensor> flying = {all_reduce(tensor({rank}), world),
                                             all_reduce(tensor({1.F}), world)};
    const std::vector<AsyncTensor> gathered = all_gather(flying, world);
    EXPECT_THAT(describe(gathered[1]), testing::HasSubstr("all_gather over world"));
    EXPECT_EQ(gathered[1].to_vector<float>(), list(ranks(), [](int) { return float(ranks()); }));
  });
}

TEST_P(Exchange, IsTheSameCompiledAndEager) {
  on_ranks([](World& world, float rank) {
    const auto body = [&](const Tensor& x) {
      const Tensor turned = all_to_all(x * 2.F, world, 0, 1);
      const Tensor parts = scatter(turned, world, 0, 1);
      return std::vector<Tensor>{gather(parts, world, 0, 1), reduce(x, world, Reduce::mean)};
    };
    const Tensor x = iota({ranks(), 2}, 0, DType::f32) + rank;
    const auto expected = body(x);
    auto compiled = compile(body);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(compiled(x)[0].to_vector<float>(), expected[0].to_vector<float>());
    }
    world.set_eager(true);
    EXPECT_EQ(body(x)[1].to_vector<float>(), expected[1].to_vector<float>());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Exchange, testing::Values(1, 2, 3, 4, 5));

TEST(Exchanges, AreCheckedWhereTheyAreCalled) {
  simulate(2, [](World& world) {
    const Tensor x = zeros({3, 2});
    expect_error<TypeError>([&] { scatter(x, world); }, {"scatter", "2 ranks", "3 of axis 0"});
    expect_error<TypeError>([&] { all_to_all(x, world, 0, 1); }, {"all_to_all", "2 ranks"});
    expect_error<TypeError>([&] { all_to_all(x, world, 1, 2); }, {"all_to_all", "axis 2"});
    expect_error<TypeError>([&] { reduce(x, world, Reduce::sum, -1); }, {"reduce", "root -1"});
    expect_error<TypeError>([&] { gather(x, world, 0, 0, {3}); }, {"one size for each"});
    expect_error<TypeError>([&] { scatter(x, world, 0, 0, {1, 1}); }, {"add up to the 3"});
    expect_error<TypeError>([&] { collective_permute(x, world, {{0, 1}, {1, 1}}); },
                            {"position 1 is a target twice"});
    // What only one rank has wrong is wrong there, before anything is recorded.
    const Sizes sizes = {3, 5};
    if (world.rank() == 1) {
      expect_error<TypeError>([&] { all_gather(x, world, 0, sizes); },
                              {"all_gather: axis 0 of f32[3,2] is 3, but sizes[1]"});
      expect_error<TypeError>([&] { all_to_all(x, world, {1, 2}, {1, 1}); },
                              {"sends 2 to itself, but receives 1"});
    }
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 2);
  });
}

TEST(Exchanges, AsOneGroupOfAPartition) {
  simulate(4, [](World& world) {
    const Group halves(std::vector<std::vector<std::int64_t>>{{3, 1}, {0, 2}});
    const Tensor x = tensor({static_cast<float>(world.rank())});
    const bool odd = world.rank() % 2 == 1;
    const bool first = world.rank() == 3 || world.rank() == 0;
    EXPECT_EQ(gather(x, halves).to_vector<float>(), !first ? Floats({0, 0})
                                                    : odd  ? Floats({3, 1})
                                                           : Floats({0, 2}));
    EXPECT_EQ(collective_permute(x, halves, {{0, 1}}).item<float>(), first ? 0 : odd ? 3 : 0);
  });
}

}  // namespace
}  // namespace tutti::test::exchange_test

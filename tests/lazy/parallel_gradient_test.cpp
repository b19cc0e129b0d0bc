#include "tests/lazy/lazy_testing.h"

// Gradients through collectives: what replication is good for.
namespace tutti::test::parallel_gradient_test {
namespace {

struct Model {
  Tensor weight, bias;
  TUTTI_FIELDS(weight, bias)
};

Model some_model() {
  const auto [weight, bias] = split(Key(11));
  return {.weight = normal({3, 2}, weight, DType::f64), .bias = normal({2}, bias, DType::f64)};
}
// The batch of all ranks, and a rank's rows of it.
Tensor batch() { return normal({12, 3}, Key(5), DType::f64); }
Tensor rows(const Tensor& all, const World& world) {
  const std::int64_t count = all.size(0) / world.size();
  return slice(all, {{world.rank() * count, (world.rank() + 1) * count}});
}
Tensor local_loss(const Model& model, const Tensor& x) {
  return mean(tanh(matmul(x, model.weight) + model.bias) * matmul(x, model.weight));
}

std::vector<double> flat(const Model& model) {
  std::vector<double> out = model.weight.to_vector<double>();
  for (const double b : model.bias.to_vector<double>()) out.push_back(b);
  return out;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

class DataParallel : public testing::TestWithParam<int> {};

TEST_P(DataParallel, HasTheGradientsOfTheSingleRankProgram) {
  const auto [loss, gradient] =
      value_and_grad([](const Model& m) { return local_loss(m, batch()); })(some_model());
  const double expected_loss = loss.item<double>();
  const std::vector<double> expected = flat(gradient);
  simulate(GetParam(), [&](World& world) {
    const Model model = replicated(some_model(), world);
    const Tensor x = rows(batch(), world);
    const auto global_loss = [&](const Model& m, const Tensor& own) -> Tensor {
      return all_reduce(local_loss(m, own), world, Reduce::mean);
    };
    const auto [value, gradients] = value_and_grad(global_loss)(model, x);
    EXPECT_NEAR(value.item<double>(), expected_loss, 1e-12);
    expect_near(flat(gradients), expected);

    auto step =
        compile([&](const Model& m, const Tensor& own) { return grad(global_loss)(m, own); });
    expect_near(flat(step(model, x)), expected);
    world.set_eager(true);
    expect_near(flat(grad(global_loss)(model, x)), expected);
  });
}

// The mean over ranks, taken by hand of the gradients of a model that is not marked.
TEST_P(DataParallel, OfAnUnmarkedModelIsThisRanksPart) {
  const std::vector<double> expected =
      flat(grad([](const Model& m) { return local_loss(m, batch()); })(some_model()));
  simulate(GetParam(), [&](World& world) {
    const Tensor x = rows(batch(), world);
    const Model own = grad([&](const Model& m) { return local_loss(m, x); })(some_model());
    expect_near(flat(all_reduce(own, world, Reduce::mean)), expected);
  });
}

TEST_P(DataParallel, StepsKeepTheModelReplicated) {
  simulate(GetParam(), [&](World& world) {
    Model model = replicated(some_model(), world);
    const AdamW adam{};
    AdamW::State state = adam.init(model);
    auto step = compile([&](const Model& m, AdamW::State s, const Tensor& x, float rate) {
      const auto loss = [&](const Model& t) -> Tensor {
        return all_reduce(local_loss(t, x), world, Reduce::mean);
      };
      const Model gradient = grad(loss)(m);
      auto [next, next_state] = adam.update(m, gradient, s, rate);
      return std::tuple(next, next_state);
    });
    for (int i = 0; i < 4; ++i)
      std::tie(model, state) = step(model, state, rows(batch(), world), 0.1F / float(1 + i));
    EXPECT_EQ(step.programs(), 1U) << step.explain();
    const Tensor spread =
        all_reduce(model.weight, world, Reduce::max) - all_reduce(model.weight, world, Reduce::min);
    EXPECT_EQ(max(spread).item<double>(), 0) << "every rank holds the same bits";
  });
}

// The last batch is shorter on the last rank: its program is another one.
TEST_P(DataParallel, RanksMayHaveBatchesOfDifferentSizes) {
  const auto whole = [](const Model& m) { return local_loss(m, batch()) * 12.0; };
  const std::vector<double> expected = flat(grad(whole)(some_model()));
  simulate(GetParam(), [&](World& world) {
    const Model model = replicated(some_model(), world);
    const std::int64_t start = 2 * world.rank();
    const bool last = world.rank() + 1 == world.size();
    const Tensor x = slice(batch(), {{start, last ? 12 : start + 2}});
    auto step = compile([&](const Model& m, const Tensor& own) {
      const auto loss = [&](const Model& t) -> Tensor {
        return all_reduce(local_loss(t, own) * static_cast<double>(own.size(0)), world);
      };
      return grad(loss)(m);
    });
    expect_near(flat(step(model, x)), expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, DataParallel, testing::Values(1, 2, 3, 4));

// However often a weight is used: its cotangents are added up before they are added over the ranks.
TEST(Replication, OneAllReducePerWeight) {
  simulate(2, [](World& world) {
    const Model model = replicated(some_model(), world);
    const Tensor x = rows(batch(), world);
    const CompiledGraphs graphs;
    const auto loss = [&](const Model& m) -> Tensor {
      return all_reduce(mean(matmul(x, m.weight)) + mean(matmul(x * x, m.weight)), world);
    };
    const Model gradient = grad(loss)(model);
    eval(gradient);
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 2) << "one of the loss, one of the gradient";
  });
}

TEST(Replication, NoAllReduceOfWhatHasNoDerivative) {
  simulate(2, [](World& world) {
    const Model model = replicated(some_model(), world);
    const Tensor x = rows(batch(), world);
    const CompiledGraphs graphs;
    const auto loss = [&](const Model& m) -> Tensor {
      return all_reduce(mean(matmul(x, stop_gradient(m.weight))), world);
    };
    eval(grad(loss)(model));
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 1) << "that of the loss";
  });
}

TEST(Replication, IsCheckedByHash) {
  expect_error<UsageError>(
      [] {
        simulate(
            2, [](World& world) { replicated(tensor({static_cast<float>(world.rank())}), world); });
      },
      {"rank 0", "different values"}, kNowhere);
}

TEST(Replication, CannotBeClaimedWhereThereIsNoData) {
  simulate(1, [](World& world) {
    auto f = compile([&](const Tensor& x) { return replicated(x, world); });
    expect_error<UsageError>([&] { f(tensor({1.F})); }, {"mark the tree outside"}, __LINE__ - 1);
  });
}

// d/dx of a weighted sum of a collective's result, where every rank weighs its own way: the
// derivative of the sum over ranks.
TEST(CollectiveGradient, OfEachKind) {
  simulate(3, [](World& world) {
    const float rank = static_cast<float>(world.rank());
    const Tensor weight = tensor({1.F + rank, 10.F + rank, 100.F + rank});
    const Tensor x = tensor({rank, 5 - rank, 2.F});
    const auto gradient = [&](const std::function<Tensor(const Tensor&)>& f) {
      return grad([&](const Tensor& t) { return sum(f(t) * weight); })(x).to_vector<float>();
    };
    EXPECT_EQ(gradient([&](const Tensor& t) -> Tensor { return all_reduce(t, world); }),
              Floats({6, 33, 303}));
    const Floats mean =
        gradient([&](const Tensor& t) -> Tensor { return all_reduce(t, world, Reduce::mean); });
    EXPECT_FLOAT_EQ(mean[1], 11);
    // Rank 2 has the largest first element, rank 0 the largest second one; the third is a tie.
    const Floats largest =
        gradient([&](const Tensor& t) -> Tensor { return all_reduce(t, world, Reduce::max); });
    EXPECT_EQ(largest, Floats({rank == 2 ? 6.F : 0, rank == 0 ? 33.F : 0, 101}));
    const Floats least =
        gradient([&](const Tensor& t) -> Tensor { return all_reduce(t, world, Reduce::min); });
    EXPECT_EQ(least, Floats({rank == 0 ? 6.F : 0, rank == 2 ? 33.F : 0, 101}));
    EXPECT_EQ(gradient([&](const Tensor& t) -> Tensor { return broadcast(t, world, 1); }),
              rank == 1 ? Floats({6, 33, 303}) : Floats({0, 0, 0}));
    // Of the gathered nine each rank's own three come back, weighted by all.
    const auto gathered = [&](const Tensor& t) {
      return sum(reshape(all_gather(t, world), {3, 3}) * weight);
    };
    EXPECT_EQ(grad(gathered)(x).to_vector<float>(), Floats({6, 33, 303}));
    const auto scattered = [&](const Tensor& t) {
      return sum(reduce_scatter(t, world) * (rank + 1));
    };
    EXPECT_EQ(grad(scattered)(x).to_vector<float>(), Floats({1, 2, 3}));
  });
}

TEST(CollectiveGradient, OfAReplicatedScalarIsOfThatScalar) {
  simulate(2, [](World& world) {
    const Tensor w = replicated(tensor({2.F, 3.F}), world);
    const auto loss = [](const Tensor& t) {
      return sum(t * t);
    };  // the same on both ranks: not added up
    EXPECT_EQ(grad(loss)(w).to_vector<float>(), Floats({4, 6}));
    const auto mixed = [&](const Tensor& t) {
      return sum(t * (1.F + cast(rank_index(world), DType::f32)));
    };
    EXPECT_EQ(grad(mixed)(w).to_vector<float>(), Floats({3, 3})) << "of the sum over ranks";
  });
}

// A list that leaves rank 1 out, which makes the same calls alone: so both know the same about what
// varies.
Group some_or_alone(const World& world) {
  return world.rank() == 1 ? Group({1}, "alone") : Group({2, 0, 3}, "some");
}

TEST(CollectiveGradient, OverAListOfRanksIsTheSingleRankPrograms) {
  const auto hidden = [](const Model& m, const Tensor& x) {
    return tanh(matmul(x, m.weight) + m.bias);
  };
  const auto whole = [&](const Model& m) {
    const Tensor each = reshape(hidden(m, batch()), {4, 3, 2});
    const Tensor some = (each[0] + each[2] + each[3]) / 3.0;
    return (3.0 * sum(some * some) + sum(each[1] * each[1])) / 4.0;
  };
  const std::vector<double> expected = flat(grad(whole)(some_model()));
  // Means of what is the same anyway change nothing.
  const std::vector<double> unchanged =
      flat(grad([](const Model& m) { return local_loss(m, batch()); })(some_model()));
  simulate(4, [&](World& world) {
    const Model model = replicated(some_model(), world);
    const Tensor x = rows(batch(), world);
    const Group group = some_or_alone(world);
    const auto of_results = [&](const Model& m, const Tensor& own) -> Tensor {
      const Tensor y = all_reduce(hidden(m, own), group, Reduce::mean);
      return all_reduce(sum(y * y), world, Reduce::mean);
    };
    const auto of_weights = [&](const Model& m, const Tensor& own) -> Tensor {
      const Model averaged = {.weight = all_reduce(m.weight, group, Reduce::mean),
                              .bias = all_reduce(m.bias, group, Reduce::mean)};
      return all_reduce(local_loss(averaged, own), world, Reduce::mean);
    };
    expect_near(flat(grad(of_results)(model, x)), expected);
    expect_near(flat(grad(of_weights)(model, x)), unchanged);
    auto step =
        compile([&](const Model& m, const Tensor& own) { return grad(of_results)(m, own); });
    expect_near(flat(step(model, x)), expected);
  });
}

// Who makes nothing vary where the members do would be summed up with something else.
TEST(CollectiveGradient, OverAListOfRanksIsRefusedWhereThoseOutsideKnowMore) {
  const auto run = [] {
    simulate(3, [](World& world) {
      const Tensor w = replicated(tensor({1.F, 2.F}), world);
      const Tensor slope = grad([&](const Tensor& v) -> Tensor {
        const Tensor square = v * v;
        Tensor y = square;
        if (world.rank() != 1) y = all_reduce(square, Group({0, 2}));
        return all_reduce(sum(y), world);
      })(w);
      eval(slope);
    });
  };
  expect_error<CommError>(run, {"does not match", "all_reduce"}, kNowhere);
}

// The product of the others, a zero among them.
TEST(CollectiveGradient, OfAProduct) {
  simulate(3, [](World& world) {
    const std::array<float, 3> values = {2, 0, 3};
    const Tensor x = tensor({values.at(static_cast<std::size_t>(world.rank()))});
    const auto loss = [&](const Tensor& t) { return sum(all_reduce(t, world, Reduce::product)); };
    const std::array<float, 3> expected = {0, 6, 0};
    EXPECT_EQ(grad(loss)(x).item<float>(), expected.at(static_cast<std::size_t>(world.rank())));
  });
}

TEST(CollectiveGradient, OfReduceScatterOfExtremesAndProducts) {
  simulate(3, [](World& world) {
    const auto own = static_cast<std::size_t>(world.rank());
    const std::array rows = {Floats{1, 5, 2}, Floats{4, 5, 1}, Floats{0, 1, 7}};
    const auto gradient = [&](Reduce reduce) {
      return grad([&](const Tensor& t) {
               return sum(reduce_scatter(t, world, reduce) * static_cast<float>(own + 1));
             })(from(rows.at(own), {3}))
          .to_vector<float>();
    };
    const std::array of_max = {Floats{0, 1, 0}, Floats{1, 1, 0}, Floats{0, 0, 3}};
    EXPECT_EQ(gradient(Reduce::max), of_max.at(own));
    const std::array of_min = {Floats{0, 0, 0}, Floats{0, 0, 3}, Floats{1, 2, 0}};
    EXPECT_EQ(gradient(Reduce::min), of_min.at(own));
    const std::array of_product = {Floats{0, 10, 21}, Floats{0, 10, 42}, Floats{4, 50, 6}};
    EXPECT_EQ(gradient(Reduce::product), of_product.at(own));
  });
}

// Gathered again for the gradient, as a checkpoint does.
TEST(CollectiveGradient, OfGatheredWeightsInACheckpoint) {
  simulate(2, [](World& world) {
    const Tensor shard = tensor({1.F, 2.F}) * static_cast<float>(world.rank() + 1);
    const Tensor x = tensor({1.F, 2.F, 3.F, 4.F}) * tensor({static_cast<float>(world.rank() + 1)});
    const auto gather = [&](const Tensor& t) -> Tensor { return all_gather(t, world); };
    const auto gradient = [&](const auto& f) {
      return grad([&](const Tensor& s) { return sum(x * f(s) * f(s)); })(shard)
          .template to_vector<float>();
    };
    EXPECT_EQ(gradient(checkpoint(gather)), gradient(gather));
    const Floats first = world.rank() == 0 ? Floats{6, 24} : Floats{36, 96};
    EXPECT_EQ(gradient(checkpoint(gather)), first);
  });
}

// Fully sharded: each rank needs the sum of its own part alone.
TEST(CollectiveGradient, OfGatheredWeightsIsAReduceScatter) {
  simulate(2, [](World& world) {
    const Tensor whole = normal({4, 3}, Key(1));
    const Tensor x = normal({5, 4}, fold_in(Key(2), tensor(world.rank())));
    const Tensor shard = slice(whole, {{2 * world.rank(), 2 * world.rank() + 2}});
    auto sharded = compile([&](const Tensor& own, const Tensor& batch) {
      return grad([&](const Tensor& w) -> Tensor {
        const Tensor all = all_gather(w, world);
        return all_reduce(sum(tanh(matmul(batch, all))) + sum(all), world);
      })(own);
    });
    const Tensor gradient = sharded(shard, x);
    EXPECT_THAT(sharded.ir(), testing::HasSubstr("reduce_scatter("));
    const Tensor full = grad([&](const Tensor& w) -> Tensor {
      return all_reduce(sum(tanh(matmul(x, w))) + sum(w), world);
    })(replicated(whole, world));
    EXPECT_THAT(gradient.to_vector<float>(),
                testing::Pointwise(
                    testing::FloatNear(1e-5F),
                    slice(full, {{2 * world.rank(), 2 * world.rank() + 2}}).to_vector<float>()));
  });
}

}  // namespace
}  // namespace tutti::test::parallel_gradient_test

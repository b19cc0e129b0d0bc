// Gradients on meshes of one and two dimensions are the single-rank program's.

#include "tests/lazy/lazy_testing.h"
#include "tests/support/command.h"

namespace tutti::test::mesh_gradient_test {
namespace {

// Two layers, the hidden one divided along tp; every rank has its columns of `up` and its rows of
// `down`.
struct Mlp {
  Tensor up, down, scale;
  TUTTI_FIELDS(up, down, scale)
};

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kWidth = 3;
constexpr std::int64_t kHidden = 8;

Mlp whole_model() {
  const auto [up, down] = split(Key(3));
  return {.up = normal({kWidth, kHidden}, up, DType::f64),
          .down = normal({kHidden, kWidth}, down, DType::f64),
          .scale = from(Array::scalar(0.7))};
}
Tensor whole_batch() { return normal({kBatch, kWidth}, Key(9), DType::f64); }

Tensor part(const Tensor& x, std::int64_t axis, std::int64_t count, std::int64_t index) {
  const std::int64_t size = x.size(static_cast<int>(axis)) / count;
  std::vector<Range> ranges(static_cast<std::size_t>(x.rank()));
  ranges[static_cast<std::size_t>(axis)] = {.start = index * size, .stop = (index + 1) * size};
  return slice(x, ranges);
}

Tensor single_loss(const Mlp& m, const Tensor& x) {
  const Tensor y = matmul(tanh(matmul(x, m.up)), m.down) * m.scale;
  return mean(y * y + y);
}

void expect_near(const Tensor& actual, const Array& expected, const char* what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const std::vector<double> values = actual.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected.data<double>()[i], 1e-12) << what << " " << i;
  }
}

struct Expected {
  double loss;
  Array up, down, scale;
};
Expected expected_results() {
  const auto [loss, gradients] =
      value_and_grad([](const Mlp& m) { return single_loss(m, whole_batch()); })(whole_model());
  return {loss.item<double>(), gradients.up.array(), gradients.down.array(),
          gradients.scale.array()};
}

class MeshGradients : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(MeshGradients, OfATensorAndDataParallelStepAreTheSingleRanks) {
  const Expected expected = expected_results();
  const auto [dp, tp] = GetParam();
  simulate(dp * tp, [&, data = dp, tensor = tp](World& world) {
    const DeviceMesh mesh(world, {{"dp", data}, {"tp", tensor}});
    const std::int64_t row = mesh.coordinate("dp");
    const std::int64_t column = mesh.coordinate("tp");
    const Mlp whole = whole_model();
    // The same along dp; `scale` along both.
    const Mlp model = {.up = replicated(part(whole.up, 1, tensor, column), mesh["dp"]),
                       .down = replicated(part(whole.down, 0, tensor, column), mesh["dp"]),
                       .scale = replicated(whole.scale, world)};
    const Tensor x = replicated(part(whole_batch(), 0, data, row), mesh["tp"]);
    const auto loss = [&](const Mlp& m, const Tensor& rows) -> Tensor {
      const Tensor y = all_reduce(matmul(tanh(matmul(rows, m.up)), m.down), mesh["tp"]) * m.scale;
      return all_reduce(mean(y * y + y), mesh["dp"], Reduce::mean);
    };
    const auto expect_right = [&](const Tensor& value, const Mlp& gradients) {
      EXPECT_NEAR(value.item<double>(), expected.loss, 1e-12);
      const Tensor up = from(expected.up);
      const Tensor down = from(expected.down);
      expect_near(gradients.up, part(up, 1, tensor, column).array(), "up");
      expect_near(gradients.down, part(down, 0, tensor, column).array(), "down");
      expect_near(gradients.scale, expected.scale, "scale");
    };
    {
      const auto [value, gradients] = value_and_grad(loss)(model, x);
      EXPECT_EQ(gradients.up.state()->type.replication, model.up.state()->type.replication);
      EXPECT_EQ(gradients.scale.state()->type.replication, model.scale.state()->type.replication);
      expect_right(value, gradients);
    }
    auto step =
        compile([&](const Mlp& m, const Tensor& rows) { return value_and_grad(loss)(m, rows); });
    for (int i = 0; i < 2; ++i) {
      const auto [value, gradients] = step(model, x);
      expect_right(value, gradients);
    }
    world.set_eager(true);
    const auto [value, gradients] = value_and_grad(loss)(model, x);
    expect_right(value, gradients);
  });
}

// As in PyTorch: nothing is marked, and each rank differentiates its own loss.
TEST_P(MeshGradients, OfAProgramThatMarksNothingAreEachRanksOwn) {
  const Expected expected = expected_results();
  const auto [dp, tp] = GetParam();
  if (tp > 1) return;
  simulate(dp, [&, data = dp](World& world) {
    const DeviceMesh mesh(world, {{"dp", data}, {"tp", 1}});
    const Tensor x = part(whole_batch(), 0, data, world.rank());
    const Mlp own = grad([&](const Mlp& m) { return single_loss(m, x); })(whole_model());
    const Mlp gradients = all_reduce(own, mesh["dp"], Reduce::mean);
    expect_near(gradients.up, expected.up, "up");
    expect_near(gradients.down, expected.down, "down");
    expect_near(gradients.scale, expected.scale, "scale");
  });
}

INSTANTIATE_TEST_SUITE_P(Meshes, MeshGradients,
                         testing::Values(std::pair(1, 1), std::pair(4, 1), std::pair(1, 4),
                                         std::pair(2, 2), std::pair(2, 4), std::pair(4, 2)),
                         [](const auto& of) {
                           return std::to_string(of.param.first) + "x" +
                                  std::to_string(of.param.second);
                         });

// The classic count: one all_reduce forward, behind the second layer, and one backward, for the
// input, if that is differentiated too.
TEST(TensorParallel, HasOneAllReduceForwardAndOneBackward) {
  const DeviceMesh mesh({{"tp", 4}});
  const auto loss = [&](const Tensor& x, const Tensor& up, const Tensor& down) -> Tensor {
    return sum(all_reduce(matmul(tanh(matmul(x, up)), down), mesh));
  };
  const auto count = [](const std::string& text) {
    int found = 0;
    for (std::size_t at = text.find("all_reduce("); at != std::string::npos;
         at = text.find("all_reduce(", at + 1)) {
      ++found;
    }
    return found;
  };
  const LowerOptions options{.world = 4, .rank = 0, .mesh = {{"tp", 4}}};
  const Tensor x = abstract({8, 3}, DType::f32, {.replicated = true});
  const Tensor up = abstract({3, 2});
  const Tensor down = abstract({2, 3});
  auto forward = compile(loss);
  EXPECT_EQ(count(forward.lower(options, x, up, down).ir()), 1);
  struct All {
    Tensor x, up, down;
    TUTTI_FIELDS(x, up, down)
  };
  auto step = compile([&](const All& all) {
    return value_and_grad([&](const All& a) { return loss(a.x, a.up, a.down); })(all);
  });
  EXPECT_EQ(count(step.lower(options, All{x, up, down}).ir("canonicalize")), 2);
}

TEST(TensorParallel, AnAllReducedLossCountsOnce) {
  simulate(3, [](World& world) {
    const Tensor w = replicated(tensor({2.F}), world);
    const auto slope = [&](const auto& f) { return grad(f)(w).template item<float>(); };
    const Tensor own = cast(rank_index(world) + 1, DType::f32);
    // The sum over ranks of w * (1, 2, 3).
    EXPECT_EQ(slope([&](const Tensor& v) -> Tensor { return sum(all_reduce(v * own, world)); }), 6);
    EXPECT_EQ(slope([&](const Tensor& v) -> Tensor {
                return sum(all_reduce(v * own, world, Reduce::mean));
              }),
              2);
    // A varying loss stands for the sum over the ranks.
    EXPECT_EQ(slope([&](const Tensor& v) { return sum(v * own); }), 6);
    // And a replicated one for itself.
    EXPECT_EQ(slope([&](const Tensor& v) { return sum(v * 5.F); }), 5);
  });
}

// The counter of steps must not make a replicated leaf vary because another leaf does.
TEST(MeshTraining, KeepsEveryLeafReplicatedAsItWas) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    Mlp model = {.up = replicated(from(whole_model().up.array()), mesh["dp"]),
                 .down = replicated(from(whole_model().down.array()), mesh["tp"]),
                 .scale = replicated(from(Array::scalar(0.7)), world)};
    const AdamW adam{};
    AdamW::State state = adam.init(model);
    for (int i = 0; i < 2; ++i) {
      std::tie(model, state) =
          adam.update(model, map([](const Tensor& t) { return t * 2.0; }, model), state, 0.1);
    }
    EXPECT_EQ(model.up.state()->type.replication.dimensions, 1);
    EXPECT_EQ(model.down.state()->type.replication.dimensions, 2);
    EXPECT_EQ(model.scale.state()->type.replication.dimensions, 3);
  });
}

struct Training {
  Mlp model;
  AdamW::State optimiser;
  TUTTI_FIELDS(model, optimiser)
};

TEST(MeshTraining, IsLoadedAsReplicatedAsWhatItIsLoadedInto) {
  const TemporaryFolder folder;
  simulate(4, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    Mlp model = {.up = replicated(from(whole_model().up.array()), mesh["dp"]),
                 .down = replicated(from(whole_model().down.array()), mesh["tp"]),
                 .scale = replicated(from(Array::scalar(0.7)), world)};
    const AdamW adam{};
    AdamW::State state = adam.init(model);
    std::tie(model, state) = adam.update(model, model, state, 0.1);
    const auto path = folder.path() / (std::to_string(world.rank()) + ".safetensors");
    save(Training{model, state}, path);
    const auto next_of = [&](const Training& training) {
      return adam.update(training.model, training.model, training.optimiser, 0.1).first;
    };
    const Mlp expected = next_of({model, state});
    // Narrower averages, too.
    for (const DType dtype : {DType::f64, DType::f32}) {
      const Mlp like = map([&](const Tensor& t) { return cast(t * 2.0, dtype); }, model);
      const Training loaded = load(Training{like, adam.init(like)}, path, {.cast = true});
      const Mlp next = next_of(loaded);
      EXPECT_EQ(next.up.state()->type.replication.dimensions, 1);
      EXPECT_EQ(next.down.state()->type.replication.dimensions, 2);
      EXPECT_EQ(next.scale.state()->type.replication.dimensions, 3);
      EXPECT_NEAR(cast(next.scale, DType::f64).item<double>(), expected.scale.item<double>(),
                  dtype == DType::f64 ? 0 : 1e-6);
    }
    // What says nothing is loaded by each rank for itself.
    const Training plain =
        map([](const Tensor& t) { return abstract(t.shape(), t.dtype()); }, Training{model, state});
    if (world.rank() != 2) return;
    const Training own = load(plain, path);
    EXPECT_EQ(own.model.scale.state()->type.replication.dimensions, 0);
    EXPECT_EQ(own.optimiser.first[2].array(), state.first[2].array());
  });
}

TEST(MeshTraining, WhatIsKnownToBeReplicatedIsNotLoadedByOneRankAlone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "w.safetensors";
  simulate(2, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    const std::vector<Tensor> model = {replicated(from(whole_model().up.array()), world)};
    if (world.rank() != 0) return;
    save(model, path);
    const std::vector<Tensor> plain =
        map([](const Tensor& t) { return abstract(t.shape(), t.dtype()); }, model);
    EXPECT_EQ(load(plain, path)[0].array(), model[0].array());
    expect_error<CommError>([&] { load(model, path); }, {": load: ", "'0'", "abstract()"});
  });
}

// As the page on files says.
TEST(MeshTraining, IsLoadedByOneRankAndBroadcast) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "w.safetensors";
  simulate(2, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    std::vector<Tensor> model = {replicated(from(whole_model().up.array()), world)};
    if (world.rank() == 0) save(map([](const Tensor& t) { return t * 2.0; }, model), path);
    const std::vector<Tensor> plain =
        map([](const Tensor& t) { return abstract(t.shape(), t.dtype()); }, model);
    if (world.rank() == 0) model = load(plain, path);
    model = broadcast(model, world);
    EXPECT_EQ(model[0].array(), (whole_model().up * 2.0).array());
  });
}

TEST(MeshGradient, OfAnAllGatherStaysReplicatedAlongTheOtherDimension) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor x = replicated(from(whole_model().scale.array()), mesh["dp"]);
    const Tensor slope = grad([&](const Tensor& t) -> Tensor {
      const Tensor all = all_gather(reshape(Operand(t), {1}), mesh["tp"]);
      return all_reduce(sum(all * all), mesh["dp"], Reduce::mean);
    })(x);
    EXPECT_EQ(slope.state()->type.replication.dimensions, 1);
    EXPECT_NEAR(slope.item<double>(), 1.4, 1e-12);
  });
}

}  // namespace
}  // namespace tutti::test::mesh_gradient_test

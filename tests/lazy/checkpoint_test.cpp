#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <cmath>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::checkpoint_test {
namespace {

using Doubles = std::vector<double>;

Tensor layer(const Tensor& x, const Tensor& w) { return tanh(matmul(sin(x) * 2.0, w)) + x; }

Tensor some(const Shape& shape, std::uint64_t seed) {
  return uniform(shape, Key(seed), DType::f64) - 0.5;
}

TEST(Checkpoint, ChangesNoGradient) {
  const Tensor x = some({3, 4}, 1);
  const std::vector<Tensor> w = {some({4, 4}, 2), some({4, 4}, 3)};
  const auto loss = [&](const std::vector<Tensor>& p, auto step) {
    return sum(step(step(x, p[0]), p[1]) * x);
  };
  const auto kept = grad([&](const std::vector<Tensor>& p) { return loss(p, layer); })(w);
  const auto again =
      grad([&](const std::vector<Tensor>& p) { return loss(p, checkpoint(layer)); })(w);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again[i].to_vector<double>(), kept[i].to_vector<double>());
  }
}

// Of what a gradient needs: what is not needed is recorded, too.
std::map<ir::Op, int> count_ops(ir::Graph graph) {
  ir::dce(graph);
  std::map<ir::Op, int> ops;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) ++ops[graph.node(id).op];
  return ops;
}

template <class Step>
std::map<ir::Op, int> ops_of_gradient(Step step) {
  CompiledGraphs graphs;
  auto f = compile([&](const Tensor& x, const Tensor& w) {
    return value_and_grad([&](const Tensor& p) { return sum(step(x, p)); })(w);
  });
  f(some({3, 4}, 1), some({4, 4}, 2));
  return count_ops(graphs.last());
}

TEST(Checkpoint, ComputesInsideAgain) {
  const auto twice = [](const Tensor& x, const Tensor& w) { return layer(layer(x, w), w); };
  EXPECT_EQ(ops_of_gradient(twice)[ir::Op::tanh], 2);
  EXPECT_EQ(ops_of_gradient(checkpoint(twice))[ir::Op::tanh], 4);
}

TEST(Checkpoint, LiesInCheckpoints) {
  const auto inner = checkpoint(layer);
  const auto outer =
      checkpoint([&](const Tensor& x, const Tensor& w) { return inner(inner(x, w), w); });
  const Tensor x = some({3, 4}, 1);
  const auto gradient = [&](auto f) {
    return grad([&](const Tensor& w) { return sum(f(f(x, w), w) * x); })(some({4, 4}, 2))
        .template to_vector<double>();
  };
  const auto plain = [](const Tensor& t, const Tensor& w) { return layer(layer(t, w), w); };
  EXPECT_THAT(gradient(outer), testing::Pointwise(testing::DoubleNear(1e-12), gradient(plain)));
}

TEST(Checkpoint, IsDifferentiatedTwice) {
  const Tensor x = some({3, 4}, 1);
  const auto second = [&](auto f) {
    const auto inner = [&](const Tensor& w) {
      return sum(grad([&](const Tensor& p) { return sum(f(x, p) * x); })(w) * some({4, 4}, 5));
    };
    return grad(inner)(some({4, 4}, 2)).template to_vector<double>();
  };
  const Doubles kept = second(layer);
  const Doubles again = second(checkpoint(layer));
  ASSERT_EQ(again.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(again[i], kept[i], 1e-12);
}

TEST(Checkpoint, OutsideOfGradientsIsTheFunction) {
  const Tensor x = some({3, 4}, 1);
  const Tensor w = some({4, 4}, 2);
  EXPECT_EQ(checkpoint(layer)(x, w).to_vector<double>(), layer(x, w).to_vector<double>());
}

TEST(Checkpoint, MayHoldAGradient) {
  const auto slope = [](const Tensor& x) {
    return grad([](const Tensor& t) { return sum(exp(t) * t); })(x);
  };
  const Tensor x = some({3}, 1);
  const auto total = [](auto f) { return [f](const Tensor& t) { return sum(f(t) * t); }; };
  EXPECT_EQ(grad(total(checkpoint(slope)))(x).to_vector<double>(),
            grad(total(slope))(x).to_vector<double>());
}

TEST(Checkpoint, RepeatsItsCollectives) {
  simulate(2, [](World& world) {
    const Tensor x = tensor({double(world.rank()) + 1, 2.0});
    const auto f = [&](const Tensor& t) -> Tensor { return tanh(all_reduce(t * t, world)); };
    const auto gradient = [&](auto step) {
      return grad([&](const Tensor& t) { return sum(step(t)); })(x).template to_vector<double>();
    };
    EXPECT_EQ(gradient(checkpoint(f)), gradient(f));
  });
}

// The waits are recorded inside, of what was started outside.
TEST(Checkpoint, MayWaitForWhatWasStartedOutside) {
  simulate(2, [](World& world) {
    const Tensor x = tensor({double(world.rank()) + 1, 2.0});
    const auto function = [&world](bool again) {
      return [&world, again](const Tensor& t) {
        const AsyncTensor largest = all_reduce(t, world, Reduce::max);
        const AsyncTensor squares = all_reduce(t * t, world);
        const auto inside = [&](const Tensor& s) {
          return sum(exp(s - stop_gradient(largest)) * Tensor(squares));
        };
        return again ? checkpoint(inside)(t) : inside(t);
      };
    };
    const auto is_near = [](const Doubles& expected) {
      return testing::Pointwise(testing::DoubleNear(1e-12), expected);
    };
    const Doubles expected = grad(function(false))(x).template to_vector<double>();
    EXPECT_THAT(grad(function(true))(x).template to_vector<double>(), is_near(expected));
    const auto [value, pullback] = vjp(function(true))(x);
    value.template item<double>();  // evaluates
    EXPECT_THAT(pullback(ones_like(value)).template to_vector<double>(), is_near(expected));
    CompiledGraphs graphs;
    auto compiled = compile([&](const Tensor& t) { return grad(function(true))(t); });
    EXPECT_THAT(compiled(x).template to_vector<double>(), is_near(expected));
    ir::verify(graphs.last());
  });
}

TEST(Checkpoint, NumbersInsideStayRunTimeParameters) {
  std::size_t programs = 0;
  for (int step = 0; step < 4; ++step) {
    const double rate = 0.1 * (step + 1);
    const auto f = checkpoint([&](const Tensor& x) { return sum(sin(x * rate)); });
    EXPECT_NEAR(grad(f)(tensor({1.0})).item<double>(), rate * std::cos(rate), 1e-12);
    if (step == 0) programs = detail::RankContext::current().compiled_programs();
  }
  EXPECT_EQ(detail::RankContext::current().compiled_programs(), programs);
}

// A chain of layers keeps one activation a layer, with checkpoints only those between them.
std::int64_t peak_of_chain(bool checkpoints) {
  constexpr int kLayers = 8;
  auto f = compile([&](const Tensor& x, const std::vector<Tensor>& w) {
    const auto block = [](const Tensor& t, const Tensor& p) {
      Tensor y = t;
      for (int i = 0; i < 3; ++i) y = tanh(matmul(y, p));
      return y;
    };
    return grad([&](const std::vector<Tensor>& p) {
      Tensor y = x;
      for (const Tensor& one : p) y = checkpoints ? checkpoint(block)(y, one) : block(y, one);
      return sum(y);
    })(w);
  });
  f(some({256, 16}, 1), std::vector<Tensor>(kLayers, some({16, 16}, 2)));
  const std::string plan = f.plan();
  const auto at = plan.find("arena ");
  EXPECT_NE(at, std::string::npos) << plan;
  return std::stoll(plan.substr(at + 6));
}

TEST(Checkpoint, TakesLessMemory) {
  const std::int64_t activation = 256 * 16 * 8;
  EXPECT_GE(peak_of_chain(false), 3 * 7 * activation);
  EXPECT_LE(peak_of_chain(true), (8 + 6) * activation);
}

}  // namespace
}  // namespace tutti::test::checkpoint_test

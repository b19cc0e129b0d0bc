// Loops and branches on several ranks.

#include <tutti/ir/function.h>

#include <algorithm>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::control_ranks_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Tensor weight() { return normal({3, 3}, Key(3), DType::f64) * 0.5; }
// [step, row, feature]
Tensor batch() { return normal({5, 4, 3}, Key(5), DType::f64); }
Tensor rows(const Tensor& all, const World& world) {
  const std::int64_t count = all.size(1) / world.size();
  return slice(all, {{}, {world.rank() * count, (world.rank() + 1) * count}});
}

// A recurrent network over the steps of x.
Tensor recurrent_loss(const Tensor& w, const Tensor& x) {
  const Tensor start = zeros({x.size(1), 3}, DType::f64);
  const auto [last, all] = scan(
      [&](const Tensor& h, const Tensor& step) {
        const Tensor next = tanh(matmul(h, w) + step);
        return std::pair(next, next * next);
      },
      start, x);
  return sum(all) + sum(last);
}

std::ptrdiff_t count(const ir::Graph& graph, ir::Op op) {
  std::ptrdiff_t found = 0;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    found += graph.node(id).op == op ? 1 : 0;
  }
  return found;
}

void expect_near(const Tensor& actual, const std::vector<double>& expected) {
  EXPECT_THAT(actual.to_vector<double>(), testing::Pointwise(testing::DoubleNear(1e-10), expected));
}

TEST(ControlOnRanks, AReplicatedWeightHasOneAllReduceBehindTheLoop) {
  const std::vector<double> expected =
      grad([](const Tensor& w) { return recurrent_loss(w, batch()); })(weight())
          .to_vector<double>();
  for (const int ranks : {2, 4}) {
    simulate(ranks, [&](World& world) {
      const Tensor w = replicated(weight(), world);
      CompiledGraphs graphs;
      auto step = compile([](const Tensor& own, const Tensor& x) {
        return grad([&](const Tensor& each) { return recurrent_loss(each, x); })(own);
      });
      expect_near(step(w, rows(batch(), world)), expected);
      EXPECT_EQ(count(graphs.last(), ir::Op::all_reduce), 1);
      EXPECT_EQ(count(graphs.last(), ir::Op::scan), 3);  // forward, carries again, backward
    });
  }
}

// What differs between ranks only shows inside: the function is recorded again without the promise.
TEST(ControlOnRanks, ACarryVariesFromTheStartWhereTheBodyMakesItVary) {
  simulate(3, [](World& world) {
    const Tensor start = replicated(ones({2}), world);
    const Tensor own = full({2}, 1.0) * static_cast<float>(world.rank());
    const Tensor captured =
        for_loop(4, [&](const Tensor&, const Tensor& x) { return x + own; }, start);
    EXPECT_EQ(captured.to_vector<float>()[0], 1 + 4.0F * static_cast<float>(world.rank()));
    const Tensor indexed = for_loop(
        4, [&](const Tensor&, const Tensor& x) { return x + cast(rank_index(world), DType::f32); },
        start);
    EXPECT_EQ(indexed.to_vector<float>()[1], 1 + 4.0F * static_cast<float>(world.rank()));
    world.close();
  });
}

TEST(ControlOnRanks, GradientsOfWhatTheRanksNumberAloneMakesVary) {
  simulate(2, [](World& world) {
    const Tensor xs = replicated(ones({3}), world);
    const Tensor start = replicated(full({}, 1.0), world);
    const auto number = [&] { return cast(rank_index(world) + 1, DType::f32); };
    const auto looped = [&](const Tensor& w) {
      const auto step = [&](const Tensor& c, const Tensor& x) {
        return std::pair(c, c * x * w * number());
      };
      return sum(scan(step, start, xs).second);
    };
    const auto branched = [&](const Tensor& w) {
      const auto taken = [&](const Tensor& x) { return x * number(); };
      const auto other = [&](const Tensor& x) { return x; };
      return sum(cond(w > 0.F, taken, other, w));
    };
    const Tensor w = replicated(full({}, 2.0), world);
    EXPECT_EQ(grad(looped)(w).item<float>(), 3 + 6);
    EXPECT_EQ(grad(branched)(w).item<float>(), 1 + 2);
  });
}

// As those of the steps written out, though the functions' parameters would be replicated alike.
TEST(ControlOnRanks, GradientsInsideAreSumsOverTheRanks) {
  simulate(2, [](World& world) {
    const Tensor start = replicated(full({2}, 1.0), world);
    const Tensor own = cast(rank_index(world) + 1, DType::f32);
    const auto descended = [&](const Tensor& w) {
      return w - 0.1F * grad([&](const Tensor& v) { return sum(v * v * own); })(w);
    };
    const auto expect_both = [](const Tensor& actual, float expected) {
      EXPECT_THAT(actual.to_vector<float>(), testing::Each(testing::FloatNear(expected, 1e-6F)));
    };
    const auto step = [&](const Tensor&, const Tensor& w) { return descended(w); };
    expect_both(descended(descended(descended(start))), 0.064F);
    const Tensor looped = for_loop(3, step, start);
    expect_both(looped, 0.064F);
    EXPECT_NE(looped.state()->type.replication.dimensions, 0);
    const auto same = [](const Tensor& w) { return w; };
    expect_both(cond(all(start > 0.F), descended, same, start), 0.4F);
    const auto pulled = [&](const Tensor&, const Tensor& w) {
      return vjp([&](const Tensor& v) { return v * own; })(w).second(w);
    };
    expect_both(for_loop(2, pulled, start), 9);
    // In a gradient around it, too.
    expect_both(grad([&](const Tensor& w) { return sum(for_loop(3, step, w)); })(start), 0.064F);
  });
}

// Nothing inside is summed over the ranks, so that the gradient around it has all alike.
TEST(ControlOnRanks, GradientsInsideOfWhatRanksShareLeaveTheLoopItsGradient) {
  simulate(2, [](World& world) {
    const Tensor own = cast(rank_index(world) + 1, DType::f32);
    using Carry = std::pair<Tensor, Tensor>;
    const auto step = [&](const Tensor&, const Carry& c) {
      const Tensor next =
          c.first - 0.1F * grad([](const Tensor& v) { return sum(v * v); })(c.first);
      return Carry(next, c.second + next * own);
    };
    const auto loss = [&](const Tensor& w) {
      return sum(for_loop(2, step, Carry(w, zeros_like(own))).second);
    };
    const Tensor slope = grad(loss)(replicated(full({}, 1.0), world));
    EXPECT_NEAR(slope.item<float>(), (0.8 + 0.64) * (1 + 2), 1e-5);
  });
}

TEST(ControlOnRanks, WhatIsTheSameOnAllRanksStaysSo) {
  simulate(2, [](World& world) {
    const Tensor w = replicated(full({}, 3.0), world);
    const Tensor out = while_loop([](const Tensor& x) { return x < 100; },
                                  [&](const Tensor& x) { return x * w; }, w);
    // A replicated value is not communicated again.
    EXPECT_THAT(dump_ir(out), HasSubstr("rep("));
    EXPECT_THAT(dump_ir(out), Not(HasSubstr("vary")));
    EXPECT_EQ(out.item<float>(), 243);
  });
}

TEST(ControlOnRanks, RanksMayTakeDifferentBranches) {
  simulate(2, [](World& world) {
    const Tensor x = ones({2});
    const Tensor y = cond(
        rank_index(world) == 0, [](const Tensor& v) { return v * 2; },
        [](const Tensor& v) { return v - 5; }, x);
    EXPECT_EQ(y.to_vector<float>()[0], world.rank() == 0 ? 2 : -4);
    const Tensor total = all_reduce(y, world, Reduce::sum);
    EXPECT_EQ(total.to_vector<float>()[0], -2);
  });
}

TEST(ControlOnRanks, LoopsOfARankThatNeedNotExist) {
  auto f = compile([](const Tensor& w, const Tensor& x) { return recurrent_loss(w, x); });
  const auto lowered = f.lower({.world = 8, .rank = 5}, abstract({3, 3}, DType::f64),
                               abstract({10, 4, 3}, DType::f64));
  EXPECT_THAT(lowered.ir(), HasSubstr("private func @body("));
  EXPECT_THAT(lowered.plan(), testing::ContainsRegex("scan r0 @body .*length = 10"));
}

}  // namespace
}  // namespace tutti::test::control_ranks_test

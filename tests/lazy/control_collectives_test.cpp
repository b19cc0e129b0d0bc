// Collectives inside of loops and branches.

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::control_collectives_test {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

enum class Mode : std::uint8_t { lazy, eager, compiled };

std::string name_of(Mode mode) {
  return mode == Mode::lazy ? "Lazy" : mode == Mode::eager ? "Eager" : "Compiled";
}

// Results of f(arguments), computed one way; compiled ones run often enough to be native code.
std::vector<double> run(Mode mode, const std::function<Tensor(const std::vector<Tensor>&)>& f,
                        const std::vector<Tensor>& arguments) {
  if (mode == Mode::compiled) {
    auto compiled = compile(f);
    std::vector<double> first = compiled(arguments).to_vector<double>();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(compiled(arguments).to_vector<double>(), first);
    return first;
  }
  detail::RankContext& context = detail::RankContext::current();
  context.eager = mode == Mode::eager;
  std::vector<double> out = f(arguments).to_vector<double>();
  context.eager = false;
  return out;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  EXPECT_THAT(actual, Pointwise(DoubleNear(1e-9), expected));
}

// This rank's part of the given axis.
Tensor part(const Tensor& all, int axis, const World& world) {
  const std::int64_t count = all.size(axis) / world.size();
  std::vector<Range> slices(static_cast<std::size_t>(axis));
  slices.push_back({world.rank() * count, (world.rank() + 1) * count});
  return slice(all, slices);
}

class ControlCollectives : public testing::TestWithParam<Mode> {
 protected:
  Mode mode() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Ways, ControlCollectives,
                         testing::Values(Mode::lazy, Mode::eager, Mode::compiled),
                         [](const auto& mode) { return name_of(mode.param); });

// The layers of a network whose products are split over the ranks.
TEST_P(ControlCollectives, AScanAddsUpWhatEachRankHasOfEveryLayer) {
  const auto weights = [] { return normal({6, 8, 8}, Key(1), DType::f64) * 0.4; };
  const auto x = [] { return normal({3, 8}, Key(2), DType::f64); };
  const std::vector<double> expected =
      scan([](const Tensor& h, const Tensor& w) { return std::pair(tanh(matmul(h, w)), sum(h)); },
           x(), weights())
          .first.to_vector<double>();
  for (const int ranks : {1, 2, 4}) {
    simulate(ranks, [&](World& world) {
      const Tensor start = replicated(x(), world);
      const auto network = [&](const std::vector<Tensor>& in) {
        const auto [last, sums] = scan(
            [&](const Tensor& h, const Tensor& w) {
              const Tensor own = matmul(part(h, 1, world), w);
              const Tensor next = tanh(Tensor(all_reduce(own, world, Reduce::sum)));
              return std::pair(next, sum(h));
            },
            in[0], in[1]);
        return last;
      };
      expect_near(run(mode(), network, {start, part(weights(), 1, world)}), expected);
    });
  }
}

// Rows of the matrix are spread over the ranks; every rank leaves the loop after the same step.
TEST_P(ControlCollectives, AConjugateGradientStopsWhereAllRanksSeeTheSameResidual) {
  constexpr std::int64_t kSize = 16;
  const auto matrix = [] {
    const Tensor noise = normal({kSize, kSize}, Key(3), DType::f64);
    const Tensor index = arange(kSize);
    const Tensor diagonal = cast(expand_dims(index, {0}) == expand_dims(index, {1}), DType::f64);
    return matmul(noise, transpose(noise)) + diagonal * 4.0;
  };
  const auto solution = [] { return normal({kSize}, Key(4), DType::f64); };
  struct State {
    Tensor x;
    Tensor r;
    Tensor p;
    Tensor steps;
    TUTTI_FIELDS(x, r, p, steps)
  };
  for (const int ranks : {1, 2, 4}) {
    std::vector<double> steps(static_cast<std::size_t>(ranks));
    simulate(ranks, [&](World& world) {
      const auto total = [&](const Tensor& own) {
        return Tensor(all_reduce(own, world, Reduce::sum));
      };
      const auto solve = [&](const std::vector<Tensor>& in) {
        const Tensor& rows = in[0];
        const Tensor& b = in[1];
        const State start{zeros_like(b), b, b, zeros({}, DType::f64)};
        const State end = while_loop([&](const State& s) { return total(sum(s.r * s.r)) > 1e-20; },
                                     [&](const State& s) {
                                       const Tensor p = all_gather(s.p, world);
                                       const Tensor q = matmul(rows, p);
                                       const Tensor before = total(sum(s.r * s.r));
                                       const Tensor alpha = before / total(sum(s.p * q));
                                       State next;
                                       next.x = s.x + alpha * s.p;
                                       next.r = s.r - alpha * q;
                                       next.p =
                                           next.r + (total(sum(next.r * next.r)) / before) * s.p;
                                       next.steps = s.steps + 1.0;
                                       return next;
                                     },
                                     start);
        return concat({Tensor(all_gather(end.x, world)), reshape(end.steps, {1})}, 0);
      };
      std::vector<double> out = run(
          mode(), solve, {part(matrix(), 0, world), part(matmul(matrix(), solution()), 0, world)});
      steps[static_cast<std::size_t>(world.rank())] = out.back();
      out.pop_back();
      EXPECT_THAT(out, Pointwise(DoubleNear(1e-7), solution().to_vector<double>()));
    });
    EXPECT_GT(steps[0], 2);
    EXPECT_THAT(steps, testing::Each(steps[0]));
  }
}

TEST_P(ControlCollectives, ARingPassesWhatItHasFromStepToStep) {
  for (const int ranks : {2, 3}) {
    simulate(ranks, [&](World& world) {
      Pairs next;
      for (int rank = 0; rank < ranks; ++rank) next.emplace_back(rank, (rank + 1) % ranks);
      const auto ring = [&](const std::vector<Tensor>& in) {
        const auto [sum_of_all, last] = for_loop(
            ranks,
            [&](const Tensor&, const std::pair<Tensor, Tensor>& state) {
              const AsyncTensor moved = collective_permute(state.second, world, next);
              return std::pair(state.first + state.second, Tensor(moved));
            },
            std::pair(zeros({2}, DType::f64), in[0]));
        return concat({sum_of_all, last}, 0);
      };
      const double own = 10.0 * world.rank() + 1;
      const double total = 10.0 * ranks * (ranks - 1) / 2 + ranks;
      const Tensor x = from(std::vector<double>{own, -own}, {2});
      expect_near(run(mode(), ring, {x}), {total, -total, own, -own});
    });
  }
}

TEST_P(ControlCollectives, LoopsAndBranchesInsideOfEachOtherCommunicate) {
  simulate(2, [&](World& world) {
    const auto f = [&](const std::vector<Tensor>& in) {
      return for_loop(
          3,
          [&](const Tensor& i, const Tensor& x) {
            const Tensor inner = for_loop(
                2,
                [&](const Tensor&, const Tensor& y) {
                  return Tensor(all_reduce(y, world, Reduce::sum)) * 0.5 + 1.0;
                },
                x);
            // The same step on all ranks, so either branch may communicate.
            return cond(
                i == 1, [&](const Tensor& y) { return Tensor(all_reduce(y, world, Reduce::max)); },
                [](const Tensor& y) { return y * 2.0; }, inner);
          },
          in[0]);
    };
    // Two steps of the inner loop: (x0 + x1) / 2 + 1, then plus 1.
    double x = (1.0 + 5.0) / 2;
    for (int i = 0; i < 3; ++i) x = i == 1 ? x + 2 : (x + 2) * 2;
    expect_near(run(mode(), f, {full({1}, world.rank() == 0 ? 1.0 : 5.0, DType::f64)}), {x});
  });
}

// It has a place in the order of the calls like any other.
TEST_P(ControlCollectives, CallsAroundALoopKeepTheirOrder) {
  simulate(3, [&](World& world) {
    const auto f = [&](const std::vector<Tensor>& in) {
      const AsyncTensor before = all_reduce(in[0], world, Reduce::sum);
      const Tensor looped = for_loop(
          4,
          [&](const Tensor&, const Tensor& x) { return Tensor(all_reduce(x, world, Reduce::min)); },
          in[0]);
      const AsyncTensor after = all_reduce(in[0] * 2.0, world, Reduce::max);
      return concat({Tensor(before), looped, Tensor(after)}, 0);
    };
    expect_near(run(mode(), f, {full({1}, 1.0 + world.rank(), DType::f64)}), {6, 1, 6});
  });
}

// Nobody looks at what it gives, but the peers take part.
TEST_P(ControlCollectives, ALoopThatCommunicatesIsNotDropped) {
  simulate(2, [&](World& world) {
    const auto f = [&](const std::vector<Tensor>& in) {
      const Tensor unused = for_loop(
          2,
          [&](const Tensor&, const Tensor& x) { return Tensor(all_reduce(x, world, Reduce::sum)); },
          in[0]);
      const Tensor total = all_reduce(in[0], world, Reduce::sum);
      return world.rank() == 0 ? total + unused * 0.0 : total;
    };
    expect_near(run(mode(), f, {ones({2}, DType::f64)}), {2, 2});
  });
}

TEST_P(ControlCollectives, AMessageGoesFromRankToRankInEachStep) {
  simulate(2, [&](World& world) {
    const auto f = [&](const std::vector<Tensor>& in) {
      return for_loop(
          3,
          [&](const Tensor&, const Tensor& x) {
            if (world.rank() == 0) {
              send(x, world, 1);
              return x + 1.0;
            }
            return x + Tensor(recv({1}, DType::f64, world, 0));
          },
          in[0]);
    };
    const double expected = world.rank() == 0 ? 3.0 : 0.0 + 0 + 1 + 2;
    expect_near(run(mode(), f, {zeros({1}, DType::f64)}), {expected});
  });
}

// One rank has the loop as a loop, the other one step by step.
TEST(ControlCollectivesOnRanks, APeerMayWriteTheStepsOut) {
  simulate(2, [](World& world) {
    const auto step = [&](const Tensor& x) {
      return Tensor(all_reduce(x, world, Reduce::sum)) * 0.5 + cast(rank_index(world), DType::f64);
    };
    Tensor x = full({2}, 1.0 + world.rank(), DType::f64);
    if (world.rank() == 0) {
      x = for_loop(3, [&](const Tensor&, const Tensor& each) { return step(each); }, x);
    } else {
      for (int i = 0; i < 3; ++i) x = step(x);
    }
    // (1 + 2) / 2, then the mean of both plus a half for each of two more steps.
    EXPECT_EQ(x.to_vector<double>()[0], 2.5 + world.rank());
  });
}

// ---- Gradients

// Layers whose weights are spread over the ranks, the first product by columns and the second by
// rows, as in a transformer.
Tensor loss_of(const Tensor& x, const std::pair<Tensor, Tensor>& layers, const World* world) {
  const auto [last, sums] = scan(
      [&](const Tensor& h, const std::pair<Tensor, Tensor>& weights) {
        const Tensor own = matmul(tanh(matmul(h, weights.first)), weights.second);
        const Tensor next =
            h + (world == nullptr ? own : Tensor(all_reduce(own, *world, Reduce::sum)));
        return std::pair(next, sum(next * next));
      },
      x, layers);
  return sum(last * last) + sum(sums);
}

TEST_P(ControlCollectives, TheGradientOfSplitLayersIsThatOfWholeOnes) {
  const auto x = [] { return normal({3, 4}, Key(1), DType::f64); };
  const auto up = [] { return normal({5, 4, 8}, Key(2), DType::f64) * 0.3; };
  const auto down = [] { return normal({5, 8, 4}, Key(3), DType::f64) * 0.3; };
  const auto gradient = [](const World* world) {
    return [world](const std::vector<Tensor>& in) {
      return grad([&](const std::vector<Tensor>& each) {
        return loss_of(each[0], std::pair(each[1], each[2]), world);
      })(in);
    };
  };
  const std::vector<Tensor> whole = gradient(nullptr)({x(), up(), down()});
  std::vector<std::vector<double>> expected;
  for (const Tensor& each : whole) expected.push_back(each.to_vector<double>());
  for (const int ranks : {1, 2, 4}) {
    simulate(ranks, [&](World& world) {
      const std::vector<Tensor> in = {replicated(x(), world), part(up(), 2, world),
                                      part(down(), 1, world)};
      const auto together = [&](const std::vector<Tensor>& each) {
        const std::vector<Tensor> own = gradient(&world)(each);
        return concat({reshape(own[0], {-1}), reshape(Tensor(all_gather(own[1], world, 2)), {-1}),
                       reshape(Tensor(all_gather(own[2], world, 1)), {-1})},
                      0);
      };
      std::vector<double> all = expected[0];
      for (const std::size_t i : {1U, 2U}) {
        all.insert(all.end(), expected[i].begin(), expected[i].end());
      }
      expect_near(run(mode(), together, in), all);
    });
  }
}

std::ptrdiff_t count(const ir::Graph& graph, ir::Op op) {
  std::ptrdiff_t found = 0;
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) found += graph.node(id).op == op ? 1 : 0;
  return found;
}

// A weight that all ranks share, and data of each: its gradient is summed once, behind the loop,
// whose steps communicate for another reason.
TEST(ControlCollectivesOnRanks, AReplicatedWeightHasItsAllReduceBehindTheLoop) {
  const auto loss = [](const Tensor& w, const Tensor& data, const World* world) {
    const auto [last, all] = scan(
        [&](const Tensor& h, const Tensor& step) {
          const Tensor next = tanh(matmul(h, w) + step);
          const Tensor norm = sum(next * next);
          const Tensor total =
              world == nullptr ? norm : Tensor(all_reduce(norm, *world, Reduce::sum));
          return std::pair(next, total);
        },
        zeros({data.size(1), 3}, DType::f64), data);
    return sum(all);
  };
  const auto weight = [] { return normal({3, 3}, Key(5), DType::f64) * 0.5; };
  const auto batch = [] { return normal({6, 4, 3}, Key(6), DType::f64); };
  const std::vector<double> expected =
      grad([&](const Tensor& w) { return loss(w, batch(), nullptr); })(weight())
          .to_vector<double>();
  simulate(2, [&](World& world) {
    CompiledGraphs graphs;
    auto step = compile([&](const Tensor& w, const Tensor& data) {
      return grad([&](const Tensor& each) { return loss(each, data, &world); })(w);
    });
    const Tensor w = replicated(weight(), world);
    for (int i = 0; i < 3; ++i) {
      expect_near(step(w, part(batch(), 1, world)).to_vector<double>(), expected);
    }
    EXPECT_EQ(count(graphs.last(), ir::Op::scan), 2);  // the loop runs once, and backwards
    EXPECT_EQ(count(graphs.last(), ir::Op::all_reduce), 1);
  });
}

// d/dx of |d f/dx|^2, by the loop and by its steps written out.
TEST_P(ControlCollectives, ALoopThatCommunicatesHasSecondDerivatives) {
  for (const int ranks : {1, 2, 3}) {
    simulate(ranks, [&](World& world) {
      const auto step = [&](const Tensor& x, const Tensor& w) {
        return sin(Tensor(all_reduce(x * w, world, Reduce::sum))) * x + w;
      };
      const auto total = [&](const Tensor& x) { return all_reduce(sum(x * x), world); };
      const auto looped = [&](const Tensor& x, const Tensor& w) {
        return Tensor(total(
            for_loop(3, [&](const Tensor&, const Tensor& each) { return step(each, w); }, x)));
      };
      const auto written_out = [&](Tensor x, const Tensor& w) {
        for (int i = 0; i < 3; ++i) x = step(x, w);
        return Tensor(total(x));
      };
      const auto second = [&](const auto& f) {
        return [&](const std::vector<Tensor>& in) {
          return grad([&](const Tensor& w) {
            const Tensor slope = grad(f)(in[0], w);
            return Tensor(total(slope));
          })(in[1]);
        };
      };
      const double own = world.rank() + 1;
      const std::vector<Tensor> in = {tensor({0.1 * own, 0.3}), tensor({0.2, 0.05 * own})};
      expect_near(run(mode(), second(looped), in), run(mode(), second(written_out), in));
    });
  }
}

// What the pullback's loop asks the others about the values alone, forward derivatives need of it.
TEST_P(ControlCollectives, ALoopOfExtremesHasForwardDerivatives) {
  simulate(2, [&](World& world) {
    const auto step = [&](const Tensor& x) {
      return sin(Tensor(all_reduce(x, world, Reduce::max))) + x * 0.5;
    };
    const auto looped = [&](const Tensor& x) {
      return for_loop(3, [&](const Tensor&, const Tensor& each) { return step(each); }, x);
    };
    const auto written_out = [&](const Tensor& x) { return step(step(step(x))); };
    const auto along = [](const auto& f) {
      return [&](const std::vector<Tensor>& in) { return jvp(f)(in[0], in[1]).second; };
    };
    const double own = world.rank() + 1;
    const std::vector<Tensor> in = {tensor({0.1 * own, 0.7 / own}), tensor({own, 3.0})};
    expect_near(run(mode(), along(looped), in), run(mode(), along(written_out), in));
  });
}

// There is nothing that the gradient would need of the calls.
TEST(ControlCollectivesOnRanks, CallsThatNobodyWaitsForStandInTheWayOfNoGradient) {
  simulate(2, [](World& world) {
    const auto started = [&](const Tensor& x) {
      static_cast<void>(all_reduce(x, world, Reduce::sum));
      return x * x;
    };
    const auto looped = [&](const Tensor& xs) {
      const auto step = [&](const std::vector<Tensor>& none, const Tensor& x) {
        return std::pair(none, started(x));
      };
      return sum(scan(step, std::vector<Tensor>(), xs).second);
    };
    const auto branched = [&](const Tensor& x) {
      const auto same = [](const Tensor& y) { return y * 1.0; };
      return sum(cond(Tensor(all_reduce(tensor(1), world)) > 0, started, same, x));
    };
    const Tensor x = tensor({1.0, 2.0});
    EXPECT_EQ(grad(looped)(x).to_vector<double>(), (std::vector<double>{2, 4}));
    EXPECT_EQ(grad(branched)(x).to_vector<double>(), (std::vector<double>{2, 4}));
  });
}

TEST_P(ControlCollectives, ABranchThatCommunicatesHasAGradient) {
  for (const int ranks : {1, 2, 4}) {
    simulate(ranks, [&](World& world) {
      const auto product = [&](const Tensor& x, const Tensor& w) {
        return tanh(Tensor(all_reduce(x * w, world, Reduce::sum))) * x;
      };
      const auto squares = [&](const Tensor& x, const Tensor& w) {
        const Tensor all = all_gather(x, world);
        return x * w + mean(all * all);
      };
      const auto nothing = [](const Tensor& x, const Tensor& w) { return x + w * w; };
      using Branch = std::function<Tensor(const Tensor&, const Tensor&)>;
      const std::vector<Branch> branches = {product, squares, nothing};
      const auto loss = [&](const Tensor& y) {
        return Tensor(all_reduce(sum(y * y), world, Reduce::sum));
      };
      const double own = world.rank() + 1;
      const Tensor x = tensor({0.1 * own, 0.3, -0.2});
      const Tensor w = replicated(tensor({0.7, 0.2, 0.4}), world);
      for (const int chosen : {0, 1, 2}) {
        const auto branched = [&](const std::vector<Tensor>& in) {
          return grad([&](const Tensor& weights) {
            const Tensor index = cast(all_reduce(in[1], world, Reduce::max), DType::i32);
            return loss(conditional(index, branches, in[0], weights));
          })(in[2]);
        };
        const auto plain = [&](const std::vector<Tensor>& in) {
          return grad([&](const Tensor& weights) {
            return loss(chosen == 0   ? product(in[0], weights)
                        : chosen == 1 ? squares(in[0], weights)
                                      : nothing(in[0], weights));
          })(in[2]);
        };
        const std::vector<Tensor> in = {x, full({}, chosen, DType::f64), w};
        expect_near(run(mode(), branched, in), run(mode(), plain, in));
      }
    });
  }
}

// A step gives the same on all ranks for a carry that each takes for its own: the gradient of what
// it gives is the sum over the ranks.
TEST_P(ControlCollectives, ACarryThatVariesMayBeGivenTheSameOnAllRanks) {
  simulate(2, [&](World& world) {
    const auto step = [&](const Tensor& y, const Tensor& own) {
      return Tensor(all_reduce(y * own, world, Reduce::sum));
    };
    const auto looped = [&](const std::vector<Tensor>& in) {
      return grad([&](const Tensor& x) {
        const auto body = [&](const Tensor&, const Tensor& y) { return step(y, in[1]); };
        return sum(for_loop(2, body, x) * in[1]);
      })(in[0]);
    };
    const auto written_out = [&](const std::vector<Tensor>& in) {
      return grad([&](const Tensor& x) { return sum(step(step(x, in[1]), in[1]) * in[1]); })(in[0]);
    };
    const double own = world.rank() + 1;
    const std::vector<Tensor> in = {tensor({0.1 * own, 0.3}), tensor({own, 2.0})};
    expect_near(run(mode(), looped, in), run(mode(), written_out, in));
  });
}

// One branch gives the same on all ranks, the other does not; once and twice differentiated.
TEST_P(ControlCollectives, BranchesMayBeReplicatedDifferently) {
  simulate(2, [&](World& world) {
    using Branch = std::function<Tensor(const Tensor&)>;
    const std::vector<Branch> branches = {
        [&](const Tensor& y) { return Tensor(all_reduce(y * y * y, world, Reduce::sum)); },
        [&](const Tensor& y) { return y * y * y + sum(exp(Tensor(all_gather(y, world)))); }};
    const double own = world.rank() + 1;
    const Tensor weights = tensor({own, 2.0});
    for (const int chosen : {0, 1}) {
      const auto branched = [&](const Tensor& x) {
        const Tensor index = all_reduce(tensor(chosen), world, Reduce::max);
        return sum(conditional(index, branches, x) * constant(weights));
      };
      const auto plain = [&](const Tensor& x) {
        return sum(branches[static_cast<std::size_t>(chosen)](x) * constant(weights));
      };
      const auto first = [](const auto& f) {
        return [&](const std::vector<Tensor>& in) { return grad(f)(in[0]); };
      };
      const auto second = [&](const auto& f) {
        return [&](const std::vector<Tensor>& in) {
          return grad([&](const Tensor& x) {
            const Tensor slope = grad(f)(x);
            return sum(slope * slope * constant(weights));
          })(in[0]);
        };
      };
      const std::vector<Tensor> in = {tensor({0.1 * own, 0.3})};
      expect_near(run(mode(), first(branched), in), run(mode(), first(plain), in));
      expect_near(run(mode(), second(branched), in), run(mode(), second(plain), in));
    }
  });
}

// Each rank chooses for itself, which is all right where nobody communicates.
TEST(ControlCollectivesOnRanks, ABranchThatRanksChooseHasTheSumOfTheirGradients) {
  simulate(2, [](World& world) {
    const auto choose = [&](const Tensor& x) {
      return sum(cond(
          rank_index(world) == 0, [](const Tensor& y) { return y * y; },
          [](const Tensor& y) { return y; }, x));
    };
    EXPECT_EQ(grad(choose)(replicated(ones({2}), world)).to_vector<float>(), Floats({3, 3}));
  });
}

// ---- Long loops

// Nobody waits for what it gives, and each step starts it again.
TEST(ControlCollectivesOnRanks, ALongLoopMayLeaveItsCallsAlone) {
  simulate(2, [](World& world) {
    const auto f = [&](const Tensor& x) {
      return for_loop(
          2000,
          [&](const Tensor&, const Tensor& each) {
            static_cast<void>(all_reduce(each, world, Reduce::sum));
            return each + 1.0;
          },
          x);
    };
    EXPECT_EQ(f(zeros({3}, DType::f64)).to_vector<double>()[0], 2000);
    EXPECT_EQ(compile(f)(zeros({3}, DType::f64)).to_vector<double>()[0], 2000);
    EXPECT_EQ(Tensor(all_reduce(ones({1}), world)).item<float>(), 2);
  });
}

// Each parameter is as its operand is: a weight that all share beside data that differs.
TEST(ControlCollectivesOnRanks, AReplicatedCarryStaysSoBesideDataThatDiffers) {
  simulate(2, [](World& world) {
    const Tensor w = replicated(full({2}, 1.0), world);
    const Tensor batches = ones({4, 2}) * (1.0F + cast(rank_index(world), DType::f32));
    const auto train = [&](const Tensor& weights, const Tensor& data) {
      return scan(
          [&](const std::pair<Tensor, Tensor>& state, const Tensor& batch) {
            const Tensor gradient = Tensor(all_reduce(batch, world, Reduce::mean));
            const Tensor momentum = state.second * 0.5F + gradient;
            return std::pair(std::pair(state.first - momentum * 0.1F, momentum), sum(batch));
          },
          std::pair(weights, zeros({2})), data);
    };
    const auto [end, sums] = train(w, batches);
    EXPECT_EQ(end.first.state()->type.replication.dimensions, 1);
    EXPECT_EQ(end.second.state()->type.replication.dimensions, 1);
    EXPECT_EQ(sums.state()->type.replication.dimensions, 0);
    // Needs no all_reduce to be known as the same.
    const Tensor again = while_loop(
        [](const Tensor& x) { return sum(x) > -1.0; },
        [&](const Tensor& x) { return x - Tensor(all_reduce(x * 0.25F, world, Reduce::mean)); },
        end.first * 0.0 - 2.0F);
    EXPECT_EQ(again.to_vector<float>()[0], -2.0F);
    EXPECT_EQ(sums.to_vector<float>()[0], 2.0F * (1.0F + static_cast<float>(world.rank())));
  });
}

}  // namespace
}  // namespace tutti::test::control_collectives_test

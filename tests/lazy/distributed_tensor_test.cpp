#include <tutti/lazy/redistribute.h>

#include "tests/lazy/distributed_testing.h"

// Distributed tensors: how they lie, and how they are moved.
namespace tutti::test::distributed_tensor_test {
namespace {

// ---- Placements.

TEST(DistributedTensor, KnowsItsShapeAndPart) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const DistributedTensor x = distribute(numbers({8, 6}, 1), mesh, {Shard(0), Shard(-1)});
    EXPECT_EQ(x.shape(), Shape({8, 6}));
    EXPECT_EQ(x.dtype(), DType::f64);
    EXPECT_EQ(x.local().shape(), Shape({4, 3}));
    EXPECT_EQ(x.placements(), (Placements{Shard(0), Shard(1)}));
    EXPECT_EQ(x.mesh(), mesh);
    EXPECT_EQ(x.text(), "f64[8,6] as [Shard(0), Shard(1)] over dp=2, tp=2");
    expect_near(x.full(), numbers({8, 6}, 1));
    EXPECT_TRUE(is_replicated(x.full(), 3));
  });
}

TEST(DistributedTensor, MarksWhatIsReplicated) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const auto x = DistributedTensor::from_local(numbers({4}, 1), mesh, {Replicate()});
    EXPECT_TRUE(is_replicated(x.local(), 1));
    // A number is the same everywhere by itself, and nothing is compared.
    const CompiledGraphs graphs;
    const auto literal = DistributedTensor::from_local(ones({4}), mesh, {Replicate()});
    EXPECT_TRUE(is_replicated(literal.local(), 1));
    expect_typed(literal + literal);
    eval(literal);
    EXPECT_EQ(graphs.count(ir::Op::all_reduce), 0);
    // What is known to be the same varies as a shard.
    const auto shards = DistributedTensor::from_local(x.local(), mesh, {Shard(0)});
    EXPECT_EQ(shards.shape(), Shape({8}));
    expect_typed(shards);
    expect_typed(DistributedTensor::from_local(ones({4}), mesh, {Partial()}));
  });
}

TEST(DistributedTensor, DoesNotBelieveAWrongClaim) {
  expect_error<UsageError>(
      [] {
        simulate(2, [](World& world) {
          const DeviceMesh mesh(world, {{"tp", 2}});
          const Tensor own = tensor({static_cast<float>(world.rank())});
          DistributedTensor::from_local(own, mesh, {Replicate()});
        });
      },
      {"rank 0", "different values"}, kNowhere);
}

TEST(DistributedTensor, SaysWhatIsWrong) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const Tensor x = replicated(numbers({4, 2}, 1), world);
    expect_error<TypeError>([&] { distribute(x, mesh, {Shard(0), Replicate()}); },
                            {"2 placements", "1 dimensions", "tp=2"});
    expect_error<TypeError>([&] { distribute(x, mesh, {Shard(2)}); },
                            {"[4,2]", "no axis 2", "tp=2"});
    expect_error<TypeError>(
        [&] { DistributedTensor::from_local(x, mesh, {Shard(0)}, Shape({4, 2})); },
        {"f64[4,2]", "[2,2]", "Shard(0)"});
    const DeviceMesh other({{"tp", 2}}, {1, 0});
    expect_error<UsageError>([&] { distribute(x, other, {Shard(0)}); },
                             {"\"tp\"", "DeviceMesh(world"});
    expect_error<UsageError>([&] { DistributedTensor().shape(); }, {"no value"});
    const DistributedTensor a = distribute(x, mesh, {Shard(0)});
    expect_error<TypeError>([&] { a + distribute(numbers({3}, 2), mesh, {Replicate()}); },
                            {"add of f64[4,2] as [Shard(0)] over tp=2 and f64[3]", "broadcast"});
    expect_error<TypeError>([&] { matmul(a, a); },
                            {"matmul of f64[4,2] as [Shard(0)]", "2 elements", "4"});
    expect_error<TypeError>([&] { a* a.local(); }, {"mul of f64[4,2]", "distribute()", "\"tp\""});
    expect_error<TypeError>([&] { reshape(a, {3}); }, {"reshape of f64[4,2]", "8 elements"});
    expect_error<TypeError>([&] { transpose(a, {0, 0}); }, {"transpose of f64[4,2]", "permut"});
    expect_error<TypeError>([&] { elementwise([](const Tensor& t) { return sum(t); }, a); },
                            {"elementwise of f64[4,2]", "f64[]", "[2,2]"});
    const DistributedTensor same = distribute(x, mesh, {Replicate()});
    expect_error<TypeError>(
        [&] { elementwise([&](const Tensor& t) { return t + slice(a.local(), {{0, 1}}); }, same); },
        {"elementwise of f64[4,2]", "differ between ranks"});
    expect_error<TypeError>([&] { cast(a, DType::boolean).redistribute({Partial()}); }, {"bool"});
  });
}

// ---- Redistribution: from everything to everything.

class Redistribution : public testing::TestWithParam<std::vector<std::int64_t>> {};

TEST_P(Redistribution, GivesTheSameTensorAndGradient) {
  const std::vector<std::int64_t>& shape = GetParam();
  const Tensor whole = numbers(shape, 1);
  const Tensor weight = numbers(shape, 2);
  const auto loss = [&](const Tensor& x) { return sum(tanh(x) * weight); };
  const Tensor gradient = grad(loss)(whole);
  gradient.to_vector<double>();
  const std::vector<double> whole_data = whole.to_vector<double>();
  const std::vector<double> weight_data = weight.to_vector<double>();
  const std::vector<double> gradient_data = gradient.to_vector<double>();
  simulate(4, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Shape sizes(std::span(shape.data(), shape.size()));
    const Tensor x = replicated(from(whole_data, sizes), world);
    const Tensor w = replicated(from(weight_data, sizes), world);
    const auto expected = distribute(from(gradient_data, sizes), mesh, {Replicate(), Replicate()});
    for (const Placements& source : all_placements(2, std::ssize(shape))) {
      for (const Placements& target : all_placements(2, std::ssize(shape))) {
        SCOPED_TRACE(text(source) + " to " + text(target));
        const DistributedTensor begin = distribute(x, mesh, source);
        expect_typed(begin);
        const DistributedTensor end = begin.redistribute(target);
        expect_typed(end);
        EXPECT_EQ(end.placements(), target);
        EXPECT_EQ(end.shape(), sizes);
        expect_near(end.full(), x);
        const bool sums = source[0].is_partial() || source[1].is_partial();
        const auto through = [&](const DistributedTensor& t) {
          return sum(tanh(t.redistribute(target)) * w).full();
        };
        const DistributedTensor own = grad(through)(begin);
        // Of partial sums each has the whole gradient.
        Placements placed = source;
        for (Placement& p : placed) p = p.is_partial() ? Placement(Replicate()) : p;
        if (sums) {
          expect_near(own.local(), expected.redistribute(placed).local());
        } else {
          expect_typed(own);
          expect_near(own.full(), expected.local());
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, Redistribution,
                         testing::Values(std::vector<std::int64_t>{4, 8},    // even
                                         std::vector<std::int64_t>{5, 7},    // uneven
                                         std::vector<std::int64_t>{1, 3}));  // empty parts

// How often a collective takes place in a redistribution.
struct Counted {
  Placements source, target;
  std::vector<std::pair<ir::Op, std::int64_t>> expected;
};

TEST(Redistribution, TakesTheFewestCollectives) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor whole = replicated(numbers({4, 4}, 1), world);
    using ir::Op;
    const std::vector<Counted> cases = {
        {{Shard(0), Replicate()}, {Replicate(), Replicate()}, {{Op::all_gather, 1}}},
        {{Partial(), Replicate()}, {Replicate(), Replicate()}, {{Op::all_reduce, 1}}},
        {{Partial(), Partial()}, {Replicate(), Replicate()}, {{Op::all_reduce, 1}}},
        {{Partial(), Replicate()}, {Shard(1), Replicate()}, {{Op::reduce_scatter, 1}}},
        {{Shard(0), Replicate()}, {Shard(1), Replicate()}, {{Op::all_to_all, 1}}},
        {{Replicate(), Replicate()}, {Shard(0), Shard(0)}, {}},
        {{Replicate(), Replicate()}, {Partial(), Shard(0)}, {}},
        {{Shard(0), Replicate()}, {Shard(0), Shard(0)}, {}},
        {{Shard(0), Shard(0)}, {Shard(0), Replicate()}, {{Op::all_gather, 1}}},
        {{Shard(0), Shard(0)}, {Replicate(), Replicate()}, {{Op::all_gather, 2}}},
        {{Shard(0), Partial()}, {Shard(0), Shard(1)}, {{Op::reduce_scatter, 1}}},
    };
    for (const auto& [source, target, expected] : cases) {
      SCOPED_TRACE(text(source) + " to " + text(target));
      const DistributedTensor begin = distribute(whole, mesh, source);
      eval(begin);
      auto move = compile([&](const DistributedTensor& x) { return x.redistribute(target); });
      const CompiledGraphs graphs;
      move(begin);
      for (const Op op : {Op::all_gather, Op::all_reduce, Op::reduce_scatter, Op::all_to_all}) {
        std::int64_t count = 0;
        for (const auto& [each, times] : expected) count += each == op ? times : 0;
        EXPECT_EQ(graphs.count(op), count) << name_of(op);
      }
    }
  });
}

// On three dimensions: every way ends, gives up only the last shard of an axis, and adds one only
// behind the others.
TEST(Redistribution, KeepsTheOrderOfShards) {
  for (const Placements& source : all_placements(3, 2)) {
    for (const Placements& target : all_placements(3, 2)) {
      SCOPED_TRACE(text(source) + " to " + text(target));
      Placements now = source;
      const std::vector<detail::Step> steps = detail::steps_between(source, target);
      EXPECT_LE(steps.size(), 6U);
      for (const auto& [dimensions, to] : steps) {
        for (const std::size_t d : dimensions) {
          for (std::size_t e = d + 1; e < now.size(); ++e) {
            EXPECT_FALSE(now[e].is_shard() && (now[e] == now[d] || now[e] == to));
          }
          now[d] = to;
        }
      }
      EXPECT_EQ(now, target);
    }
  }
}

TEST(Redistribution, OnThreeDimensions) {
  simulate(8, [](World& world) {
    const DeviceMesh mesh(world, {{"a", 2}, {"b", 2}, {"c", 2}});
    const Tensor x = replicated(numbers({9, 6}, 1), world);
    const std::vector<Placements> all = all_placements(3, 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Placements& source = all[i];
      const Placements& target = all[(i * 37 + 11) % all.size()];
      SCOPED_TRACE(text(source) + " to " + text(target));
      const DistributedTensor moved = distribute(x, mesh, source).redistribute(target);
      expect_typed(moved);
      expect_near(moved.full(), x);
    }
  });
}

TEST(DistributedTensor, ResultsAreNotWaitedFor) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const DistributedTensor x = distribute(numbers({4}, 1), mesh, {Shard(0)});
    const DistributedTensor all = x.redistribute({Replicate()});
    EXPECT_EQ(all.dtype(), DType::f64);
    EXPECT_EQ(all.shape(), Shape({4}));
    const DistributedTensor copy = all;
    EXPECT_EQ(all.local().state(), copy.local().state()) << "one wait";
  });
}

TEST(DistributedTensor, OnASliceOfTheMesh) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const double group = static_cast<double>(world.rank() / 2);
    const Tensor own = from(Doubles{group, group + 1, group + 2, group + 3}, Shape({4}));
    const DistributedTensor x = distribute(own, mesh["tp"], {Shard(0)});
    expect_near(sum(x).full(), tensor(4 * group + 6));
    expect_near((x * 2.0).full(), own * 2.0);
  });
}

TEST(DistributedTensor, OnASliceInAnotherOrder) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const DeviceMesh turned = mesh.slice({"tp", "dp"});
    const Tensor whole = numbers({4, 6}, 1);
    const DistributedTensor x = distribute(whole, turned, {Shard(0), Shard(1)});
    EXPECT_EQ(x.local().shape(), Shape({2, 3}));
    expect_near(x.full(), whole);
    expect_near(sum(x).full(), sum(whole));
    expect_near(max(x).full(), max(whole));
    expect_near(distribute(whole, turned, {Partial(), Partial()}).full(), whole);
  });
}

}  // namespace
}  // namespace tutti::test::distributed_tensor_test

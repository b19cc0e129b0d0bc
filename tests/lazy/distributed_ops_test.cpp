#include <functional>

#include "tests/lazy/distributed_testing.h"

// Ops on distributed tensors give what they give for the whole tensors on one rank.
namespace tutti::test::distributed_ops_test {
namespace {

// ---- Ops, for all placements of the operands on a mesh of two dimensions.

void for_each_placement(std::int64_t axes_x, std::int64_t axes_y,
                        const std::function<void(const Placements&, const Placements&)>& f) {
  for (const Placements& x : all_placements(2, axes_x)) {
    for (const Placements& y : all_placements(2, axes_y)) {
      SCOPED_TRACE(text(x) + " and " + text(y));
      f(x, y);
    }
  }
}

using Binary = DistributedTensor (*)(const DistributedTensor&, const DistributedTensor&);
using WholeBinary = Tensor (*)(const Tensor&, const Tensor&);

void check_binary(const std::vector<std::int64_t>& shape_x,
                  const std::vector<std::int64_t>& shape_y, Binary op, WholeBinary whole_op) {
  simulate(4, [&](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor x = replicated(numbers(shape_x, 1), world);
    const Tensor y = replicated(numbers(shape_y, 2), world);
    const Tensor expected = whole_op(x, y);
    for_each_placement(std::ssize(shape_x), std::ssize(shape_y),
                       [&](const Placements& of_x, const Placements& of_y) {
                         const DistributedTensor out =
                             op(distribute(x, mesh, of_x), distribute(y, mesh, of_y));
                         expect_typed(out);
                         expect_near(out.full(), expected);
                       });
  });
}

TEST(DistributedOps, Elementwise) {
  check_binary(
      {4, 6}, {4, 6}, [](const auto& x, const auto& y) { return x + y; },
      [](const auto& x, const auto& y) { return x + y; });
  check_binary(
      {4, 6}, {6}, [](const auto& x, const auto& y) { return x * y - y; },
      [](const auto& x, const auto& y) { return x * y - y; });
  check_binary(
      {5, 1}, {3}, [](const auto& x, const auto& y) { return maximum(x, y); },
      [](const auto& x, const auto& y) { return maximum(x, y); });
  check_binary(
      {3, 4}, {}, [](const auto& x, const auto& y) { return x / y; },
      [](const auto& x, const auto& y) { return x / y; });
}

TEST(DistributedOps, Matmul) {
  const auto op = [](const DistributedTensor& x, const DistributedTensor& y) {
    return matmul(x, y);
  };
  const auto whole = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  check_binary({4, 6}, {6, 8}, op, whole);
  check_binary({5, 3}, {3, 1}, op, whole);
  check_binary({6}, {6, 4}, op, whole);
  check_binary({2, 6}, {6}, op, whole);
  check_binary({6}, {6}, op, whole);
}

TEST(DistributedOps, BatchedMatmul) {
  const auto op = [](const DistributedTensor& x, const DistributedTensor& y) {
    return matmul(x, y);
  };
  const auto whole = [](const Tensor& x, const Tensor& y) { return matmul(x, y); };
  check_binary({2, 4, 3}, {2, 3, 5}, op, whole);
  check_binary({2, 4, 3}, {3, 5}, op, whole);
}

TEST(DistributedOps, OfOneTensor) {
  using Op = std::pair<std::function<DistributedTensor(const DistributedTensor&)>,
                       std::function<Tensor(const Tensor&)>>;
#define TUTTI_SAME(expression)                               \
  Op {                                                       \
    [](const DistributedTensor& x) { return expression; },   \
        [](const Tensor& x) -> Tensor { return expression; } \
  }
  const std::vector<Op> ops = {
      TUTTI_SAME(-x),
      TUTTI_SAME(relu(x)),
      TUTTI_SAME(gelu(exp(x))),
      TUTTI_SAME(2.0 * x - 1),
      TUTTI_SAME(x / 3.0),
      TUTTI_SAME(sum(x)),
      TUTTI_SAME(sum(x, 0)),
      TUTTI_SAME(sum(x, {1}, true)),
      TUTTI_SAME(mean(x)),
      TUTTI_SAME(mean(x, -1)),
      TUTTI_SAME(max(x)),
      TUTTI_SAME(max(x, 0, true)),
      TUTTI_SAME(min(x, {0, 1})),
      TUTTI_SAME(transpose(x)),
      TUTTI_SAME(transpose(x, {1, 0, 2})),
      TUTTI_SAME(reshape(x, {-1})),
      TUTTI_SAME(reshape(x, {x.shape()[0], -1})),
      TUTTI_SAME(reshape(x, {x.shape()[0], 1, -1, x.shape()[2]})),
      TUTTI_SAME(softmax(x)),
      TUTTI_SAME(softmax(x, 0)),
      TUTTI_SAME(log_softmax(x, 1)),
  };
#undef TUTTI_SAME
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{4, 2, 6}, std::vector<std::int64_t>{3, 5, 1}}) {
    simulate(4, [&](World& world) {
      const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
      const Tensor x = replicated(numbers(shape, 1), world);
      for (std::size_t i = 0; i < ops.size(); ++i) {
        const Tensor expected = ops[i].second(x);
        for (const Placements& placements : all_placements(2, 3)) {
          SCOPED_TRACE("op " + std::to_string(i) + " of " + text(placements));
          const DistributedTensor out = ops[i].first(distribute(x, mesh, placements));
          expect_typed(out);
          expect_near(out.full(), expected);
        }
      }
    });
  }
}

TEST(DistributedOps, AlongTheLastAxis) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor x = replicated(numbers({4, 6}, 1), world);
    const Tensor scale = replicated(numbers({6}, 2), world);
    const Tensor labels = replicated(tensor<std::int64_t>({0, 5, 2, 3}), world);
    const Placements none = {Replicate(), Replicate()};
    for (const Placements& placements : all_placements(2, 2)) {
      const DistributedTensor d = distribute(x, mesh, placements);
      const DistributedTensor s = distribute(scale, mesh, none);
      expect_near(layer_norm(d, s, s).full(), layer_norm(x, scale, scale));
      expect_near(rms_norm(d, s).full(), rms_norm(x, scale));
      const DistributedTensor losses = cross_entropy(d, distribute(labels, mesh, none));
      expect_near(losses.full(), cross_entropy(x, labels));
    }
  });
}

TEST(DistributedOps, PlaceTheirResults) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const auto lie = [&](const Placement& placement, std::uint64_t seed = 1) {
      return distribute(numbers({4, 4}, seed), mesh, {placement});
    };
    const auto place = [](const DistributedTensor& x) { return x.placements()[0].text(); };
    EXPECT_EQ(place(lie(Shard(0)) + lie(Replicate())), "Shard(0)");
    EXPECT_EQ(place(lie(Partial()) + lie(Partial())), "Partial");
    EXPECT_EQ(place(lie(Partial()) + lie(Replicate())), "Replicate");
    EXPECT_EQ(place(lie(Partial()) + lie(Shard(1))), "Shard(1)");
    EXPECT_EQ(place(lie(Partial()) + 1.0), "Replicate");
    EXPECT_EQ(place(2.0 * lie(Partial())), "Partial");
    EXPECT_EQ(place(lie(Partial()) * sum(lie(Replicate()))), "Partial");
    EXPECT_EQ(place(lie(Partial()) * sum(lie(Shard(0)))), "Partial");
    EXPECT_EQ(place(lie(Partial()) * lie(Replicate())), "Replicate");
    EXPECT_EQ(place(lie(Partial()) * lie(Partial())), "Replicate");
    EXPECT_EQ(place(lie(Partial()) / 2.0), "Partial");
    EXPECT_EQ(place(2.0 / lie(Partial())), "Replicate");
    EXPECT_EQ(place(-lie(Partial())), "Partial");
    EXPECT_EQ(place(exp(lie(Partial()))), "Replicate");
    EXPECT_EQ(place(matmul(lie(Shard(0)), lie(Replicate()))), "Shard(0)");
    EXPECT_EQ(place(matmul(lie(Replicate()), lie(Shard(1)))), "Shard(1)");
    EXPECT_EQ(place(matmul(lie(Shard(1)), lie(Shard(0)))), "Partial");
    EXPECT_EQ(place(matmul(lie(Shard(1)), lie(Replicate()))), "Partial");
    EXPECT_EQ(place(sum(lie(Shard(1)), 1)), "Partial");
    EXPECT_EQ(place(sum(lie(Shard(1)), 0)), "Shard(0)");
    EXPECT_EQ(place(max(lie(Shard(1)), 1)), "Replicate");
    EXPECT_EQ(place(transpose(lie(Shard(1)))), "Shard(0)");
    EXPECT_EQ(place(reshape(lie(Shard(0)), {2, 2, 4})), "Shard(0)");
    EXPECT_EQ(place(reshape(lie(Shard(0)), {16})), "Shard(0)");
    EXPECT_EQ(place(reshape(lie(Shard(1)), {16})), "Replicate");
    EXPECT_EQ(place(softmax(lie(Shard(0)))), "Shard(0)");
    EXPECT_EQ(place(softmax(lie(Shard(1)))), "Replicate");
  });
}

TEST(DistributedOps, AFunctionOfOnesOwn) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"tp", 2}});
    const Tensor x = replicated(numbers({4, 3}, 1), world);
    const Tensor y = replicated(numbers({3}, 2), world);
    const auto f = [](const Tensor& a, const Tensor& b) { return select(a > b, a * b, b); };
    const DistributedTensor sharded = distribute(x, mesh, {Shard(0)});
    expect_near(elementwise(f, sharded, y).full(), f(x, y));
    const auto clamped = [](const Tensor& t) { return clamp(t, -0.5, 0.5); };
    expect_near(elementwise(clamped, sharded).full(), clamped(x));
    const auto g = [](const Tensor& a, const Tensor& b, const Tensor& c) { return a + b * c; };
    expect_near(elementwise(g, sharded, y, 2.0).full(), g(x, y, tensor(2.0)));
  });
}

}  // namespace
}  // namespace tutti::test::distributed_ops_test

// What is computed of positions alone (iota, arange) is the same on all ranks by itself: it takes
// the side of what it meets, as a number does, but without anybody's word for it.

#include "tests/lazy/distributed_testing.h"

namespace tutti::test::positions_test {
namespace {

constexpr unsigned kWorld = 1;  // the one dimension of the mesh

Tensor lower_triangle(std::int64_t n) { return iota({n, n}, 0) >= iota({n, n}, 1); }

float number_of(const World& world) { return static_cast<float>(world.rank() + 1); }

class Positions : public testing::TestWithParam<bool> {
 protected:
  static void on_two_ranks(const std::function<void(World&, const Tensor& model)>& body) {
    simulate(2, [&](World& world) {
      world.set_eager(GetParam());
      body(world, replicated(tensor({{1.F, 2.F}, {3.F, 4.F}}), world));
    });
  }
};

TEST_P(Positions, ComparedWithEachOtherLeaveWhatTheyMeetReplicated) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor mask = lower_triangle(2);
    const Tensor chosen = select(mask, model, 0.F);
    EXPECT_TRUE(is_replicated(chosen, kWorld));
    const Tensor scaled = model * cast(transpose(mask), DType::f32);
    EXPECT_TRUE(is_replicated(scaled, kWorld));
    EXPECT_EQ(chosen.to_vector<float>(), Floats({1, 0, 3, 4}));
    EXPECT_EQ(all_reduce(scaled, world).to_vector<float>(), Floats({2, 4, 0, 8}));
  });
}

TEST_P(Positions, AreSoWhateverIsEvaluatedOnTheWay) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor rows = iota({2, 2}, 0);
    if (world.rank() == 0) rows.array();
    const Tensor mask = rows >= iota({2, 2}, 1);
    if (world.rank() == 1) mask.array();
    const Tensor chosen = select(logical_and(mask, rows == rows), model, 0.F);
    EXPECT_TRUE(is_replicated(chosen, kWorld));
    EXPECT_EQ(all_reduce(chosen, world).to_vector<float>(), Floats({2, 0, 6, 8}));
  });
}

TEST_P(Positions, CountedFromZeroByOneHaveNoNumbersInThem) {
  on_two_ranks([](World&, const Tensor& model) {
    EXPECT_TRUE(is_replicated(select(arange(0, 2) == arange(2), model, 0.F), kWorld));
    EXPECT_TRUE(is_replicated(model * arange(0.F, 2.F), kWorld));
    EXPECT_FALSE(is_replicated(model * arange(1.F, 3.F), kWorld));
  });
}

TEST_P(Positions, ComputedWithNumbersVary) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor own = iota({2}, 0, DType::f32) * number_of(world);
    EXPECT_FALSE(is_replicated(model + own, kWorld));
    const Tensor is_mine = arange(2) == world.rank();
    const Tensor part = select(is_mine, model, 0.F);
    EXPECT_FALSE(is_replicated(part, kWorld));
    EXPECT_EQ(all_reduce(part, world).to_vector<float>(), Floats({1, 2, 3, 4}));
    const Tensor total = all_reduce(own, world);
    EXPECT_EQ(all_reduce(total - own, world).to_vector<float>(), Floats({0, 3}));
  });
}

TEST_P(Positions, ThatANumberChoosesVary) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor chosen = select(lower_triangle(2), number_of(world), 0.F);
    EXPECT_EQ(all_reduce(model * chosen, world).to_vector<float>(), Floats({3, 0, 9, 12}));
    const auto rank = static_cast<std::int64_t>(world.rank());
    const Tensor part = slice(arange(4, DType::f32), {{2 * rank, 2 * rank + 2}});
    const Tensor own = part * part;
    EXPECT_FALSE(is_replicated(model * own, kWorld));
    EXPECT_EQ(all_reduce(own, world).to_vector<float>(), Floats({4, 10}));
    EXPECT_EQ(all_reduce(own - all_reduce(own, world) / 2.F, world).to_vector<float>(),
              Floats({0, 0}));
  });
}

// It depends on how many there are, which may be another number on each rank.
TEST_P(Positions, ThatAreReducedVary) {
  on_two_ranks([](World& world, const Tensor& model) {
    const auto count = static_cast<std::int64_t>(2 + world.rank());
    const Tensor last = max(arange(count, DType::f32));
    EXPECT_FALSE(is_replicated(model * last, kWorld));
    EXPECT_EQ(all_reduce(model * last, world).to_vector<float>(), Floats({3, 6, 9, 12}));
    const auto loss = [&](const Tensor& m) { return sum(m * m) * last; };
    EXPECT_EQ(grad(loss)(model).to_vector<float>(), Floats({6, 12, 18, 24}));
  });
}

TEST_P(Positions, ThatABranchGivesAreAsItsIndexAndItsNumbersAre) {
  on_two_ranks([](World& world, const Tensor&) {
    const float number = number_of(world);
    const std::vector<std::function<Tensor()>> branches = {[&] { return full({2}, number); },
                                                           [&] { return full({2}, -1.F); }};
    const Tensor given = conditional(reshape(iota({1}, 0, DType::i32), {}), branches);
    const Tensor squares = given * given;
    EXPECT_EQ(all_reduce(squares - all_reduce(squares, world) / 2.F, world).to_vector<float>(),
              Floats({0, 0}));
  });
}

TEST_P(Positions, MayBeLookedAtByCollectivesAsWhatVaries) {
  on_two_ranks([](World& world, const Tensor&) {
    const Tensor squares = iota({3}, 0, DType::f32) * iota({3}, 0, DType::f32);
    EXPECT_EQ(all_reduce(squares, world).to_vector<float>(), Floats({0, 2, 8}));
  });
}

TEST_P(Positions, GoIntoCompiledFunctionsAndLoopsAsTheyAre) {
  on_two_ranks([](World& world, const Tensor& model) {
    const Tensor rows = iota({2, 2}, 0);
    auto step = compile(
        [](const Tensor& m, const Tensor& r) { return select(r >= iota({2, 2}, 1), m, 0.F); });
    for (int call = 0; call < 2; ++call) EXPECT_TRUE(is_replicated(step(model, rows), kWorld));
    // The same function, with data of the same type and shape that varies.
    EXPECT_FALSE(is_replicated(step(model, from(rows.array())), kWorld));
    EXPECT_TRUE(is_replicated(step(model, rows), kWorld));
    const Tensor summed = for_loop(
        3,
        [&](const Tensor&, const Tensor& sum) {
          return sum + select(lower_triangle(2), model, 0.F);
        },
        zeros_like(model));
    EXPECT_TRUE(is_replicated(summed, kWorld));
    EXPECT_EQ(all_reduce(summed, world).to_vector<float>(), Floats({6, 0, 18, 24}));
  });
}

TEST_P(Positions, ComeOutOfCompiledFunctionsAsTheyAre) {
  on_two_ranks([](World& world, const Tensor& model) {
    const auto mask = [] { return cast(lower_triangle(2), DType::f32); };
    auto compiled = compile(mask);
    // One rank compiles what the other does not.
    const Tensor given = world.rank() == 0 ? compiled() : mask();
    const Tensor scale = given * given;  // positions alone, still
    EXPECT_TRUE(is_replicated(model * scale, kWorld));
    const auto loss = [&](const Tensor& m) { return sum(m * m * scale); };
    EXPECT_EQ(grad(loss)(model).to_vector<float>(), Floats({2, 0, 6, 8}));
    EXPECT_EQ(all_reduce(model * scale, world).to_vector<float>(), Floats({2, 0, 6, 8}));
  });
}

// Numbers vary before they are computed with: the way back is no sum over ranks.
TEST_P(Positions, AndNumbersHaveGradientsOfTheirOwnRank) {
  on_two_ranks([](World& world, const Tensor&) {
    const auto squares = [](const Tensor& x) { return sum(x * x); };
    const Tensor x = full({2}, number_of(world));
    EXPECT_EQ(grad(squares)(x).to_vector<float>(), Floats(2, 2 * number_of(world)));
    const Tensor positions = iota({2}, 0, DType::f32);
    EXPECT_EQ(grad(squares)(positions).to_vector<float>(), Floats({0, 2}));
  });
}

INSTANTIATE_TEST_SUITE_P(EagerOrNot, Positions, testing::Bool());

}  // namespace
}  // namespace tutti::test::positions_test

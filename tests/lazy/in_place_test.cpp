// Collectives as torch.distributed calls them, and launching several at once.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::in_place_test {
namespace {

using testing::ElementsAre;
using Tensors = std::vector<Tensor>;

float as_float(int number) { return static_cast<float>(number); }

class InPlace : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static void on_ranks(const std::function<void(World&, float rank, float ranks)>& body) {
    simulate(std::get<0>(GetParam()), [&](World& world) {
      world.set_eager(std::get<1>(GetParam()));
      body(world, as_float(world.rank()), as_float(world.size()));
    });
  }
};

TEST_P(InPlace, AllReduceRebindsTheHandleAlone) {
  on_ranks([](World& world, float rank, float ranks) {
    Tensor x = tensor({rank, 1.F});
    const Tensor before = x;
    all_reduce_(x, world);
    EXPECT_EQ(x.to_vector<float>(), Floats({ranks * (ranks - 1) / 2, ranks}));
    EXPECT_EQ(before.to_vector<float>(), Floats({rank, 1}));
    all_reduce_(x, world, Reduce::max);
    all_reduce_(x, world);  // the last one on a handle wins
    EXPECT_EQ(x.to_vector<float>(), Floats({ranks * ranks * (ranks - 1) / 2, ranks * ranks}));
  });
}

TEST_P(InPlace, BroadcastAndReduce) {
  on_ranks([](World& world, float rank, float ranks) {
    Tensor x = tensor({rank});
    broadcast_(x, world, world.size() - 1);
    EXPECT_EQ(x.item<float>(), ranks - 1);
    Tensor y = tensor({rank + 1});
    reduce_(y, world, world.size() - 1, Reduce::max);
    EXPECT_EQ(y.item<float>(), rank == ranks - 1 ? ranks : 0.F);
  });
}

TEST_P(InPlace, Gathers) {
  on_ranks([](World& world, float rank, float ranks) {
    const Tensor x = tensor({{rank, -rank}});
    Tensor output;
    all_gather_into_(output, x, world);
    EXPECT_EQ(output.shape(), Shape({world.size(), 2}));
    Tensors list;
    all_gather_(list, x, world);
    ASSERT_EQ(std::ssize(list), world.size());
    for (int member = 0; member < world.size(); ++member) {
      EXPECT_EQ(list[static_cast<std::size_t>(member)].shape(), Shape({1, 2}));
      EXPECT_EQ(list[static_cast<std::size_t>(member)].to_vector<float>(),
                Floats({as_float(member), as_float(-member)}));
    }
    Tensor scalars;
    all_gather_into_(scalars, tensor(rank), world);
    EXPECT_EQ(scalars.shape(), Shape({world.size()}));
    Tensors at_root;
    gather_(at_root, x, world, world.size() - 1);
    EXPECT_EQ(std::ssize(at_root), rank == ranks - 1 ? world.size() : 0);
  });
}

TEST_P(InPlace, GathersOfDifferentShapes) {
  on_ranks([](World& world, float rank, float) {
    Tensors outputs;
    for (int member = 0; member < world.size(); ++member) {
      outputs.push_back(zeros({member, 2}));
    }
    all_gather_(outputs, full({world.rank(), 2}, rank), world);
    for (int member = 0; member < world.size(); ++member) {
      const Tensor& output = outputs[static_cast<std::size_t>(member)];
      EXPECT_EQ(output.shape(), Shape({member, 2}));
      EXPECT_EQ(output.to_vector<float>(),
                Floats(2 * static_cast<std::size_t>(member), as_float(member)));
    }
  });
}

TEST_P(InPlace, ReduceScatters) {
  on_ranks([](World& world, float rank, float ranks) {
    Tensor output;
    reduce_scatter_into_(output, full({2 * world.size()}, rank), world);
    EXPECT_EQ(output.to_vector<float>(), Floats(2, ranks * (ranks - 1) / 2));
    Tensors inputs;
    for (int member = 0; member < world.size(); ++member) {
      inputs.push_back(full({member + 1}, as_float(member)));  // of different shapes
    }
    Tensor own = zeros({world.rank() + 1});
    reduce_scatter_(own, inputs, world);
    EXPECT_EQ(own.to_vector<float>(),
              Floats(static_cast<std::size_t>(world.rank()) + 1, rank * ranks));
  });
}

TEST_P(InPlace, ScattersAndExchanges) {
  on_ranks([](World& world, float rank, float) {
    Tensors inputs;
    for (int member = 0; member < world.size(); ++member) {
      inputs.push_back(tensor({10 * rank + as_float(member)}));
    }
    Tensor output = zeros({1});
    scatter_(output, rank == 0 ? inputs : Tensors(), world);
    EXPECT_EQ(output.item<float>(), rank);
    Tensors received;
    all_to_all_(received, inputs, world);
    for (int member = 0; member < world.size(); ++member) {
      EXPECT_EQ(received[static_cast<std::size_t>(member)].item<float>(),
                10 * as_float(member) + rank);
    }
    Tensor exchanged;
    all_to_all_into_(exchanged, concat(inputs), world);
    EXPECT_EQ(exchanged.to_vector<float>(), concat(received).to_vector<float>());
    // Rank r sends r elements to everybody.
    Tensors uneven(inputs.size(), full({world.rank()}, rank));
    Tensors coming;
    for (int member = 0; member < world.size(); ++member) coming.push_back(zeros({member}));
    all_to_all_(coming, uneven, world);
    for (int member = 0; member < world.size(); ++member) {
      EXPECT_EQ(coming[static_cast<std::size_t>(member)].to_vector<float>(),
                Floats(static_cast<std::size_t>(member), as_float(member)));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, InPlace,
                         testing::Combine(testing::Values(1, 2, 3), testing::Bool()));

TEST(InPlaceMistakes, NameTheCall) {
  simulate(2, [](World& world) {
    Tensor wrong = zeros({3});
    const Tensor x = zeros({2});
    expect_error<TypeError>([&] { all_gather_into_(wrong, x, world); },
                            {"all_gather_into_", "f32[3]", "f32[4]"});
    expect_error<TypeError>([&] { reduce_scatter_into_(wrong, zeros({3}), world); },
                            {"reduce_scatter_into_", "does not divide"});
    Tensors three(3);
    expect_error<TypeError>([&] { all_gather_(three, x, world); }, {"3 outputs for 2 members"});
    Tensors ints = {zeros({2}, DType::i32), zeros({2}, DType::i32)};
    expect_error<TypeError>([&] { all_gather_(ints, x, world); }, {"i32[2]", "f32[2]"});
    Tensors outputs;
    expect_error<TypeError>([&] { all_to_all_(outputs, {zeros({1}), zeros({2})}, world); },
                            {"different shapes"});
    if (world.rank() == 1) {
      Tensor none;
      expect_error<TypeError>([&] { scatter_(none, {}, world); }, {"must have the shape"});
      expect_error<TypeError>([&] { scatter_(wrong, {x, x}, world); }, {"gives the inputs alone"});
    }
    EXPECT_EQ(wrong.shape(), Shape({3}));
  });
}

TEST(InPlaceGradients, AreThoseOfTheFunctionalOnes) {
  simulate(2, [](World& world) {
    const Tensor x = replicated(tensor({2.F, 3.F}), world);
    const auto in_place = grad([&](const Tensor& t) {
      Tensor y = t * t;
      all_reduce_(y, world, Reduce::mean);
      return sum(y);
    })(x);
    const auto functional = grad(
        [&](const Tensor& t) -> Tensor { return sum(all_reduce(t * t, world, Reduce::mean)); })(x);
    EXPECT_EQ(in_place.to_vector<float>(), functional.to_vector<float>());
  });
}

TEST(InPlaceCompiled, BecomesFunctionalNodes) {
  auto f = compile([](const Tensor& x) {
    Tensor y = x + 1.F;
    all_reduce_(y, {0, 1});
    all_reduce_(y, {0, 1}, Reduce::max);
    return y;
  });
  const std::string ir = f.lower({.world = 2}, abstract({3})).ir();
  EXPECT_THAT(ir, testing::HasSubstr("all_reduce(%1) {op = \"sum\""));
  EXPECT_THAT(ir, testing::HasSubstr("op = \"max\""));
}

}  // namespace
}  // namespace tutti::test::in_place_test

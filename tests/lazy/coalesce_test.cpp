// In-place collectives that are noted first and launched together.

#include <memory>
#include <stdexcept>
#include <string>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::coalesce_test {
namespace {

using Tensors = std::vector<Tensor>;

Tensors some_tensors(float rank, int count = 5) {
  Tensors out;
  for (int i = 0; i < count; ++i) out.push_back(full({i + 1}, rank + static_cast<float>(i)));
  return out;
}

void expect_summed(const Tensors& tensors, float ranks) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const float each = ranks * (ranks - 1) / 2 + ranks * static_cast<float>(i);
    EXPECT_EQ(tensors[i].to_vector<float>(), Floats(i + 1, each)) << i;
  }
}

std::string ir_of(const std::function<Tensors(Tensors)>& f) {
  auto compiled = compile([&](const Tensors& x) { return f(x); });
  Tensors shapes;
  for (int i = 0; i < 3; ++i) shapes.push_back(abstract({4}));
  return compiled.lower({.world = 2}, shapes).ir();
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class CoalesceModes : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(CoalesceModes, GivesEveryTensorItsResult) {
  simulate(std::get<0>(GetParam()), [](World& world) {
    world.set_eager(std::get<1>(GetParam()));
    const auto rank = static_cast<float>(world.rank());
    const auto ranks = static_cast<float>(world.size());
    Tensors tensors = some_tensors(rank);
    {
      const Coalesce together(world);
      for (Tensor& tensor : tensors) all_reduce_(tensor, world);
    }
    expect_summed(tensors, ranks);

    Tensors more = some_tensors(rank);
    Coalesce under_way(world);
    for (Tensor& tensor : more) all_reduce_(tensor, world);
    under_way.launch();
    const Tensor other = sum(full({3}, 2.F));
    under_way.wait();
    for (const Tensor& tensor : more) EXPECT_TRUE(computed(tensor));
    expect_summed(more, ranks);
    EXPECT_EQ(other.item<float>(), 6);
  });
}

TEST_P(CoalesceModes, LaunchesWhatAnotherCallNeeds) {
  simulate(std::get<0>(GetParam()), [](World& world) {
    world.set_eager(std::get<1>(GetParam()));
    const auto ranks = static_cast<float>(world.size());
    Tensor x = tensor({1.F});
    Tensor y = tensor({2.F});
    {
      Coalesce together(world);
      all_reduce_(x, world);
      EXPECT_EQ(x.shape(), Shape({1}));
      all_reduce_(y, world);
      all_reduce_(y, world);  // of the one before: nested use
      together.launch();
      EXPECT_EQ(y.item<float>(), 2 * ranks * ranks);
      all_reduce_(x, world);
    }
    EXPECT_EQ(x.item<float>(), ranks * ranks);
  });
}

TEST_P(CoalesceModes, LaunchesWhatAListOrAnotherGroupNeeds) {
  simulate(std::get<0>(GetParam()), [](World& world) {
    world.set_eager(std::get<1>(GetParam()));
    const auto ranks = static_cast<float>(world.size());
    const auto count = static_cast<std::size_t>(world.size());
    const Group alone({world.rank()}, "alone");
    Tensor x = tensor({1.F});
    Tensor y = tensor({2.F});
    Tensor scalar = tensor(3.F);
    Tensors gathered;
    Tensor of_scalars;
    {
      const Coalesce together(world);
      all_reduce_(x, world);
      all_gather_(gathered, x, world);
      all_reduce_(y, world);
      all_reduce_(y, alone);
      all_reduce_(scalar, world);
      all_gather_into_(of_scalars, scalar, world);
    }
    EXPECT_EQ(x.item<float>(), ranks);
    EXPECT_EQ(gathered.back().item<float>(), ranks);
    EXPECT_EQ(y.item<float>(), 2 * ranks);
    EXPECT_EQ(of_scalars.to_vector<float>(), Floats(count, 3 * ranks));
  });
}

TEST_P(CoalesceModes, TakesAllKindsOfCalls) {
  simulate(std::get<0>(GetParam()), [](World& world) {
    world.set_eager(std::get<1>(GetParam()));
    const auto rank = static_cast<float>(world.rank());
    Tensor sum = tensor({rank});
    Tensor sent = tensor({rank});
    Tensor integer = tensor({world.rank()});
    Tensors gathered, alike;
    Tensor part;
    {
      Coalesce together(world);
      all_gather_(gathered, sent, world);
      all_reduce_(sum, world);
      all_reduce_(integer, world, Reduce::max);
      broadcast_(sent, world, world.size() - 1);
      reduce_scatter_into_(part, full({world.size()}, 1.F), world);
      together.launch();
      all_gather_(alike, part, world);
    }
    EXPECT_EQ(std::ssize(gathered), world.size());
    EXPECT_EQ(gathered.back().item<float>(), static_cast<float>(world.size() - 1));
    EXPECT_EQ(sent.item<float>(), static_cast<float>(world.size() - 1));
    EXPECT_EQ(integer.item<std::int32_t>(), world.size() - 1);
    EXPECT_EQ(alike[0].item<float>(), static_cast<float>(world.size()));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CoalesceModes,
                         testing::Combine(testing::Values(1, 2, 3), testing::Bool()));

TEST(Coalesce, IsOneLaunchForEachKind) {
  const Group group({0, 1});
  const std::string one = ir_of([&](Tensors x) {
    const Coalesce together(group);
    for (Tensor& tensor : x) all_reduce_(tensor, group);
    return x;
  });
  EXPECT_EQ(count_of(one, "all_reduce("), 1) << one;
  const std::string two = ir_of([&](Tensors x) {
    const Coalesce together(group);
    all_reduce_(x[0], group);
    all_reduce_(x[1], group, Reduce::max);
    all_reduce_(x[2], group);
    return x;
  });
  EXPECT_EQ(count_of(two, "all_reduce("), 2) << two;
  EXPECT_LT(two.find("\"sum\""), two.find("\"max\""));
}

TEST(Coalesce, LeavesOtherGroupsAlone) {
  const Group group({0, 1});
  const Group other({1, 0});
  const std::string ir = ir_of([&](Tensors x) {
    const Coalesce together(group);
    const Coalesce also(other);
    all_reduce_(x[0], group);
    all_reduce_(x[1], group.with_timeout(std::chrono::seconds(5)));  // the same group: noted
    all_reduce_(x[2], other);
    return x;
  });
  EXPECT_EQ(count_of(ir, "all_reduce("), 3) << ir;
}

// One rank that looks would launch other lists than its peers.
TEST(Coalesce, RefusesUseBeforeTheLaunchWithBothLines) {
  simulate(2, [](World& world) {
    Tensor x = tensor({1.F});
    Tensor y = tensor({1.F});
    {
      const Coalesce together(world);
      all_reduce_(x, world);
      if (world.rank() == 0) {
        const std::vector<std::string> parts = {"before its collective is launched",
                                                "coalesce_test.cpp"};
        expect_error<UsageError>([&] { x.array(); }, parts);
        expect_error<UsageError>([&] { x + 1.F; }, parts);
        expect_error<UsageError>([&] { eval(x); }, parts);
      }
      all_reduce_(y, world);
    }
    EXPECT_EQ(x.item<float>() + y.item<float>(), 4);
  });
}

TEST(Coalesce, MakesItTooLateForAMesh) {
  simulate(2, [](World& world) {
    Tensor x = tensor({1.F});
    {
      const Coalesce together(world);
      all_reduce_(x, world);
    }
    expect_error<UsageError>([&] { const DeviceMesh mesh(world, {{"dp", 2}}); },
                             {"too late for a mesh", "coalesce_test.cpp"});
    EXPECT_EQ(x.item<float>(), 2);
  });
}

TEST(Coalesce, StaysOutsideOfCompiledFunctions) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& t) {
      Tensor sum = t;
      all_reduce_(sum, world);
      return sum + 1.F;
    });
    for (int i = 0; i < 2; ++i) {
      Tensor a = tensor({1.F});
      Tensor b = tensor({2.F});
      {
        const Coalesce together(world);
        all_reduce_(a, world);
        b = step(b);
      }
      EXPECT_EQ(a.item<float>(), 2);
      EXPECT_EQ(b.item<float>(), 5);
    }
  });
}

TEST(Coalesce, OutlivesItsWorld) {
  std::unique_ptr<Coalesce> together;
  Tensor x;
  simulate(1, [&](World& world) {
    x = tensor({1.F});
    together = std::make_unique<Coalesce>(world);
    all_reduce_(x, world);
  });
  together.reset();
  EXPECT_THROW(x.item<float>(), Error);
}

TEST(Coalesce, LaunchesNothingAfterAnException) {
  simulate(2, [](World& world) {
    Tensor x = tensor({1.F});
    try {
      const Coalesce together(world);
      all_reduce_(x, world);
      throw std::runtime_error("enough");
    } catch (const std::runtime_error&) {
      // The block's own.
    }
    EXPECT_THROW(x.item<float>(), CommError);
    EXPECT_EQ(all_reduce(tensor({1.F}), world).item<float>(), 2);
  });
}

// A launch computes its operands, and memory of what they were recorded of is released in it.
TEST(Coalesce, CodeThatReleasesMemoryInALaunchLaunchesNothing) {
  simulate(1, [](World& world) {
    Floats memory = {1, 2};
    std::string said;
    const auto launch = [&](void*) {
      Tensor other = tensor({1.F});
      try {
        Coalesce together(world);
        all_reduce_(other, world);
        together.launch();
      } catch (const UsageError& error) {
        said = error.what();
      }
    };
    Tensor x = view(memory.data(), {2}, DType::f32, launch) + 1.F;
    for (int i = 0; i < 2; ++i) {
      const Coalesce together(world);
      all_reduce_(x, world);
    }
    EXPECT_THAT(said, testing::HasSubstr("a collective is launched by code that releases memory"));
    EXPECT_EQ(x.to_vector<float>(), Floats({2, 3}));
  });
}

TEST(Coalesce, ChecksCallsWhenTheyAreMade) {
  simulate(2, [](World& world) {
    const Coalesce together(world);
    Tensor truth = tensor({true});
    expect_error<TypeError>([&] { all_reduce_(truth, world); }, {"all_reduce"});
    EXPECT_TRUE(truth.item<bool>());
    expect_error<UsageError>([&] { const Coalesce again(world); }, {"coalesced already"});
  });
}

}  // namespace
}  // namespace tutti::test::coalesce_test

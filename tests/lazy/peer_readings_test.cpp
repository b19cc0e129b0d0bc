// Kernels that read what every member of a group gave to an all_reduce, and combine it on the way.

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::peer_readings_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kColumns = 256;  // 8 KiB of f32

Tensor numbers(World& world, DType dtype, std::uint32_t seed) {
  std::mt19937 random(seed * 16 + static_cast<std::uint32_t>(world.rank()));
  std::vector<float> values(static_cast<std::size_t>(kRows * kColumns));
  for (float& value : values) {
    value = static_cast<float>(static_cast<std::int32_t>(random() % 2001) - 1000) / 64;
  }
  return cast(from(values, {kRows, kColumns}), dtype);
}

std::vector<std::uint64_t> bits_of(const Tensor& x) {
  const std::int64_t size = size_of(x.dtype());
  const DType bits = size == 8 ? DType::u64 : size == 4 ? DType::u32 : DType::u16;
  return cast(bitcast(x, bits), DType::u64).to_vector<std::uint64_t>();
}

bool reads_peers(const std::string& plan) {
  const bool reads = plan.find("= peer 0") != plan.npos;
  EXPECT_EQ(plan.find("finish w") != plan.npos, reads);
  return reads;
}

// Of all ranks, dtypes and reductions that kernels combine: the bits that the runtime's own result
// has, which is asked for by itself.
class PeerReadingsOf : public testing::TestWithParam<DType> {};

TEST_P(PeerReadingsOf, HaveTheBitsOfTheRuntimesResult) {
  const DType dtype = GetParam();
  for (const int ranks : {2, 3, 8}) {
    simulate(ranks, [&](World& world) {
      for (const Reduce op :
           {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min, Reduce::product}) {
        if (op == Reduce::mean && !is_floating(dtype)) continue;
        auto apart = compile([&](const Tensor& x) { return Tensor(all_reduce(x + x, world, op)); });
        auto fused = compile([&](const Tensor& x, const Tensor& y) {
          return maximum(Tensor(all_reduce(x + x, world, op)), y);
        });
        for (std::uint32_t run = 0; run < 4; ++run) {
          const Tensor x = numbers(world, dtype, run);
          const Tensor y = numbers(world, dtype, run + 100);
          const Tensor expected = maximum(apart(x), y);
          EXPECT_EQ(bits_of(fused(x, y)), bits_of(expected)) << ranks << " ranks, run " << run;
        }
        EXPECT_TRUE(reads_peers(fused.plan())) << fused.plan();
        EXPECT_FALSE(reads_peers(apart.plan()));
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, PeerReadingsOf,
                         testing::Values(DType::f32, DType::f64, DType::f16, DType::bf16,
                                         DType::i32, DType::i16, DType::u64),
                         [](const auto& each) { return std::string(name_of(each.param)); });

// The residual and the norm of a transformer's layer, behind the sum of the ranks' products.
Tensor norm_of_sum(const Tensor& partial, const Tensor& residual, const Group& group) {
  const Tensor x = residual + all_reduce(partial, group, Reduce::sum);
  return x * rsqrt(mean(x * x, {-1}, true) + 1e-5F);
}

TEST(PeerReadings, ResidualAndNormAreOneKernelWithTheReading) {
  simulate(2, [](World& world) {
    auto layer = compile([&](const Tensor& a, const Tensor& b, const Tensor& residual) {
      return norm_of_sum(a * b, residual, world);
    });
    const Tensor a = numbers(world, DType::f32, 1), b = numbers(world, DType::f32, 2);
    const Tensor residual =
        replicated(from(std::vector<float>(kRows * kColumns, 0.5F), {kRows, kColumns}), world);
    const Tensor sum = Tensor(all_reduce(a * b, world, Reduce::sum));
    eval(sum);
    const Tensor x = residual + sum;
    const Tensor expected = x * rsqrt(mean(x * x, {-1}, true) + 1e-5F);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(bits_of(layer(a, b, residual)), bits_of(expected));
    const std::string plan = layer.plan();
    EXPECT_TRUE(reads_peers(plan));
    // One kernel makes the operand, one reads it.
    EXPECT_THAT(plan, HasSubstr("k1 = kernel"));
    EXPECT_THAT(plan, Not(HasSubstr("k2 = kernel")));
  });
}

TEST(PeerReadings, AreForResultsThatOneKernelReads) {
  simulate(2, [](World& world) {
    const Tensor x = numbers(world, DType::f32, 1);
    const auto plan_of = [&](auto&& body) {
      auto f = compile(body);
      eval(f(x));
      return f.plan();
    };
    const auto sum = [&](const Tensor& y) { return all_reduce(y, world, Reduce::sum); };
    // It is wanted itself.
    EXPECT_FALSE(reads_peers(plan_of([&](const Tensor& y) { return Tensor(sum(y * 2)); })));
    // A product reads it.
    EXPECT_FALSE(reads_peers(plan_of(
        [&](const Tensor& y) { return matmul(transpose(Tensor(sum(y * 2)), {1, 0}), y); })));
    // Two kernels do.
    EXPECT_FALSE(reads_peers(plan_of([&](const Tensor& y) {
      const Tensor s = sum(y * 2);
      return std::pair(tutti::sum(s, {0}), tutti::sum(s, {1}));
    })));
    // Another collective does.
    EXPECT_FALSE(reads_peers(plan_of(
        [&](const Tensor& y) { return Tensor(all_gather(Tensor(sum(y * 2)), world, 0)) + 1; })));
    // It would be combined again for each row that it goes to.
    EXPECT_FALSE(reads_peers(plan_of([&](const Tensor& y) {
      return Tensor(sum(reshape(y, {kRows * kColumns}) * 2)) +
             broadcast_to(full({}, 1.0), {4, kRows * kColumns});
    })));
    // It is small.
    EXPECT_FALSE(reads_peers(
        plan_of([&](const Tensor& y) { return Tensor(sum(tutti::sum(y * 2, {0}))) + 1; })));
  });
}

// A part that is a result begins where the sum says: it is copied by a step that reads the sum.
TEST(PeerReadings, AreNotOfNumbersThatSayWhereAResultBegins) {
  simulate(2, [](World& world) {
    auto part = compile([&](const Tensor& x, const Tensor& numbers) {
      const Tensor sum = all_reduce(numbers, world, Reduce::sum);
      return std::pair(dynamic_slice(x, slice(sum, {Range{0, 1}}), {10}), sum + sum);
    });
    const Tensor x = arange(100.F);
    for (int run = 0; run < 3; ++run) {
      const auto [begun, doubled] = part(x, full({1024}, std::int64_t{3}));
      EXPECT_EQ(begun.to_vector<float>().front(), 6.F);
      EXPECT_EQ(doubled.to_vector<std::int64_t>().back(), 12);
    }
  });
}

TEST(PeerReadings, OfSeveralEachKernelHasItsOwn) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x, const Tensor& y) {
      AsyncTensor first = all_reduce(x * 2, world, Reduce::sum);
      AsyncTensor second = all_reduce(y * 3, world, Reduce::sum);
      const Tensor a = Tensor(first) + x;
      const Tensor b = Tensor(second) * y;
      return std::pair(tutti::sum(a, {0}), tutti::sum(b, {1}));
    });
    for (std::uint32_t run = 0; run < 5; ++run) {
      const Tensor x = numbers(world, DType::f32, run), y = numbers(world, DType::f32, run + 50);
      const Tensor sum_x = all_reduce(x * 2, world, Reduce::sum);
      const Tensor sum_y = all_reduce(y * 3, world, Reduce::sum);
      eval(sum_x);
      eval(sum_y);
      const auto [a, b] = step(x, y);
      EXPECT_EQ(bits_of(a), bits_of(tutti::sum(sum_x + x, {0})));
      EXPECT_EQ(bits_of(b), bits_of(tutti::sum(sum_y * y, {1})));
    }
    EXPECT_TRUE(reads_peers(step.plan()));
  });
}

TEST(PeerReadings, OneBehindTheOther) {
  simulate(2, [](World& world) {
    auto step = compile([&](const Tensor& x) {
      const Tensor y = Tensor(all_reduce(x * 2, world, Reduce::sum)) + x;
      return Tensor(all_reduce(y, world, Reduce::max)) * 3;
    });
    for (int run = 0; run < 4; ++run) {
      const auto number = static_cast<float>(run);
      const Tensor x =
          from(std::vector<float>(2048, number + static_cast<float>(world.rank())), {2048});
      EXPECT_EQ(step(x).to_vector<float>()[2047], 3 * (2 * (2 * number + 1) + number + 1));
    }
    EXPECT_TRUE(reads_peers(step.plan()));
  });
}

// What was started before an error has a result for the evaluation that goes on.
TEST(PeerReadings, ThatAnErrorCutShortHaveTheirResults) {
  simulate(2, [](World& world) {
    const Group other({0, 1}, "other");
    const Tensor x = from(std::vector<float>(2048, 1.F + static_cast<float>(world.rank())), {2048});
    eval(Tensor(all_reduce(x, other, Reduce::sum)));
    barrier(world);
    if (world.rank() == 0) other.abort("enough");
    const Tensor sum = Tensor(all_reduce(x * 2, world, Reduce::sum)) + 1;
    // Recording evaluates, too, where a peer waits.
    EXPECT_THROW(eval(Tensor(all_reduce(x, other, Reduce::sum)) + sum), CommError);
    EXPECT_EQ(sum.to_vector<float>()[77], 7);
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ((Tensor(all_reduce(x * 3, world, Reduce::sum)) + 1).to_vector<float>()[0], 10);
    }
  });
}

// What was read before an error is over, and lies nowhere: whoever needs it again hears so.
TEST(PeerReadings, ThatAreOverWhenAnErrorComes) {
  simulate(2, [](World& world) {
    const Group other({0, 1}, "other");
    auto breaks = compile([&](const Tensor& x) {
      const Tensor first = all_reduce(x * 3, world, Reduce::sum);
      return Tensor(all_reduce(first * x, other, Reduce::sum));
    });
    const Tensor x = from(std::vector<float>(2048, 1.F + static_cast<float>(world.rank())), {2048});
    EXPECT_EQ(breaks(x).to_vector<float>()[0], 27);
    EXPECT_TRUE(reads_peers(breaks.plan()));
    barrier(world);
    if (world.rank() == 0) other.abort("enough");
    EXPECT_THROW(breaks(x).to_vector<float>(), CommError);
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ((Tensor(all_reduce(x * 2, world, Reduce::sum)) + 1).to_vector<float>()[7], 7);
    }
  });
}

// Large ones are cut into chunks by who does not read them.
TEST(PeerReadings, MeetRanksThatDoNot) {
  static constexpr std::int64_t kMany = 1'200'000;
  simulate(2, [](World& world) {
    const Group group = Group(world).named("sum");
    auto fused =
        compile([&](const Tensor& x) { return Tensor(all_reduce(x * 2, group, Reduce::sum)) + x; });
    auto apart =
        compile([&](const Tensor& x) { return Tensor(all_reduce(x * 2, group, Reduce::sum)); });
    for (int run = 0; run < 6; ++run) {
      const auto number = static_cast<float>(run + world.rank());
      const Tensor x = from(std::vector<float>(kMany, number), {kMany});
      const bool reads = (run + world.rank()) % 2 == 0;
      const std::vector<float> y =
          reads ? fused(x).to_vector<float>() : (apart(x) + x).to_vector<float>();
      const float expected = 2 * (2 * static_cast<float>(run) + 1) + number;
      EXPECT_EQ(std::ranges::count(y, expected), kMany) << "run " << run;
    }
    EXPECT_TRUE(reads_peers(fused.plan()));
  });
}

TEST(PeerReadings, InLoops) {
  simulate(2, [](World& world) {
    for (const std::int64_t steps : {3, 1200}) {  // walked, and in native code
      auto loop = compile([&](const Tensor& x) {
        return for_loop(
            steps,
            [&](const Tensor&, const Tensor& each) {
              return Tensor(all_reduce(each * 0.5F, world, Reduce::sum)) - x;
            },
            x);
      });
      const Tensor x = from(std::vector<float>(2000, static_cast<float>(1 + world.rank())), {2000});
      std::vector<float> now = {1, 2};
      for (std::int64_t step = 0; step < steps; ++step) {
        const float sum = now[0] * 0.5F + now[1] * 0.5F;
        now = {sum - 1, sum - 2};
      }
      const std::vector<float> y = loop(x).to_vector<float>();
      EXPECT_EQ(std::ranges::count(y, now[static_cast<std::size_t>(world.rank())]), 2000);
      EXPECT_TRUE(reads_peers(loop.plan()));
    }
  });
}

TEST(PeerReadings, AMismatchIsNoticedBeforeAnythingIsRead) {
  std::vector<std::string> said(2);
  simulate(2, [&](World& world) {
    const std::int64_t size = world.rank() == 0 ? 2000 : 3000;
    auto step =
        compile([&](const Tensor& x) { return Tensor(all_reduce(x * 2, world, Reduce::sum)) + x; });
    try {
      step(from(std::vector<float>(static_cast<std::size_t>(size), 1), {size})).to_vector<float>();
    } catch (const CommError& error) {
      said[static_cast<std::size_t>(world.rank())] = error.what();
    }
  });
  for (const std::string& text : said) EXPECT_THAT(text, HasSubstr("does not match: rank 0 calls"));
}

}  // namespace
}  // namespace tutti::test::peer_readings_test

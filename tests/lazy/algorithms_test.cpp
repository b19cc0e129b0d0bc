// Groups and programs that say how their collectives are carried out: the bits are the same.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::algorithms_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kAlgorithms[] = {"auto", "off", "one_shot", "two_shot", "exact"};

std::vector<float> every_collective(const Tensor& x, const Group& group) {
  const Tensor y = exp(x);
  std::vector<Tensor> all = {all_reduce(y, group), all_reduce(-y, group, Reduce::max),
                             reduce_scatter(y, group, Reduce::sum, 0), all_to_all(y, group, 0, 0),
                             broadcast(y, group, 1)};
  Tensor sum = all_gather(y, group).wait();
  for (const Tensor& each : all) sum = sum + tutti::sum(each) * 0.25F;
  return sum.to_vector<float>();
}

TEST(Algorithms, GiveTheSameBits) {
  for (const std::int64_t rows : {4, 40'000}) {
    simulate(2, [&](World& world) {
      const Tensor x = from(full({rows, 3}, 0.1F * static_cast<float>(world.rank() + 1)).array());
      std::vector<float> expected;
      for (const char* const algorithm : kAlgorithms) {
        const std::vector<float> got = every_collective(x, Group(world).with_algorithm(algorithm));
        if (expected.empty()) expected = got;
        EXPECT_EQ(got, expected) << algorithm << " of " << rows << " rows";
      }
    });
  }
}

TEST(Algorithms, StandInThePlan) {
  simulate(2, [&](World& world) {
    const auto plan_of = [&](const Group& group, std::int64_t elements) {
      auto f = compile(
          [&](const Tensor& x, const Tensor& y) { return Tensor(all_reduce(x + 1.F, group)) * y; });
      const Tensor x = full({elements}, 2.F);
      f(x, x);
      return f.plan();
    };
    const Group group = world;
    EXPECT_THAT(plan_of(group, 16), HasSubstr("algorithm = \"one-shot, up to 65536 bytes\""));
    EXPECT_THAT(plan_of(group, 1 << 16), HasSubstr("algorithm = \"two-shot, above 65536 bytes\""));
    EXPECT_THAT(plan_of(group, 2048), HasSubstr(" = peer 0"));
    EXPECT_THAT(plan_of(group.with_algorithm("one_shot"), 1 << 16),
                HasSubstr("algorithm = \"one-shot, always\""));
    EXPECT_THAT(plan_of(group.with_algorithm("two_shot"), 2048),
                AllOf(HasSubstr("algorithm = \"two-shot, always\""), Not(HasSubstr(" = peer 0"))));
    EXPECT_THAT(plan_of(group.with_algorithm("off"), 2048),
                AllOf(HasSubstr("algorithm = \"one-shot, up to 65536 bytes\""),
                      Not(HasSubstr(" = peer 0")), Not(HasSubstr("symmetric"))));
  });
}

TEST(Algorithms, MustBeTheSameOnAllRanks) {
  const auto run = [] {
    simulate(2, [](World& world) {
      const Group group = Group(world).with_algorithm(world.rank() == 0 ? "one_shot" : "two_shot");
      all_reduce(full({4}, 1.F), group).wait().to_vector<float>();
    });
  };
  expect_error<CommError>(run,
                          {"does not match", "all_reduce sum f32[4], one_shot",
                           "all_reduce sum f32[4], two_shot", "algorithms_test.cpp"},
                          kNowhere);
}

TEST(Algorithms, OtherWordsAreRefused) {
  const Group group({0, 1});
  expect_error<UsageError>([&] { group.with_algorithm("oneshot"); }, {"did you mean 'one_shot'?"});
  expect_error<UsageError>([&] { group.with_algorithm(""); },
                           {"say auto, off, one_shot, two_shot or exact"});
}

}  // namespace
}  // namespace tutti::test::algorithms_test

#include "tools/sharded_arrays.h"

#include "tests/tools/run_testing.h"

namespace tutti::sharded_arrays_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ShardedArrays, PartsOfDifferentShapesMakeNoWhole) {
  const ir::Mesh mesh{.names = {"dp"}, .sizes = {2}};
  const ir::Array four(DType::f32, Shape{4});
  const ir::Array two(DType::f32, Shape{2});
  const std::vector<const ir::Array*> parts = {&four, &two};
  EXPECT_THAT([&] { tools::put_together(parts, {{"dp"}}, mesh); },
              ThrowsMessage<TypeError>(HasSubstr(
                  "the ranks' parts differ: rank 0 has one of shape [4], rank 1 one of [2]")));
}

class RunOfWholes : public test::RunsPrograms {
 protected:
  // Of (1, 2, 3, 4) on four ranks, with the parameter's sharding: what `results` says of %0.
  test::CommandResult run_on_four(const std::string& node, const std::string& results) {
    const std::string program =
        "mesh (dp = 2, tp = 2)\ngroup @all = {ranks = [0..4], stride = 4}\n"
        "func @f(%x: f32[1] {sharding = [[\"dp\", \"tp\"]]})" +
        results + " {\n" + node + "return %0 }\n";
    return run(program, {"--input", "x=" + vector("x.npy", {1, 2, 3, 4})});
  }
};

// As JAX does, for a shard_map that is not checked.
TEST_F(RunOfWholes, OfAWholeThatDiffersTheFirstRanksIsTakenWithAWarning) {
  const auto same =
      run_on_four("%1 = all_reduce(%x) {op = \"sum\", group = @all}\n%0 = wait(%1)\n", "");
  EXPECT_EQ(same.output, "f32[1] [10]\n");
  EXPECT_EQ(same.errors, "");
  const auto differing = run_on_four("%0 = neg(%x)\n", "");
  EXPECT_EQ(differing.output, "f32[1] [-1]\n");
  EXPECT_EQ(differing.errors,
            "tutti: warning: result 0 of @f has no sharding, which says that all ranks have the "
            "whole, but what rank 1 has differs from what rank 0 has, which is taken\n");
}

TEST_F(RunOfWholes, OfAPartThatDiffersTheFirstRanksIsTakenWithAWarning) {
  const auto parts = run_on_four("%0 = neg(%x)\n", " -> (f32[1] {sharding = [[\"dp\", \"tp\"]]})");
  EXPECT_EQ(parts.output, "f32[4] [-1, -2, -3, -4]\n");
  EXPECT_EQ(parts.errors, "");
  const auto differing = run_on_four("%0 = neg(%x)\n", " -> (f32[1] {sharding = [[\"tp\"]]})");
  EXPECT_EQ(differing.output, "f32[2] [-1, -2]\n");
  EXPECT_THAT(differing.errors, HasSubstr("what rank 2 has differs from what rank 0 has"));
}

}  // namespace
}  // namespace tutti::sharded_arrays_test

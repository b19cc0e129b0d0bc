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

TEST_F(RunOfWholes, AWholeResultIsTheSameOnAllRanks) {
  EXPECT_EQ(
      run_on_four("%1 = all_reduce(%x) {op = \"sum\", group = @all}\n%0 = wait(%1)\n", "").output,
      "f32[1] [10]\n");
  expect_refused(run_on_four("%0 = neg(%x)\n", ""), 1,
                 "result 0 of @f has no sharding, which says that all ranks have the whole, but "
                 "what rank 1 has differs from what rank 0 has");
}

TEST_F(RunOfWholes, RanksWithOnePartHaveTheSame) {
  EXPECT_EQ(run_on_four("%0 = neg(%x)\n", " -> (f32[1] {sharding = [[\"dp\", \"tp\"]]})").output,
            "f32[4] [-1, -2, -3, -4]\n");
  expect_refused(run_on_four("%0 = neg(%x)\n", " -> (f32[1] {sharding = [[\"tp\"]]})"), 1,
                 "what rank 2 has differs from what rank 0 has");
}

}  // namespace
}  // namespace tutti::sharded_arrays_test

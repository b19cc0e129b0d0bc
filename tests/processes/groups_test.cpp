// Groups of a job: overlapping ones, and those that split() makes.

#include "tests/processes/job.h"

namespace tutti::test::groups_test {
namespace {

using testing::ElementsAre;

class GroupsOfAJob : public Job {};

TEST_F(GroupsOfAJob, MayOverlap) {
  const CommandResult result = run(3, {"overlap"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("[0] all right", "[1] all right", "[2] all right"));
}

TEST_F(GroupsOfAJob, SplitByColorsAndKeys) {
  const CommandResult result = run(4, {"split"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_EQ(lines_of_rank(result, 0), "halves 0 1\nbackwards 3 2 1 0\nalone 0 1 2\n");
  EXPECT_EQ(lines_of_rank(result, 1), "halves 0 1\nbackwards 3 2 1 0\nalone 0 1 2\n");
  EXPECT_EQ(lines_of_rank(result, 2), "halves 2 3\nbackwards 3 2 1 0\nalone 0 1 2\n");
  EXPECT_EQ(lines_of_rank(result, 3), "halves 2 3\nbackwards 3 2 1 0\nalone 3\n");
}

TEST_F(GroupsOfAJob, AreToldApartInRecordsThoughTheirTagIsTheSame) {
  const CommandResult result = run(4, {"pairs"});
  EXPECT_THAT(result.errors,
              testing::AllOf(testing::HasSubstr("#1 of group \"ranks [0, 1]\"  all_reduce"),
                             testing::HasSubstr("#1 of group \"ranks [2, 3]\"  broadcast"),
                             testing::Not(testing::HasSubstr("ranks differ"))));
}

}  // namespace
}  // namespace tutti::test::groups_test

#include <tutti/ir/group.h>
#include <tutti/ir/support/error.h>

#include <gtest/gtest.h>

namespace tutti::ir::group_test {
namespace {

using Ranks = std::vector<std::int64_t>;

TEST(Group, EveryRankFindsItsOwn) {
  const Group group{.tag = "dp", .ranks = {0, 4, 1, 5}, .stride = 2};
  EXPECT_EQ(group.members_with(5), (Ranks{1, 5}));
  EXPECT_EQ(group.position_of(5), 1);
  EXPECT_EQ(group.members_with(2), Ranks());
  EXPECT_EQ(group.position_of(2), -1);
}

TEST(Group, ChecksItsRanks) {
  EXPECT_NO_THROW(check_group(Group{"g", {3, 1}, 1}));
  EXPECT_THROW(check_group(Group{"g", {}, 1}), TypeError);
  EXPECT_THROW(check_group(Group{"g", {0, 1, 2}, 2}), TypeError);
  EXPECT_THROW(check_group(Group{"g", {0, 1}, 0}), TypeError);
  EXPECT_THROW(check_group(Group{"g", {0, 0}, 2}), TypeError);
  EXPECT_THROW(check_group(Group{"g", {0, -1}, 2}), TypeError);
}

TEST(Group, OfMeshDimensions) {
  const Mesh mesh{.names = {"dp", "tp"}, .sizes = {2, 3}};
  EXPECT_EQ(mesh_group(mesh, 1), (Group{.tag = "dp", .ranks = {0, 3, 1, 4, 2, 5}, .stride = 2}));
  EXPECT_EQ(mesh_group(mesh, 2), (Group{.tag = "tp", .ranks = {0, 1, 2, 3, 4, 5}, .stride = 3}));
  EXPECT_EQ(mesh_group(mesh, 3), (Group{.tag = "dp_tp", .ranks = {0, 1, 2, 3, 4, 5}, .stride = 6}));
}

TEST(Group, DimensionsAreFoundAgain) {
  for (const Mesh& mesh :
       {Mesh{{"a"}, {4}}, Mesh{{"a", "b"}, {2, 3}}, Mesh{{"a", "b", "c"}, {2, 2, 2}},
        Mesh{{"a", "b", "c", "d"}, {3, 2, 4, 2}}}) {
    for (unsigned dimensions = 1; dimensions < 1U << mesh.sizes.size(); ++dimensions) {
      const auto bits = static_cast<std::uint8_t>(dimensions);
      EXPECT_EQ(dimensions_of(mesh_group(mesh, bits), mesh), bits);
      Group other = mesh_group(mesh, bits);
      std::swap(other.ranks.front(), other.ranks.back());
      EXPECT_EQ(dimensions_of(other, mesh), 0);
    }
  }
}

TEST(Group, DimensionsOfOneRank) {
  const Mesh mesh{.names = {"a", "b", "c"}, .sizes = {1, 2, 1}};
  EXPECT_EQ(dimensions_of({"g", {0, 1}, 1}, mesh), 1);
  EXPECT_EQ(dimensions_of({"g", {0, 1}, 2}, mesh), 2);
  EXPECT_EQ(dimensions_of({"g", {0, 1}, 1}, Mesh{{"b"}, {2}}), 0);
}

TEST(Group, UnsoundGroupsSpanNothing) {
  const Mesh mesh{.names = {"a"}, .sizes = {2}};
  EXPECT_EQ(dimensions_of({"g", {0, 1}, 0}, mesh), 0);
  EXPECT_EQ(dimensions_of({"g", {0, 1}, 7}, mesh), 0);
  EXPECT_EQ(dimensions_of({"g", {0}, 1}, mesh), 0);
}

// The remembered answer belongs to one group and one mesh, not to an address.
TEST(Group, RememberedAnswersAreTheRightOnes) {
  const Mesh wide{.names = {"a"}, .sizes = {4}};
  const Mesh square{.names = {"a", "b"}, .sizes = {2, 2}};
  for (int i = 0; i < 5'000; ++i) {
    const std::uint8_t bits = i % 2 == 0 ? 1 : 2;
    const auto group = std::make_shared<const Group>(mesh_group(square, bits));
    EXPECT_EQ(dimensions_of(group, square), bits);
    EXPECT_EQ(dimensions_of(group, wide), 0);
    const auto broken = std::make_shared<const Group>(Group{"g", {0, 0}, 1});
    if (i % 100 == 0) {
      EXPECT_THROW(check_group(broken), TypeError);
      EXPECT_THROW(check_group(broken), TypeError);
    }
    EXPECT_NO_THROW(check_group(group));
  }
}

TEST(Replication, Intersects) {
  const Replication none{};
  const Replication both{3, false};
  const Replication one{1, false};
  const Replication literal{0, true};
  EXPECT_EQ(intersect(both, one), one);
  EXPECT_EQ(intersect(none, one), none);
  EXPECT_EQ(intersect(literal, one), one);
  EXPECT_EQ(intersect(one, literal), one);
  EXPECT_EQ(intersect(literal, literal), literal);
  const Replication position{0, true, true};
  EXPECT_EQ(position, literal);
  EXPECT_TRUE(intersect(position, position).positions);
  EXPECT_FALSE(intersect(position, literal).positions);
}

}  // namespace
}  // namespace tutti::ir::group_test

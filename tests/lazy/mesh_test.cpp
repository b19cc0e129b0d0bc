// Meshes of ranks, their slices, and the groups that they stand for.

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::mesh_test {
namespace {

using testing::ElementsAre;
using Ranks = std::vector<std::int64_t>;

TEST(DeviceMesh, HasItsRanksInRowMajorOrder) {
  const DeviceMesh mesh({{"dp", 2}, {"tp", 3}});
  EXPECT_THAT(mesh.names(), ElementsAre("dp", "tp"));
  EXPECT_THAT(mesh.sizes(), ElementsAre(2, 3));
  EXPECT_EQ(mesh.size(), 6);
  EXPECT_EQ(mesh.size("tp"), 3);
  EXPECT_THAT(mesh.ranks(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(DeviceMesh, ADimensionIsAPartition) {
  const DeviceMesh mesh({{"dp", 2}, {"tp", 3}});
  const Group along_tp = mesh["tp"];
  EXPECT_EQ(along_tp.tag(), "tp");
  EXPECT_EQ(along_tp.size(), 3);
  EXPECT_THAT(along_tp.data()->ranks, ElementsAre(0, 1, 2, 3, 4, 5));
  const Group along_dp(mesh, "dp");
  EXPECT_EQ(along_dp.size(), 2);
  EXPECT_THAT(along_dp.data()->ranks, ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(DeviceMesh, SlicesKeepTheRestAsMeshesOfTheirOwn) {
  const DeviceMesh mesh({{"pp", 2}, {"dp", 2}, {"tp", 2}});
  const DeviceMesh outer = mesh.slice({"pp", "tp"});
  EXPECT_THAT(outer.names(), ElementsAre("pp", "tp"));
  EXPECT_THAT(outer.ranks(), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(outer["tp"].ranks(), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(outer["pp"].ranks(), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(mesh.slice({"tp", "pp"}).ranks(), ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  const Group both = outer.flatten();
  EXPECT_EQ(both.tag(), "pp_tp");
  EXPECT_EQ(both.size(), 4);
  EXPECT_EQ(outer.flatten("stage").names(), std::vector<std::string>{"stage"});
}

TEST(DeviceMesh, TakesRanksInAnyOrder) {
  const DeviceMesh mesh({{"row", 2}, {"column", 2}}, {7, 3, 5, 1});
  EXPECT_THAT(mesh["row"].ranks(), ElementsAre(7, 5, 3, 1));
  EXPECT_THAT(mesh["column"].ranks(), ElementsAre(7, 3, 5, 1));
}

TEST(DeviceMesh, RefusesWhatIsNoMesh) {
  expect_error<TypeError>([] { DeviceMesh(std::vector<MeshDimension>{}); }, {"at least one"});
  expect_error<TypeError>([] { DeviceMesh({{"", 2}}); }, {"has a name"});
  expect_error<TypeError>([] { DeviceMesh({{"a,b", 2}}); }, {"without commas", "\"a,b\""});
  expect_error<TypeError>([] { DeviceMesh({{"a", 2}, {"a", 2}}); }, {"two dimensions \"a\""});
  expect_error<TypeError>([] { DeviceMesh({{"a", 0}}); }, {"size 0"});
  expect_error<TypeError>([] { DeviceMesh({{"a", 1 << 20}, {"b", 1 << 20}}); }, {"size"});
  expect_error<TypeError>([] { DeviceMesh({{"a", 2}}, {0, 1, 2}); }, {"2 ranks is given 3"});
  expect_error<TypeError>([] { DeviceMesh({{"a", 2}}, {4, 4}); }, {"rank 4 twice"});
  std::vector<MeshDimension> nine;
  for (int i = 0; i < 9; ++i) nine.push_back({"d" + std::to_string(i), 1});
  expect_error<TypeError>([&] { DeviceMesh mesh(nine); }, {"eight are the most"});
  const DeviceMesh mesh({{"dp", 2}, {"tp", 3}});
  expect_error<TypeError>([&] { mesh.size("db"); }, {"no dimension \"db\"", "dp"});
  expect_error<TypeError>([&] { mesh.slice({}); }, {"at least one dimension"});
  expect_error<TypeError>([&] { mesh.slice({"tp", "tp"}); }, {"\"tp\" twice"});
  expect_error<TypeError>([&] { const Group group = mesh; }, {"one dimension", "flatten()"});
}

TEST(DeviceMesh, KnowsThisRanksPlace) {
  simulate(6, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 3}});
    EXPECT_EQ(mesh.coordinate("dp"), world.rank() / 3);
    EXPECT_EQ(mesh.coordinate("tp"), world.rank() % 3);
    const Group along_dp(mesh, "dp");
    EXPECT_EQ(along_dp.position(), world.rank() / 3);
    EXPECT_EQ(along_dp.ranks(), (Ranks{world.rank() % 3, world.rank() % 3 + 3}));
    const DeviceMesh part({{"line", 2}}, {4, 5});
    EXPECT_EQ(part.coordinate("line"), world.rank() - 4 >= 0 ? world.rank() - 4 : -1);
  });
}

TEST(DeviceMesh, CollectivesTakeItsDimensions) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor x = cast(rank_index(world), DType::f32);
    const int rank = world.rank();
    EXPECT_EQ(all_reduce(x, mesh["tp"]).item<float>(), static_cast<float>(rank / 2 * 4 + 1));
    EXPECT_EQ(all_reduce(x, {mesh, "dp"}).item<float>(), static_cast<float>(2 * (rank % 2) + 2));
    EXPECT_EQ(all_reduce(x, mesh.flatten()).item<float>(), 6);
    // The mesh's own dimension and a list of the same ranks carry the same values.
    EXPECT_EQ(all_reduce(x, mesh["tp"]).item<float>(),
              all_reduce(x, std::vector<std::vector<std::int64_t>>{{0, 1}, {2, 3}}).item<float>());
  });
}

TEST(DeviceMesh, OfTheWorldNamesWhatTensorsAreReplicatedOver) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const Tensor x = cast(rank_index(world), DType::f32);
    const auto dimensions = [&](const Group& group) {
      return static_cast<int>(all_reduce(x, group).state()->type.replication.dimensions);
    };
    EXPECT_EQ(dimensions(mesh["dp"]), 1);
    EXPECT_EQ(dimensions(mesh["tp"]), 2);
    EXPECT_EQ(dimensions(mesh.flatten()), 3);
    EXPECT_EQ(dimensions(world), 3);
    EXPECT_EQ(dimensions(Group({1, 0, 3, 2})), 0);
  });
}

TEST(DeviceMesh, TheProgramHasOne) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    const DeviceMesh same(world, {{"dp", 2}, {"tp", 2}});
    EXPECT_EQ(mesh, same);
    expect_error<UsageError>([&] { DeviceMesh(world, {{"dp", 4}}); },
                             {"has a mesh already", "mesh_test.cpp"});
    expect_error<UsageError>([&] { DeviceMesh(world, {{"dp", 2}}); },
                             {"a mesh of 2 ranks in a world of 4"});
  });
}

TEST(DeviceMesh, IsTooLateOnceTensorsAreKnownToBeReplicated) {
  simulate(2, [](World& world) {
    world.split(0);  // communicates, and keeps nothing
    barrier(world);
    const Tensor total = all_reduce(cast(rank_index(world), DType::f32), world);
    expect_error<UsageError>([&] { DeviceMesh(world, {{"dp", 2}}); },
                             {"too late for a mesh", "mesh_test.cpp", "right after the World"});
    EXPECT_EQ(total.item<float>(), 1);
  });
  simulate(2, [](World& world) {
    world.split(0);
    barrier(world);
    const DeviceMesh mesh(world, {{"dp", 2}});
    EXPECT_EQ(all_reduce(tensor({1.F}), mesh).item<float>(), 2);
  });
}

TEST(DeviceMesh, ReplicatedMarksItsDimensions) {
  simulate(4, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
    // The same along dp, another along tp.
    const Tensor weight = full({2}, static_cast<float>(mesh.coordinate("tp")));
    const Tensor data = from(weight.array());
    expect_error<UsageError>([&] { replicated(data, mesh["tp"]); }, {"different values"});
    const Tensor marked = replicated(data, mesh["dp"]);
    EXPECT_EQ(marked.state()->type.replication.dimensions, 1U);
    const Tensor both = replicated(from(Array::scalar(1.F)), mesh["dp"]);
    EXPECT_EQ(replicated(both, mesh["tp"]).state()->type.replication.dimensions, 3U);
    expect_error<UsageError>([&] { replicated(data, Group({0, 1, 2, 3}, "list")); },
                             {"different values"});
    expect_error<UsageError>([&] { replicated(data, Group({1, 0, 3, 2})); }, {"whole dimensions"});
  });
}

}  // namespace
}  // namespace tutti::test::mesh_test

#include <sstream>

#include "tests/lazy/lazy_testing.h"

// What people are told, on their own line, when something cannot be.
namespace tutti::test::answers_test {
namespace {

TEST(Answers, ShapesThatCannotBe) {
  expect_error<TypeError>([] { from(Floats{1, 2, 3, 4, 5}, {2, 3}); },
                          {"5 values do not fill shape [2,3], which has 6 elements"});
  expect_error<TypeError>([] { zeros({-1}); }, {"a negative size in dimension 0"});
  expect_error<TypeError>([] { zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); }, {"9 dimensions; at most 8"});
  expect_error<TypeError>([] { zeros(std::vector<std::int64_t>{2, -3}); }, {"dimension 1"},
                          kNowhere);
  expect_error<TypeError>([] { arange(-3); }, {"arange: -3 numbers"});
  expect_error<TypeError>([] { eye(2, -3); }, {"eye: 2 rows and -3 columns"});
  expect_error<TypeError>([] { broadcast_to(ones({1}), {-2}); }, {"negative size"});
}

TEST(Answers, ShapesAreMadeOfListsAndListsOfShapes) {
  const std::vector<std::int64_t> sizes = {2, 3};
  const Tensor x = zeros(sizes);
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(reshape(arange(6), x.shape()).shape(), x.shape());
  EXPECT_EQ(broadcast_to(tensor(1.F), x.shape()).shape(), x.shape());
}

TEST(Answers, AxesAndElementsThatAreNotThere) {
  const Tensor x = zeros({2, 3});
  expect_error<TypeError>([&] { sum(x, 2); }, {"axis 2 of a tensor of rank 2; -2 to 1 are there"});
  expect_error<TypeError>([&] { sum(tensor(1.F), 0); }, {"of a tensor of rank 0, which has none"});
  EXPECT_EQ(take(arange(3), -1).item<std::int64_t>(), 2);
  expect_error<TypeError>([&] { take(x, 3, 1); }, {"no element 3 along axis 1 of f32[2,3]"});
  expect_error<TypeError>([&] { take(x, std::size_t{9}); }, {"no element 9 along axis 0"});
  expect_error<TypeError>([&] { take(x, -3); }, {"no element -3 along axis 0"});
}

TEST(Answers, TensorsWithoutAValue) {
  Tensor x = tensor({1.F});
  const Tensor y = std::move(x);
  expect_error<UsageError>([&] { sum(x); },  // NOLINT(bugprone-use-after-move): that is the point
                           {"never given a value, or was moved from"});
  std::ostringstream out;
  try {
    out << Tensor();
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_FALSE(error.where().known()) << error.what();  // an operator knows no line of the user's
  }
}

TEST(Answers, MemoryThatIsNotThereIsSaidWhereItIsAskedFor) {
  const unsigned line = __LINE__ + 1;
  const Tensor x = zeros({std::int64_t{1} << 46});
  expect_error<OutOfMemoryError>([&] { eval(x); }, {"out of memory"}, line);
  expect_error<OutOfMemoryError>([&] { x.to_vector<float>(); }, {"out of memory"}, line);
}

TEST(Answers, MeshesAtTheLine) {
  simulate(2, [](World& world) {
    const DeviceMesh mesh(world, {{"dp", 2}});
    expect_error<TypeError>([&] { mesh["tp"]; }, {"no dimension \"tp\"; did you mean 'dp'?"});
    expect_error<TypeError>([&] { Group(mesh, "tp"); }, {"no dimension \"tp\""});
  });
}

TEST(Answers, TreesThatDifferBetweenRanksAreNamed) {
  simulate(3, [](World& world) {
    const float own = world.rank() == 2 ? 1.F : 0.F;
    const std::map<std::string, std::vector<Tensor>> model = {
        {"a", {ones({2})}}, {"b", {ones({2}), tensor({own, 2.F})}}, {"c", {tensor({own})}}};
    expect_error<UsageError>(
        [&] { replicated(model, world); },
        {"'b.1', f32[2], differs on rank 0 and on rank 2, and 1 more leaves do", "broadcast"});
    std::vector<Tensor> uneven(static_cast<std::size_t>(1 + world.rank() / 2), ones({1}));
    expect_error<UsageError>([&] { replicated(uneven, world); },
                             {"the trees on rank 0 and on rank 2 hold 1 and 2 tensors"});
    expect_error<UsageError>([&] { replicated(tensor(own), world); }, {"the tensor, f32[]"});
  });
}

TEST(Answers, TreesOfOtherStructure) {
  const std::vector<Tensor> two = {ones({1}), ones({1})};
  const std::vector<Tensor> one = {ones({1})};
  expect_error<UsageError>(
      [&] { map([](const Tensor& a, const Tensor& b) { return a + b; }, two, one); },
      {"map: the trees differ in structure: one has 2 tensors, another 1"}, kNowhere);
}

}  // namespace
}  // namespace tutti::test::answers_test

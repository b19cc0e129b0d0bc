#include "tests/lazy/lazy_testing.h"

namespace tutti::test {
namespace {

struct Linear {
  Tensor weight, bias;
  TUTTI_FIELDS(weight, bias)
};
struct Block {
  Linear qkv;
  std::optional<Linear> extra;
  TUTTI_FIELDS(qkv, extra)
};
struct Model {
  std::vector<Block> blocks;
  std::map<std::string, Tensor> heads;
  std::tuple<Tensor, std::pair<Tensor, int>> rest;
  std::array<Tensor, 2> pair;
  std::string name;
  TUTTI_FIELDS(blocks, heads, rest, pair, name)
};

Tensor number(float value) { return tensor(value); }

Model some_model() {
  return {.blocks = {{{number(1), number(2)}, std::nullopt},
                     {{number(3), number(4)}, Linear{number(5), number(6)}}},
          .heads = {{"b", number(8)}, {"a", number(7)}},
          .rest = {number(9), {number(10), 42}},
          .pair = {number(11), number(12)},
          .name = "model"};
}

TEST(Tree, LeavesAreNamedByTheirPathInOrder) {
  std::vector<std::string> names;
  Floats values;
  for (const auto& [name, leaf] : leaves(some_model())) {
    names.push_back(name);
    values.push_back(leaf.item<float>());
  }
  EXPECT_THAT(names, testing::ElementsAre("blocks.0.qkv.weight", "blocks.0.qkv.bias",
                                          "blocks.1.qkv.weight", "blocks.1.qkv.bias",
                                          "blocks.1.extra.weight", "blocks.1.extra.bias", "heads.a",
                                          "heads.b", "rest.0", "rest.1.0", "pair.0", "pair.1"));
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(Tree, MapGoesOverTreesOfOneStructure) {
  const Model model = some_model();
  const Model sum =
      map([](const Tensor& a, const Tensor& b) { return a + 10.F * b; }, model, model);
  EXPECT_EQ(sum.blocks[1].extra->bias.item<float>(), 66);
  EXPECT_EQ(std::get<1>(std::get<1>(sum.rest)), 42);
  EXPECT_EQ(sum.name, "model");
  EXPECT_EQ(model.heads.at("a").item<float>(), 7) << "the argument is as it was";
}

TEST(Tree, MapOfDifferentStructuresIsRefused) {
  const Model model = some_model();
  Model longer = model;
  longer.blocks.push_back(model.blocks[0]);
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  expect_error<UsageError>([&] { map(add, longer, model); }, {"differ in structure"}, kNowhere);
  expect_error<UsageError>([&] { map(add, model, longer); }, {"differ in structure"}, kNowhere);
}

TEST(Tree, EvalComputesAllInOneGo) {
  const CompiledGraphs graphs;
  Model model = map([](const Tensor& a) { return a * 3.F; }, some_model());
  eval(model);
  EXPECT_EQ(graphs.count(), 1U);
  for_each_leaf(model, [](const Tensor& leaf) { EXPECT_TRUE(computed(leaf)); });
}

TEST(Tree, LeavesCanBeReplaced) {
  Model model = some_model();
  for_each_named_leaf(model, [](const std::string& name, Tensor& leaf) {
    if (name == "rest.1.0") leaf = number(-1);
  });
  EXPECT_EQ(std::get<0>(std::get<1>(model.rest)).item<float>(), -1);
}

TEST(Tree, AnEmptyTreeHasNoLeaves) {
  EXPECT_TRUE(leaves(Model{.blocks = {},
                           .heads = {},
                           .rest = {number(1), {number(2), 0}},
                           .pair = {number(3), number(4)},
                           .name = ""})
                  .size() == 4);
  EXPECT_TRUE(leaves(std::vector<Tensor>{}).empty());
  eval(std::map<std::string, Tensor>{});
}

}  // namespace
}  // namespace tutti::test

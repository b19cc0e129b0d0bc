#include "tests/lazy/lazy_testing.h"

namespace tutti::test::tree_test {
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

// Trees whose lists the compiler has to accept; tests/compile_fail has those it has to refuse.
struct Scaled : Linear {
  Tensor scale;
  TUTTI_FIELDS(weight, bias, scale)
};
struct WithFunction : Linear {
  Tensor operator()(const Tensor& x) const { return x * weight + bias; }
};
struct WithCache {
  Tensor weight;
  std::array<int, 3> counts;
  int cache[3];
  bool fresh;
  std::function<Tensor()> compute;
  TUTTI_FIELDS(weight, counts, left_out(cache), tutti::left_out(fresh), left_out(compute))
};
struct InAnotherOrder {
  bool first;
  Tensor weight;
  char last;
  TUTTI_FIELDS(weight, last, first)
};
struct WithOptionals {
  std::optional<int> number;
  std::optional<Linear> linear;
  const int constant = 3;
  TUTTI_FIELDS(number, linear, constant)
};
struct Node {
  Tensor value;
  std::vector<Node> children;
  TUTTI_FIELDS(value, children)
};
class Hidden {
 public:
  explicit Hidden(const Tensor& weight) : weight_(weight) {}
  virtual ~Hidden() = default;
  Hidden(const Hidden&) = default;
  Hidden& operator=(const Hidden&) = default;
  TUTTI_FIELDS(weight_, frozen_)

 private:
  Tensor weight_;
  bool frozen_ = false;
};
struct Nothing {
  TUTTI_FIELDS()
};

Tensor number(float value) { return tensor(value); }

template <class T>
std::vector<std::string> names_of(const T& tree) {
  std::vector<std::string> names;
  for (const auto& [name, leaf] : leaves(tree)) names.push_back(name);
  return names;
}

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

TEST(Tree, StructsMayDeriveFromTrees) {
  const Scaled scaled{{number(2), number(3)}, number(4)};
  EXPECT_THAT(names_of(scaled), testing::ElementsAre("weight", "bias", "scale"));
  const Scaled gradient =
      grad([](const Scaled& m) { return m.weight * m.weight * m.bias * m.scale; })(scaled);
  EXPECT_EQ(gradient.weight.item<float>(), 48);
  EXPECT_EQ(gradient.bias.item<float>(), 16);
  EXPECT_EQ(gradient.scale.item<float>(), 12);
  EXPECT_THAT(names_of(WithFunction{{number(1), number(2)}}),
              testing::ElementsAre("weight", "bias"));
}

TEST(Tree, MembersAreLeftOutWhereTheListSaysSo) {
  const WithCache tree{number(1), {}, {7, 8, 9}, true, [] { return number(5); }};
  EXPECT_THAT(names_of(tree), testing::ElementsAre("weight"));
  const WithCache twice = map([](const Tensor& x) { return x * 2.F; }, tree);
  EXPECT_EQ(twice.weight.item<float>(), 2);
  EXPECT_EQ(twice.cache[2], 9);
  EXPECT_EQ(twice.compute().item<float>(), 5);
  auto step = compile([](const WithCache& given) { return given; });
  EXPECT_EQ(step(tree).cache[1], 8);
  WithCache other = tree;
  other.cache[1] = 1;
  step(other);
  EXPECT_EQ(step.programs(), 1U) << "nothing looks at them";
  other.counts[1] = 1;
  step(other);
  EXPECT_EQ(step.programs(), 2U);
}

TEST(Tree, FieldsAreListedInAnyOrderWhereTheyCanBeCounted) {
  EXPECT_THAT(names_of(InAnotherOrder{true, number(1), 'x'}), testing::ElementsAre("weight"));
  EXPECT_THAT(names_of(WithOptionals{2, Linear{number(1), number(2)}}),
              testing::ElementsAre("linear.weight", "linear.bias"));
  EXPECT_THAT(names_of(Hidden(number(1))), testing::ElementsAre("weight_"));
  EXPECT_THAT(names_of(Nothing()), testing::ElementsAre());
}

TEST(Tree, StructsMayHoldLikeOnes) {
  Node root{number(1), {Node{number(2), {}}, Node{number(3), {}}}};
  EXPECT_THAT(names_of(root),
              testing::ElementsAre("value", "children.0.value", "children.1.value"));
  for_each_leaf(root, [](auto& leaf) { leaf = leaf * 2.F; });
  EXPECT_EQ(root.children[1].value.item<float>(), 6);
}

TEST(Tree, NumbersOfAllKindsAreCarriedAlong) {
  enum class Mode : std::int8_t { plain = -3 };
  struct Numbers {
    Mode mode;
    bool flag;
    char letter;
    std::uint16_t small;
    std::int64_t large;
    std::uint64_t largest;
    long double precise;
    TUTTI_FIELDS(mode, flag, letter, small, large, largest, precise)
  };
  const Numbers numbers{Mode::plain, true, 'x', 65535, -5, ~std::uint64_t{0}, 0.25L};
  auto step = compile([](const Numbers& n, const Tensor& x) {
    return std::pair(n, x + static_cast<double>(n.precise));
  });
  const auto [out, sum] = step(numbers, tensor(1.0));
  EXPECT_EQ(out.mode, Mode::plain);
  EXPECT_TRUE(out.flag);
  EXPECT_EQ(out.largest, ~std::uint64_t{0});
  EXPECT_EQ(out.precise, 0.25L);
  EXPECT_EQ(sum.item<double>(), 1.25);
  Numbers other = numbers;
  other.precise = 0.5L;
  const auto [again, more] = step(other, tensor(1.0));
  EXPECT_EQ(again.precise, 0.5L);
  EXPECT_EQ(more.item<double>(), 1.5);
  other.mode = Mode(-2);
  step(other, tensor(1.0));
  EXPECT_THAT(step.explain(), testing::HasSubstr("0.mode = -3 became 0.mode = -2"));
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
  expect_error<UsageError>([&] { map(add, longer, model); }, {"differ in structure"});
  expect_error<UsageError>([&] { map(add, model, longer); }, {"differ in structure"});
  const TensorMap one = {{"a", number(1)}, {"b", number(2)}};
  const TensorMap other = {{"a", number(1)}, {"c", number(2)}};
  expect_error<UsageError>([&] { map(add, one, other); }, {"'b' where number 2 has 'c'"});
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
}  // namespace tutti::test::tree_test

#include <optional>

#include "tests/lazy/lazy_testing.h"

// Tensors by name, and how they become a tree's.
namespace tutti::test::tensor_map_test {
namespace {

struct Layer {
  Tensor weight;
  std::optional<Tensor> bias;
  int heads = 1;
  TUTTI_FIELDS(weight, bias, heads)
};
struct Model {
  std::vector<Layer> blocks;
  Tensor scale;
  TUTTI_FIELDS(blocks, scale)
};

Model model() {
  return {.blocks = {{.weight = zeros({2, 3}), .bias = zeros({3})},
                     {.weight = zeros({3, 2}), .bias = {}}},
          .scale = zeros({2})};
}
TensorMap tensors() {
  return {{"blocks.0.weight", ones({2, 3})},
          {"blocks.0.bias", ones({3})},
          {"blocks.1.weight", ones({3, 2})},
          {"scale", ones({2})}};
}

std::vector<std::string> names_of(const TensorMap& tensors) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : tensors) out.push_back(name);
  return out;
}

TEST(WithTensors, LeavesTakeThoseOfTheirNames) {
  TensorMap given = tensors();
  given["scale"] = tensor({5.F, 6.F});
  const Model filled = with_tensors(model(), given);
  EXPECT_EQ(filled.scale.to_vector<float>(), Floats({5, 6}));
  EXPECT_EQ(filled.blocks[0].bias->to_vector<float>(), Floats({1, 1, 1}));
  EXPECT_FALSE(filled.blocks[1].bias.has_value());
}

TEST(WithTensors, ALeafWithoutAValueTakesAnything) {
  Model like = model();
  like.scale = {};
  TensorMap given = tensors();
  given["scale"] = tensor({1, 2, 3});
  EXPECT_EQ(with_tensors(like, given).scale.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{1, 2, 3}));
}

TEST(WithTensors, AllThatDoesNotFitIsNamedAtOnce) {
  TensorMap given = tensors();
  given.erase("blocks.0.bias");
  given["blocks.1.weight"] = ones({2, 3});
  given["scale"] = ones({2}, DType::f64);
  given["other"] = ones({7});
  expect_error<UsageError>(
      [&] { with_tensors(model(), given); },
      {"the map of tensors does not fit the tree", "missing: 'blocks.0.bias' f32[3]",
       "not in the tree: 'other' f32[7]", "'blocks.1.weight' is f32[2,3] and not f32[3,2]",
       "'scale' is f64[2] and not f32[2]"});
}

TEST(WithTensors, DtypesAreConvertedOnRequest) {
  TensorMap given = tensors();
  given["scale"] = tensor({1.5, 2.5});
  expect_error<UsageError>([&] { with_tensors(model(), given); },
                           {"'scale' is f64[2] and not f32[2]", "with the option cast"});
  EXPECT_EQ(with_tensors(model(), given, true).scale.to_vector<float>(), Floats({1.5, 2.5}));
}

TEST(WithTensors, ManyNamesAreCutShort) {
  std::vector<Tensor> like(20, zeros({1}));
  expect_error<UsageError>([&] { with_tensors(like, {}); }, {"'0' f32[1]", "and 12 more"});
}

TEST(WithTensors, LeavesHaveNamesOfTheirOwn) {
  expect_error<UsageError>([] { with_tensors(zeros({1}), {}); }, {"a tensor alone has no name"});
  struct Inner {
    Tensor b;
    TUTTI_FIELDS(b)
  };
  std::pair<std::map<std::string, Tensor>, int> twice;
  twice.first = {{"a", zeros({1})}};
  EXPECT_NO_THROW(with_tensors(twice, {{"0.a", ones({1})}}));
  std::map<std::string, std::map<std::string, Tensor>> dots = {{"a", {{"b.c", zeros({1})}}},
                                                               {"a.b", {{"c", zeros({1})}}}};
  expect_error<UsageError>([&] { with_tensors(dots, {}); }, {"both called 'a.b.c'"});
}

TEST(Renamed, StarsStandForWhatTheyMet) {
  const TensorMap before = {{"bert.encoder.layer.0.query.weight", ones({2})},
                            {"bert.encoder.layer.11.query.weight", ones({3})},
                            {"bert.embeddings.word.weight", ones({4})},
                            {"classifier", ones({5})}};
  const TensorMap after = renamed(before, {{"bert.encoder.layer.*.query.*", "blocks.*.q.*"},
                                           {"bert.embeddings.**", ""},
                                           {"**", "rest.**"}});
  EXPECT_THAT(names_of(after),
              testing::ElementsAre("blocks.0.q.weight", "blocks.11.q.weight", "rest.classifier"));
  EXPECT_EQ(after.at("blocks.11.q.weight").shape(), Shape({3}));
}

TEST(Renamed, AStarMeetsNoDotAndNotNothing) {
  const TensorMap before = {{"a.b.c", ones({1})}, {"a.", ones({1})}};
  EXPECT_THAT(names_of(renamed(before, {{"a.*", "x.*"}})), testing::ElementsAre("a.", "a.b.c"));
  EXPECT_THAT(names_of(renamed(before, {{"a.**", "x.**"}})), testing::ElementsAre("x.", "x.b.c"));
}

TEST(Renamed, ManyStarsTakeNoTime) {
  const std::string name(2000, 'a');
  const TensorMap before = {{name + "b", ones({1})}};
  std::string from;
  std::string to;
  for (int i = 0; i < 20; ++i) {
    from += "**a";
    to += "**";
  }
  EXPECT_THAT(names_of(renamed(before, {{from, to}})), testing::ElementsAre(name + "b"));
}

TEST(Renamed, Transposes) {
  const TensorMap after = renamed({{"w", tensor({{1.F, 2.F}, {3.F, 4.F}, {5.F, 6.F}})}},
                                  {{.from = "w", .to = "v", .transpose = true}});
  EXPECT_EQ(after.at("v").shape(), Shape({2, 3}));
  EXPECT_EQ(after.at("v").to_vector<float>(), Floats({1, 3, 5, 2, 4, 6}));
}

TEST(Renamed, RulesThatCannotBeMeantAreRefused) {
  const TensorMap before = {{"a.x", ones({1})}, {"b.x", ones({1})}};
  expect_error<UsageError>([&] { renamed(before, {{"*.x", "y"}}); }, {"should have the stars"});
  expect_error<UsageError>([&] { renamed(before, {{"a.x", "*"}}); }, {"should have the stars"});
  expect_error<UsageError>([&] { renamed(before, {{"a.x", "b.x"}}); },
                           {"'a.x' and 'b.x' would both be called 'b.x'"});
  expect_error<UsageError>(
      [&] { renamed(before, {{.from = "a.x", .to = "y", .transpose = true}}); },
      {"'a.x', f32[1], has no two axes"});
}

}  // namespace
}  // namespace tutti::test::tensor_map_test

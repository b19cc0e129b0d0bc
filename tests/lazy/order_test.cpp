#include "tests/lazy/lazy_testing.h"

// What goes along an axis: sorting, running sums, stacking and dividing, as users call them.
namespace tutti::test::order_test {
namespace {

using Integers = std::vector<std::int64_t>;

const std::vector<float> kValues = {3, 1, 2, 6, 5, 4};
Tensor rows() { return from(kValues, {2, 3}); }

TEST(Sort, GivesATreeOfValuesAndIndices) {
  const Sorted sorted = sort(rows());
  std::vector<std::string> names;
  for (const auto& [name, leaf] : leaves(sorted)) names.push_back(name);
  EXPECT_EQ(names, std::vector<std::string>({"values", "indices"}));
  eval(sorted);
  EXPECT_TRUE(computed(sorted.values) && computed(sorted.indices));
  EXPECT_EQ(sorted.values.to_vector<float>(), Floats({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(sorted.indices.to_vector<std::int64_t>(), Integers({1, 2, 0, 2, 1, 0}));
  auto function = compile([](const Tensor& x) { return sort(x, 0, true); });
  EXPECT_EQ(function(rows()).values.to_vector<float>(), Floats({6, 5, 4, 3, 1, 2}));
}

TEST(Sort, IsOneNodeForBothResults) {
  CompiledGraphs graphs;
  const Tensor x = rows();
  const Sorted sorted = sort(x);
  const Tensor again = take_along_axis(x, sorted.indices, -1) - sorted.values;
  EXPECT_EQ(again.to_vector<float>(), Floats(6, 0));
  EXPECT_EQ(graphs.count(ir::Op::sort), 1);
}

TEST(Sort, AxesCountFromTheEnd) {
  const auto values = [](const Sorted& s) { return s.values.to_vector<float>(); };
  EXPECT_EQ(values(sort(rows(), -2)), values(sort(rows(), 0)));
  EXPECT_EQ(values(topk(rows(), 1, -1)), Floats({3, 6}));
  EXPECT_EQ(values(topk(rows(), 2, 1, false)), Floats({1, 2, 4, 5}));
  EXPECT_EQ(argsort(rows(), -1, true).to_vector<std::int64_t>(), Integers({0, 2, 1, 0, 1, 2}));
  EXPECT_EQ(cumsum(rows(), -1).to_vector<float>(), Floats({3, 4, 6, 6, 11, 15}));
  EXPECT_EQ(cumsum(rows(), 0, true).to_vector<float>(), Floats({9, 6, 6, 6, 5, 4}));
  EXPECT_EQ(cumprod(rows(), -1).to_vector<float>(), Floats({3, 3, 6, 6, 30, 120}));
  EXPECT_EQ(cummax(rows(), -1, true).to_vector<float>(), Floats({3, 2, 2, 6, 5, 4}));
  EXPECT_EQ(cummin(rows(), 1).to_vector<float>(), Floats({3, 1, 1, 6, 5, 4}));
}

TEST(Sort, AFewOfManyAreThoseOfTheWholeInOrder) {
  const Tensor x = round(normal({5, 1000, 2}, Key(3)) * 20.F);  // many are equal
  for (const bool largest : {true, false}) {
    const Sorted few = topk(x, 17, 1, largest);
    const Sorted all = sort(x, 1, largest);
    const auto first = [](const Tensor& of) { return slice(of, {{}, {.stop = 17}}); };
    EXPECT_EQ(few.values.to_vector<float>(), first(all.values).to_vector<float>());
    EXPECT_EQ(few.indices.to_vector<std::int64_t>(), first(all.indices).to_vector<std::int64_t>());
  }
}

TEST(Sort, RefusesWhatHasNoOrder) {
  const Tensor x = rows();
  expect_error<TypeError>([&] { return sort(x, 2); }, {"sort", "axis 2 of ", "-2 to 1"});
  expect_error<TypeError>([&] { return sort(tensor(1.F)); }, {"sort", "f32[]"});
  expect_error<TypeError>([&] { return argsort(x > 2); }, {"sort", "cast bool"});
  expect_error<TypeError>([&] { return topk(x, 4); }, {"topk", "k is 4", "3 elements"});
  expect_error<TypeError>([&] { return topk(x, -1); }, {"k is -1"});
  expect_error<TypeError>([&] { return cumsum(x, -3); }, {"cumsum", "axis -3"});
  expect_error<TypeError>([&] { return cumsum(x > 2, 0); }, {"cumsum", "cast bool"});
  expect_error<TypeError>([&] { return cummax(x, 2); }, {"cummax", "axis 2"});
}

TEST(DynamicSlice, BeginsWhereATensorSays) {
  const Tensor x = rows();
  EXPECT_EQ(dynamic_slice(x, tensor({1, 1}), {1, 2}).to_vector<float>(), Floats({5, 4}));
  EXPECT_EQ(dynamic_slice(x, tensor({9, -9}), {1, 2}).to_vector<float>(), Floats({6, 5}));
  EXPECT_EQ(dynamic_update_slice(x, zeros({2, 1}), tensor({0, 1})).to_vector<float>(),
            Floats({3, 0, 2, 6, 0, 4}));
  expect_error<TypeError>([&] { return dynamic_slice(x, tensor({1}), {1, 2}); },
                          {"dynamic_slice", "[2]"});
  expect_error<TypeError>([&] { return dynamic_slice(x, tensor({1, 1}), {1}); },
                          {"1 sizes", "rank 2"});
  expect_error<TypeError>([&] { return dynamic_slice(x, tensor({1, 1}), {3, 1}); },
                          {"size 3", "2 elements"});
  expect_error<TypeError>([&] { return dynamic_slice(x, zeros({2}), {1, 1}); }, {"integers"});
  expect_error<TypeError>([&] { return dynamic_update_slice(x, zeros({3}), tensor({1, 1})); },
                          {"dynamic_update_slice", "rank"});
}

TEST(Stack, PutsTensorsAlongANewAxis) {
  const std::vector<Tensor> parts = {tensor({1.F, 2.F}), tensor({3.F, 4.F}), tensor({5.F, 6.F})};
  EXPECT_EQ(stack(parts).shape(), Shape({3, 2}));
  EXPECT_EQ(stack(parts).to_vector<float>(), Floats({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(stack(parts, -1).to_vector<float>(), Floats({1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(stack(parts, 1).shape(), Shape({2, 3}));
  const std::vector<Tensor> scalars = {tensor(1.F), tensor(2.F)};
  EXPECT_EQ(stack(scalars).to_vector<float>(), Floats({1, 2}));
  const auto loss = [](const std::vector<Tensor>& t) { return sum(stack(t) * stack(t)); };
  EXPECT_EQ(grad(loss)(parts)[1].to_vector<float>(), Floats({6, 8}));
}

TEST(Stack, RefusesTensorsThatDiffer) {
  const std::vector<Tensor> shapes = {zeros({2}), zeros({1})};
  expect_error<TypeError>([&] { return stack(shapes); }, {"stack", "f32[2]", "f32[1]"});
  const std::vector<Tensor> dtypes = {zeros({2}), zeros({2}, DType::f64)};
  expect_error<TypeError>([&] { return stack(dtypes); }, {"stack", "f64[2]"});
  expect_error<TypeError>([&] { return stack(std::vector<Tensor>()); }, {"no tensors"});
  expect_error<TypeError>([&] { return stack(std::vector{zeros({2})}, 2); }, {"axis 2", "rank 2"});
}

TEST(Split, IntoEqualPartsOrSizes) {
  const Tensor x = arange(6, DType::i64);
  const auto parts = split(x, 3);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].to_vector<std::int64_t>(), Integers({2, 3}));
  const auto sized = split(x, {1, 0, 5});
  ASSERT_EQ(sized.size(), 3U);
  EXPECT_EQ(sized[1].elements(), 0);
  EXPECT_EQ(sized[2].to_vector<std::int64_t>(), Integers({1, 2, 3, 4, 5}));
  // A list of one size is no number of parts.
  EXPECT_EQ(split(x, {6}).size(), 1U);
  const auto columns = split(rows(), 3, -1);
  EXPECT_EQ(columns[2].to_vector<float>(), Floats({2, 4}));
  EXPECT_EQ(split(zeros({0, 2}), 4).size(), 4U);
}

TEST(Split, UndoesConcat) {
  const auto loss = [](const Tensor& x) {
    const auto parts = split(x, {1, 2}, 1);
    return sum(parts[0] * 2) + sum(concat(std::vector{parts[1], parts[0]}, 1) * parts[0]);
  };
  const Tensor x = rows();
  EXPECT_EQ(concat(split(x, {2, 1}, 1), 1).to_vector<float>(), kValues);
  EXPECT_EQ(grad(loss)(x).to_vector<float>(), Floats({11, 3, 3, 23, 6, 6}));
}

TEST(Split, RefusesPartsThatDoNotFit) {
  const Tensor x = arange(6);
  expect_error<TypeError>([&] { return split(x, 4); }, {"split", "4 equal parts", "6 elements"});
  expect_error<TypeError>([&] { return split(x, 0); }, {"0 equal parts"});
  expect_error<TypeError>([&] { return split(x, {2, 3}); }, {"add up to the 6 elements"});
  expect_error<TypeError>([&] { return split(x, {7, -1}); }, {"not negative"});
  expect_error<TypeError>([&] { return split(x, 2, 1); }, {"axis 1 of i64[6]"});
}

}  // namespace
}  // namespace tutti::test::order_test

#include <tutti/codegen/view.h>
#include <tutti/ir/builder.h>

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace tutti::codegen::view_test {
namespace {

using ir::Op;
using List = std::vector<std::int64_t>;

List strides_of(const View& view) {
  return {view.strides.begin(), view.strides.begin() + view.shape.rank()};
}

// A graph with one parameter, to hang views on.
class ViewsOf : public testing::Test {
 protected:
  ir::Graph graph_;
  ir::Builder builder_{graph_};
  ir::Value x_ = graph_.add_parameter("x", {.dtype = DType::f32, .shape = {4, 6}});

  View view(ir::Value value) const { return Views(graph_)[value]; }
};

TEST_F(ViewsOf, AParameterIsDense) { EXPECT_TRUE(view(x_).dense()); }

TEST_F(ViewsOf, ATransposeSwapsStrides) {
  const View t = view(builder_.add(Op::transpose, {x_}, {List{1, 0}}));
  EXPECT_EQ(strides_of(t), (List{1, 6}));
  EXPECT_FALSE(t.dense());
  EXPECT_EQ(t.base, x_);
}

TEST_F(ViewsOf, ASliceOfAPadMayHaveAnyStep) {
  const ir::Value zero = builder_.constant(ir::Array::scalar(0.0F));
  const ir::Value padded = builder_.add(Op::pad, {x_, zero}, {List{1, 0}, List{1, 0}, List{0, 0}});
  const View t = view(
      builder_.add(Op::slice, {padded},
                   {List{1, 0}, List{6, 6}, List{std::numeric_limits<std::int64_t>::max(), 1}}));
  EXPECT_EQ(t.source, View::Source::padded);
  EXPECT_EQ(t.inside[0].begin, 0);
  EXPECT_EQ(t.inside[0].end, 1);
}

TEST_F(ViewsOf, ASliceOfAReverseStartsAtTheEnd) {
  const ir::Value reversed = builder_.add(Op::reverse, {x_}, {List{1}});
  const View t = view(builder_.add(Op::slice, {reversed}, {List{0, 1}, List{4, 6}, List{1, 2}}));
  EXPECT_EQ(t.offset, 4);
  EXPECT_EQ(strides_of(t), (List{6, -2}));
}

TEST_F(ViewsOf, AReshapeSplitsAndMergesWhatLiesAtOneStride) {
  const View split = view(builder_.add(Op::reshape, {x_}, {List{2, 2, 3, 2}}));
  EXPECT_EQ(strides_of(split), (List{12, 6, 2, 1}));
  const View merged = view(builder_.add(Op::reshape, {x_}, {List{24}}));
  EXPECT_EQ(strides_of(merged), (List{1}));
  EXPECT_TRUE(merged.dense());
}

TEST_F(ViewsOf, AReshapeThatStridesCantSayIsNotFree) {
  const ir::Value t = builder_.add(Op::transpose, {x_}, {List{1, 0}});
  const ir::Value flat = builder_.add(Op::reshape, {t}, {List{24}});
  const Views views(graph_);
  EXPECT_FALSE(views.free(graph_.producer(flat)));
  EXPECT_EQ(views[flat].base, flat);
  EXPECT_TRUE(views[flat].dense());
}

std::vector<std::pair<std::int64_t, std::int64_t>> inside_of(const View& view) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (int d = 0; d < view.shape.rank(); ++d) {
    const View::Range inside = view.inside[static_cast<std::size_t>(d)];
    out.emplace_back(inside.begin, inside.end);
  }
  return out;
}

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST_F(ViewsOf, APadIsInsideWhereItsOperandIs) {
  const ir::Value zero = builder_.scalar(DType::f32, 0);
  const ir::Value padded = builder_.add(Op::pad, {x_, zero}, {List{1, 0}, List{0, 2}, List{0, 0}});
  const View p = view(padded);
  EXPECT_EQ(p.source, View::Source::padded);
  EXPECT_EQ(p.base, x_);
  EXPECT_EQ(p.offset, -6);
  EXPECT_EQ(inside_of(p), (Ranges{{1, 5}, {0, 6}}));
  EXPECT_FALSE(p.dense());
  // Every second row of its transpose, backwards.
  const ir::Value turned = builder_.add(Op::transpose, {padded}, {List{1, 0}});
  const ir::Value sliced = builder_.add(Op::slice, {turned}, {List{3, 0}, List{8, 4}, List{2, 1}});
  const View s = view(builder_.add(Op::reverse, {sliced}, {List{0}}));
  EXPECT_EQ(strides_of(s), (List{-2, 6}));
  EXPECT_EQ(s.offset, -6 + 7);
  EXPECT_EQ(inside_of(s), (Ranges{{1, 3}, {1, 4}}));
}

TEST_F(ViewsOf, APadOfAPadIsOneOfTheSameNumber) {
  const ir::Value zero = builder_.scalar(DType::f32, 0);
  const ir::Value one = builder_.scalar(DType::f32, 1);
  const List none{0, 0};
  const ir::Value inner = builder_.add(Op::pad, {x_, zero}, {List{1, 1}, none, none});
  const ir::Value same = builder_.add(Op::pad, {inner, zero}, {List{0, 2}, none, none});
  const ir::Value other = builder_.add(Op::pad, {inner, one}, {List{0, 2}, none, none});
  const ir::Value between = builder_.add(Op::pad, {x_, zero}, {none, none, List{1, 0}});
  const Views views(graph_);
  EXPECT_EQ(inside_of(views[same]), (Ranges{{1, 5}, {3, 9}}));
  EXPECT_EQ(views[same].offset, -9);
  EXPECT_FALSE(views.free(graph_.producer(other)));
  EXPECT_FALSE(views.free(graph_.producer(between)));
}

TEST_F(ViewsOf, WhatOnlyAPadHasIsANumber) {
  const ir::Value zero = builder_.scalar(DType::f32, 0);
  const ir::Value padded = builder_.add(Op::pad, {x_, zero}, {List{2, 0}, List{0, 0}, List{0, 0}});
  const View v = view(builder_.add(Op::slice, {padded}, {List{0, 0}, List{2, 6}, List{1, 1}}));
  EXPECT_EQ(v.source, View::Source::constant);
  EXPECT_EQ(strides_of(v), (List{0, 0}));
}

TEST_F(ViewsOf, AReshapeOfAPadKeepsItsPaddedAxes) {
  const ir::Value zero = builder_.scalar(DType::f32, 0);
  const ir::Value padded = builder_.add(Op::pad, {x_, zero}, {List{0, 1}, List{0, 1}, List{0, 0}});
  const ir::Value split = builder_.add(Op::reshape, {padded}, {List{2, 2, 1, 8}});
  const ir::Value merged = builder_.add(Op::reshape, {padded}, {List{32}});
  const Views views(graph_);
  EXPECT_EQ(inside_of(views[split]), (Ranges{{0, 2}, {0, 2}, {0, 1}, {1, 7}}));
  EXPECT_FALSE(views.free(graph_.producer(merged)));
}

TEST_F(ViewsOf, ABroadcastHasStrideZero) {
  const ir::Value row = builder_.add(Op::slice, {x_}, {List{1, 0}, List{2, 6}, List{1, 1}});
  const View wide = view(builder_.add(Op::broadcast_to, {row}, {List{3, 4, 6}}));
  EXPECT_EQ(strides_of(wide), (List{0, 0, 1}));
  EXPECT_EQ(wide.offset, 6);
}

TEST_F(ViewsOf, AnIotaIsItsIndex) {
  const ir::Value iota = builder_.add(Op::iota, std::span<const ir::Value>(),
                                      {DType::i64, List{4, 6}, std::int64_t{1}});
  const View turned = view(builder_.add(Op::transpose, {iota}, {List{1, 0}}));
  EXPECT_EQ(turned.source, View::Source::index);
  EXPECT_EQ(strides_of(turned), (List{1, 0}));
}

TEST_F(ViewsOf, SizeOneDimensionsDontHinderAReshape) {
  const ir::Value wide = builder_.add(Op::expand_dims, {x_}, {List{0, 2}});
  const View back = view(builder_.add(Op::squeeze, {wide}, {List{0, 2}}));
  EXPECT_TRUE(back.dense());
  EXPECT_EQ(back.base, x_);
}

TEST_F(ViewsOf, APartThatBeginsWhereNumbersSayIsMoved) {
  const ir::Value starts = graph_.add_parameter("starts", {.dtype = DType::i32, .shape = {3}});
  const ir::Value two = builder_.add(Op::slice, {starts}, {List{1}, List{3}, List{1}});
  const ir::Value turned = builder_.add(Op::transpose, {x_}, {List{1, 0}});
  const ir::Value part = builder_.add(Op::dynamic_slice, {turned, two}, {List{2, 4}});
  const View row = view(builder_.add(Op::slice, {part}, {List{1, 0}, List{2, 4}, List{1, 1}}));
  EXPECT_EQ(row.source, View::Source::moved);
  EXPECT_EQ(row.base, x_);
  EXPECT_EQ(row.offset, 1);
  EXPECT_EQ(strides_of(row), (List{1, 6}));
  ASSERT_EQ(row.starts.size(), 1);  // the second is 0 whatever the number is
  EXPECT_EQ(row.starts[0].index, starts);
  EXPECT_EQ(row.starts[0].dtype, DType::i32);
  EXPECT_EQ(row.starts[0].element, 1);
  EXPECT_EQ(row.starts[0].most, 4);
  EXPECT_EQ(row.starts[0].stride, 1);
  EXPECT_FALSE(row.dense());
}

TEST_F(ViewsOf, APartOfAllIsWhatItIsPartOf) {
  const ir::Value starts = graph_.add_parameter("starts", {.dtype = DType::i32, .shape = {2}});
  EXPECT_TRUE(view(builder_.add(Op::dynamic_slice, {x_, starts}, {List{4, 6}})).dense());
}

TEST_F(ViewsOf, APartIsCopiedIfItIsReadBehindAnUpdate) {
  const ir::Value starts = graph_.add_parameter("starts", {.dtype = DType::i32, .shape = {2}});
  const ir::Value part = builder_.add(Op::dynamic_slice, {x_, starts}, {List{1, 6}});
  const ir::Value early = builder_.add(Op::neg, {part});
  builder_.add(Op::dynamic_update_slice, {x_, early, starts});
  EXPECT_TRUE(Views(graph_).free(graph_.producer(part)));
  builder_.add(Op::exp, {builder_.add(Op::reshape, {part}, {List{6}})});
  EXPECT_FALSE(Views(graph_).free(graph_.producer(part)));
}

}  // namespace
}  // namespace tutti::codegen::view_test

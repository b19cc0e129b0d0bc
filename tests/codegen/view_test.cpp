#include <tutti/codegen/view.h>
#include <tutti/ir/builder.h>

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

}  // namespace
}  // namespace tutti::codegen::view_test

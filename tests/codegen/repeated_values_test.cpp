#include <tutti/codegen/kernel/repeated_values.h>

#include "tests/codegen/kernel_maker.h"
#include <gtest/gtest.h>

namespace tutti::codegen::repeated_values_test {
namespace {

using ir::ScalarOp;
using namespace kernel_testing;  // NOLINT: the helpers of this folder

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

const Affine kRow{0, {64}, {1}};
const Affine kNextRow{64, {64}, {1}};

TEST(RepeatedValues, AreThoseThatAnEarlierLoopHas) {
  KernelMaker maker("rows", {4}, {64}, VectorAxis::inner);
  const int in = maker.read(DType::f32);
  const int other = maker.read(DType::f32);
  maker.loop();
  const ValueId x = maker.load(in, kRow);
  const ValueId most = maker.reduce(ScalarOp::maximum, x);
  maker.loop();
  const ValueId x2 = maker.load(in, kRow);
  const ValueId below = maker.op(ScalarOp::sub, x2, most);
  const ValueId power = maker.op(ScalarOp::exp, below);
  const ValueId sum = maker.reduce(ScalarOp::add, power);
  maker.loop();
  const ValueId power3 =
      maker.op(ScalarOp::exp, maker.op(ScalarOp::sub, maker.load(in, kRow), most));
  const ValueId share = maker.op(ScalarOp::div, power3, sum);
  const ValueId beside = maker.op(ScalarOp::sub, maker.load(other, kRow), most);
  const ValueId behind = maker.op(ScalarOp::sub, maker.load(in, kNextRow), most);
  const ValueId one = maker.op(ScalarOp::add, power3, maker.constant(DType::f32, 1));
  const std::vector<ValueId> first = find_repeated_values(maker.kernel());
  EXPECT_EQ(first[at(x)], -1);
  EXPECT_EQ(first[at(x2)], x);
  EXPECT_EQ(first[at(below)], -1);
  EXPECT_EQ(first[at(power)], -1);
  EXPECT_EQ(first[at(power3)], power);
  for (const ValueId id : {share, beside, behind, one}) EXPECT_EQ(first[at(id)], -1);
}

TEST(RepeatedValues, AreNotOthersOfTheSameLoop) {
  KernelMaker maker("rows", {4}, {64}, VectorAxis::inner);
  const int in = maker.read(DType::f32);
  maker.loop();
  maker.op(ScalarOp::exp, maker.load(in, kRow));
  const ValueId again = maker.op(ScalarOp::exp, maker.load(in, kRow));
  EXPECT_EQ(find_repeated_values(maker.kernel())[at(again)], -1);
}

TEST(RepeatedValues, DifferInTheirNumbers) {
  KernelMaker maker("rows", {4}, {64}, VectorAxis::inner);
  const int in = maker.read(DType::f32);
  const auto scaled = [&](double number) {
    return maker.op(ScalarOp::mul, maker.load(in, kRow), maker.constant(DType::f32, number));
  };
  maker.loop();
  const ValueId twice = scaled(2);
  scaled(0.0);
  maker.loop();
  const ValueId twice_again = scaled(2);
  const ValueId thrice = scaled(3);
  const ValueId negative_zero = scaled(-0.0);
  const std::vector<ValueId> first = find_repeated_values(maker.kernel());
  EXPECT_EQ(first[at(twice_again)], twice);
  EXPECT_EQ(first[at(thrice)], -1);
  EXPECT_EQ(first[at(negative_zero)], -1);
}

TEST(CostlyValues, AreMadeOfWhatTakesLongInTheirOwnLoop) {
  KernelMaker maker("rows", {4}, {64}, VectorAxis::inner);
  const int in = maker.read(DType::f32);
  maker.loop();
  const ValueId x = maker.load(in, kRow);
  const ValueId root = maker.op(ScalarOp::sqrt, x);
  const ValueId more = maker.op(ScalarOp::add, root, x);
  const ValueId sum = maker.reduce(ScalarOp::add, more);
  maker.loop();
  const ValueId below = maker.op(ScalarOp::sub, maker.load(in, kRow), sum);
  const std::vector<bool> costly = find_costly_values(maker.kernel());
  EXPECT_FALSE(costly[at(x)]);
  EXPECT_TRUE(costly[at(root)]);
  EXPECT_TRUE(costly[at(more)]);
  EXPECT_FALSE(costly[at(below)]);
}

}  // namespace
}  // namespace tutti::codegen::repeated_values_test

// The text, identity and rules of kernels.

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/support/error.h>

#include <functional>

#include "tests/codegen/kernel_maker.h"
#include <gmock/gmock.h>

namespace tutti::codegen::kernel_test {
namespace {

using ir::ScalarOp;
using kernel_testing::KernelMaker;
using testing::HasSubstr;

// Rows of a bf16 matrix minus their maximum, with some decoration.
Kernel sample() {
  KernelMaker maker("center", {4, 5}, {33}, VectorAxis::inner);
  const int x = maker.read(DType::bf16);
  const int y = maker.write(DType::bf16);
  const Affine row{.offset = 3, .outer = {165, 33}, .inner = {-1}};
  maker.loop();
  const ValueId largest = maker.reduce(ScalarOp::maximum, maker.load(x, row));
  maker.point();
  const ValueId half = maker.op(ScalarOp::mul, largest, maker.constant(DType::f32, 0.5));
  maker.loop();
  const ValueId difference = maker.op(ScalarOp::sub, maker.load(x, row), half);
  const ValueId index = maker.cast(maker.index(row), DType::f16);
  const ValueId sum = maker.op(ScalarOp::add, difference, index);
  maker.store(y, {.offset = 0, .outer = {165, 33}, .inner = {1}}, maker.round(DType::bf16, sum));
  return maker.kernel();
}

TEST(KernelText, SaysEverything) {
  EXPECT_EQ(print(sample()),
            R"(kernel center outer [4, 5] inner [33] along inner block 1 values 10 {
  b0: bf16 read
  b1: bf16 written
  loop
    %0: f32 = load b0[3 + 165*o0 + 33*o1 - i0]
    %1: f32 = reduce.maximum %0
  point
    %2: f32 = constant 0.5
    %3: f32 = mul.f32 %1, %2
  loop
    %4: f32 = load b0[3 + 165*o0 + 33*o1 - i0]
    %5: f32 = sub.f32 %4, %3
    %6: i64 = index 3 + 165*o0 + 33*o1 - i0
    %7: f32 = cast.i64.f16 %6
    %8: f32 = add.f32 %5, %7
    %9: f32 = round.bf16 %8
    b1[165*o0 + 33*o1 + i0] = %9
}
)");
}

TEST(KernelHash, IsOfEverythingButTheName) {
  const Hash128 hash = kernel_hash(sample());
  Kernel kernel = sample();
  kernel.name = "another";
  EXPECT_EQ(kernel_hash(kernel), hash);

  const std::function<void(Kernel&)> changes[] = {
      [](Kernel& k) { k.outer[1] = 6; },
      [](Kernel& k) { k.inner[0] = 34; },
      [](Kernel& k) { k.vector_axis = VectorAxis::outer; },
      [](Kernel& k) { k.block = 16; },
      [](Kernel& k) { k.buffers[0].dtype = DType::f16; },
      [](Kernel& k) { k.buffers[0].written = true; },
      [](Kernel& k) { k.value_count = 11; },
      [](Kernel& k) { k.segments[1].loop = true; },
      [](Kernel& k) { k.segments[0].body[0].address.offset = 4; },
      [](Kernel& k) { k.segments[0].body[0].address.inner[0] = 1; },
      [](Kernel& k) { k.segments[0].reductions[0].combine = ScalarOp::minimum; },
      [](Kernel& k) { k.segments[1].body[0].constant.single = 0.25F; },
      [](Kernel& k) { k.segments[1].body[0].constant.single = -0.0F; },
      [](Kernel& k) { k.segments[1].body[1].operands[1] = 1; },
      [](Kernel& k) { k.segments[2].body[3].to = DType::bf16; },
      [](Kernel& k) { k.segments[2].body[5].dtype = DType::f16; },
      [](Kernel& k) { k.segments[2].stores[0].value = 8; },
  };
  for (const auto& change : changes) {
    Kernel changed = sample();
    change(changed);
    EXPECT_FALSE(kernel_hash(changed) == hash) << print(changed);
  }
}

TEST(KernelTiles, AreOutsidePointsOrBlocks) {
  Kernel kernel = sample();
  EXPECT_EQ(kernel.tiles(), 20);
  kernel.vector_axis = VectorAxis::outer;
  kernel.outer = {3, 100};
  kernel.block = 32;
  EXPECT_EQ(kernel.tiles(), 12);
  kernel.outer = {0, 100};
  EXPECT_EQ(kernel.tiles(), 0);
  kernel.vector_axis = VectorAxis::inner;
  kernel.outer = {};
  EXPECT_EQ(kernel.tiles(), 1);
}

TEST(NeutralElement, ChangesNothing) {
  for (const DType dtype : {DType::u8, DType::u64, DType::i8, DType::i64, DType::f32, DType::f64}) {
    for (const ScalarOp op : {ScalarOp::add, ScalarOp::mul, ScalarOp::minimum, ScalarOp::maximum}) {
      const ir::Cell neutral = neutral_element(op, dtype);
      for (const double number : {0.0, 1.0, 100.0}) {
        const ir::Cell cell = ir::cell_of(dtype, number);
        const ir::Cell result = ir::evaluate(op, dtype, {neutral, cell, cell});
        EXPECT_TRUE(ir::evaluate(ScalarOp::eq, dtype, {result, cell, cell}).truth)
            << ir::name_of(op) << " " << name_of(dtype) << " " << number;
      }
    }
  }
  EXPECT_TRUE(neutral_element(ScalarOp::bit_and, DType::boolean).truth);
  EXPECT_FALSE(neutral_element(ScalarOp::bit_or, DType::boolean).truth);
  EXPECT_EQ(neutral_element(ScalarOp::bit_and, DType::u64).natural, ~std::uint64_t{0});
  EXPECT_EQ(neutral_element(ScalarOp::minimum, DType::i64).integer,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(neutral_element(ScalarOp::sub, DType::f32), InternalError);
}

TEST(KernelCheck, AcceptsTheSample) { EXPECT_NO_THROW(check(sample())); }

TEST(KernelCheck, AcceptsRandomKernels) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    EXPECT_NO_THROW(check(kernel_testing::random_kernel(random)));
  }
}

TEST(KernelCheck, NamesTheRule) {
  struct Case {
    const char* rule;
    std::function<void(Kernel&)> breaks;
  };
  const Case cases[] = {
      {"negative extent", [](Kernel& k) { k.outer[0] = -1; }},
      {"block that is not 1", [](Kernel& k) { k.block = 16; }},
      {"a block of 0",
       [](Kernel& k) {
         k.vector_axis = VectorAxis::outer;
         k.block = 0;
       }},
      {"which it has not", [](Kernel& k) { k.inner.clear(); }},
      {"each outer axis", [](Kernel& k) { k.segments[0].body[0].address.outer = {1}; }},
      {"each inner axis", [](Kernel& k) { k.segments[0].body[0].address.inner = {}; }},
      {"no buffer 7", [](Kernel& k) { k.segments[0].body[0].buffer = 7; }},
      {"load from a written buffer", [](Kernel& k) { k.segments[0].body[0].buffer = 1; }},
      {"bound of an axis that is not there",
       [](Kernel& k) { k.segments[0].body[0].bounds = {{.axis = 2, .begin = 0, .end = 1}}; }},
      {"bound that is no range",
       [](Kernel& k) { k.segments[0].body[0].bounds = {{.axis = 1, .begin = 2, .end = 6}}; }},
      {"written buffer has starts",
       [](Kernel& k) { k.buffers[1].starts = {{.buffer = 0, .stride = 1}}; }},
      {"no element of a buffer of integers",
       [](Kernel& k) { k.buffers[0].starts = {{.buffer = 0, .stride = 1}}; }},
      {"no buffer 9", [](Kernel& k) { k.buffers[0].starts = {{.buffer = 9, .stride = 1}}; }},
      {"negative element or most",
       [](Kernel& k) {
         k.buffers.push_back({.dtype = DType::i8});
         k.buffers[0].starts = {
             {.buffer = static_cast<int>(k.buffers.size()) - 1, .element = -1, .stride = 1}};
       }},
      {"term of a value that is no integer",
       [](Kernel& k) {
         k.segments[2].body[0].operands[0] = 1;
         k.segments[2].body[0].terms = {{.most = 3, .stride = 1}};
       }},
      {"operand that no term is of", [](Kernel& k) { k.segments[2].body[0].operands[0] = 1; }},
      {"terms of something that is no load",
       [](Kernel& k) { k.segments[1].body[1].terms = {{.most = 3, .stride = 1}}; }},
      {"store to a read buffer", [](Kernel& k) { k.segments[2].stores[0].buffer = 0; }},
      {"same element", [](Kernel& k) { k.segments[2].stores[0].address.outer[0] = 0; }},
      {"another dtype than its buffer's", [](Kernel& k) { k.segments[2].stores[0].value = 6; }},
      {"reduction in a point segment", [](Kernel& k) { k.segments[0].loop = false; }},
      {"no reduction with sub",
       [](Kernel& k) { k.segments[0].reductions[0].combine = ScalarOp::sub; }},
      {"%0 is used where it is not visible",
       [](Kernel& k) { k.segments[1].body[1].operands[0] = 0; }},
      {"%9 is used where it is not visible",
       [](Kernel& k) { k.segments[2].body[4].operands[0] = 9; }},
      {"%2 is defined twice", [](Kernel& k) { k.segments[1].body[1].result = 2; }},
      {"no value %99", [](Kernel& k) { k.segments[1].body[0].result = 99; }},
      {"reduction of another dtype",
       [](Kernel& k) { k.segments[0].reductions[0].dtype = DType::f64; }},
      {"no bit_and of f32", [](Kernel& k) { k.segments[1].body[1].op = ScalarOp::bit_and; }},
      {"operand 0 of mul has another dtype",
       [](Kernel& k) { k.segments[1].body[1].dtype = DType::f64; }},
      {"computes in a storage dtype", [](Kernel& k) { k.segments[1].body[1].dtype = DType::f16; }},
      {"not a float of 8 or 16 bits", [](Kernel& k) { k.segments[2].body[5].dtype = DType::f32; }},
      {"changes the size", [](Kernel& k) { k.segments[2].body[3].op = ScalarOp::bitcast; }},
      {"%2 should be f64", [](Kernel& k) { k.segments[1].body[0].dtype = DType::f64; }},
  };
  for (const Case& one : cases) {
    Kernel broken = sample();
    one.breaks(broken);
    try {
      check(broken);
      ADD_FAILURE() << "accepted in spite of: " << one.rule;
    } catch (const InternalError& error) {
      EXPECT_THAT(error.what(), HasSubstr(one.rule));
    }
  }
}

}  // namespace
}  // namespace tutti::codegen::kernel_test

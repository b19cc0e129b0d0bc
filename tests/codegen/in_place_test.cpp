#include <tutti/codegen/plan/in_place.h>

#include <gtest/gtest.h>

namespace tutti::codegen::in_place_test {
namespace {

// b1[i, j] = exp(b0[address]) over f32[4,8].
Kernel copy_kernel(Affine from, Affine to) {
  Kernel kernel;
  kernel.outer = {4, 8};
  kernel.block = 16;
  kernel.buffers = {{.dtype = DType::f32, .written = false},
                    {.dtype = DType::f32, .written = true}};
  Segment& segment = kernel.segments.emplace_back();
  Instruction load;
  load.kind = Instruction::Kind::load;
  load.buffer = 0;
  load.address = std::move(from);
  load.result = 0;
  segment.body.push_back(load);
  segment.stores.push_back({.buffer = 1, .address = std::move(to), .value = 0});
  kernel.value_count = 1;
  return kernel;
}

const Affine kRows{.offset = 0, .outer = {8, 1}, .inner = {}};
const Affine kColumns{.offset = 0, .outer = {1, 4}, .inner = {}};

TEST(InPlace, ElementsThatAreReadWhereTheyAreWritten) {
  EXPECT_TRUE(may_run_in_place(copy_kernel(kRows, kRows), 0, 1));
  EXPECT_FALSE(may_run_in_place(copy_kernel(kRows, kRows), 1, 0)) << "the other way round";
}

TEST(InPlace, NotElementsThatAreReadElsewhere) {
  EXPECT_FALSE(may_run_in_place(copy_kernel(kColumns, kRows), 0, 1));
  Affine shifted = kRows;
  shifted.offset = 1;
  EXPECT_FALSE(may_run_in_place(copy_kernel(shifted, kRows), 0, 1));
  const Affine broadcast{.offset = 0, .outer = {8, 0}, .inner = {}};
  EXPECT_FALSE(may_run_in_place(copy_kernel(broadcast, kRows), 0, 1));
  EXPECT_FALSE(may_run_in_place(copy_kernel(broadcast, broadcast), 0, 1)) << "written twice";
}

TEST(InPlace, NotElementsThatAnIndexSays) {
  Kernel kernel = copy_kernel(kRows, kRows);
  kernel.buffers.push_back({.dtype = DType::i32, .written = false});
  Segment& segment = kernel.segments[0];
  segment.body.insert(segment.body.begin(), {.kind = Instruction::Kind::load,
                                             .buffer = 2,
                                             .address = kRows,
                                             .result = 1,
                                             .type = DType::i32});
  kernel.value_count = 2;
  EXPECT_TRUE(may_run_in_place(kernel, 0, 1));
  segment.body[1].operands[0] = 1;
  segment.body[1].terms = {{.most = 3, .stride = 8}};
  check(kernel);
  EXPECT_FALSE(may_run_in_place(kernel, 0, 1));
}

TEST(InPlace, NotElementsOfAnotherSize) {
  Kernel kernel = copy_kernel(kRows, kRows);
  kernel.buffers[0].dtype = DType::f64;
  EXPECT_FALSE(may_run_in_place(kernel, 0, 1));
}

TEST(InPlace, BehindALoopButNotInIt) {
  Kernel kernel = copy_kernel(kRows, kRows);
  Segment loop;
  loop.loop = true;
  kernel.segments.insert(kernel.segments.begin(), loop);
  EXPECT_TRUE(may_run_in_place(kernel, 0, 1)) << "the loop reads something else";
  Kernel reading = kernel;
  reading.segments[0].body = reading.segments[1].body;
  EXPECT_FALSE(may_run_in_place(reading, 0, 1));
  Kernel storing = kernel;
  std::swap(storing.segments[0], storing.segments[1]);
  storing.segments[0].loop = true;
  EXPECT_FALSE(may_run_in_place(storing, 0, 1));
  Kernel later = copy_kernel(kRows, kRows);
  later.segments.push_back(
      {.loop = false, .body = later.segments[0].body, .reductions = {}, .stores = {}});
  EXPECT_FALSE(may_run_in_place(later, 0, 1));
}

}  // namespace
}  // namespace tutti::codegen::in_place_test

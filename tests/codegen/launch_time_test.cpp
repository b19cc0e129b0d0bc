#include <tutti/codegen/plan/launch_time.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/codegen/plan/plan.h>

#include <string>

#include <gtest/gtest.h>

namespace tutti::codegen::launch_time_test {
namespace {

// Of the first step of a plan that maps x to f(x), by that kernel of so many elements.
bool is_for_one_thread(const std::string& elements, const std::string& op,
                       const std::string& block = "4096") {
  const Plan plan = parse_plan(
      "// tutti plan 1\nplan @f rank 0 arena 0 bytes {\n  b0 = input 0: f32[" + elements +
      "], 64 bytes\n  b1 = output, 64 bytes\n  0: allocate b1\n  1: launch map k0 (b0) -> b1 "
      "{tiles = 2}\n  return b1: f32[" +
      elements + "]\n}\n\nk0 = kernel map outer [" + elements + "] inner [] along outer block " +
      block +
      R"( values 2 {
  b0: f32 read
  b1: f32 written
  point
    %0: f32 = load b0[o0]
    %1: f32 = )" +
      op + R"(.f32 %0
    b1[o0] = %1
}
)");
  return codegen::is_for_one_thread(plan, *launch_of(plan.steps[1]));
}

TEST(LaunchTime, LittleWorkIsForOneThread) {
  EXPECT_TRUE(is_for_one_thread("8192", "neg"));
  EXPECT_FALSE(is_for_one_thread("1048576", "neg"));
  EXPECT_FALSE(is_for_one_thread("16384", "tanh"));
}

// A block of 24 elements is two vectors, as one of 32 is.
TEST(LaunchTime, TheLastVectorOfEachBlockIsWhole) {
  EXPECT_TRUE(is_for_one_thread("5280", "tanh", "32"));
  EXPECT_FALSE(is_for_one_thread("5280", "tanh", "24"));
}

// Of rows of which each is a tile, or of parts that are launched together.
TEST(LaunchTime, ManySmallTilesAreLittleWorkAllTheSame) {
  const auto plan = [](const std::string& rows) {
    return parse_plan(
        "// tutti plan 1\nplan @f rank 0 arena 0 bytes {\n  b0 = input 0: f32[64], 256 bytes\n  b1 "
        "= output, 256 bytes\n  0: allocate b1\n  1: launch sum k0 (b0) -> b1 {tiles = " +
        rows + "}\n  return b1: f32[64]\n}\n\nk0 = kernel sum outer [" + rows +
        R"(] inner [16] along inner block 1 values 2 {
  b0: f32 read
  b1: f32 written
  loop
    %0: f32 = load b0[16*o0 + i0]
    %1: f32 = reduce.add %0
  point
    b1[o0] = %1
}
)");
  };
  const Plan few = plan("64");
  EXPECT_TRUE(codegen::is_for_one_thread(few, *launch_of(few.steps[1])));
  const Plan many = plan("64000");
  EXPECT_FALSE(codegen::is_for_one_thread(many, *launch_of(many.steps[1])));
}

// Where a loop has one place for what goes in and out, the rest of the tensor is not touched.
TEST(LaunchTime, WhatIsChangedInPartAndInPlaceIsLittleWork) {
  const auto is_for_one = [](const std::string& donation, const std::string& enters) {
    const Plan plan = parse_plan(R"(// tutti plan 1
plan @f rank 0 arena 4000000 bytes {
  region r0 @step {
    b0 = parameter 0: f32[1000000], 4000000 bytes
    b1 = parameter 1: f32[1], 4 bytes
    b2 = parameter 2: i64[1], 8 bytes
    b3 = result, 4000000 bytes
    0: call dynamic_update_slice "" (b0, b1, b2) -> b3 {tiles = 31, tiles_in_place = 1}
)" + donation + R"(
    return b3: f32[1000000]
  }
  b4 = input 0: f32[1000000], 4000000 bytes
  b5 = input 1: f32[1], 4 bytes
  b6 = input 2: i64[1], 8 bytes
  b7 = input 3: i32[], 4 bytes
  b8 = output, 4000000 bytes
  b9 = local at 0, 4000000 bytes
  1: allocate b8
  2: )" + enters + R"(
  return b8: f32[1000000]
}
)");
    return codegen::is_for_one_thread(plan, *launch_of(plan.steps[0]));
  };
  const std::string in_place = "    b3 may take over parameter 0";
  EXPECT_TRUE(is_for_one(in_place, "scan r0 @step (b4, b5, b6) -> b8 {carries = 1, length = 4}"));
  EXPECT_FALSE(
      is_for_one("", "scan r0 @step (b4, b5, b6) -> b8 with b9 {carries = 1, length = 4}"));
  EXPECT_FALSE(is_for_one(in_place, "conditional r0 @step, r0 @step (b7, b4, b5, b6) -> b8"));
}

}  // namespace
}  // namespace tutti::codegen::launch_time_test

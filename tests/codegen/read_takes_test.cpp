// Takes that kernels read where they lie, by the indices.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::read_takes_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ir::Graph graph_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::verify(graph);
  return graph;
}

std::string plan_of(const std::string& text) {
  ir::Graph graph = graph_of(text);
  ir::run_passes(graph);
  return print(make_plan(graph, 0));
}

// 0, 1, 2, ... of a dtype, which may start anew.
ir::Array counted(DType dtype, const Shape& shape) {
  ir::Array out(dtype, shape);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const ir::Cell cell = ir::cell_of(ir::compute_dtype(dtype), static_cast<double>(i % 97));
    ir::store_cell(dtype, cell, out.bytes().data() + i * size_of(dtype));
  }
  return out;
}

template <class T>
ir::Array indices(const std::vector<T>& values, const Shape& shape) {
  return ir::Array::from(std::span<const T>(values), shape);
}

// Numbers within the axis, and those at both ends of the dtype.
template <class T>
ir::Array some_indices(const Shape& shape, std::int64_t size) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    switch (i % 5) {
      case 0:
        values.push_back(std::numeric_limits<T>::max());
        break;
      case 1:
        values.push_back(std::numeric_limits<T>::min());
        break;
      default:
        values.push_back(static_cast<T>((i * 7) % size));
    }
  }
  return indices(values, shape);
}

void expect_agreement(const std::string& text, const std::vector<ir::Array>& arguments) {
  EXPECT_TRUE(test::modes_agree(graph_of(text), arguments)) << text;
}

constexpr const char* kRows = R"(
func @f(%x: f32[10,40], %i: i32[7], %p: f32[7,40]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = mul(%0, %0)
  %2 = add(%1, %p)
  return %2
}
)";

TEST(ReadTakes, AreOneKernelWithWhatReadsThem) {
  const std::string plan = plan_of(kRows);
  EXPECT_THAT(plan, Not(HasSubstr("call")));
  EXPECT_THAT(plan, ContainsRegex("load b[0-9]\\[o1 \\+ 40\\*clamp\\(%[0-9]+, 9\\)\\]"));
  expect_agreement(kRows, {counted(DType::f32, {10, 40}), some_indices<std::int32_t>({7}, 10),
                           counted(DType::f32, {7, 40})});
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(ReadTakes, ByIndicesOfEveryDType) {
  const auto check = [&]<class T>(const std::string& name, std::type_identity<T>) {
    const std::string text = replaced(kRows, "i32", name);
    EXPECT_THAT(plan_of(text), Not(HasSubstr("call")));
    expect_agreement(text, {counted(DType::f32, {10, 40}), some_indices<T>({7}, 10),
                            counted(DType::f32, {7, 40})});
    // Each lane at a place of its own.
    const std::string scattered = R"(
func @f(%x: f32[100], %i: )" + name +
                                  R"([37]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = neg(%0)
  return %1
}
)";
    EXPECT_THAT(plan_of(scattered), Not(HasSubstr("call")));
    expect_agreement(scattered, {counted(DType::f32, {100}), some_indices<T>({37}, 100)});
  };
  check("i8", std::type_identity<std::int8_t>());
  check("i16", std::type_identity<std::int16_t>());
  check("i32", std::type_identity<std::int32_t>());
  check("i64", std::type_identity<std::int64_t>());
  check("u8", std::type_identity<std::uint8_t>());
  check("u16", std::type_identity<std::uint16_t>());
  check("u32", std::type_identity<std::uint32_t>());
  check("u64", std::type_identity<std::uint64_t>());
}

TEST(ReadTakes, OfElementsOfEveryDType) {
  constexpr DType kAll[] = {
#define TUTTI_ENTRY(name, text, type) DType::name,
      TUTTI_DTYPES(TUTTI_ENTRY)
#undef TUTTI_ENTRY
  };
  for (const DType dtype : kAll) {
    const std::string name(name_of(dtype));
    for (const std::string shape : {"10,40", "10"}) {
      const std::string taken = shape == "10" ? "37" : "37,40";
      const std::string text = "func @f(%x: " + name + "[" + shape + "], %i: i64[37], %o: " + name +
                               "[" + taken + R"(]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = eq(%0, %o)
  %2 = select(%1, %0, %o)
  return %2
}
)";
      EXPECT_THAT(plan_of(text), Not(HasSubstr("call"))) << text;
      const Shape x = shape == "10" ? Shape{10} : Shape{10, 40};
      const Shape o = shape == "10" ? Shape{37} : Shape{37, 40};
      expect_agreement(
          text, {counted(dtype, x), some_indices<std::int64_t>({37}, 10), counted(dtype, o)});
    }
  }
}

TEST(ReadTakes, AlongAnyAxisByIndicesOfAnyRank) {
  struct Case {
    const char* x;
    Shape shape;
    const char* i;
    Shape indices;
    int axis;
  };
  for (const Case& each :
       {Case{"5,6,20", {5, 6, 20}, "3,2", {3, 2}, 1}, Case{"5,6,20", {5, 6, 20}, "3,2", {3, 2}, 0},
        Case{"5,6,20", {5, 6, 20}, "4", {4}, 2}, Case{"5,6,20", {5, 6, 20}, "", {}, 1},
        Case{"5,6,20", {5, 6, 20}, "", {}, 2}, Case{"30", {30}, "2,3,4", {2, 3, 4}, 0},
        Case{"6,1,17", {6, 1, 17}, "9", {9}, 1}}) {
    const std::string text = std::string("func @f(%x: f64[") + each.x + "], %i: i32[" + each.i +
                             "]) {\n  %0 = take(%x, %i) {axis = " + std::to_string(each.axis) +
                             "}\n  %1 = exp(%0)\n  return %1\n}\n";
    EXPECT_THAT(plan_of(text), Not(HasSubstr("call"))) << text;
    expect_agreement(text, {counted(DType::f64, each.shape),
                            some_indices<std::int32_t>(each.indices, each.shape[each.axis])});
  }
}

TEST(ReadTakes, OfViewsAndSeenThroughViewsAndReduced) {
  const std::string text = R"(
func @f(%x: f32[40,24], %i: i32[2,12], %g: f32[6,40]) {
  %s = slice(%x) {start = [3, 0], stop = [39, 24], step = [2, 1]}
  %t = transpose(%i) {permutation = [1, 0]}
  %j = slice(%t) {start = [0, 0], stop = [12, 2], step = [2, 1]}
  %0 = take(%s, %j) {axis = 0}
  %1 = reshape(%0) {shape = [12, 24]}
  %2 = reverse(%1) {axes = [0]}
  %3 = exp(%2)
  %4 = sum(%3) {axes = [1]}
  %5 = max(%3) {axes = [0]}
  return %4, %5
}
)";
  expect_agreement(text, {counted(DType::f32, {40, 24}), some_indices<std::int32_t>({2, 12}, 18),
                          counted(DType::f32, {6, 40})});
  const std::string norm = R"(
func @f(%x: f32[40,50], %i: i32[9]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = sum(%0) {axes = [1]}
  %2 = reshape(%1) {shape = [9, 1]}
  %3 = sub(%0, %2)
  %4 = mul(%3, %3)
  %5 = sum(%4) {axes = [1]}
  %6 = reshape(%5) {shape = [9, 1]}
  %7 = div(%3, %6)
  return %7
}
)";
  EXPECT_THAT(plan_of(norm), Not(HasSubstr("call")));
  expect_agreement(norm, {counted(DType::f32, {40, 50}), some_indices<std::int32_t>({9}, 40)});
}

TEST(ReadTakes, ByWhatOthersTake) {
  const std::string text = R"(
func @f(%x: f32[40], %order: i32[40], %i: i64[50]) {
  %0 = take(%order, %i) {axis = 0}
  %1 = take(%x, %0) {axis = 0}
  %2 = neg(%1)
  return %2
}
)";
  EXPECT_THAT(plan_of(text), Not(HasSubstr("call")));
  expect_agreement(text, {counted(DType::f32, {40}), some_indices<std::int32_t>({40}, 40),
                          some_indices<std::int64_t>({50}, 40)});
}

// Each kernel would take all of a chain anew.
TEST(ReadTakes, OfLongChainsAreCallsInBetween) {
  std::string text = "func @f(%order: i32[40], %i: i32[40]) {\n  %0 = neg(%i)\n";
  for (int i = 0; i < 12; ++i) {
    text += "  %" + std::to_string(i + 1) + " = take(%order, " +
            (i == 0 ? "%i" : "%" + std::to_string(i)) + ") {axis = 0}\n";
  }
  text += "  %13 = add(%12, %0)\n  return %13\n}\n";
  EXPECT_THAT(plan_of(text), HasSubstr("call take"));
  expect_agreement(text, {some_indices<std::int32_t>({40}, 40),
                          indices(std::vector<std::int32_t>(40, 3), {40})});
}

// The first is read by a call, so that it is one; so the second, of which the caller gets the
// result.
TEST(ReadTakes, OfWhatIsTakenAreCalls) {
  const std::string text = R"(
func @f(%x: f32[4,20,6], %i: i64[], %j: i64[]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = take(%0, %j) {axis = 1}
  return %1
}
)";
  EXPECT_THAT(plan_of(text), HasSubstr("call take"));
  expect_agreement(text, {counted(DType::f32, {4, 20, 6}), some_indices<std::int64_t>({}, 4),
                          some_indices<std::int64_t>({}, 6)});
  std::string read = text;
  read.replace(read.find("return %1"), 9, "%2 = neg(%1)\n  return %2");
  expect_agreement(read, {counted(DType::f32, {4, 20, 6}), some_indices<std::int64_t>({}, 4),
                          some_indices<std::int64_t>({}, 6)});
}

// By the same index at the same place, but for how far apart its elements are and which is the
// last.
TEST(ReadTakes, OfTwoViewsOfOneTable) {
  for (const std::string index : {"i32[7]", "i32[7,20]"}) {
    for (const std::string other :
         {"slice(%x) {start = [0, 0], stop = [60, 40], step = [2, 1]} : f32[30,40]",
          "slice(%x) {start = [0, 0], stop = [5, 40], step = [1, 1]} : f32[5,40]",
          "transpose(%x) {permutation = [1, 0]} : f32[40,60]"}) {
      const std::string text = "func @f(%x: f32[60,40], %i: " + index + ") {\n%0 = " + other +
                               R"(
  %1 = slice(%0) {start = [0, 0], stop = [5, 20], step = [1, 1]} : f32[5,20]
  %2 = slice(%x) {start = [0, 0], stop = [40, 20], step = [1, 1]} : f32[40,20]
  %3 = OP(%2, %i) {axis = 0}
  %4 = OP(%1, %i) {axis = 0}
  %5 = sub(%3, %4)
  return %5
})";
      const bool along = index != "i32[7]";
      std::string whole = text;
      for (std::size_t at = 0; (at = whole.find("OP", at)) != std::string::npos;) {
        whole.replace(at, 2, along ? "take_along_axis" : "take");
      }
      expect_agreement(
          whole, {counted(DType::f32, {60, 40}), along ? some_indices<std::int32_t>({7, 20}, 40)
                                                       : some_indices<std::int32_t>({7}, 40)});
    }
  }
  // Single elements of a row and of a column.
  expect_agreement(R"(
func @f(%x: f32[60,40], %i: i64[9]) {
  %0 = slice(%x) {start = [0, 0], stop = [1, 40], step = [1, 1]} : f32[1,40]
  %1 = reshape(%0) {shape = [40]}
  %2 = slice(%x) {start = [0, 0], stop = [60, 1], step = [1, 1]} : f32[60,1]
  %3 = reshape(%2) {shape = [60]}
  %4 = take(%1, %i) {axis = 0}
  %5 = take(%3, %i) {axis = 0}
  %6 = sub(%4, %5)
  return %6
}
)",
                   {counted(DType::f32, {60, 40}), some_indices<std::int64_t>({9}, 50)});
}

// What says which elements are taken is itself taken, and several kernels read the elements.
TEST(ReadTakes, ByWhatIsTakenForACall) {
  expect_agreement(R"(
func @f(%order: i32[60,16], %i: i32[9], %x: f32[1000]) {
  %0 = take(%order, %i) {axis = 0}
  %1 = take(%x, %0) {axis = 0}
  %2 = exp(%1)
  %3, %4 = sort(%2) {axis = 1, descending = false}
  %5 = sin(%1)
  %6 = mul(%5, %3)
  return %6
}
)",
                   {some_indices<std::int32_t>({60, 16}, 1000), some_indices<std::int32_t>({9}, 60),
                    counted(DType::f32, {1000})});
}

TEST(ReadTakes, AlongAnAxisOfTheSameRank) {
  for (const std::string axis : {"0", "1"}) {
    const std::string text = "func @f(%x: f32[20,33], %i: i32[20,33]) {\n" +
                             ("  %0 = take_along_axis(%x, %i) {axis = " + axis + "}\n") +
                             "  %1 = neg(%0)\n  return %1\n}\n";
    EXPECT_THAT(plan_of(text), Not(HasSubstr("call")));
    expect_agreement(text,
                     {counted(DType::f32, {20, 33}), some_indices<std::int32_t>({20, 33}, 20)});
  }
}

TEST(ReadTakes, OfNothing) {
  const std::string text = R"(
func @f(%x: f32[10,40], %i: i32[0]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = neg(%0)
  %2 = sum(%0) {axes = [0]}
  return %1, %2
}
)";
  expect_agreement(text, {counted(DType::f32, {10, 40}), indices<std::int32_t>({}, {0})});
}

// What a call reads, or the caller gets, has to be there.
TEST(ReadTakes, AreCallsWhereOthersThanKernelsReadThem) {
  const std::string result = R"(
func @f(%x: f32[10,40], %i: i32[7]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = neg(%0)
  return %1, %0
}
)";
  EXPECT_THAT(plan_of(result), HasSubstr("call take"));
  expect_agreement(result, {counted(DType::f32, {10, 40}), some_indices<std::int32_t>({7}, 10)});
  const std::string sorted = R"(
func @f(%x: f32[10,40], %i: i32[7]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = neg(%0)
  %2 = reshape(%0) {shape = [280]}
  %3, %4 = sort(%2) {axis = 0, descending = false}
  return %1, %3
}
)";
  EXPECT_THAT(plan_of(sorted), HasSubstr("call take"));
  expect_agreement(sorted, {counted(DType::f32, {10, 40}), some_indices<std::int32_t>({7}, 10)});
}

// Each element is brought one by one: that is done once.
TEST(ReadTakes, OfElementsAreCallsWhereTheyAreReadSeveralTimes) {
  const std::string text = R"(
func @f(%x: f32[1000], %i: i32[300], %y: f32[20,300]) {
  %0 = take(%x, %i) {axis = 0}
  %1 = broadcast_to(%0) {shape = [20, 300]}
  %2 = mul(%1, %y)
  return %2
}
)";
  EXPECT_THAT(plan_of(text), HasSubstr("call take"));
}

// Read behind the update, the table would have to be copied for that.
TEST(ReadTakes, AreCallsIfTheirTableIsUpdatedInBetween) {
  const std::string text = R"(
func @f(%x: f32[60,40], %i: i32[7], %starts: i32[2], %u: f32[1,40]) {
  %0 = exp(%x)
  %1 = take(%0, %i) {axis = 0}
  %2 = dynamic_update_slice(%0, %u, %starts)
  %3, %4 = sort(%2) {axis = 1, descending = false}
  %5 = slice(%3) {start = [0, 0], stop = [7, 40], step = [1, 1]}
  %6 = mul(%1, %5)
  return %6
}
)";
  EXPECT_THAT(plan_of(text), HasSubstr("call take"));
  expect_agreement(text, {counted(DType::f32, {60, 40}), some_indices<std::int32_t>({7}, 60),
                          indices<std::int32_t>({3, 0}, {2}), counted(DType::f32, {1, 40})});
}

}  // namespace
}  // namespace tutti::codegen::read_takes_test

// Loops and small programs whose kernels are a part of the plan's native code: what is in it, and
// that it computes the very bits that the walker does, kernel by kernel (run_graph.h).

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/verify/verify.h>

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/random/random_array.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_plan.h>
#endif

namespace tutti::codegen::joined_functions_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ir::Graph graph_of(const std::string& text) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::verify(graph);
  return graph;
}

std::vector<ir::Array> inputs_of(const ir::Graph& graph, test::Elements elements) {
  test::Draw draw(11);
  std::vector<ir::Array> out;
  for (const ir::Parameter& parameter : graph.parameters()) {
    const ir::Type& type = graph.type(parameter.value);
    out.push_back(test::random_array(type.dtype, type.shape, elements, draw));
  }
  return out;
}

void expect_agreement(const std::string& text) {
  const ir::Graph graph = graph_of(text);
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph, test::Elements::small))) << text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return std::regex_replace(text, std::regex(from), to);
}

constexpr const char* kLoop = R"(
private func @step(%x: f32[N], %w: f32[N]) { %0 = mul(%x, %w) %1 = tanh(%0) return %1 }
func @f(%x: f32[N], %w: f32[N]) {
  %0 = scan(%x, %w) {body = @step, carries = 1, sequences = 0, length = 9}
  return %0
}
)";

// Vectors that a value fills in part, exactly, or with a rest.
TEST(JoinedFunctions, CarriesOfEverySize) {
  for (const int size : {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100}) {
    expect_agreement(replaced(kLoop, "N", std::to_string(size)));
  }
}

// Elements of 1, 2 and 8 bytes fill the room behind a value otherwise.
TEST(JoinedFunctions, CarriesOfEveryDtype) {
  constexpr const char* kText = R"(
private func @step(%a: DT[N], %b: DT[N], %n: i32[]) {
  %0 = maximum(%a, %b)
  %1 = minimum(%0, %b)
  %2 = reverse(%1) {axes = [0]}
  %one = constant() {value = i32[] 1}
  %3 = add(%n, %one)
  return %2, %0, %3
}
func @f(%a: DT[N], %b: DT[N], %n: i32[]) {
  %0, %1, %2 = scan(%a, %b, %n) {body = @step, carries = 3, sequences = 0, length = 5}
  return %0, %1, %2
}
)";
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (dtype == DType::boolean) continue;
    for (const int size : {3, 9, 16, 21}) {
      expect_agreement(
          replaced(replaced(kText, "DT", std::string(name_of(dtype))), "N", std::to_string(size)));
    }
  }
}

// A loop in a branch in a loop, which others enter, too: what goes in and out lies where it may, or
// may not, be written behind its elements.
TEST(JoinedFunctions, NestedLoopsAndBranches) {
  expect_agreement(R"(
private func @inner(%x: f32[5], %i: i32[], %w: f32[5]) {
  %0 = mul(%x, %w)
  %1 = reverse(%0) {axes = [0]}
  %one = constant() {value = i32[] 1}
  %2 = add(%i, %one)
  return %1, %2
}
private func @few(%x: f32[5], %i: i32[], %w: f32[5]) {
  %most = constant() {value = i32[] 4}
  %0 = lt(%i, %most)
  return %0
}
private func @looping(%x: f32[5], %w: f32[5]) {
  %zero = constant() {value = i32[] 0}
  %0, %1 = while_loop(%x, %zero, %w) {condition = @few, body = @inner, carries = 2}
  return %0
}
private func @plain(%x: f32[5], %w: f32[5]) { %0 = add(%x, %w) return %0 }
private func @outer(%x: f32[5], %n: i32[], %row: f32[5]) {
  %one = constant() {value = i32[] 1}
  %two = constant() {value = i32[] 2}
  %0 = add(%n, %one)
  %1 = mod(%0, %two)
  %2 = conditional(%1, %x, %row) {branches = [@looping, @plain]}
  %3 = conditional(%1, %row, %2) {branches = [@plain, @looping]}
  return %3, %0, %2
}
func @f(%x: f32[5], %n: i32[], %rows: f32[6,5]) {
  %0, %1, %2 = scan(%x, %n, %rows) {body = @outer, carries = 2, sequences = 1, length = 6}
  %3, %4, %5 = scan(%0, %1, %2)
      {body = @outer, carries = 2, sequences = 1, length = 6, reverse = true}
  return %3, %4, %5
}
)");
}

// What a step changes in part; and products, which are calls between kernels.
TEST(JoinedFunctions, UpdatesInPlaceAndProducts) {
  expect_agreement(R"(
private func @step(%all: f32[6,3], %m: f32[3,3], %i: i64[]) {
  %zero = constant() {value = i64[] 0}
  %one = constant() {value = i64[] 1}
  %0 = matmul(%m, %m)
  %1 = tanh(%0)
  %2 = slice(%1) {start = [1, 0], stop = [2, 3], step = [1, 1]}
  %one_index = reshape(%i) {shape = [1]}
  %other = reshape(%zero) {shape = [1]}
  %3 = concat(%one_index, %other) {axis = 0}
  %4 = dynamic_update_slice(%all, %2, %3)
  %5 = add(%i, %one)
  return %4, %1, %5
}
func @f(%all: f32[6,3], %m: f32[3,3]) {
  %zero = constant() {value = i64[] 0}
  %0, %1, %2 = scan(%all, %m, %zero) {body = @step, carries = 3, sequences = 0, length = 5}
  return %0, %1, %2
}
)");
}

// Of each rank, at places of each dtype, some of which are outside: of what a step has to itself,
// and of what it needs as it was, too.
TEST(JoinedFunctions, PutsPartsIntoTensors) {
  constexpr const char* kText = R"(
private func @step(%all: DT[SIZES], %old: DT[SIZES], %at: IT[RANK], %part: DT[PART]) {
  %0 = dynamic_update_slice(%all, %part, %at)
  %1 = dynamic_update_slice(%old, %part, %at)
  %2 = minimum(%1, %old)
  %3 = add(%at, %at)
  return %0, %2, %3
}
func @f(%all: DT[SIZES], %old: DT[SIZES], %at: IT[RANK], %parts: DT[4,PART]) {
  %0, %1, %2 = scan(%all, %old, %at, %parts)
      {body = @step, carries = 3, sequences = 1, length = 4}
  return %0, %1, %2
}
)";
  const auto agree = [&](std::string text, const char* sizes, const char* part, int rank) {
    text = replaced(replaced(text, "SIZES", sizes), "PART", part);
    expect_agreement(replaced(text, "RANK", std::to_string(rank)));
  };
  for (const char* const dtype : {"f32", "f64", "bf16", "i8"}) {
    const std::string text = replaced(kText, "DT", dtype);
    for (const char* const index : {"i64", "i32", "u8", "u64"}) {
      const std::string with_index = replaced(text, "IT", index);
      agree(with_index, "7", "1", 1);
      agree(with_index, "70,3", "2,3", 2);
    }
    const std::string with_index = replaced(text, "IT", "i32");
    agree(with_index, "5,4", "3,2", 2);
    agree(with_index, "3,5,4", "2,2,4", 3);
    agree(with_index, "2,3,4,3", "2,2,2,1", 4);
    agree(with_index, "3,4", "3,4", 2);
  }
}

// Which are kernels there if they are small: of matrices that lie in any way, of vectors, in
// batches.
TEST(JoinedFunctions, ProductsOfEveryForm) {
  constexpr const char* kText = R"(
private func @step(%a: DT[3,5], %b: DT[2,4,6], %v: DT[6]) {
  %0 = transpose(%a) {permutation = [1, 0]}
  %1 = matmul(%a, %0)
  %2 = matmul(%0, %a)
  %3 = transpose(%b) {permutation = [0, 2, 1]}
  %4 = matmul(%b, %3)
  %5 = slice(%b) {start = [1, 0, 0], stop = [2, 4, 6], step = [1, 2, 1]}
  %6 = reshape(%v) {shape = [6, 1]}
  %7 = matmul(%5, %6)
  %8 = reshape(%v) {shape = [1, 6]}
  %9 = matmul(%8, %6)
  %10 = matmul(%6, %8)
  %11 = minimum(%1, %9)
  %12 = matmul(%11, %a)
  %low = constant() {value = DT[] -2}
  %high = constant() {value = DT[] 2}
  %13 = maximum(%12, %low)
  %14 = minimum(%13, %high)
  return %14, %2, %4, %7, %10
}
func @f(%a: DT[3,5], %b: DT[2,4,6], %v: DT[6]) {
  %0, %1, %2, %3, %4 = scan(%a, %b, %v) {body = @step, carries = 1, sequences = 0, length = 3}
  return %0, %1, %2, %3, %4
}
)";
  for (const char* const dtype : {"f32", "f64", "i32", "i64", "i16", "bf16"}) {
    const ir::Graph graph = graph_of(replaced(kText, "DT", dtype));
    EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph, test::Elements::uneven))) << dtype;
  }
}

// Sums along rows that are no vectors, and of columns.
TEST(JoinedFunctions, Reductions) {
  expect_agreement(R"(
private func @step(%x: f32[3,5]) {
  %0 = sum(%x) {axes = [1]}
  %1 = max(%x) {axes = [0]}
  %2 = reshape(%0) {shape = [3, 1]}
  %3 = sub(%x, %2)
  %4 = sum(%x) {axes = [0, 1]}
  %5 = add(%3, %4)
  %6 = tanh(%5)
  return %6, %1
}
func @f(%x: f32[3,5]) {
  %0, %1 = scan(%x) {body = @step, carries = 1, sequences = 0, length = 4}
  return %0, %1
}
)");
}

// The last vector of a row that two tiles share has one element, of two bytes: what lies behind it
// is a result of the step before.
TEST(JoinedFunctions, WritesNothingBehindTheLastElement) {
  for (const char* const dtype : {"bf16", "f16", "i8", "i16"}) {
    for (const int size : {65, 66, 81, 129}) {
      expect_agreement(replaced(replaced(R"(
private func @step(%n: i32[], %x: DT[3,N]) {
  %one = constant() {value = i32[] 1}
  %0 = add(%n, %one)
  %1 = sum(%x) {axes = [0]}
  return %0, %1
}
func @f(%n: i32[], %x: DT[4,3,N]) {
  %0, %1 = scan(%n, %x)
      {body = @step, carries = 1, sequences = 1, length = 4, reverse = true}
  return %0, %1
}
)",
                                         "DT", dtype),
                                "N", std::to_string(size)));
    }
  }
}

// NaNs, infinities, signed zeros and denormal numbers are what they are.
TEST(JoinedFunctions, AnyFloats) {
  const ir::Graph graph = graph_of(R"(
private func @step(%x: f32[7], %y: f32[7]) {
  %0 = neg(%x)
  %1 = div(%0, %y)
  %2 = maximum(%1, %x)
  %3 = add(%2, %0)
  %4 = mul(%3, %y)
  return %4, %1
}
func @f(%x: f32[7], %y: f32[7]) {
  %0, %1 = scan(%x, %y) {body = @step, carries = 2, sequences = 0, length = 3}
  return %0, %1
}
)");
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph, test::Elements::special)));
}

// Within kernels of other dtypes, too.
constexpr const char* kNarrowed = R"(
func @f(%x: f32[16]) {
  %0 = cast(%x) {dtype = bf16}
  %1 = neg(%0)
  %2 = cast(%1) {dtype = f32}
  %3 = bitcast(%2) {dtype = i32}
  return %3
}
)";

TEST(JoinedFunctions, RoundToNarrowFloats) {
  const ir::Graph graph = graph_of(kNarrowed);
  EXPECT_TRUE(test::modes_agree(graph, inputs_of(graph, test::Elements::special)));
}

#if TUTTI_HAS_LLVM
std::string code_of(const std::string& text) {
  ir::Graph graph = graph_of(text);
  ir::run_passes(graph);
  return native::llvm_text(make_plan(graph, 0));
}

// No kernel is called, and the carry is a register.
TEST(JoinedFunctions, ASmallLoopIsOneFunction) {
  for (const char* const size : {"5", "16"}) {
    const std::string code = code_of(replaced(kLoop, "N", size));
    EXPECT_THAT(code, ContainsRegex("phi <16 x float>")) << code;
    EXPECT_THAT(code, Not(HasSubstr("tutti_launch")));
  }
}

TEST(JoinedFunctions, SmallProductsAreAPartOfIt) {
  constexpr const char* kText =
      "func @f(%a: f32[N,N], %b: f32[N,N]) { %0 = matmul(%a, %b) %1 = tanh(%0) return %1 }";
  EXPECT_THAT(code_of(replaced(kText, "N", "8")), Not(HasSubstr("tutti_launch")));
  EXPECT_THAT(code_of(replaced(kText, "N", "9")), HasSubstr("tutti_launch"));
}

// Whatever the size of what it is put into.
TEST(JoinedFunctions, SmallPartsArePutInByIt) {
  constexpr const char* kText = R"(
private func @step(%all: f32[SIZE], %at: i32[1], %part: f32[PART]) {
  %0 = dynamic_update_slice(%all, %part, %at)
  return %0, %at
}
func @f(%all: f32[SIZE], %at: i32[1], %parts: f32[4,PART]) {
  %0, %1 = scan(%all, %at, %parts) {body = @step, carries = 2, sequences = 1, length = 4}
  return %0, %1
}
)";
  const auto code = [&](const char* size, const char* part) {
    return code_of(replaced(replaced(kText, "SIZE", size), "PART", part));
  };
  EXPECT_THAT(code("16", "1"), Not(HasSubstr("tutti_launch")));
  EXPECT_THAT(code("1000000", "64"), Not(HasSubstr("tutti_launch")));
  EXPECT_THAT(code("1000000", "65"), HasSubstr("tutti_launch"));
  EXPECT_NE(code("16", "1"), code("17", "1"));
}

// A call of the library beside it is made by itself.
TEST(JoinedFunctions, CallsKeepNoPartFromBeingPutInByIt) {
  const std::string code = code_of(R"(
private func @step(%all: f32[16], %table: f32[9], %at: i32[1], %part: f32[1], %places: i32[5]) {
  %0 = dynamic_update_slice(%all, %part, %at)
  %1 = take(%table, %places) {axis = 0}
  return %0, %1
}
func @f(%all: f32[16], %table: f32[9], %at: i32[1], %part: f32[1], %places: i32[5]) {
  %0, %1 = scan(%all, %table, %at, %part, %places)
      {body = @step, carries = 1, sequences = 0, length = 4}
  return %0, %1
}
)");
  EXPECT_THAT(code, HasSubstr("tutti_launch"));
  EXPECT_THAT(code, HasSubstr("llvm.smin"));  // where the part begins
}

// Kernels read a carry by indices, before a part of it is changed where it lies and behind that.
TEST(JoinedFunctions, TakesFromWhatAPartIsPutInto) {
  constexpr const char* kText = R"(
private func @step(%all: f32[SIZE], %at: i32[1], %part: f32[1], %places: i32[20]) {
  %0 = take(%all, %places) {axis = 0}
  %1 = tanh(%0)
  %2 = dynamic_update_slice(%all, %part, %at)
  %3 = take(%2, %places) {axis = 0}
  %4 = mul(%3, %1)
  %5 = add(%at, %at)
  %6 = sum(%4) {axes = [0]}
  return %2, %5, %6, %4
}
func @f(%all: f32[SIZE], %at: i32[1], %parts: f32[5,1], %places: i32[5,20]) {
  %0, %1, %2, %3 = scan(%all, %at, %parts, %places)
      {body = @step, carries = 2, sequences = 2, length = 5}
  return %0, %1, %2, %3
}
)";
  for (const char* const size : {"16", "17", "65"}) expect_agreement(replaced(kText, "SIZE", size));
}

TEST(JoinedFunctions, KernelsThatRoundToNarrowFloatsAreCalled) {
  EXPECT_THAT(code_of(kNarrowed), HasSubstr("tutti_launch"));
}

TEST(JoinedFunctions, LargeKernelsAreCalled) {
  const std::string code = code_of(replaced(kLoop, "N", "2000"));
  EXPECT_THAT(code, HasSubstr("tutti_launch"));
  EXPECT_THAT(code, Not(HasSubstr("<16 x float>")));
}

// What two kernels compute that differ in a constant alone is different code.
TEST(JoinedFunctions, CodeOfOtherKernelsIsOtherCode) {
  const auto with = [](const std::string& number) {
    return code_of("func @f(%x: f32[4]) { %c = constant() {value = f32[] " + number +
                   "} %0 = mul(%x, %c) return %0 }");
  };
  EXPECT_NE(with("2.5"), with("3.5"));
}
#endif

}  // namespace
}  // namespace tutti::codegen::joined_functions_test

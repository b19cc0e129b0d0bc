// Convolutions over what has zeros between its elements.

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::ir::skip_zeros_test {
namespace {

using List = std::vector<std::int64_t>;

// Whole numbers, so that sums are the same in any order.
Array small_numbers(const Shape& shape, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 7) - 3);
  return Array::from(std::span<const float>(values), shape);
}

std::string text(const List& list) {
  std::string out;
  for (const std::int64_t each : list) out += (out.empty() ? "" : ", ") + std::to_string(each);
  return "[" + out + "]";
}

bool is_skipped(const std::string& program) {
  Graph graph = parse(program).functions[0];
  verify(graph);
  return skip_zeros(graph);
}

// A program of one convolution over pad(x), in a random order of x's dimensions and with its
// results in another.
struct Case {
  std::string program;
  Shape x, weight;
};

Case random_case(std::mt19937& random) {
  const auto from = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  const auto spatial = static_cast<std::size_t>(from(1, 3));
  const std::int64_t groups = from(1, 4) == 4 ? 2 : 1;
  List x = {0, groups * from(1, 3)};
  List weight = {groups * from(1, 4), x[1] / groups};
  List low(2, 0), high(2, 0), interior(2, 0), stride, before, behind, dilation;
  for (std::size_t d = 0; d < spatial; ++d) {
    const std::int64_t step = d == 0 ? from(2, 4) : from(1, 3);
    interior.push_back(step - 1);
    stride.push_back(step == 1 ? from(1, 2) : 1);
    dilation.push_back(from(1, 3) == 3 ? 3 : 1);
    x.push_back(from(1, 6));
    weight.push_back(from(1, 5));
    low.push_back(from(0, 4));
    high.push_back(from(0, 4));
    before.push_back(from(0, 2));
    behind.push_back(from(0, 2));
    const std::int64_t reach = dilation[d] * (weight.back() - 1) + 1;
    const auto length = [&] {
      return low.back() + (x.back() - 1) * step + 1 + high.back() + before[d] + behind[d];
    };
    while (length() < reach) ++high.back();
  }
  x[0] = from(1, 2);

  List order(x.size());
  std::iota(order.begin(), order.end(), 0);
  const auto shuffled = [&] {
    List out = order;
    std::shuffle(out.begin(), out.end(), random);
    return out;
  };
  const List from_order = shuffled();
  List stored(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) stored[static_cast<std::size_t>(from_order[d])] = x[d];
  // Transposed before there are zeros, or behind.
  std::string program = "func @f(%x: f32" + Shape(stored).text() + ", %w: f32" +
                        Shape(weight).text() + ") {\n  %zero = constant() {value = f32[] 0}\n";
  const std::string turn = " {permutation = " + text(from_order) + "}\n";
  if (from(0, 1) == 0) {
    program += "  %t = transpose(%x)" + turn + "  %p = pad(%t, %zero) {low = " + text(low) +
               ", high = " + text(high) + ", interior = " + text(interior) + "}\n";
  } else {
    const auto as_stored = [&](const List& list) {
      List out(list.size());
      for (std::size_t d = 0; d < list.size(); ++d) {
        out[static_cast<std::size_t>(from_order[d])] = list[d];
      }
      return text(out);
    };
    program += "  %s = pad(%x, %zero) {low = " + as_stored(low) + ", high = " + as_stored(high) +
               ", interior = " + as_stored(interior) + "}\n  %p = transpose(%s)" + turn;
  }
  program += "  %y = conv(%p, %w) {stride = " + text(stride) + ", low = " + text(before) +
             ", high = " + text(behind) + ", dilation = " + text(dilation) +
             ", groups = " + std::to_string(groups) + "}\n";
  if (from(0, 1) == 0) {
    program += "  %r = transpose(%y) {permutation = " + text(shuffled()) + "}\n  return %r\n}\n";
  } else {
    program += "  return %y\n}\n";
  }
  return {program, Shape(stored), Shape(weight)};
}

TEST(SkipZeros, ConvolutionsGiveTheSame) {
  std::mt19937 random(1);
  int skipped = 0;
  for (int i = 0; i < 600; ++i) {
    const Case one = random_case(random);
    SCOPED_TRACE(one.program);
    const Graph before = parse(one.program).functions[0];
    verify(before);
    Graph after = before;
    if (!skip_zeros(after, 1)) continue;
    ++skipped;
    SCOPED_TRACE(print(after));
    verify(after);
    Graph again = after;
    EXPECT_FALSE(skip_zeros(again, 1));
    const std::vector<Array> inputs = {small_numbers(one.x, random),
                                       small_numbers(one.weight, random)};
    const Array wanted = interpret(before, inputs)[0];
    const Array given = interpret(after, inputs)[0];
    ASSERT_EQ(wanted.shape(), given.shape());
    for (std::int64_t n = 0; n < wanted.elements(); ++n) {
      ASSERT_EQ(wanted.at(n), given.at(n)) << "element " << n;
    }
  }
  EXPECT_GT(skipped, 300);
}

std::string convolution(const std::string& x, const std::string& weight, const std::string& pad,
                        const std::string& stride = "[1, 1]",
                        const std::string& dilation = "[1, 1]", const std::string& zero = "0") {
  return "func @f(%x: f32" + x + ", %w: f32" + weight + ") {\n  %0 = constant() {value = f32[] " +
         zero + "}\n  %1 = pad(%x, %0) " + pad + "\n  %2 = conv(%1, %w) {stride = " + stride +
         ", low = [0, 0], high = [0, 0], dilation = " + dilation +
         ", groups = 1}\n  return %2\n}\n";
}

TEST(SkipZeros, OtherConvolutionsStay) {
  const std::string spread = "{low = [0, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 1, 1]}";
  EXPECT_TRUE(is_skipped(convolution("[8,16,16,16]", "[16,16,3,3]", spread)));
  EXPECT_FALSE(is_skipped(convolution("[1,16,4,4]", "[16,16,3,3]", spread)));  // small
  EXPECT_FALSE(is_skipped(                                                     // 25 parts
      convolution("[8,16,16,16]", "[16,16,5,5]",
                  "{low = [0, 0, 4, 4], high = [0, 0, 4, 4], interior = [0, 0, 4, 4]}")));
  EXPECT_FALSE(is_skipped(  // near the largest sizes
      convolution("[1,1,4,144115188075855872]", "[1,1,3,3]",
                  "{low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 1]}")));
  EXPECT_FALSE(is_skipped(
      convolution("[8,16,32,32]", "[16,16,3,3]",
                  "{low = [0, 0, 1, 1], high = [0, 0, 1, 1], interior = [0, 0, 0, 0]}")));
  EXPECT_FALSE(
      is_skipped(convolution("[8,16,16,16]", "[16,16,3,3]", spread, "[1, 1]", "[1, 1]", "1")));
  EXPECT_FALSE(is_skipped(convolution("[8,16,16,16]", "[16,16,3,3]", spread, "[2, 2]")));
  EXPECT_FALSE(is_skipped(convolution("[8,16,16,16]", "[16,16,3,3]", spread, "[1, 1]", "[2, 2]")));
  EXPECT_FALSE(is_skipped(
      convolution("[8,16,16,16]", "[16,16,3,3]",
                  "{low = [1, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 1, 1]}")));
  EXPECT_FALSE(is_skipped(
      convolution("[8,16,2,16]", "[16,16,3,3]",
                  "{low = [0, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 1000000, 1]}")));
}

}  // namespace
}  // namespace tutti::ir::skip_zeros_test

// Sums of pads with zeros between elements.

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::ir::sum_spreads_test {
namespace {

using List = std::vector<std::int64_t>;

Array random_numbers(const Shape& shape, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(shape.elements()));
  std::normal_distribution<float> normal;
  for (float& value : values) value = normal(random);
  return Array::from(std::span<const float>(values), shape);
}

std::string text(const List& list) {
  std::string out;
  for (const std::int64_t each : list) out += (out.empty() ? "" : ", ") + std::to_string(each);
  return "[" + out + "]";
}

struct Case {
  std::string program;
  std::vector<Shape> parameters;
};

// Pads of parameters that give one shape, most of them with the same steps, and sums of them and of
// a number everywhere, in a random order.
Case random_case(std::mt19937& random) {
  const auto from = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  List whole, steps;
  for (std::int64_t d = from(1, 4); d > 0; --d) {
    whole.push_back(from(1, 9));
    steps.push_back(from(1, 4));
  }
  Case out;
  std::string parameters;
  std::string nodes =
      "  %zero = constant() {value = f32[] " + std::string(from(0, 1) == 0 ? "0" : "-0.5") + "}\n";
  std::vector<std::string> values;
  for (std::int64_t i = from(2, 5); i > 0; --i) {
    List size, low, high, interior;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      const std::int64_t step = from(0, 9) == 0 ? 1 : steps[d];
      low.push_back(from(0, whole[d] - 1));
      size.push_back(from(1, (whole[d] - 1 - low[d]) / step + 1));
      high.push_back(whole[d] - low[d] - (size[d] - 1) * step - 1);
      interior.push_back(step - 1);
    }
    const std::string name = std::to_string(out.parameters.size());
    out.parameters.emplace_back(size);
    parameters += (parameters.empty() ? "%x" : ", %x") + name + ": f32" + Shape(size).text();
    nodes += "  %p" + name + " = pad(%x" + name + ", %zero) {low = " + text(low) +
             ", high = " + text(high) + ", interior = " + text(interior) + "}\n";
    values.push_back("%p" + name);
  }
  if (from(0, 2) == 0) {
    nodes += "  %all = broadcast_to(%zero) {shape = " + text(whole) + "}\n";
    values.emplace_back("%all");
    values.emplace_back("%zero");
  }
  std::string results;
  for (std::int64_t i = from(1, 6); i > 0; --i) {
    const auto any = [&] { return values[random() % values.size()]; };
    const std::string name = "%s" + std::to_string(i);
    nodes += "  " + name + " = add(" + any() + ", " + any() + ")\n";
    values.push_back(name);
    if (i == 1 || from(0, 3) == 0) results += (results.empty() ? "" : ", ") + name;
  }
  out.program = "func @f(" + parameters + ") {\n" + nodes + "  return " + results + "\n}\n";
  return out;
}

TEST(SumSpreads, SumsHaveTheSameBits) {
  std::mt19937 random(1);
  int changed = 0;
  for (int i = 0; i < 1000; ++i) {
    const Case one = random_case(random);
    SCOPED_TRACE(one.program);
    const Graph before = parse(one.program).functions[0];
    verify(before);
    Graph after = before;
    if (!sum_spreads(after)) continue;
    ++changed;
    SCOPED_TRACE(print(after));
    verify(after);
    Graph again = after;
    EXPECT_FALSE(sum_spreads(again));
    std::vector<Array> inputs;
    for (const Shape& shape : one.parameters) inputs.push_back(random_numbers(shape, random));
    EXPECT_EQ(interpret(before, inputs), interpret(after, inputs));
  }
  EXPECT_GT(changed, 300);
}

std::string sum(const std::string& first, const std::string& second) {
  return "func @f(%a: f32[4,4], %b: f32[4,4]) {\n  %0 = constant() {value = f32[] 0}\n"
         "  %1 = pad(%a, %0) " +
         first + "\n  %2 = pad(%b, %0) " + second + "\n  %3 = add(%1, %2)\n  return %3\n}\n";
}

bool is_changed(const std::string& program) {
  Graph graph = parse(program).functions[0];
  verify(graph);
  return sum_spreads(graph);
}

TEST(SumSpreads, OtherSumsStay) {
  const std::string spread = "{low = [0, 0], high = [0, 1], interior = [0, 1]}";
  EXPECT_TRUE(is_changed(sum(spread, spread)));
  EXPECT_FALSE(is_changed(sum(spread, "{low = [0, 2], high = [0, 2], interior = [0, 0]}")));
  EXPECT_FALSE(is_changed(sum("{low = [0, 2], high = [0, 2], interior = [0, 0]}",
                              "{low = [0, 1], high = [0, 3], interior = [0, 0]}")));
}

}  // namespace
}  // namespace tutti::ir::sum_spreads_test

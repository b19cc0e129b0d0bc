#include <algorithm>
#include <cstdlib>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/golden.h"
#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::svg_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::string svg_of(const std::string& program, std::vector<std::string> arguments = {}) {
  const test::TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--format", "svg"});
  const test::CommandResult result = test::show(folder, program, arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  return result.output;
}

struct Rectangle {
  int left, top, width, height;
};

std::vector<Rectangle> rectangles(const std::string& svg) {
  const std::regex pattern(R"re(<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/>)re");
  std::vector<Rectangle> out;
  for (std::sregex_iterator each(svg.begin(), svg.end(), pattern), end; each != end; ++each) {
    out.push_back({std::stoi((*each)[1]), std::stoi((*each)[2]), std::stoi((*each)[3]),
                   std::stoi((*each)[4])});
  }
  return out;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++out;
  return out;
}

// By rows: what is below begins below the end of the row.
void expect_no_overlap(std::vector<Rectangle> all) {
  std::ranges::sort(all, {}, [](const Rectangle& r) { return std::pair(r.top, r.left); });
  int end_of_rows = 0;  // of those before the row of the rectangle before
  int end_of_row = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    end_of_row = std::max(end_of_row, all[i - 1].top + all[i - 1].height);
    if (all[i].top == all[i - 1].top) {
      ASSERT_GE(all[i].left, all[i - 1].left + all[i - 1].width) << i;
    } else {
      end_of_rows = end_of_row;
    }
    ASSERT_GE(all[i].top, end_of_rows) << i;
  }
}

TEST(ShowSvg, HasABoxForEachNode) {
  const std::string svg = svg_of(test::kTrainingStep);
  EXPECT_THAT(rectangles(svg), SizeIs(16));
  EXPECT_EQ(count(svg, "<path"), 16U);  // all but the one from %w to the last node
  EXPECT_THAT(svg, HasSubstr(">%4 sub</text>"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"collective\">"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  expect_no_overlap(rectangles(svg));
}

TEST(ShowSvg, ShowsKernelsAsOneBox) {
  const std::string svg = svg_of(test::kTrainingStep, {"--stage", "fuse"});
  EXPECT_THAT(svg, HasSubstr(">kernel 0: 7 nodes</text>"));
  EXPECT_THAT(svg, HasSubstr(">%3 max f32[64,1]</text>"));
  const std::string folded = svg_of(test::kTrainingStep, {"--stage", "fuse", "--fold"});
  EXPECT_THAT(folded, Not(HasSubstr(">%3 max f32[64,1]</text>")));
  EXPECT_THAT(folded, HasSubstr(">add, max, sub, exp, sum, div</text>"));
  expect_no_overlap(rectangles(folded));
}

TEST(ShowSvg, NamesTheEndsOfLongArrows) {
  std::string program = "func @f(%x: f32[4]) {\n  %0 = neg(%x)\n";
  for (int i = 1; i < 20; ++i) {
    program += "  %" + std::to_string(i) + " = neg(%" + std::to_string(i - 1) + ")\n";
  }
  const std::string svg = svg_of(program + "  %20 = add(%19, %0)\n  return %20\n}\n");
  EXPECT_EQ(count(svg, "<path"), 21U);
  EXPECT_THAT(svg, HasSubstr("\xE2\x86\x91 %0</text>"));
  EXPECT_THAT(svg, HasSubstr("\xE2\x86\x93 %20</text>"));
}

TEST(ShowSvg, StaysNarrowWithManySeparateParts) {
  std::string program = "func @f(%x: f32[4]) {\n";
  for (int i = 0; i < 1000; ++i) {
    program += "  %" + std::to_string(i) + " = iota() {dtype = f32, shape = [4], axis = 0}\n";
  }
  const std::string svg = svg_of(program + "  return %x\n}\n");
  EXPECT_THAT(rectangles(svg), SizeIs(1001));
  for (const Rectangle& each : rectangles(svg)) ASSERT_LT(each.left, 2500);
  expect_no_overlap(rectangles(svg));
}

TEST(ShowSvg, OfLargeProgramsHasAllBoxesApart) {
  const std::string svg = svg_of(test::long_program(10000), {"--stage", "fuse"});
  EXPECT_GT(rectangles(svg).size(), 2000U);
  expect_no_overlap(rectangles(svg));
}

// What the file says about kernels need not make sense.
TEST(ShowSvg, TakesKernelsThatDependOnEachOther) {
  const std::string svg = svg_of(R"(func @f(%x: f32[4]) {
  %0 = neg(%x) {fusion = 0}
  %1 = neg(%0) {fusion = 1}
  %2 = neg(%1) {fusion = 0}
  %3 = neg(%2) {fusion = 1}
  return %3
})");
  EXPECT_THAT(rectangles(svg), SizeIs(3));
  expect_no_overlap(rectangles(svg));
}

TEST(ShowSvg, MakesThePicturesOfTheDocs) {
  const std::string program = test::read_test_file("../docs/pictures/step.tutti");
  EXPECT_TRUE(test::matches_golden(svg_of(program), "../docs/pictures/step.svg"));
  EXPECT_TRUE(test::matches_golden(svg_of(program, {"--stage", "fuse"}),
                                   "../docs/pictures/step_fused.svg"));
}

TEST(ShowSvg, EscapesNames) {
  const std::string svg =
      svg_of("func @\"<a & b> \xFF\"(%x: f32[2]) {\n  %0 = neg(%x)\n  return %0\n}\n");
  EXPECT_THAT(svg, HasSubstr("<title>@&lt;a &amp; b&gt; \xEF\xBF\xBD</title>"));
}

// An SVG file is UTF-8.
TEST(ShowSvg, TakesLinesOfFilesInOtherEncodings) {
  const std::string svg =
      svg_of("func @f(%x: f32[2]) {\n  %0 = neg(%x)  // caf\xE9.cpp:4\n  return %0\n}\n");
  EXPECT_THAT(svg, HasSubstr("  // caf\xEF\xBF\xBD.cpp:4\n"));
  EXPECT_THAT(svg, Not(HasSubstr("\xE9")));
}

TEST(ShowSvg, OfAnEmptyFunction) {
  EXPECT_THAT(svg_of("func @f() {\n  return\n}\n"), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace tutti::svg_test

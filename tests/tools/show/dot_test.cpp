#include <cstdlib>

#include "tests/support/skip.h"
#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>

namespace tutti::dot_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string dot_of(const std::string& program, std::vector<std::string> arguments = {}) {
  const test::TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--format", "dot"});
  const test::CommandResult result = test::show(folder, program, arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  return result.output;
}

TEST(ShowDot, HasNodesAndEdges) {
  const std::string text = dot_of(test::kTrainingStep);
  EXPECT_THAT(text, HasSubstr("digraph \"step\" {"));
  EXPECT_THAT(text, HasSubstr("n8 [label=\"%4 sub\\nf32[64,10]\""));
  EXPECT_THAT(text, HasSubstr("class=\"collective\""));
  EXPECT_THAT(text, HasSubstr("label=\"%7 all_reduce\\nop = \\\"mean\\\", group = @dp\\nasync "));
  EXPECT_THAT(text, HasSubstr("// train.cpp:43\""));
  EXPECT_THAT(text, HasSubstr("  n1 -> n8;\n"));
  // What is under way is dashed.
  EXPECT_THAT(text, HasSubstr("  n11 -> n13 [style=dashed];\n"));
}

TEST(ShowDot, HasAClusterForEachKernel) {
  const std::string text = dot_of(test::kTrainingStep, {"--stage", "fuse"});
  EXPECT_THAT(text, HasSubstr("subgraph cluster_0 {\n    label=\"kernel 0\""));
  const std::string folded = dot_of(test::kTrainingStep, {"--stage", "fuse", "--fold"});
  EXPECT_THAT(folded, Not(HasSubstr("subgraph")));
  EXPECT_THAT(folded, HasSubstr("label=\"kernel 0: "));
}

TEST(ShowDot, EscapesNames) {
  const std::string program =
      "func @\"a \\\"b\\\" \\\\ \\n \xFF\"(%x: f32[2]) {\n  %0 = neg(%x)\n  return %0\n}\n";
  EXPECT_THAT(dot_of(program),
              HasSubstr("digraph \"a \\\"b\\\" \\\\ \xEF\xBF\xBD \xEF\xBF\xBD\" {"));
}

// Where Graphviz is installed.
TEST(ShowDot, IsUnderstoodByGraphviz) {
  if (test::run_command({"/bin/sh", "-c", "command -v dot"}).status != 0) {
    TUTTI_SKIP_FOR_WANT_OF("there is no `dot` (package graphviz)");
  }
  const test::TemporaryFolder folder;
  for (const std::string stage : {"trace", "fuse"}) {
    const std::string file = folder.write("p.dot", dot_of(test::kTrainingStep, {"--stage", stage}));
    const test::CommandResult result = test::run_command({"/usr/bin/env", "dot", "-Tsvg", file});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("all_reduce"));
  }
}

}  // namespace
}  // namespace tutti::dot_test

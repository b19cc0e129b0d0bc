#include <tutti/ir/op.h>

#include <fstream>
#include <sstream>

#include "tests/support/command.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::ops_test {
namespace {

using test::CommandResult;
using testing::HasSubstr;
using testing::StartsWith;

CommandResult run_ops(std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), {TUTTI_BINARY_DIR "/bin/tutti", "ops"});
  return test::run_command(arguments);
}

TEST(Ops, ListsEveryOp) {
  const CommandResult result = run_ops();
  EXPECT_EQ(result.status, 0) << result.errors;
  for (const ir::Definition& entry : ir::definitions()) {
    EXPECT_THAT("\n" + result.output, HasSubstr("\n" + std::string(entry.name) + "("));
  }
}

TEST(Ops, ShowsThoseThatAreNamed) {
  const CommandResult result = run_ops({"take", "sum"});
  EXPECT_EQ(result.output,
            "take(x, indices) {axis}\n"
            "    x's axis replaced by the dimensions of indices, which are clamped\n"
            "    dtypes: any; indices integer. gradient: yes. backends: all, by a kernel of\n"
            "    its own.\n"
            "sum(x) {axes, keepdims = false}\n"
            "    the sum over axes\n"
            "    dtypes: number. gradient: yes. backends: all, fused with others.\n");
}

TEST(Ops, AsJson) {
  const CommandResult result = run_ops({"--json"});
  const auto list = nlohmann::json::parse(result.output);
  ASSERT_EQ(list.size(), ir::definitions().size());
  for (const auto& entry : list) {
    EXPECT_NE(entry.at("meaning"), "") << entry;
    EXPECT_NE(entry.at("gradient"), "") << entry;
    if (entry.at("name") != "layer_norm") continue;
    EXPECT_EQ(
        entry.at("attributes"),
        nlohmann::json::parse(R"([{"name": "epsilon", "kind": "number", "default": "1e-05"}])"));
    EXPECT_EQ(entry.at("family"), "Composites");
  }
}

TEST(Ops, ThePageInDocsIsUpToDate) {
  const std::ifstream file(TUTTI_SOURCE_DIR "/docs/ops.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(run_ops({"--md"}).output == page.str())
      << "make it anew: build/release/bin/tutti ops --md > docs/ops.md";
}

TEST(Ops, RefusesUnknownNames) {
  const CommandResult result = run_ops({"sofmax"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, StartsWith("there is no op 'sofmax'"));
  EXPECT_THAT(result.errors, HasSubstr("softmax"));
  EXPECT_EQ(run_ops({"--md", "--json"}).status, 2);
}

}  // namespace
}  // namespace tutti::ops_test

#include <tutti/ir/op.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/pages.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::ops_test {
namespace {

using test::CommandResult;
using test::content_of_source;
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

TEST(Ops, ThePageSaysWhereTheCasesOfFunctionsAre) {
  const std::string page = run_ops({"--md"}).output;
  const std::regex row(R"(\| `([^`]+)` \| `(\w+\.h)` \| `(\w+_test\.cpp)` \|)");
  std::size_t rows = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), row); at != std::sregex_iterator();
       ++at, ++rows) {
    const std::string header = content_of_source("lazy/" + (*at)[2].str());
    EXPECT_FALSE(content_of_source("tests/lazy/" + (*at)[3].str()).empty());
    std::istringstream functions((*at)[1].str());
    for (std::string name; functions >> name;) {
      if (name.ends_with(',')) name.pop_back();
      if (name.starts_with("nn::")) name.erase(0, 4);
      EXPECT_THAT(header, HasSubstr(name));
    }
  }
  EXPECT_GT(rows, 5);
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

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/skip.h"
#include "tests/tools/show/showing.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace tutti::page_test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ShowPage : public testing::Test {
 protected:
  std::string page(const std::string& program, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.end(), {"--format", "html", "-o", folder_.path() / "page.html"});
    const test::CommandResult result = test::show(folder_, program, arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return folder_.read("page.html");
  }

  // What the page shows.
  json data(const std::string& program, const std::vector<std::string>& arguments = {}) {
    const std::string text = page(program, arguments);
    const std::string begin = "id=\"data\">";
    const std::size_t at = text.find(begin) + begin.size();
    return json::parse(text.substr(at, text.find("</script>", at) - at));
  }

  // Opens the page in a browser, which tries it out by itself (tools/show/page/check.js).
  void expect_works(const std::string& program) {
    const std::string browser = find_browser();
    if (browser.empty()) TUTTI_SKIP_FOR_WANT_OF("there is no browser (package chromium)");
    page(program);
    const std::string profile = folder_.path() / "profile";
    const test::CommandResult result = test::run_command(
        {browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--user-data-dir=" + profile, "--virtual-time-budget=5000", "--dump-dom",
         "file://" + (folder_.path() / "page.html").string() + "#check"});
    EXPECT_THAT(result.output, HasSubstr("<pre id=\"check\">passed ")) << outcome(result);
    EXPECT_THAT(result.output, Not(HasSubstr(" data-error="))) << outcome(result);
  }

 private:
  static std::string find_browser() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const test::CommandResult found =
          test::run_command({"/bin/sh", "-c", std::string("command -v ") + name});
      if (found.status == 0) return found.output.substr(0, found.output.find('\n'));
    }
    return "";
  }

  static std::string outcome(const test::CommandResult& result) {
    const std::size_t error = result.output.find(" data-error=");
    const std::size_t at = result.output.find("<pre id=\"check\">");
    return (error == std::string::npos ? "" : result.output.substr(error, 200)) + "\n" +
           (at == std::string::npos ? result.errors : result.output.substr(at, 1000));
  }

  test::TemporaryFolder folder_;
};

TEST_F(ShowPage, NeedsNothingFromElsewhere) {
  const std::string text = page(test::kTrainingStep);
  for (const char* part : {"<link", "<img", "src=", "@import", "url(", "http-equiv", "fetch("}) {
    EXPECT_THAT(text, Not(HasSubstr(part)));
  }
}

TEST_F(ShowPage, HasEveryStage) {
  const json function = data(test::kTrainingStep).at("functions").at(0);
  EXPECT_EQ(function.at("name"), "step");
  EXPECT_EQ(function.at("failure"), "");
  std::vector<std::string> names;
  for (const json& stage : function.at("stages")) names.push_back(stage.at("name"));
  EXPECT_EQ(names.front(), "trace");
  EXPECT_EQ(names.back(), "fuse");
  EXPECT_GT(function.at("plan").at("steps").at("text").size(), 5U);
  EXPECT_THAT(std::string(function.at("plan").at("kernels")), HasSubstr("kernel "));
}

TEST_F(ShowPage, SaysWhatNodesWereBefore) {
  const json graphs = data(test::kTrainingStep).at("functions").at(0).at("graphs");
  // softmax became its parts; all around it is as before, whatever its number is now.
  const json& before = graphs.at(0).at("code");
  const json& after = graphs.at(1).at("code");
  const json& matches = graphs.at(1).at("before");
  std::vector<std::string> added;
  std::vector<bool> kept(before.size(), false);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const int was = matches.at(i);
    if (was < 0) {
      added.push_back(after.at(i));
    } else {
      kept.at(static_cast<std::size_t>(was)) = true;
    }
  }
  EXPECT_THAT(added, ElementsAre(HasSubstr("max("), HasSubstr("sub("), HasSubstr("exp("),
                                 HasSubstr("sum("), HasSubstr("div(")));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool composite = std::string(before.at(i)).find("softmax(") != std::string::npos;
    EXPECT_EQ(kept.at(i), !composite) << before.at(i);
  }
}

TEST_F(ShowPage, SaysWhereValuesLie) {
  const json function = data(test::kTrainingStep).at("functions").at(0);
  const json& graph = function.at("graphs").back();
  const json& buffers = function.at("plan").at("buffers");
  int collectives = 0;
  for (std::size_t i = 0; i < graph.at("code").size(); ++i) {
    const std::string code = graph.at("code").at(i);
    if (code.find("all_reduce(") == std::string::npos) continue;
    ++collectives;
    // The kernel that wants the sum makes it of what the ranks have.
    EXPECT_EQ(graph.at("buffer").at(i), -1);
  }
  int operands = 0;
  for (std::size_t i = 0; i < buffers.at("kind").size(); ++i) {
    if (buffers.at("kind").at(i) != "symmetric") continue;
    ++operands;
    EXPECT_EQ(buffers.at("bytes").at(i), 784 * 10 * 4);
    const std::size_t node = buffers.at("node").at(i);
    EXPECT_THAT(graph.at("code").at(node).get<std::string>(), HasSubstr("matmul("));
  }
  EXPECT_EQ(operands, 1);
  EXPECT_EQ(collectives, 1);
}

TEST_F(ShowPage, SharesTheTextOfUnchangedStages) {
  const json function =
      data("func @f(%x: f32[4]) {\n  %0 = neg(%x)\n  return %0\n}\n").at("functions").at(0);
  EXPECT_EQ(function.at("graphs").size(), 2U);  // trace and fuse
}

TEST_F(ShowPage, EscapesNames) {
  const std::string text = page(test::kStrangeNames);
  // The data, the script and nothing that the program brought.
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = text.find("</script>", at)) != text.npos; ++at) ++ends;
  EXPECT_EQ(ends, 2U);
  EXPECT_EQ(data(test::kStrangeNames).at("functions").size(), 2U);
}

TEST_F(ShowPage, SaysWhyThereIsNoPlan) {
  const json function = data(
                            "group @g = {ranks = [4, 5]}\n"
                            "func @f(%x: f32[4]) {\n"
                            "  %0 = all_reduce(%x) {op = \"sum\", group = @g}\n"
                            "  %1 = wait(%0)\n"
                            "  return %1\n"
                            "}\n")
                            .at("functions")
                            .at(0);
  EXPECT_TRUE(function.at("plan").is_null());
  EXPECT_THAT(std::string(function.at("failure")), HasSubstr("rank 0"));
  EXPECT_GT(function.at("graphs").size(), 0U);
}

TEST_F(ShowPage, SearchesFoldsAndSwitchesInABrowser) { expect_works(test::kTrainingStep); }

TEST_F(ShowPage, SaysWhatIsHeldAroundALoop) {
  const json plan = data(test::kLoop).at("functions").at(0).at("plan");
  EXPECT_THAT(plan.at("steps").at("enteredBy"), ElementsAre(2, -1, -1, -1, -1));
  EXPECT_THAT(plan.at("spaces").at(0).at("live"), ElementsAre(8192, 4096, 8192, 8192, 8192));
}

TEST_F(ShowPage, ShowsLoopsInABrowser) { expect_works(test::kLoop); }

TEST_F(ShowPage, OpensLargeProgramsInABrowser) { expect_works(test::long_program(10000)); }

TEST_F(ShowPage, ShowsStrangeNamesAndEmptyFunctionsInABrowser) {
  expect_works(test::kStrangeNames);
}

}  // namespace
}  // namespace tutti::page_test

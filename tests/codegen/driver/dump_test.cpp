#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/dump.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/builder.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/support/command.h"
#include <gmock/gmock.h>

namespace tutti::codegen::dump_test {
namespace {

namespace fs = std::filesystem;

using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kAll = {"trace", "passes", "kernels", "plan", "llvm", "asm"};

ir::Graph program() {
  return ir::parse(R"(// tutti ir 1
func @step(%x: f32[8,16], %y: f32[8,16]) {
  %0 = softmax(%x) {axis = 1}          // train.cpp:7
  %1 = add(%0, %y)                     // train.cpp:8
  %2 = lt(%1, %y)                      // a<b>.cpp:9
  return %1, %2
})")
      .functions.at(0);
}

class DumpTest : public testing::Test {
 protected:
  void compile(const std::vector<std::string>& stages, std::int64_t rank = 0) {
    compile(program(), {.dump = std::make_shared<Dump>(top(), stages)}, rank);
  }
  static void compile(const ir::Graph& graph, const CompileOptions& options,
                      std::int64_t rank = 0) {
    runtime::Context context(std::make_unique<runtime::HostBackend>(
                                 std::make_shared<runtime::LocalFabric>(rank + 1), rank),
                             1);
    codegen::compile(graph, context, options);
  }

  fs::path top() const { return folder_.path() / "dump"; }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(top())) {
      if (entry.is_regular_file()) out.push_back(fs::relative(entry.path(), top()));
    }
    std::ranges::sort(out);
    return out;
  }
  std::string read(const std::string& file) const { return folder_.read("dump/" + file); }

  TemporaryFolder folder_;
};

const std::string kFirst = "rank0/0001-step-train.cpp-8/";

TEST_F(DumpTest, WritesTheStagesAskedForAndNoOthers) {
  compile({"trace", "plan"});
  EXPECT_THAT(files(), ElementsAre("index.html", kFirst + "00-trace.tutti", kFirst + "index.html",
                                   kFirst + "plan.txt"));
}

TEST_F(DumpTest, LargeConstantsAreFilesBesideTheTexts) {
  ir::Graph graph;
  graph.name = "f";
  ir::Builder builder(graph);
  const ir::Value x = graph.add_parameter("x", {.dtype = DType::f32, .shape = {1000}});
  graph.set_results(
      {builder.add(ir::Op::add, {x, builder.constant(ir::Array(DType::f32, {1000}))})});
  compile(graph, {.dump = std::make_shared<Dump>(top(), kAll)});
  const std::string folder = "rank0/0001-f/";
  const ir::LoadConstant load = ir::load_constants_beside(top() / folder);
  const std::string text = read(folder + "00-trace.tutti");
  EXPECT_LT(text.size(), 400U);
  EXPECT_TRUE(structurally_equal(ir::parse(text, "trace", load).functions.at(0), graph));
  EXPECT_NO_THROW(check(parse_plan(read(folder + "plan.txt"), "plan.txt", load)));
  int constants = 0;
  for (const std::string& file : files()) constants += file.ends_with(".bin") ? 1 : 0;
  EXPECT_EQ(constants, 1);
}

TEST_F(DumpTest, NothingAskedForNothingWritten) {
  compile(program(), {});
  EXPECT_FALSE(fs::exists(top()));
}

TEST_F(DumpTest, GraphsAreFilesThatTheParserTakes) {
  compile({"trace", "passes"});
  int graphs = 0;
  for (const std::string& file : files()) {
    if (!file.ends_with(".tutti")) continue;
    ++graphs;
    const std::string text = read(file);
    const ir::Module module = ir::parse(text, file);
    ir::verify(module.functions.at(0));
    EXPECT_EQ(ir::print(module.functions[0]), text) << file;
  }
  EXPECT_GE(graphs, 3);  // trace, decompose, fuse at least
  EXPECT_EQ(read(kFirst + "00-trace.tutti"), ir::print(program()));
  EXPECT_THAT(files(), testing::Contains(kFirst + "03-decompose.tutti"));
}

TEST_F(DumpTest, WritesEveryKernelInEveryLanguage) {
  compile(kAll);
  std::map<std::string, int> counts;
  for (const std::string& file : files()) ++counts[fs::path(file).extension()];
  EXPECT_GT(counts[".kernel"], 0);
  // One more is of the plan.
  EXPECT_EQ(counts[".ll"], TUTTI_HAS_LLVM != 0 ? counts[".kernel"] + 1 : 0);
  EXPECT_EQ(counts[".s"], counts[".ll"]);
}

TEST_F(DumpTest, PagesLinkWhatThereIsAndNothingFromElsewhere) {
  compile(kAll);
  compile(kAll);
  for (const std::string& page : files()) {
    if (!page.ends_with("index.html")) continue;
    const std::string html = read(page);
    EXPECT_THAT(html, Not(HasSubstr("://"))) << page;
    int links = 0;
    for (std::size_t at = html.find("href=\""); at != html.npos; at = html.find("href=\"", at)) {
      at += 6;
      const std::string link = html.substr(at, html.find('"', at) - at);
      ++links;
      if (link.starts_with("#")) {
        EXPECT_THAT(html, HasSubstr("id=\"" + link.substr(1) + "\"")) << page;
      } else {
        const std::string file = link.substr(0, link.find('#'));
        EXPECT_TRUE(fs::exists(top() / fs::path(page).parent_path() / file)) << page << link;
      }
    }
    EXPECT_GE(links, 2) << page;
  }
  const std::string index = read("index.html");
  EXPECT_THAT(index, HasSubstr("href=\"" + kFirst + "index.html\""));
  EXPECT_THAT(index, HasSubstr("href=\"rank0/0002-step-train.cpp-8/index.html\""));
  EXPECT_THAT(index, HasSubstr("train.cpp:8"));
  EXPECT_THAT(index, HasSubstr("kernel"));
}

TEST_F(DumpTest, PagesShowTextAsItIs) {
  compile({"trace"});
  EXPECT_THAT(read(kFirst + "index.html"), HasSubstr("// a&lt;b&gt;.cpp:9"));
  EXPECT_THAT(read(kFirst + "index.html"), HasSubstr("data-at=\"train.cpp:7\""));
}

TEST_F(DumpTest, ALaterRunAddsToTheFolder) {
  compile({"trace"});
  const std::string before = read("index.html");
  compile({"plan"});
  EXPECT_THAT(read("index.html"), testing::StartsWith(before));
  EXPECT_TRUE(fs::exists(top() / kFirst / "00-trace.tutti"));
  EXPECT_TRUE(fs::exists(top() / "rank0/0002-step-train.cpp-8/plan.txt"));
}

TEST_F(DumpTest, ThreadsAndRanksDoNotOverwriteEachOther) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    // Two threads for each of two ranks, each with a dump of its own, as processes have.
    threads.emplace_back([this, i] {
      for (int j = 0; j < kEach; ++j) compile({"trace"}, i % 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string index = read("index.html");
  for (const std::string rank : {"rank0", "rank1"}) {
    int executables = 0;
    for (const auto& entry : fs::directory_iterator(top() / rank)) {
      ++executables;
      const std::string link = rank + "/" + entry.path().filename().string();
      EXPECT_EQ(read(link + "/00-trace.tutti"), ir::print(program()));
      EXPECT_THAT(index, HasSubstr("<article id=\"" + link + "\">"));
      EXPECT_THAT(index, HasSubstr("<script>done(\"" + link + "\","));
    }
    EXPECT_EQ(executables, kEach * kThreads / 2);
  }
  EXPECT_EQ(std::ranges::count(files(), "index.html"), 1);
}

TEST_F(DumpTest, WhatCannotBeWrittenIsWarnedOfOnce) {
  const auto dump = std::make_shared<Dump>(folder_.write("a_file", "in the way"), kAll);
  testing::internal::CaptureStderr();
  compile(program(), {.dump = dump});
  compile(program(), {.dump = dump});
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, testing::StartsWith("tutti: warning: TUTTI_DUMP: "));
  EXPECT_EQ(std::ranges::count(warning, '\n'), 1) << warning;
  EXPECT_THAT(warning, HasSubstr("a_file"));
}

TEST_F(DumpTest, AFailureLeavesWhatWasThereAndSaysSo) {
  const ir::Pass failing{"failing", [](ir::Graph&) -> bool { throw TypeError("<no> good"); }, ""};
  const std::vector<const ir::Pass*> passes = {ir::find_pass("decompose"), &failing};
  EXPECT_THROW(compile(program(), {.passes = passes, .dump = std::make_shared<Dump>(top(), kAll)}),
               InternalError);
  EXPECT_TRUE(fs::exists(top() / kFirst / "01-decompose.tutti"));
  EXPECT_THAT(read(kFirst + "index.html"), HasSubstr("in pass failing: &lt;no&gt; good"));
  EXPECT_THAT(read("index.html"), HasSubstr("failed: in pass failing: \\x3cno\\x3e good"));
}

}  // namespace
}  // namespace tutti::codegen::dump_test

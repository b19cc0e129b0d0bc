#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/driver/dump.h>
#include <tutti/codegen/driver/reproduce.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/command.h"
#include "tests/support/run_graph.h"
#include <gmock/gmock.h>

namespace tutti::codegen::compile_test {
namespace {

using ir::Array;
using testing::HasSubstr;

ir::Graph parsed(const std::string& text) {
  return ir::parse("// tutti ir 1\n" + text).functions.at(0);
}

// Without composites: what each pass but decompose may be left out for.
ir::Graph plain_program() {
  return parsed(R"(
func @f(%x: f32[4,8], %y: f32[8]) {
  %0 = constant() {value = f32[] 2}
  %1 = mul(%x, %0)      // a.cpp:1
  %2 = add(%1, %y)      // a.cpp:2
  %3 = add(%1, %y)      // a.cpp:2
  %4 = sub(%2, %3)      // a.cpp:3
  %5 = sum(%2) {axes = [1]}
  %6 = transpose(%2) {permutation = [1, 0]}
  %7 = neg(%x)
  return %2, %4, %5, %6
})");
}

ir::Graph softmax_program() {
  return parsed(R"(
func @f(%x: f32[4,8]) {
  %0 = softmax(%x) {axis = 1}   // a.cpp:5
  return %0
})");
}

std::vector<Array> run(const ir::Graph& graph, const std::vector<Array>& inputs,
                       const CompileOptions& options) {
  runtime::Context context(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 1);
  const auto executable = compile(graph, context, options);
  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
  for (const Array& input : inputs) {
    buffers.push_back(context.allocator.allocate(input.bytes().size()));
    std::ranges::copy(input.bytes(), buffers.back()->data());
  }
  std::vector<Array> out;
  for (const Executable::Result& result : executable->run(buffers)) {
    Array& array = out.emplace_back(result.type.dtype, result.type.shape);
    std::copy_n(result.wait()->data(), array.bytes().size(), array.bytes().begin());
  }
  return out;
}

std::vector<Array> numbers(const ir::Graph& graph) {
  std::vector<Array> out;
  for (const ir::Parameter& parameter : graph.parameters()) {
    Array& array = out.emplace_back(DType::f32, graph.type(parameter.value).shape);
    float next = 0.5F;
    for (float& element : array.data<float>()) element = next += 0.25F;
  }
  return out;
}

TEST(Compile, AnyPassCanBeDisabled) {
  const ir::Graph graph = plain_program();
  const std::vector<Array> inputs = numbers(graph);
  const std::vector<Array> expected = ir::interpret(graph, inputs);
  std::vector<std::vector<std::string>> choices = {{}};
  for (const ir::Pass& pass : ir::all_passes()) {
    choices.push_back({std::string(pass.name)});
    choices[0].emplace_back(pass.name);  // all of them
  }
  for (const auto& disabled : choices) {
    SCOPED_TRACE(testing::PrintToString(disabled));
    std::vector<std::string> ran;
    CompileOptions options{.disabled = disabled};
    options.on_stage = [&](std::string_view stage, const ir::Graph&) { ran.emplace_back(stage); };
    const std::vector<Array> results = run(graph, inputs, options);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(test::close(results[i], expected[i]));
    }
    for (const std::string& name : disabled)
      EXPECT_THAT(ran, testing::Not(testing::Contains(name)));
    EXPECT_EQ(ran.size(), 1 + ir::all_passes().size() - disabled.size());
  }
}

TEST(Compile, WithoutFuseEveryNodeIsAKernel) {
  const ir::Graph graph = softmax_program();
  const std::vector<Array> inputs = numbers(graph);
  EXPECT_TRUE(
      test::close(run(graph, inputs, {.disabled = {"fuse"}})[0], ir::interpret(graph, inputs)[0]));
}

template <class E>
std::string error_of(const ir::Graph& graph, const CompileOptions& options) {
  try {
    run(graph, numbers(graph), options);
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Compile, WithoutDecomposeCompositesAreRefused) {
  EXPECT_EQ(error_of<UsageError>(softmax_program(), {.disabled = {"decompose"}}),
            "a.cpp:5: softmax can't be compiled while the pass 'decompose' is disabled");
}

TEST(Compile, ProgramsForGpusNeedThePassPlace) {
  const ir::Graph graph = ir::parse(
                              "func @f(%x: f32[4] on cuda:0) -> (f32[4] on cuda:0) {\n"
                              "  %0 = add(%x, %x)\n  return %0\n}")
                              .functions.at(0);
  EXPECT_EQ(error_of<UsageError>(graph, {.disabled = {"place"}}),
            "the pass 'place' can't be disabled in programs for GPUs");
}

TEST(Compile, ADisabledPassMustBeOne) {
  EXPECT_EQ(error_of<UsageError>(plain_program(), {.disabled = {"fused"}}),
            "there is no pass 'fused' to disable; did you mean 'fuse'?");
}

TEST(Compile, TheLogSaysWhatWasCompiledAndHowLongItTook) {
  std::string lines;
  const std::vector<std::string> topics = {"compile"};
  const runtime::Log log(topics, [&](std::string_view text) { lines += text; });
  const ir::Graph graph = softmax_program();
  run(graph, numbers(graph), {.log = &log});
  EXPECT_THAT(lines,
              testing::MatchesRegex(
                  "tutti\\[0\\] compile: @f \\(a.cpp:5\\): 1 node, 1 kernel, [0-9]+ steps in .* "
                  "\\(bound_sizes .*, fuse .*, plan .*, code .*\\)\n"));
}

TEST(Compile, SettingsBecomeOptions) {
  const auto options_of = [](const std::map<std::string, std::string>& variables) {
    return compile_options(runtime::Settings([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    }));
  };
  const CompileOptions plain = options_of({});
  EXPECT_EQ(plain.kernel_mode, kDefaultKernelMode);
  EXPECT_EQ(plain.dump, nullptr);
  EXPECT_EQ(plain.verify, kVerifyByDefault);
  const CompileOptions set = options_of({{"TUTTI_SET", "kernels=evaluate,verify=on"},
                                         {"TUTTI_DISABLE", "cse,dce"},
                                         {"TUTTI_DUMP", "plan"},
                                         {"TUTTI_DUMP_DIR", "/somewhere"}});
  EXPECT_EQ(set.kernel_mode, KernelMode::evaluate);
  EXPECT_TRUE(set.verify);
  EXPECT_THAT(set.disabled, testing::ElementsAre("cse", "dce"));
  EXPECT_EQ(set.dump->folder(), "/somewhere");
  EXPECT_TRUE(set.dump->has("plan"));
  EXPECT_FALSE(set.dump->has("trace"));
}

// ---- Bugs come with what shows them again

const ir::Pass kFailing{
    "failing", [](ir::Graph&) -> bool { throw TypeError("no good", Location("a.cpp", 7)); }, ""};
const std::vector<const ir::Pass*> kPasses = {ir::find_pass("decompose"), &kFailing};

// The words of the command on the last line.
std::vector<std::string> command_in(const std::string& message) {
  std::istringstream words(message.substr(message.rfind('\n') + 1));
  return {std::istream_iterator<std::string>(words), {}};
}

std::string content(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Reproduce, ABugNamesAFileThatShowsItAgainAndACommandThatWorks) {
  const ir::Graph graph = softmax_program();
  const CompileOptions options{.disabled = {"cse", "dce"}, .passes = kPasses};
  const std::string message = error_of<InternalError>(graph, options);
  EXPECT_THAT(message, testing::StartsWith("a.cpp:7: in pass failing: no good\nThis is a bug of "
                                           "Tutti's. The program is in "));
  std::vector<std::string> command = command_in(message);
  ASSERT_THAT(command, testing::ElementsAre("tutti", "run", testing::_, "--compile-only",
                                            "--disable", "cse,dce"));
  const std::string file = command[2];
  EXPECT_EQ(content(file), ir::print(graph));
  // The file shows it again: the same with the same passes.
  EXPECT_THAT(error_of<InternalError>(ir::parse(content(file)).functions.at(0), options),
              testing::StartsWith(message.substr(0, message.find(file))));
  // And the command is one that the tool takes; its passes are sound.
  command[0] = TUTTI_BINARY_DIR "/bin/tutti";
  const test::CommandResult result = test::run_command(command);
  EXPECT_EQ(result.status, 0) << result.errors;
  std::filesystem::remove(file);
}

TEST(Reproduce, TheFileIsInTheDumpIfThereIsOne) {
  const test::TemporaryFolder folder;
  const std::string top = folder.path() / "with space";
  const std::string message = error_of<InternalError>(
      softmax_program(), {.kernel_mode = KernelMode::evaluate,
                          .passes = kPasses,
                          .dump = std::make_shared<Dump>(top, std::vector<std::string>{"plan"})});
  EXPECT_THAT(message, HasSubstr("\n  tutti run '" + top + "/rank0/0001-f-a.cpp-5/failed-"));
  if (kDefaultKernelMode != KernelMode::evaluate) {
    EXPECT_THAT(message, HasSubstr(" --set kernels=evaluate"));
  }
}

TEST(Reproduce, AFailedCheckOfAGraphIsABugToo) {
  const ir::Pass breaking{"breaking",
                          [](ir::Graph& graph) {
                            graph.set_results({ir::Value{}});  // of no node
                            return true;
                          },
                          ""};
  const std::string message =
      error_of<InternalError>(softmax_program(), {.passes = {&breaking}, .verify = true});
  EXPECT_THAT(message, HasSubstr("after pass breaking"));
  EXPECT_THAT(message, HasSubstr("--compile-only"));
  std::filesystem::remove(command_in(message)[2]);
}

TEST(Reproduce, MistakesOfTheUserAreLeftAlone) {
  EXPECT_THAT(error_of<UsageError>(softmax_program(), {.disabled = {"decompose"}}),
              testing::Not(HasSubstr("bug")));
}

TEST(Reproduce, ArgumentsAreQuotedForTheShell) {
  EXPECT_EQ(shell_quoted("/tmp/a-b_1.tutti"), "/tmp/a-b_1.tutti");
  EXPECT_EQ(shell_quoted("/tmp/a b"), "'/tmp/a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace tutti::codegen::compile_test

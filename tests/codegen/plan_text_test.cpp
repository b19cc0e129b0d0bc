#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/driver/kernel_compiler.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/codegen/driver/verify_text.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/equal_plans.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <cmath>
#include <cstring>

#include "tests/support/golden.h"
#include "tests/support/pages.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Plans as text: tests/codegen/golden/*.plan show it.
namespace tutti::codegen::plan_text_test {
namespace {

using testing::HasSubstr;

Plan plan_of(const std::string& text, std::int64_t rank = 0) {
  ir::Graph graph = ir::parse(text).functions.at(0);
  ir::run_passes(graph);
  return make_plan(graph, rank);
}

std::string error_of(const std::string& text) {
  try {
    parse_plan(text, "step.plan");
  } catch (const ParseError& error) {
    return error.what();
  }
  ADD_FAILURE() << "the plan was taken:\n" << text;
  return {};
}

void expect_round_trip(const Plan& plan) {
  const std::string text = print(plan);
  SCOPED_TRACE(text);
  const Plan read = parse_plan(text);
  EXPECT_EQ(print(read), text);
  EXPECT_TRUE(structurally_equal(read, plan));
  EXPECT_NO_THROW(check(read));
  EXPECT_NO_THROW(verify_text(plan));
}

TEST(PlanText, GivesBackTheGoldenPlans) {
  for (const char* name : {"step", "batch_send_recv"}) {
    const std::string file = "codegen/golden/" + std::string(name) + ".plan";
    EXPECT_TRUE(test::matches_golden(print(parse_plan(test::read_test_file(file), file)), file));
  }
}

// Of every construct one.
TEST(PlanText, GivesBackWhatTheFuzzerStartsFrom) {
  for (const char* name : {"small", "everything", "control"}) {
    const std::string text =
        test::read_test_file("fuzz/corpus/plan/" + std::string(name) + ".plan");
    EXPECT_EQ(print(parse_plan(text, name)), text);
  }
}

TEST(PlanText, DocsShowCanonicalPlans) {
  int plans = 0;
  for (const test::CodeBlock& block : test::all_blocks()) {
    if (block.language != "plan") continue;
    ++plans;
    const Plan plan = parse_plan(block.text, block.where());
    EXPECT_EQ(print(plan), block.text) << block.where();
    check(plan);
    for (const Kernel& kernel : plan.kernels) check(kernel);
  }
  EXPECT_GT(plans, 0);
}

TEST(PlanText, GivesBackAllThatAPlanSays) {
  expect_round_trip(plan_of(test::read_test_file("ir/golden/step.tutti")));
}

// A function whose constants, collectives and replicated types have something to say.
constexpr const char* kCollectives = R"(
mesh (dp = 2, "t p" = 2)
group @dp = {ranks = [0, 2, 1, 3], stride = 2, timeout = 500}
group @all = {ranks = [0, 1, 2, 3], stride = 4}

func @"a step"(%x: f32[4,8], %s: f32[] rep(*), %w: f32[8,4] rep(dp) {donate}) {
  %0 = constant() {value = f32[3] [nan, -inf, 1.5]}
  %1 = all_gather(%x) {axis = 1, group = @dp}
  %2 = wait(%1)
  %3 = reduce_scatter(%2) {op = "mean", axis = 0, sizes = [1, 3], part = 1, group = @dp}
  %4 = wait(%3)
  %5 = broadcast(%x) {root = 2, group = @all}
  %6 = collective_permute(%x) {pairs = [0, 1, 1, 0], group = @dp}
  %7 = wait(%6)
  %8 = mul(%7, %s)
  %9 = mul(%w, %w)
  %10 = scan_ranks(%x) {op = "max", group = @all, exclusive = true, reverse = true}
  return %4, %5, %8, %9, %0, %10
})";

TEST(PlanText, GivesBackCollectivesConstantsAndTypes) {
  for (const std::int64_t rank : {0, 1}) expect_round_trip(plan_of(kCollectives, rank));
  const std::string text = print(plan_of(kCollectives));
  EXPECT_THAT(text, HasSubstr("plan @\"a step\" rank 0"));
  EXPECT_THAT(text, HasSubstr("f32[3] [nan, -inf, 1.5]"));
  EXPECT_THAT(text, HasSubstr("input 1: f32[] rep(*)"));
  EXPECT_THAT(text, HasSubstr("{dtype = f32, op = \"mean\", parts = [64 = [1, 4, 16] {sizes = "));
}

TEST(PlanText, GivesBackEpiloguesAndCallsWithSeveralResults) {
  expect_round_trip(plan_of(R"(
func @f(%x: f32[512,64], %w: f32[64,512], %b: f32[512], %v: f32[7]) {
  %0 = matmul(%x, %w)
  %1 = add(%0, %b)
  %2 = tanh(%1)                                                // a.cpp:7
  %3, %4 = sort(%v) {axis = 0}
  return %2, %3, %4
})"));
}

TEST(PlanText, GivesBackWhatRunsOnGpus) {
  expect_round_trip(plan_of(R"(
func @f(%x: f32[64,48] on cuda:1, %w: f32[48,32] on cuda:1, %h: f32[64,32]) {
  %0 = matmul(%x, %w)
  %1 = tanh(%0)
  %2 = to_device(%h) {device = "cuda:1"}
  %3 = add(%1, %2)
  return %3
})"));
}

TEST(PlanText, EqualKernelsStandThereOnce) {
  const Plan plan = plan_of(R"(
func @f(%x: f32[8192]) {
  %0 = tanh(%x)
  %1 = cumsum(%0) {axis = 0}
  %2 = tanh(%1)
  return %2
})");
  ASSERT_EQ(plan.kernels.size(), 2U);
  EXPECT_THAT(print(plan), HasSubstr("\nk0, k1 = kernel tanh outer "));
  expect_round_trip(plan);
}

constexpr const char* kSmall = R"(// tutti plan 1

plan @f rank 0 arena 0 bytes {
  b0 = input 0: f32[4], 16 bytes, until step 1
  b1 = output, 16 bytes, steps 1..2
  0: allocate b1
  1: launch tanh k0 (b0) -> b1 {tiles = 1}                              // a.cpp:3
  return b1: f32[4]
}

k0 = kernel tanh outer [4] inner [] along outer block 16 values 2 {
  b0: f32 read
  b1: f32 written
  point
    %0: f32 = load b0[o0]
    %1: f32 = tanh.f32 %0
    b1[o0] = %1
}
)";

TEST(PlanText, ReadsFreeLayoutAndComments) {
  std::string text = kSmall;
  EXPECT_EQ(print(parse_plan(text)), text);
  for (std::size_t at = text.find("  "); at != std::string::npos; at = text.find("  ", at + 1)) {
    text.replace(at, 2, " // blank\n\t");
  }
  text.erase(0, text.find("plan @f"));
  EXPECT_TRUE(structurally_equal(parse_plan(text), parse_plan(kSmall))) << text;
}

TEST(PlanText, DifferencesShow) {
  const Plan plan = parse_plan(kSmall);
  EXPECT_EQ(first_difference(plan, parse_plan(kSmall)), "");
  struct Case {
    std::string from, to, place;
  };
  for (const auto& [from, to, place] : std::vector<Case>{{"@f", "@g", "the head"},
                                                         {"rank 0", "rank 1", "the head"},
                                                         {"arena 0", "arena 64", "the head"},
                                                         {"tiles = 1", "tiles = 2", "step 1"},
                                                         {"step 1", "step 0", "buffer b0"},
                                                         {"1..2", "1..1", "buffer b1"},
                                                         {"tanh.f32", "exp.f32", "kernel k0"}}) {
    std::string text = kSmall;
    text.replace(text.find(from), from.size(), to);
    EXPECT_FALSE(structurally_equal(parse_plan(text), plan)) << text;
    EXPECT_EQ(first_difference(parse_plan(text), plan), place) << text;
  }
}

TEST(PlanText, MistakesAreNamedWithTheirPlace) {
  struct Case {
    std::string from, to, error;
  };
  for (const auto& [from, to, error] : std::vector<Case>{
           {"plan 1", "plan 2", "1:1: this reads version 1 of the text, not 2"},
           {"plan @f", "func @f", "3:1: expected 'plan', 'group' or 'mesh', not 'func'"},
           {"b0 = input", "b1 = input", "4:3: buffers are numbered in order; the next is b0"},
           {"output,", "outptu,",
            "5:8: a buffer is an input, constant, parameter, local, symmetric, peer, comm, output "
            "or result"},
           {"16 bytes, steps", "-1 bytes, steps", "5:16: a number of bytes is 0 or more"},
           {"1: launch", "7: launch", "7:3: steps are numbered in order; the next is 1"},
           {"allocate b1", "alocate b1", "6:6: expected a step: allocate, acquire, launch"},
           {"allocate b1", "free b9", "6:11: there is no buffer 'b9' above"},
           {"allocate b1", "wait w0", "6:11: no step above starts 'w0'"},
           {"(b0) -> b1", "(b0, b0) -> b1", "7:6: kernel k0 takes 2 buffers, but more are given"},
           {"(b0) -> b1", "() -> b1", "7:6: too few buffers: more are read"},
           {"tanh k0", "tanh k1", "7:6: there is no kernel k1 in the text"},
           {"tiles = 1", "tlies = 1", "7:33: a launch has no attribute 'tlies'"},
           {"input 0", "input 1", "11:1: no buffer above has argument 0, but one has 1"},
           {"k0 = k", "k1 = k", "there is a kernel k1, but no k0"},
           {"values 2", "values 1", "the kernel has 1 values, counted from %0; %1 is none"},
           {"b0[o0]", "b0[o1]", "15:23: 'o1' is no axis here"},
           {"b0[o0]", "b7[o0]", "15:20: the kernel has no buffer 'b7'"},
           {"b0[o0]", "b0[o0 + o0]", "15:28: the index has this term twice"},
           {"tanh.f32", "tanh", "16:15: 'tanh' lacks a dtype"},
           {"tanh.f32", "tahn.f32", "16:15: unknown instruction 'tahn.f32'"},
       }) {
    std::string text = kSmall;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_THAT(error_of(text), HasSubstr(error));
    EXPECT_THAT(error_of(text), testing::StartsWith("step.plan:"));
  }
}

TEST(PlanText, AnAlgorithmFollowsFromItsLimit) {
  const std::string golden = test::read_test_file("codegen/golden/step.plan");
  const auto with = [&](const std::string& algorithm) {
    std::string text = golden;
    const std::string from = "one-shot, up to 65536 bytes";
    text.replace(text.find(from), from.size(), algorithm);
    return text;
  };
  for (const char* const right : {"one-shot, up to 64 bytes", "two-shot, above 63 bytes",
                                  "one-shot, always", "two-shot, always"}) {
    EXPECT_EQ(print(parse_plan(with(right))), with(right));
    EXPECT_FALSE(structurally_equal(parse_plan(with(right)), parse_plan(golden)));
  }
  EXPECT_THAT(error_of(with("one-shot, up to 63 bytes")),
              HasSubstr("this call's is \"two-shot, above 63 bytes\""));
  EXPECT_THAT(error_of(with("two-shot, above 65536 bytes")),
              HasSubstr("this call's is \"one-shot, up to 65536 bytes\""));
  EXPECT_THAT(error_of(with("ring")), HasSubstr("might be \"one-shot, up to 65536 bytes\""));
  EXPECT_THAT(error_of(with("")), HasSubstr("might be"));
  // What no memory holds is two-shot, too.
  std::string huge = golden;
  huge.replace(huge.find("parts = [16]"), 12, "parts = [4611686018427387903]");
  EXPECT_THAT(error_of(huge), HasSubstr("this call's is \"two-shot, above 65536 bytes\""));
  std::string twice = golden;
  twice.insert(twice.find("algorithm ="), "algorithm = \"one-shot, always\", ");
  EXPECT_THAT(error_of(twice), HasSubstr("the algorithm is said already"));
  std::string other = golden;
  other.replace(other.find("over @dp (b3)"), 13, "over @dp by nccl (b3)");
  EXPECT_THAT(error_of(other), HasSubstr("by another engine, has no algorithm"));
}

// A mistake in the order of steps is no mistake of the text.
TEST(PlanText, RulesAreChecked) {
  std::string text = kSmall;
  text.replace(text.find("allocate b1"), 11, "free b1");
  EXPECT_THROW(check(parse_plan(text)), InternalError);
}

std::unique_ptr<runtime::Context> one_rank() {
  return std::make_unique<runtime::Context>(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 1);
}

TEST(PlanText, APlanOfKernelsThatWasReadCanBeEvaluated) {
  Plan plan = parse_plan(kSmall);
  check(plan);
  KernelCompiler compiler(KernelMode::evaluate);
  compile_kernels(plan, compiler);
  const auto context = one_rank();
  Executable executable(std::move(plan), *context, PlanMode::walk);
  const std::vector<std::shared_ptr<runtime::Buffer>> inputs = {context->allocator.allocate(16)};
  const std::array<float, 4> x = {-1, 0, 0.5F, 2};
  std::memcpy(inputs[0]->data(), x.data(), sizeof(x));
  const auto results = executable.run(inputs);
  std::array<float, 4> y{};
  std::memcpy(y.data(), results.at(0).buffer->data(), sizeof(y));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], std::tanh(x[i]), 1e-6);
}

TEST(PlanText, CallsThatWereReadAreNotRun) {
  Plan plan = parse_plan(R"(plan @f rank 0 arena 0 bytes {
  b0 = input 0: f32[4], 16 bytes
  b1 = output, 16 bytes
  0: allocate b1
  1: call sort "f32[4]" (b0) -> b1
  return b1: f32[4]
})");
  check(plan);
  const auto context = one_rank();
  try {
    Executable(std::move(plan), *context, PlanMode::walk);
    FAIL() << "the plan was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("plan @f: sort has no code; a plan that was read"));
  }
}

TEST(PlanText, NoTextAsksForMoreMemoryThanItIsWorth) {
  std::string numbers;
  for (int i = 0; i < 400000; ++i) numbers += (i == 0 ? "k" : ", k") + std::to_string(i);
  std::string text = kSmall;
  text.replace(text.rfind("k0 = "), 2, numbers);
  EXPECT_THAT(error_of(text), HasSubstr("kernels stand under too many numbers"));
  // Fewer numbers of a kernel that is large itself.
  const auto times = [](const std::string& part) {
    std::string out;
    for (int i = 0; i < 2000; ++i) out += part;
    return out;
  };
  numbers.resize(numbers.find(", k2000"));
  for (const auto& [small, large] : std::vector<std::pair<std::string, std::string>>{
           {"kernel tanh", "kernel " + std::string(2000 * sizeof(Instruction), 't')},
           {"b0: f32 read", "b0: f32 read at clamp(b0[0], 1)" + times(" + clamp(b0[0], 1)")},
           {"load b0[o0]", "load b0[o0] where o0 in 0..4" + times(", o0 in 0..4") + " else 0"}}) {
    text = kSmall;
    text.replace(text.rfind("k0 = "), 2, numbers);
    text.replace(text.find(small), small.size(), large);
    EXPECT_THAT(error_of(text), HasSubstr("kernels stand under too many numbers")) << small;
  }
  text = kSmall;
  text.replace(text.find("values 2"), 8, "values 2000000000");
  EXPECT_THAT(error_of(text), HasSubstr("a kernel has 0 to"));
}

}  // namespace
}  // namespace tutti::codegen::plan_text_test

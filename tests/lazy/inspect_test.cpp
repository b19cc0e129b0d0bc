#include <tutti/ir/parse/parse.h>
#include <tutti/ir/text/print.h>

#include "tests/lazy/lazy_testing.h"

namespace tutti::test::inspect_test {
namespace {

using testing::HasSubstr;
using testing::Not;

auto normalise() {
  return compile([](const Tensor& x, float scale) { return softmax(x) * scale; });
}

TEST(Inspect, EveryStageOfTheLastProgramCanBeRead) {
  auto f = normalise();
  f(tensor({1.F, 2.F, 3.F}), 2.F);
  EXPECT_THAT(f.ir(), HasSubstr("softmax(%a0)"));
  EXPECT_THAT(f.ir("decompose"), Not(HasSubstr("softmax(")));
  EXPECT_THAT(f.ir("decompose"), Not(HasSubstr("fusion = 0")));
  EXPECT_THAT(f.ir("fuse"), HasSubstr("fusion = 0"));
  EXPECT_THAT(f.plan(), HasSubstr("launch"));
  EXPECT_THAT(f.kernels(), testing::StartsWith("// k0, inspect_test.cpp:"));
  EXPECT_THAT(f.kernels(), HasSubstr("\nkernel "));
  for (const std::string& text : {f.ir(), f.ir("fuse")}) {
    EXPECT_EQ(ir::print(ir::parse(text).functions.at(0)), text);
  }
  f(tensor({1.F, 2.F}), 2.F);
  EXPECT_THAT(f.ir(), HasSubstr("f32[2]"));
}

#if TUTTI_HAS_LLVM
TEST(Inspect, KernelsCanBeReadAsMachineCode) {
  auto f = normalise();
  f(tensor({1.F, 2.F, 3.F}), 2.F);
  EXPECT_THAT(f.llvm(), HasSubstr("define "));
  EXPECT_THAT(f.assembly(), HasSubstr("ret"));
}
#else
TEST(Inspect, WithoutLlvmThereIsNoMachineCode) {
  auto f = normalise();
  f(tensor({1.F, 2.F, 3.F}), 2.F);
  EXPECT_THROW(f.llvm(), EnvironmentError);
  EXPECT_THROW(f.assembly(), EnvironmentError);
}
#endif

TEST(Inspect, EqualKernelsAreShownOnce) {
  auto f = compile([](const Tensor& x, const Tensor& w) {
    const Tensor first = tanh(matmul(x, w));
    return tanh(matmul(first, w));
  });
  f(ones({4, 4}), ones({4, 4}));
  EXPECT_THAT(f.kernels(), testing::StartsWith("// k0 k1, inspect_test.cpp:"));
}

TEST(Inspect, BeforeTheFirstCallThereIsNothingToRead) {
  auto f = normalise();
  EXPECT_THROW(f.ir(), UsageError);
  EXPECT_THROW(f.ir("fuse"), UsageError);
  EXPECT_THROW(f.plan(), UsageError);
  EXPECT_THROW(f.kernels(), UsageError);
  EXPECT_THROW(f.llvm(), UsageError);
  EXPECT_THROW(f.assembly(), UsageError);
  EXPECT_THAT(f.explain(), HasSubstr("never called"));
}

TEST(Inspect, APassMustBeOne) {
  auto f = normalise();
  f(tensor({1.F}), 2.F);
  try {
    f.ir("fusion");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no pass 'fusion'; did you mean 'fuse'?"));
  }
}

// What the calling rank logs while this lives.
class Logged {
 public:
  explicit Logged(const std::vector<std::string>& topics)
      : log_(topics, [this](std::string_view text) { lines_ += text; }) {
    detail::RankContext::current().compile_options.log = &log_;
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  ~Logged() { detail::RankContext::current().compile_options.log = before_; }
  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
  runtime::Log log_;
  const runtime::Log* before_ = detail::RankContext::current().compile_options.log;
};

TEST(Inspect, TheLogSaysWhyAFunctionIsCompiledAgain) {
  auto f = normalise();
  const Logged log({"recompiles"});
  f(tensor({1.F, 2.F}), 2.F);
  f(tensor({1.F, 2.F}), 3.F);
  f(tensor({1.F}), 3.F);
  EXPECT_THAT(log.lines(),
              testing::MatchesRegex(
                  "tutti\\[0\\] recompiles: the function of inspect_test.cpp:[0-9]+ is compiled as "
                  "program 1 because: the first call\n"
                  "tutti\\[0\\] recompiles: the function of inspect_test.cpp:[0-9]+ is compiled as "
                  "program 2 because: 0: f32\\[2\\].* became 0: f32\\[1\\].*\n"));
}

TEST(Inspect, TheLogSaysWhatIsEvaluated) {
  const Logged log({"evaluate"});
  for (int i = 0; i < 2; ++i) eval(tensor({1.F, 2.F}) * 7.F - 5.F);
  EXPECT_THAT(log.lines(),
              testing::MatchesRegex("tutti\\[0\\] evaluate: 2 nodes for 2 results, the first of "
                                    "inspect_test.cpp:[0-9]+; the program is new\n"
                                    "tutti\\[0\\] evaluate: .*; the program is known\n"));
}

}  // namespace
}  // namespace tutti::test::inspect_test

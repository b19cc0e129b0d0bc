// The kernels that ops and the examples' programs are made of, through NVIDIA's own compiler: those
// of every third op, each for one target, since all for all take minutes (every_kernel_slow.cpp).

#include <tutti/ir/parse/parse.h>
#include <tutti/tutti.h>

#include <array>

#include "examples/char_gpt.h"
#include "tests/nvrtc/cuda/kernel_sources.h"
#include "tests/support/random/compare_ways.h"

namespace tutti::test::every_kernel_test {
namespace {

using codegen::cuda::Compiled;
using codegen::cuda::Source;

constexpr std::array kTargets = {"sm_80", "sm_90", "sm_100"};

INSTANTIATE_TEST_SUITE_P(Targets, Nvrtc, testing::ValuesIn(kTargets), target_name);

TEST_P(Nvrtc, TakesTheKernelsOfSomeOps) {
  const auto own = static_cast<std::size_t>(
      std::ranges::find(kTargets, std::string_view(GetParam())) - kTargets.begin());
  const std::vector<const OpRow*> rows = local_rows();
  std::map<std::string, Source> sources;
  const std::size_t every = 3 * kTargets.size();
  for (std::size_t i = 3 * own; i < rows.size(); i += every) add_sources(*rows[i], sources);
  ASSERT_GT(sources.size(), 10U);
  expect_no_spills(sources, GetParam());
}

TEST_P(Nvrtc, TakesTheTrainingStepOfTheExample) {
  const World world = init();
  const AdamW adamw;
  Gpt gpt = init_gpt(Key(42));
  AdamW::State state = adamw.init(gpt);
  auto step = compile(training_step(world, adamw));
  const Tensor tokens = zeros({GptSizes().batch, GptSizes().context}, DType::i32);
  step(gpt, state, tokens, tokens, 1e-3F);
  std::map<std::string, Source> sources;
  add_sources(on_device(ir::parse(step.ir()).functions.at(0), Device::cuda()), sources);
  ASSERT_GT(sources.size(), 20U);
  std::int64_t most_registers = 0;
  compile_all(sources, GetParam(), [&](const Source& source, const Compiled& code) {
    most_registers = std::max(most_registers, code.use.registers);
    EXPECT_EQ(code.use.spill_stores + code.use.spill_loads, 0) << source.name;
    EXPECT_EQ(code.use.stack_bytes, 0) << source.name;
    EXPECT_LE(code.use.shared_bytes, 48 << 10) << source.name;
  });
  RecordProperty("kernels", static_cast<int>(sources.size()));
  RecordProperty("most_registers", static_cast<int>(most_registers));
}

}  // namespace
}  // namespace tutti::test::every_kernel_test

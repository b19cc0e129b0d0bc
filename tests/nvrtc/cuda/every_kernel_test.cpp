// Every kernel that ops and the examples' programs are made of, through NVIDIA's own compiler.

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/make_plan.h>
#include <tutti/ir/parse.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/tutti.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "examples/char_gpt.h"
#include "tests/nvrtc/cuda/moved_graph.h"
#include "tests/support/nvrtc.h"
#include "tests/support/ops/uses.h"
#include <gtest/gtest.h>

namespace tutti::test::every_kernel_test {
namespace {

using codegen::cuda::Compiled;
using codegen::cuda::Source;

// What the launches of a program on a GPU have compiled, by text.
void add_sources(const ir::Graph& traced, std::map<std::string, Source>& sources) {
  ir::Graph graph = traced;
  ir::run_passes(graph);
  const codegen::Plan plan = codegen::make_plan(graph, 0);
  for (const codegen::Step& step : plan.steps) {
    const auto* const launch = std::get_if<codegen::Launch>(&step);
    if (launch == nullptr || launch->device.is_cpu()) continue;
    const codegen::LaunchPart& part = launch->parts.at(0);
    if (part.device_code != nullptr) continue;  // cuBLASLt's
    const Source source =
        part.source != nullptr
            ? *part.source
            : codegen::cuda::emit_kernel(plan.kernels.at(static_cast<std::size_t>(part.kernel)));
    sources.emplace(source.text, source);
  }
}

// Compiles them all, on every core; `look` sees each, one at a time.
template <class Look>
void compile_all(const std::map<std::string, Source>& sources, const std::string& target,
                 Look&& look) {
  std::vector<const Source*> all;
  for (const auto& [text, source] : sources) all.push_back(&source);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < all.size(); at = next++) {
        try {
          const Compiled compiled = codegen::cuda::compile_source(*all[at], target);
          const std::scoped_lock lock(mutex);
          look(*all[at], compiled);
        } catch (const std::exception& error) {
          const std::scoped_lock lock(mutex);
          ADD_FAILURE() << target << ": " << error.what();
        }
      }
    });
  }
}

class Nvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, Nvrtc, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& target) { return std::string(target.param); });

TEST_P(Nvrtc, TakesTheKernelsOfEveryOp) {
  std::map<std::string, Source> sources;
  for (const OpRow* row : local_rows()) {
    // One dtype of each way to compute is enough: what differs between the others is tested with
    // every scalar op in tests/codegen.
    std::vector<Uses> uses;
    for (const DType dtype : {row->dtypes.front(), row->dtypes.back()}) {
      uses.emplace_back(*row, dtype);
      if (row->dtypes.size() == 1) break;
    }
    std::vector<Array> inputs;
    add_sources(graph_of(*row, uses, Device::cuda(), inputs), sources);
  }
  ASSERT_GT(sources.size(), 100U);
  std::size_t compiled = 0;
  compile_all(sources, GetParam(), [&](const Source& source, const Compiled& code) {
    ++compiled;
    EXPECT_FALSE(code.cubin.empty()) << source.name;
    EXPECT_LE(code.use.registers, 255) << source.name;
    // One kernel, of an f64 gradient, has two registers too many for sm_90.
    const bool known = GetParam() == std::string_view("sm_90") &&
                       source.name.starts_with("mul_select_mul_mul_of_17_");
    EXPECT_LE(code.use.spill_stores + code.use.spill_loads, known ? 16 : 0) << source.name;
  });
  EXPECT_EQ(compiled, sources.size());
}

TEST_P(Nvrtc, TakesTheTrainingStepOfTheExample) {
  const World world = init();
  const AdamW adamw;
  Gpt gpt = init_gpt(Key(42));
  AdamW::State state = adamw.init(gpt);
  auto step = compile(training_step(world, adamw));
  const Tensor tokens = zeros({kBatch, kContext}, DType::i32);
  step(gpt, state, tokens, tokens, 1e-3F);
  std::map<std::string, Source> sources;
  add_sources(moved_to_gpu(ir::parse(step.ir()).functions.at(0)), sources);
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

#pragma once

// The kernels that programs are made of, and NVIDIA's own compiler for them.

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/nvrtc.h"
#include "tests/support/ops/uses.h"
#include <gtest/gtest.h>

namespace tutti::test {

// What the launches of a program on a GPU have compiled, by text.
inline void add_sources(const ir::Graph& traced,
                        std::map<std::string, codegen::cuda::Source>& sources) {
  ir::Graph graph = traced;
  ir::run_passes(graph);
  const codegen::Plan plan = codegen::make_plan(graph, 0);
  for (const codegen::Step& step : plan.steps) {
    const auto* const launch = std::get_if<codegen::Launch>(&step);
    if (launch == nullptr || launch->device.is_cpu()) continue;
    const codegen::LaunchPart& part = launch->parts.at(0);
    if (part.device_code != nullptr) continue;  // cuBLASLt's
    const codegen::cuda::Source source =
        part.source != nullptr
            ? *part.source
            : codegen::cuda::emit_kernel(plan.kernels.at(static_cast<std::size_t>(part.kernel)));
    sources.emplace(source.text, source);
  }
}

// Compiles them all, on every core; `look` sees each, one at a time.
template <class Look>
void compile_all(const std::map<std::string, codegen::cuda::Source>& sources,
                 const std::string& target, Look&& look) {
  std::vector<const codegen::cuda::Source*> all;
  for (const auto& [text, source] : sources) all.push_back(&source);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < all.size(); at = next++) {
        try {
          const codegen::cuda::Compiled compiled = codegen::cuda::compile_source(*all[at], target);
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

// The kernels of an op. One dtype of each way to compute is enough: what differs between the others
// is tested with every scalar op in tests/codegen.
inline void add_sources(const OpRow& row, std::map<std::string, codegen::cuda::Source>& sources) {
  std::vector<Uses> uses;
  for (const DType dtype : {row.dtypes.front(), row.dtypes.back()}) {
    uses.emplace_back(row, dtype);
    if (row.dtypes.size() == 1) break;
  }
  std::vector<ir::Array> inputs;
  add_sources(graph_of(row, uses, Device::cuda(), inputs), sources);
}

// Compiles them all; none spills.
inline void expect_no_spills(const std::map<std::string, codegen::cuda::Source>& sources,
                             const std::string& target) {
  std::size_t compiled = 0;
  compile_all(sources, target,
              [&](const codegen::cuda::Source& source, const codegen::cuda::Compiled& code) {
                ++compiled;
                EXPECT_FALSE(code.cubin.empty()) << source.name;
                EXPECT_LE(code.use.registers, 255) << source.name;
                // One kernel, of an f64 gradient, has two registers too many for sm_90.
                const bool known =
                    target == "sm_90" && source.name.starts_with("mul_select_mul_mul_of_17_");
                EXPECT_LE(code.use.spill_stores + code.use.spill_loads, known ? 16 : 0)
                    << source.name;
              });
  EXPECT_EQ(compiled, sources.size());
}

class Nvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

inline std::string target_name(const testing::TestParamInfo<const char*>& target) {
  return target.param;
}

}  // namespace tutti::test

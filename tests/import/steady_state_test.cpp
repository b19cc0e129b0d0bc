#include "tests/support/steady_state.h"

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/files/npy.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include <gtest/gtest.h>

// What a run of an imported program asks of the system once everything has been used before.
namespace tutti::test::import_steady_state_test {
namespace {

namespace fs = std::filesystem;

class RunOf : public testing::TestWithParam<std::string> {
 protected:
  RunOf() {
    const fs::path folder = source("tests/reference/data/jax/" + GetParam());
    std::ifstream file(folder / "program.mlir", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    executable_ =
        codegen::compile(ir::import_stablehlo(text, "program.mlir").functions.at(0), context_);
    for (std::size_t i = 0;; ++i) {
      const fs::path argument = folder / "arguments" / ("arg" + std::to_string(i) + ".npy");
      if (!fs::exists(argument)) break;
      const ir::Array array = runtime::read_npy(argument);
      arguments_.push_back(context_.allocator.allocate(array.bytes().size()));
      std::ranges::copy(array.bytes(), arguments_.back()->data());
    }
  }

  void run() { executable_->run(arguments_, {}, results_); }

 private:
  runtime::Context context_{
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 2};
  std::unique_ptr<codegen::Executable> executable_;
  std::vector<std::shared_ptr<runtime::Buffer>> arguments_;
  std::vector<codegen::Executable::Result> results_;
};

TEST_P(RunOf, AllocatesNothing) {
  expect_no_allocations([&] { run(); });
}

TEST_P(RunOf, CallsTheSystemForNothing) {
  expect_no_system_calls([&] { run(); }, MatmulLibrary::used);
}

INSTANTIATE_TEST_SUITE_P(Programs, RunOf,
                         testing::Values("cnn_gradient", "gpt_greedy_decoding", "gru_while_loop",
                                         "lstm_scan_gradient", "transformer_gradient"),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace tutti::test::import_steady_state_test

#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/stablehlo/import.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>
#include <tutti/runtime/files/npy.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/run_graph.h"
#include "tools/sharded_arrays.h"
#include <gmock/gmock.h>

namespace tutti::stablehlo_programs_test {
namespace {

namespace fs = std::filesystem;
using ir::Array;

// Programs as JAX exports them, with arguments and JAX's results, which
// tests/reference/jax_programs.py makes.
const fs::path kFolder = fs::path(TUTTI_SOURCE_DIR) / "tests/reference/data/jax";

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    out.push_back(entry.path().filename().string());
  }
  std::ranges::sort(out);
  return out;
}

std::string text_of(const std::string& program) {
  std::ifstream stream(kFolder / program / "program.mlir", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// 0.npy, 1.npy, ... with something before the number.
std::vector<Array> arrays_in(const fs::path& folder, const std::string& before) {
  std::vector<Array> out;
  for (;;) {
    const fs::path file = folder / (before + std::to_string(out.size()) + ".npy");
    if (!fs::exists(file)) return out;
    out.push_back(runtime::read_npy(file));
  }
}

class StablehloProgram : public testing::TestWithParam<std::string> {
 protected:
  StablehloProgram() {
    module_ = ir::import_stablehlo(text_of(GetParam()), "program.mlir");
    wanted_ = arrays_in(kFolder / GetParam() / "results", "");
    const std::vector<Array> arguments = arrays_in(kFolder / GetParam() / "arguments", "arg");
    const std::int64_t ranks = function().mesh == nullptr ? 1 : function().mesh->ranks();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      std::vector<Array> own;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ir::Sharding& sharding = function().parameters().at(i).sharding;
        own.push_back(sharding.empty()
                          ? arguments[i]
                          : tools::part_of(arguments[i], sharding, *function().mesh, rank));
      }
      arguments_.push_back(std::move(own));
    }
  }

  const ir::Graph& function() const { return module_.functions.at(0); }

  void expect_jax(const std::vector<std::vector<Array>>& results) const {
    const std::vector<Array> whole = tools::whole_results(function(), results);
    ASSERT_EQ(whole.size(), wanted_.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // JAX's own functions are approximations, too, and its sums have another order.
      constexpr double kSlack = 16;
      constexpr double kNoise = 2e-5;
      // b2's gradient is a sum of five numbers in bf16 of up to 0.2. XLA rounds after each of the
      // four additions, by up to 2^-11, and the IR once; rounding XLA's way gives JAX's bits.
      constexpr double kRoundings = 0x1p-9;
      const bool rounded = GetParam() == "mlp_mixed_bf16" && i == 1;
      const double noise = !is_floating(whole[i].dtype()) ? 0 : rounded ? kRoundings : kNoise;
      test::Tolerance tolerance = test::tolerance_of(whole[i].dtype());
      if (whole[i].dtype() == DType::f64) tolerance.relative = tolerance.absolute;
      tolerance.relative *= kSlack;
      tolerance.absolute = kSlack * tolerance.absolute + noise;
      EXPECT_TRUE(test::within(whole[i], wanted_[i], tolerance)) << "result " << i;
    }
  }

  ir::Module module_;
  std::vector<std::vector<Array>> arguments_;  // [rank]
  std::vector<Array> wanted_;
};

TEST_P(StablehloProgram, IsSoundAndRoundTripsAsText) {
  ir::verify(function());
  const std::string text = ir::print(module_);
  EXPECT_EQ(ir::print(ir::parse(text)), text);
}

TEST_P(StablehloProgram, MeansWhatItMeansToJax) {
  expect_jax(ir::interpret(function(), arguments_));
}

TEST_P(StablehloProgram, CompiledGivesWhatJaxGives) {
  expect_jax(test::run_compiled(function(), arguments_));
}

INSTANTIATE_TEST_SUITE_P(All, StablehloProgram, testing::ValuesIn(names()),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace tutti::stablehlo_programs_test

#pragma once

#include <initializer_list>

#include "tests/lazy/lazy_testing.h"
#include "tests/support/collective_sweep.h"

// Every collective x dtype x form of group x mode, on ranks as threads, against the interpreter. As
// processes: tests/processes/sweeping_test.cpp.
namespace tutti::test {

class CollectiveSweep : public testing::TestWithParam<std::tuple<int, GroupForm>> {};

TEST_P(CollectiveSweep, IsWhatTheInterpreterSays) {
  const auto [ranks, form] = GetParam();
  for (const DType dtype : kSweptDTypes) {
    std::vector<SweepResults> expected;
    {
      detail::RankContext& context = detail::RankContext::current();
      const codegen::CompileOptions usual = context.compile_options;
      context.compile_options.kernel_mode = codegen::KernelMode::evaluate;
      expected = interpreted_sweep(ranks, dtype, form);
      context.compile_options = usual;
    }
    simulate(ranks, [&, group_form = form](World& world) {
      // Machine code takes longer to make than these programs take to run; one dtype has it.
      if (dtype != DType::f32) {
        world.context()->compile_options.kernel_mode = codegen::KernelMode::evaluate;
      }
      for (const RunMode mode : kRunModes) {
        const SweepResults results = run_sweep(world, dtype, group_form, mode);
        EXPECT_EQ(difference(results, expected[static_cast<std::size_t>(world.rank())]), "")
            << name_of(dtype) << " " << name_of(mode) << " on rank " << world.rank();
      }
    });
    if (HasFailure()) return;
  }
}

// Numbers of ranks, with the forms of groups that suit each.
inline auto sweeps_of(std::initializer_list<int> numbers_of_ranks) {
  std::vector<std::tuple<int, GroupForm>> out;
  for (const int ranks : numbers_of_ranks) {
    for (const GroupForm form : kGroupForms) {
      if (suits(form, ranks)) out.emplace_back(ranks, form);
    }
  }
  return testing::ValuesIn(out);
}

inline std::string sweep_name(const testing::TestParamInfo<std::tuple<int, GroupForm>>& of) {
  return std::string(name_of(std::get<1>(of.param))) + "_of_" +
         std::to_string(std::get<0>(of.param));
}

}  // namespace tutti::test

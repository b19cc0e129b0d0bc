#include <tutti/kernels/host/instruction_set.h>

#include <gtest/gtest.h>

namespace tutti::kernels::instruction_set_test {
namespace {

int register_bytes() {
  int out = 0;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE { out = kBytes; });
  return out;
}

TEST(InstructionSet, IsNoBetterThanItsLimit) {
  const InstructionSet limit = instruction_set_limit();
  const int bytes = register_bytes();
  limit_instruction_set(InstructionSet::avx512);
  const InstructionSet best = instruction_set();
  for (const InstructionSet most : {InstructionSet::avx2, InstructionSet::baseline}) {
    limit_instruction_set(most);
    EXPECT_EQ(instruction_set(), best < most ? best : most);
    EXPECT_EQ(instruction_set_limit(), most);
    EXPECT_LE(register_bytes(), most == InstructionSet::avx2 ? 32 : 16);
  }
  limit_instruction_set(limit);
  EXPECT_EQ(register_bytes(), bytes);
}

}  // namespace
}  // namespace tutti::kernels::instruction_set_test

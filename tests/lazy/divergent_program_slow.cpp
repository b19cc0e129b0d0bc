// Two thousand more; divergent_program_test.cpp has the others.

#include "tests/lazy/divergent_program_of.h"

namespace tutti::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Hundreds, DivergentPrograms,
                         testing::Range(std::uint64_t{4}, std::uint64_t{24}));

}  // namespace
}  // namespace tutti::test

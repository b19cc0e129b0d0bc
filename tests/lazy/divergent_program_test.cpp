// Random programs on 2 to 8 ranks, each of which looks at what it likes when it likes.

#include "tests/lazy/divergent_program_of.h"

namespace tutti::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Hundreds, DivergentPrograms,
                         testing::Range(std::uint64_t{0}, std::uint64_t{4}));

}  // namespace
}  // namespace tutti::test

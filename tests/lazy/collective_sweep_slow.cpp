// On 5 to 8 ranks; collective_sweep_test.cpp has the others.

#include "tests/lazy/collective_sweep_of.h"

namespace tutti::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Of, CollectiveSweep, sweeps_of({5, 6, 7, 8}), sweep_name);

}  // namespace
}  // namespace tutti::test

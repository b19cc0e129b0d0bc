// On few ranks and on many; collective_sweep_slow.cpp has those between.

#include "tests/lazy/collective_sweep_of.h"

namespace tutti::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Of, CollectiveSweep, sweeps_of({1, 2, 3, 4}), sweep_name);

}  // namespace
}  // namespace tutti::test

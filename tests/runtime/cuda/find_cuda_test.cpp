#include <tutti/runtime/run/find_cuda.h>

#include "tests/support/command.h"
#include "tests/support/fake_cuda_process.h"
#include <gtest/gtest.h>

// On the double of the driver, whose GPUs are at 0000:01:00.0 and so on.
namespace tutti::runtime::find_cuda_test {
namespace {

TEST(FindCuda, GpusAreAtTheNumaNodeThatTheSystemSays) {
  test::expect_with_fake_cuda("devices=3", [] {
    const test::TemporaryFolder system;
    system.write("0000:01:00.0/numa_node", "1\n");
    system.write("0000:02:00.0/numa_node", "-1\n");  // it does not know
    const FoundCuda found = find_cuda(system.path());
    return found.gpus.size() == 3 && found.gpus[0].bus == "0000:01:00.0" &&
           found.gpus[0].numa_node == "1" && found.gpus[1].numa_node.empty() &&
           found.gpus[2].numa_node.empty();
  });
}

}  // namespace
}  // namespace tutti::runtime::find_cuda_test

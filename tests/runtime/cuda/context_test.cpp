#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/run/context.h>
#include <tutti/runtime/run/open_accelerator.h>

#include <memory>

#include "tests/runtime/cuda/testing.h"
#include "tests/support/fake_cuda_process.h"

namespace tutti::runtime::context_test {
namespace {

using testing::HasSubstr;

std::unique_ptr<Context> lone_rank() {
  return std::make_unique<Context>(
      std::make_unique<HostBackend>(std::make_shared<LocalFabric>(1), 0), 1);
}

TEST(ContextOfCuda, OpensEachGpuOnce) {
  test::expect_with_fake_cuda("devices=2", [] {
    const auto rank = lone_rank();
    Accelerator& first = rank->accelerator(Device::cuda(0));
    Accelerator& second = rank->accelerator(Device::cuda(1));
    return &first != &second && &rank->accelerator(Device::cuda(0)) == &first &&
           second.device() == Device::cuda(1);
  });
}

TEST(ContextOfCuda, OpensNoneBeforeItIsAskedFor) {
  test::expect_with_fake_cuda("devices=0", [] {
    const auto rank = lone_rank();
    const std::string message =
        message_of<EnvironmentError>([&] { rank->accelerator(Device::cuda(0)); });
    return message.find("CUDA_ERROR_NO_DEVICE") != std::string::npos;
  });
}

TEST(ContextOfCuda, MayBeAStaticObject) {
  test::expect_with_fake_cuda("", [] {
    static std::unique_ptr<Context> rank;
    static std::shared_ptr<Buffer> buffer;
    rank = lone_rank();
    buffer = on_device(rank->accelerator(Device::cuda(0)), count_up(8));
    return to_host(rank->accelerator(Device::cuda(0)), *buffer) == count_up(8);
  });
}

TEST(ContextOfCuda, TheHostIsNone) {
  EXPECT_THAT(message_of<InternalError>([] { open_accelerator(Device::cpu()); }),
              HasSubstr("the host is no accelerator"));
}

}  // namespace
}  // namespace tutti::runtime::context_test

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/symmetric_memory.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/cuda/testing.h"
#include "tests/runtime/processes.h"

// Memory of the host that a GPU writes to itself.
namespace tutti::runtime::registered_memory_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<float> floats_at(const std::byte* place, std::size_t count) {
  std::vector<float> out(count);
  std::memcpy(out.data(), place, count * sizeof(float));
  return out;
}

class CudaRegisteredMemoryTest : public FakeCudaTest {
 protected:
  // Memory with an owner, who notes what the driver was asked for before it came back.
  std::shared_ptr<Buffer> owned(std::size_t bytes) {
    auto* const data = new std::byte[bytes];
    return Buffer::wrap(data, bytes, [this](void* memory) {
      calls_before_ = fake_.calls();
      delete[] static_cast<std::byte*>(memory);
    });
  }

  std::string calls_before_;
};

TEST_F(CudaRegisteredMemoryTest, IsWrittenByTheGpuWithoutAWait) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(64));
  const auto host = owned(512);
  const auto registered = gpu->register_host(host);
  ASSERT_NE(registered, nullptr);
  fake_.calls();
  EXPECT_TRUE(gpu->begin_copy_out(host->data() + 16, x->data(), 256));
  EXPECT_EQ(fake_.calls(),
            "cuEventCreate without-time: event5\n"
            "cuMemcpyDtoHAsync stream1 registered1+16 memory1 256\n"
            "cuEventRecord event5 stream1\n");
  EXPECT_EQ(fake_.operations(), "");
  gpu->finish_copies_out();
  EXPECT_EQ(floats_at(host->data() + 16, 64), count_up(64));
}

TEST_F(CudaRegisteredMemoryTest, IsWaitedForWithoutWhatComesBehind) {
  const auto gpu = open();
  const auto kernel = add_one();
  const auto x = on_device(*gpu, count_up(64));
  const auto host = owned(512);
  const auto registered = gpu->register_host(host);
  gpu->begin_copy_out(host->data(), x->data(), 128);
  gpu->begin_copy_out(host->data() + 128, x->data() + 128, 128);
  launch(*kernel, *gpu, {x.get(), x.get()});
  gpu->finish_copies_out();
  EXPECT_THAT(fake_.operations(), Not(HasSubstr("add_one")));
  EXPECT_EQ(floats_at(host->data(), 64), count_up(64));
}

TEST_F(CudaRegisteredMemoryTest, EndsWhereItEnds) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(64));
  std::vector<std::byte> memory(600);
  const auto host = Buffer::wrap(memory.data() + 100, 400);
  EXPECT_FALSE(gpu->begin_copy_out(host->data(), x->data(), 256));
  auto registered = gpu->register_host(host);
  EXPECT_FALSE(gpu->begin_copy_out(host->data() - 1, x->data(), 256));
  EXPECT_FALSE(gpu->begin_copy_out(host->data() + 145, x->data(), 256));
  EXPECT_TRUE(gpu->begin_copy_out(host->data() + 144, x->data(), 256));
  EXPECT_TRUE(gpu->begin_copy_out(host->data() + 400, x->data(), 0));
  registered = nullptr;
  EXPECT_FALSE(gpu->begin_copy_out(host->data(), x->data(), 256));
}

TEST_F(CudaRegisteredMemoryTest, IsKeptUntilTheDriverHasLetGoOfIt) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(64));
  auto host = owned(256);
  auto registered = gpu->register_host(host);
  gpu->begin_copy_out(host->data(), x->data(), 256);
  host = nullptr;
  EXPECT_EQ(calls_before_, "");
  fake_.calls();
  registered = nullptr;
  EXPECT_EQ(calls_before_, "cuStreamSynchronize stream1\ncuMemHostUnregister registered1\n");
}

// The driver would wait for other ranks.
TEST_F(CudaRegisteredMemoryTest, IsKeptWhileRanksWaitForEachOther) {
  const auto gpu = open();
  auto registered = gpu->register_host(owned(256));
  {
    const CudaReleases::PeersWork running(gpu->stream());
    registered = nullptr;
    EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuMemHostUnregister")));
    EXPECT_EQ(calls_before_, "");
  }
  EXPECT_THAT(calls_before_, HasSubstr("cuMemHostUnregister registered1\n"));
}

TEST_F(CudaRegisteredMemoryTest, IsRegisteredOnceForAllThatUseIt) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(64));
  const auto host = owned(256);
  auto first = gpu->register_host(host);
  const auto second = gpu->register_host(host);
  EXPECT_EQ(first, second);
  first = nullptr;
  EXPECT_TRUE(gpu->begin_copy_out(host->data(), x->data(), 256));
}

TEST_F(CudaRegisteredMemoryTest, IsNoneWhereTheDriverRefuses) {
  const auto gpu = open();
  const auto x = on_device(*gpu, count_up(64));
  const auto host = owned(256);
  for (const CUresult refusal : {CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_OUT_OF_MEMORY}) {
    fake_.fail("cuMemHostRegister", 1, refusal);
    EXPECT_EQ(gpu->register_host(host), nullptr);
    EXPECT_FALSE(gpu->begin_copy_out(host->data(), x->data(), 256));
  }
  const auto other = open();
  const auto registered = other->register_host(host);
  EXPECT_EQ(gpu->register_host(host), nullptr) << "it is somebody else's";
  EXPECT_EQ(to_host(*gpu, *x), count_up(64));
}

// What ranks that are processes have in common.
TEST(CudaRegisteredSegment, IsWrittenByTheGpuWherePeersReadIt) {
  run_processes_well(2, [](HostBackend& backend) {
    test::FakeCuda fake;
    {
      CudaAccelerator gpu(fake.driver(), 0);
      const auto group = backend.communicator({0, 1}, "all");
      auto memory = group->symmetric_memory(4096, nullptr);
      auto registered = gpu.register_host(memory->at(0, memory->bytes()));
      const auto operand = memory->at(1024, 256);
      CollectiveCall call{.kind = CollectiveKind::all_reduce, .parts = {{.elements = 64}}};
      call.description = "all_reduce sum f32[64]";
      const auto prepared = group->prepare(std::move(call));
      const auto own = static_cast<float>(backend.rank());
      for (int run = 0; run < 3; ++run) {
        const auto x = on_device(gpu, count_up(64, 10 * own + static_cast<float>(run)));
        ASSERT_TRUE(gpu.begin_copy_out(operand->data(), x->data(), 256));
        gpu.finish_copies_out();
        const auto work = group->start(prepared, {{operand}});
        work->wait();
        std::vector<float> sum = count_up(64, 10 + static_cast<float>(2 * run));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<float>(i);
        EXPECT_EQ(floats_at(work->result(0)->data(), 64), sum);
        group->wait_released(work->sequence());
      }
      EXPECT_THAT(fake.operations(), Not(HasSubstr("cuMemcpyDtoHAsync stream1 pinned")));
      // The group's memory goes before its registration, as when a program goes.
      memory = nullptr;
      registered = nullptr;
    }
    EXPECT_EQ(fake.complaints(), "");
    EXPECT_EQ(fake.left(), "");
  });
}

}  // namespace
}  // namespace tutti::runtime::registered_memory_test

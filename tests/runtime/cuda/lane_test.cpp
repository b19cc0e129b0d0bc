#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/lane.h>

#include <memory>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::lane_test {
namespace {

class CudaLaneTest : public FakeCudaTest {};

// As where code of a user's frees memory and waits for a GPU.
TEST_F(CudaLaneTest, MayBeLookedAtWhereItLetsGoOfABuffer) {
  const auto gpu = open();
  const CudaStream::Entered entered = gpu->stream()->enter();
  const std::shared_ptr<CudaLane> lane = gpu->lane();
  float value = 0;
  int released = 0;
  for (int i = 0; i < 3; ++i) {
    auto done = std::make_shared<CudaEvent>(gpu->stream());
    done->record(lane->handle());
    const auto release = [&](void*) {
      ++released;
      lane->look();
    };
    fake_.fail("cuEventQuery", 1, CUDA_ERROR_NOT_READY);  // of the first
    lane->add({.done = std::move(done),
               .check = [] {},
               .abort = [] {},
               .buffers = {Buffer::wrap(&value, sizeof(value), release)}});
  }
  EXPECT_EQ(released, 0);
  EXPECT_FALSE(lane->look());
  EXPECT_EQ(released, 3);
}

}  // namespace
}  // namespace tutti::runtime::lane_test

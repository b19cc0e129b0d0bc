#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/mapped_memory.h>
#include <tutti/runtime/cuda/multicast_memory.h>

#include <array>
#include <memory>
#include <string>

#include "tests/runtime/cuda/testing.h"

// What has to hold of memory that several GPUs have at one address (decision 64), on the double.
namespace tutti::runtime::multicast_memory_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMapped = std::size_t{2} << 20;
constexpr std::size_t kPiece = 2 * kMapped;

// Whose multicast memory is made of larger pieces than their own.
FakeCudaSetup of_large_pieces() {
  FakeCudaSetup setup = test::FakeCuda::kUsual;
  setup.devices = 2;
  setup.multicast_unit = kPiece;
  return setup;
}

class MulticastOfTwo : public testing::Test {
 protected:
  void TearDown() override {
    for (auto& gpu : gpus_) gpu = nullptr;
    EXPECT_EQ(fake_.complaints(), "");
    EXPECT_EQ(fake_.left(), "");
  }
  const std::shared_ptr<CudaStream>& stream(std::size_t gpu) { return gpus_[gpu]->stream(); }

  test::FakeCuda fake_{of_large_pieces()};
  std::array<std::unique_ptr<CudaAccelerator>, 2> gpus_ = {
      std::make_unique<CudaAccelerator>(fake_.driver(), 0),
      std::make_unique<CudaAccelerator>(fake_.driver(), 1)};
};

TEST_F(MulticastOfTwo, IsMadeOfWholePiecesOnEachMember) {
  fake_.calls();
  EXPECT_THAT(message_of<EnvironmentError>([&] { MulticastMemory(stream(0), 2, kMapped); }),
              HasSubstr("is made of pieces of 4194304 bytes, of which 2097152 bytes"));
  EXPECT_THAT(fake_.calls(), Not(HasSubstr("cuMulticastCreate")));
  const MulticastMemory first(stream(0), 2, kPiece);
  EXPECT_THAT(message_of<EnvironmentError>(
                  [&] { MulticastMemory(stream(1), 2, kMapped, first.export_memory()); }),
              HasSubstr("is made of pieces of 4194304 bytes"));
}

TEST_F(MulticastOfTwo, BeginsWhereAPieceDoes) {
  const auto own = map_memory(stream(0), kPiece);
  const auto theirs = map_memory(stream(1), kPiece);
  const auto between = map_memory(stream(0), kMapped);  // so that addresses are not even by chance
  MulticastMemory first(stream(0), 2, kPiece);
  MulticastMemory second(stream(1), 2, kPiece, first.export_memory());
  first.add_gpu();
  second.add_gpu();
  first.bind(own->data());
  second.bind(theirs->data());
  EXPECT_EQ(first.address() % kPiece, 0U);
  EXPECT_EQ(second.address() % kPiece, 0U);
}

// The driver would bind the beginning of the allocation in their place.
TEST_F(MulticastOfTwo, BindsMemoryFromItsBeginningOnAlone) {
  const auto own = map_memory(stream(0), 2 * kPiece);
  const auto small = map_memory(stream(0), kMapped);
  MulticastMemory only(stream(0), 1, kPiece);
  only.add_gpu();
  for (const std::byte* const place : {own->data() + kPiece, own->data() + 256, small->data()}) {
    EXPECT_THAT(message_of<EnvironmentError>([&] { only.bind(place); }),
                HasSubstr("does not begin where it is to be bound, or ends too soon"));
  }
  only.bind(own->data());
}

// What is replayed would use it before all have it.
TEST_F(MulticastOfTwo, IsNotToBeMadeWhileAStreamRecords) {
  const auto own = map_memory(stream(0), kPiece);
  gpus_[0]->record([&] {
    MulticastMemory only(stream(0), 1, kPiece);
    only.add_gpu();
    only.bind(own->data());
  });
  const std::string complaints = fake_.complaints();
  EXPECT_THAT(complaints, HasSubstr("cuMulticastCreate 1 4194304: a stream records meanwhile"));
  EXPECT_THAT(complaints, HasSubstr("cuMulticastBindMem"));
}

}  // namespace
}  // namespace tutti::runtime::multicast_memory_test

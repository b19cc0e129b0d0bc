#include <tutti/ir/support/error.h>
#include <tutti/runtime/profile/device_track.h>

#include <optional>
#include <string>
#include <utility>

#include "tests/runtime/cuda/testing.h"

namespace tutti::runtime::device_track_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// On the double of the driver every operation takes so many nanoseconds.
constexpr std::int64_t kOperation = 10'000;

class CudaDeviceTrack : public FakeCudaTest {
 protected:
  void SetUp() override {
    gpu_ = open();
    x_ = on_device(*gpu_, count_up(64));
    y_ = gpu_->memory().allocate(256);
    launch(*kernel_, *gpu_, {x_.get(), y_.get()});  // loads it
    gpu_->synchronize();
    track_.emplace(gpu_->moment(), 0);
    fake_.calls();
  }
  void TearDown() override {
    track_.reset();
    x_ = y_ = nullptr;
    gpu_ = nullptr;
    FakeCudaTest::TearDown();
  }

  // A launch, put on the stream at that time of the host's clock.
  void add(std::uint32_t source, std::int64_t put) {
    auto begin = track_->moment(*gpu_);
    launch(*kernel_, *gpu_, {x_.get(), y_.get()});
    track_->add({.begin = put, .source = source}, std::move(begin), track_->moment(*gpu_));
  }
  // How many calls of that function there were since the last call of this.
  int count(const std::string& function) {
    const std::string calls = fake_.calls();
    int count = 0;
    for (std::size_t at = 0; (at = calls.find(function, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  const std::shared_ptr<CudaKernel> kernel_ = add_one();
  std::unique_ptr<CudaAccelerator> gpu_;
  std::shared_ptr<Buffer> x_;
  std::shared_ptr<Buffer> y_;
  std::optional<DeviceTrack> track_;
};

TEST_F(CudaDeviceTrack, HasTheTimesOfTheGpuAndWaitsForNone) {
  add(1, 0);
  add(2, 0);
  add(3, 1'000'000);  // the host came late with this one
  EXPECT_EQ(track_->events().size(), 0U);
  track_->look();
  EXPECT_THAT(fake_.calls(), Not(HasSubstr("Synchronize")));
  const ProfileTrack& events = track_->events();
  ASSERT_EQ(events.size(), 3U);
  const std::pair<std::int64_t, std::int64_t> expected[] = {
      {0, kOperation}, {kOperation, 2 * kOperation}, {1'000'000, 1'000'000 + kOperation}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].source, i + 1);
    EXPECT_EQ(std::pair(events[i].begin, events[i].end), expected[i]) << i;
  }
}

// What happens between two launches is time, too.
TEST_F(CudaDeviceTrack, KnowsWhatLiesBetween) {
  add(1, 0);
  gpu_->copy(x_->data(), y_->data(), 256);
  add(2, 0);
  track_->look();
  EXPECT_EQ(track_->events()[1].begin, 2 * kOperation);
}

// The clocks of the host and of the GPU do not run alike.
TEST_F(CudaDeviceTrack, NothingEndsInTheFuture) {
  constexpr std::int64_t kFarAhead = std::int64_t{1} << 60;
  add(1, 0);
  add(2, kFarAhead);
  track_->look();
  const ProfileTrack& events = track_->events();
  EXPECT_LT(events[1].end, kFarAhead);
  EXPECT_GE(events[1].begin, events[0].end);
  EXPECT_EQ(events[1].end - events[1].begin, kOperation);
}

TEST_F(CudaDeviceTrack, UsesItsEventsAgain) {
  for (int round = 0; round < 10; ++round) {
    add(1, 0);
    track_->look();
  }
  EXPECT_LE(count("cuEventCreate"), 4);
}

// It has no use for more than it asks for itself.
TEST_F(CudaDeviceTrack, DoesNotKeepOthersEvents) {
  for (int round = 0; round < 10; ++round) {
    auto begin = gpu_->moment();
    launch(*kernel_, *gpu_, {x_.get(), y_.get()});
    track_->add({.begin = 0, .source = 1}, std::move(begin), gpu_->moment());
    track_->look();
  }
  EXPECT_GE(count("cuEventDestroy"), 19);
}

TEST_F(CudaDeviceTrack, ForgetsWhatCanNotBeTimed) {
  add(1, 0);
  fake_.fail("cuEventElapsedTime", 1, CUDA_ERROR_UNKNOWN);
  track_->look();
  EXPECT_EQ(track_->events().size(), 0U);
  add(2, 0);
  track_->look();
  ASSERT_EQ(track_->events().size(), 1U);
  EXPECT_EQ(track_->events()[0].source, 2U);
}

TEST_F(CudaDeviceTrack, WithoutTimesAnEventHasNone) {
  const CudaStream::Entered entered = gpu_->stream()->enter();
  CudaEvent without(gpu_->stream());
  CudaEvent with(gpu_->stream(), CudaEvent::Timing::on);
  without.record();
  with.record();
  EXPECT_THAT(message_of<EnvironmentError>([&] { with.milliseconds_after(without); }),
              HasSubstr("cuEventElapsedTime failed: CUDA_ERROR_INVALID_HANDLE"));
  EXPECT_THAT(fake_.complaints(), HasSubstr("was made without-time"));
}

}  // namespace
}  // namespace tutti::runtime::device_track_test

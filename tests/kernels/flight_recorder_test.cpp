#include <tutti/kernels/host/flight_recorder.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace tutti::kernels::flight_recorder_test {
namespace {

class FlightRecorderTest : public testing::Test {
 protected:
  std::uint64_t start(const std::string& call) {
    return recorder_->start({.group = 3, .sequence = 7, .fingerprint = 9}, "dp", call,
                            "a/folder/train.cpp", 41, 100);
  }

  std::unique_ptr<FlightRecorder> recorder_ = std::make_unique<FlightRecorder>();
};

TEST_F(FlightRecorderTest, KeepsWhatACollectiveWasAndWhatBecameOfIt) {
  EXPECT_EQ(recorder_->find(0), nullptr);
  EXPECT_EQ(recorder_->find(1), nullptr);
  const std::uint64_t number = start("barrier");
  ASSERT_EQ(number, 1U);
  const FlightEntry* entry = recorder_->find(number);
  ASSERT_NE(entry, nullptr);
  EXPECT_STREQ(entry->call.data(), "barrier (train.cpp:41)");
  EXPECT_STREQ(entry->group.data(), "dp");
  EXPECT_EQ(entry->group_id, 3U);
  EXPECT_EQ(entry->sequence, 7U);
  EXPECT_EQ(entry->fingerprint, 9U);
  EXPECT_EQ(entry->started, 100);
  EXPECT_EQ(entry->state.load(), FlightEntry::kStarted);
  recorder_->end(number, FlightEntry::kFailed, 250);
  EXPECT_EQ(entry->state.load(), FlightEntry::kFailed);
  EXPECT_EQ(entry->ended.load(), 250);
}

TEST_F(FlightRecorderTest, ALongCallKeepsItsLine) {
  const std::string text = recorder_->find(start(std::string(500, 'x')))->call.data();
  EXPECT_EQ(text.size(), sizeof(FlightEntry::call) - 1);
  EXPECT_EQ(text.substr(text.size() - 17), "xx (train.cpp:41)");
}

TEST_F(FlightRecorderTest, RemembersTheLast1024) {
  for (std::uint64_t i = 1; i <= kRecordedCollectives + 3; ++i) EXPECT_EQ(start("barrier"), i);
  EXPECT_EQ(recorder_->count(), kRecordedCollectives + 3);
  EXPECT_EQ(recorder_->find(3), nullptr);
  EXPECT_NE(recorder_->find(4), nullptr);
  recorder_->end(3, FlightEntry::kCompleted, 1);  // too late: another has its place
  EXPECT_EQ(recorder_->find(3 + kRecordedCollectives)->state.load(), FlightEntry::kStarted);
}

}  // namespace
}  // namespace tutti::kernels::flight_recorder_test

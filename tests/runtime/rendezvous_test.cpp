#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/rendezvous.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// A server for two ranks, and ranks that come to it.
class Rendezvous : public testing::Test {
 protected:
  // What the guest got, while the server works: "" or an error.
  std::string visit(std::int64_t rank, std::int64_t ranks = 2) {
    auto guest = std::async(std::launch::async, [&]() -> std::string {
      try {
        const Segment got = receive_segment(name_, rank, ranks, 60s);
        EXPECT_EQ(got.bytes(), segment_.bytes());
        EXPECT_EQ(got.data()[100], std::byte{42});
        return "";
      } catch (const Error& error) {
        return error.what();
      }
    });
    do {
      server_->serve();
    } while (guest.wait_for(1ms) != std::future_status::ready);
    return guest.get();
  }

  const std::string name_ = fresh_rendezvous();
  Segment segment_ = [] {
    Segment segment = Segment::create(std::size_t{64} << 20);
    segment.data()[100] = std::byte{42};
    return segment;
  }();
  std::unique_ptr<SegmentServer> server_ = std::make_unique<SegmentServer>(name_, segment_, 2);
};

TEST_F(Rendezvous, EachRankGetsTheSegment) {
  EXPECT_EQ(visit(1), "");
  EXPECT_EQ(server_->served(), 1);
  EXPECT_EQ(visit(0), "");
  EXPECT_EQ(server_->served(), 2);
}

TEST_F(Rendezvous, ARankThatHasComeIsServedNoMore) {
  EXPECT_EQ(visit(1), "");
  EXPECT_THAT(visit(1), HasSubstr("rank 1 was turned away: another process is rank 1 already"));
  server_->has_come(0);
  EXPECT_THAT(visit(0), HasSubstr("another process is rank 0 already"));
}

TEST_F(Rendezvous, RanksOfAnotherJobAreTurnedAway) {
  EXPECT_THAT(visit(1, 3), HasSubstr("it believes in 3 ranks, the others in 2"));
  EXPECT_THAT(visit(2), HasSubstr("ranks are 0..1"));
  EXPECT_THAT(visit(-1), HasSubstr("ranks are 0..1"));
  EXPECT_EQ(server_->served(), 0);
  EXPECT_EQ(visit(1), "");
}

TEST_F(Rendezvous, ANameHasOneServerAtATime) {
  EXPECT_TRUE(server_->listening());
  EXPECT_FALSE(SegmentServer(name_, segment_, 2).listening());
  EXPECT_TRUE(SegmentServer(fresh_rendezvous(), segment_, 2).listening());
  server_.reset();
  EXPECT_TRUE(SegmentServer(name_, segment_, 2).listening());
}

TEST_F(Rendezvous, WhoWaitsForAServerThatGoesFindsTheNext) {
  auto guest =
      std::async(std::launch::async, [&] { return receive_segment(name_, 1, 2, 60s).bytes(); });
  pollfd newcomer{.fd = server_->descriptor(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&newcomer, 1, 60'000), 1);
  server_.reset();
  server_ = std::make_unique<SegmentServer>(name_, segment_, 2);
  while (server_->served() == 0) server_->serve();
  EXPECT_EQ(guest.get(), segment_.bytes());
}

TEST_F(Rendezvous, NobodyAtTheNameIsATimeOut) {
  server_.reset();
  try {
    receive_segment(name_, 1, 2, 10ms);
    FAIL() << "there was somebody";
  } catch (const CommError& error) {
    EXPECT_THAT(error.what(), HasSubstr("time-out after 10 ms: rank 1 of 2 found no rank 0 on "
                                        "this host under the rendezvous \"" +
                                        name_ + "\""));
  }
}

TEST_F(Rendezvous, AServerThatDoesNotAnswerIsATimeOut) {
  EXPECT_THROW(receive_segment(name_, 1, 2, 10ms), CommError);
}

TEST_F(Rendezvous, SocketsOfAnyRendezvousHaveNamesThatFit) {
  EXPECT_LE(socket_name(std::string(5000, 'x')).size(), 107U);
  EXPECT_NE(socket_name("one"), socket_name("two"));
  EXPECT_EQ(socket_name("one"), socket_name("one"));
}

}  // namespace
}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/rendezvous.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/runtime/processes.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime::rendezvous_test {
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

// Connects as often, and keeps the connections.
std::vector<Descriptor> connections(const std::string& name, int count) {
  const std::string text = socket_name(name);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(text, address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  std::vector<Descriptor> out;
  for (int i = 0; i < count; ++i) {
    out.emplace_back(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(connect(out.back().number(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  return out;
}

TEST_F(Rendezvous, WhoComesAndSaysNothingHoldsNobodyUp) {
  const auto silent = connections(name_, 300);
  EXPECT_EQ(visit(1), "");
  EXPECT_EQ(visit(0), "");
  EXPECT_THAT(server_->strangers(),
              HasSubstr("process " + std::to_string(getpid()) + " came 45 times"));
}

TEST_F(Rendezvous, AFloodIsServedInPieces) {
  const auto gone = connections(name_, 700).size();  // and went
  pollfd newcomers{.fd = server_->descriptor(), .events = POLLIN, .revents = 0};
  int pieces = 0;
  while (poll(&newcomers, 1, 0) == 1) {
    server_->serve();
    ++pieces;
  }
  EXPECT_EQ(pieces, 3);
  EXPECT_EQ(server_->strangers(), "; user " + std::to_string(geteuid()) + ", process " +
                                      std::to_string(getpid()) + " came " + std::to_string(gone) +
                                      " times to this job's local socket without being a rank");
  EXPECT_EQ(visit(1), "");
}

TEST_F(Rendezvous, WhatIsNoneOfItsWordsIsNotAnswered) {
  const auto guest = connections(name_, 1);
  const std::string word(100, 'x');
  EXPECT_EQ(send(guest[0].number(), word.data(), word.size(), MSG_NOSIGNAL), 100);
  server_->serve();
  char byte = 0;
  EXPECT_EQ(recv(guest[0].number(), &byte, 1, 0), 0);
  EXPECT_THAT(server_->strangers(), HasSubstr(" came once "));
}

// Binds the name as another user, where this one may become another; the name is that of this user.
Child squatter(const std::string& name, bool listens, int ready) {
  const std::string text = socket_name(name);
  return Child([text, listens, ready]() -> std::string {
    EXPECT_EQ(geteuid() == 0 ? setuid(65534) : 0, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(text, address.sun_path + 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    const Descriptor own(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(own.number(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(listens ? listen(own.number(), 5) : 0, 0);
    EXPECT_EQ(::write(ready, "x", 1), 1);
    pause();
    return "";
  });
}

TEST_F(Rendezvous, ASquatterIsNamed) {
  server_.reset();
  for (const bool listens : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const Descriptor in(ends[0]);
    const Descriptor out(ends[1]);
    const Child other = squatter(name_, listens, out.number());
    char byte = 0;
    ASSERT_EQ(::read(in.number(), &byte, 1), 1);
    EXPECT_FALSE(SegmentServer(name_, segment_, 2).listening());
    const std::string process = "process " + std::to_string(other.process());
    try {
      receive_segment(name_, 0, 2, geteuid() == 0 ? 60s : 10ms);
      FAIL() << "there was a segment";
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the local socket of this job belongs to user 65534, " +
                                          process + ", who is somebody else"));
    } catch (const CommError& error) {  // this user's own
      ASSERT_NE(geteuid(), 0U);
      EXPECT_THAT(error.what(), HasSubstr("its local socket belongs to user " +
                                          std::to_string(geteuid()) + ", " + process));
    }
  }
}

TEST_F(Rendezvous, WhoRunsInAnotherProcessNameSpaceIsToldSo) {
  Child other([&]() -> std::string {
    if (unshare(CLONE_NEWPID) != 0) return "may not";
    const pid_t inside = fork();  // the first process of the new name space
    if (inside != 0) {
      int status = 0;
      EXPECT_EQ(waitpid(inside, &status, 0), inside);
      return WEXITSTATUS(status) == 0 ? "is told so" : "is not told so";
    }
    try {
      receive_segment(name_, 1, 2, 60s);
    } catch (const EnvironmentError& error) {
      const std::string what = error.what();
      _exit(what.find("memory runs in another process name space") == what.npos ? 1 : 0);
    }
    _exit(2);
  });
  const std::string said = other.end();
  if (said == "may not") GTEST_SKIP() << "only the administrator makes name spaces";
  EXPECT_EQ(said, "is told so");
}

TEST_F(Rendezvous, WhoHasNoDescriptorLeftIsToldSo) {
  Child guest([&]() -> std::string {
    allow_more_files(1);  // for the socket
    try {
      receive_segment(name_, 1, 2, 60s);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  });
  while (server_->served() == 0) server_->serve();
  EXPECT_THAT(guest.end(), HasSubstr("rank 1: no descriptor is left for the ranks' shared memory: "
                                     "too many open files (ulimit -n)"));
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
}  // namespace tutti::runtime::rendezvous_test

// What goes wrong between processes: an error on every survivor, never a hang, nothing left behind.

#include <tutti/runtime/comm/shm/rendezvous.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/runtime/processes.h"
#include "tests/runtime/ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime::shm_failure_test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

// Waits until a child has come to a certain point: it writes a letter to a pipe.
class Milestone {
 public:
  Milestone() {
    if (pipe(ends_.data()) != 0) std::abort();
  }
  ~Milestone() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void reached() const {
    const char letter = 'x';
    if (::write(ends_[1], &letter, 1) != 1) std::abort();
  }
  void wait() const {
    char letter = 0;
    pollfd readable{.fd = ends_[0], .events = POLLIN, .revents = 0};
    ASSERT_GT(poll(&readable, 1, 60'000), 0) << "the milestone was not reached in a minute";
    ASSERT_EQ(::read(ends_[0], &letter, 1), 1);
  }

 private:
  std::array<int, 2> ends_{};
};

// Waits until somebody listens under the name of a rendezvous, and connects.
Descriptor connect_as_stranger(const std::string& rendezvous) {
  const std::string name = socket_name(rendezvous);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Descriptor stranger(socket(AF_UNIX, SOCK_SEQPACKET, 0));
  while (connect(stranger.number(), reinterpret_cast<sockaddr*>(&address), size) != 0) {
    std::this_thread::yield();
  }
  return stranger;
}

void all_reduce_once(Communicator& world) {
  const std::vector<float> operand(10, 1);
  std::vector<float> result;
  world.start(all_reduce_call(operand, result))->wait();
}

TEST(ShmFailure, AKilledPeerIsNoticedByAllSurvivors) {
  const Milestone waits;
  std::vector<Child> ranks = start_ranks(3, {}, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    all_reduce_once(*world);
    if (backend.rank() == 1) {
      waits.reached();
      for (;;) pause();
    }
    all_reduce_once(*world);
  });
  waits.wait();
  ranks[1].signal(SIGKILL);
  const std::string process = std::to_string(ranks[1].process());
  const auto said = end_all(ranks);
  EXPECT_EQ(said[1], "killed by signal 9");
  for (const std::size_t survivor : {0, 2}) {
    EXPECT_THAT(said[survivor],
                AllOf(HasSubstr("rank 1 (process " + process +
                                ") died; its last collective was "
                                "#1 of group \"world\": all_reduce sum f32[10] (shm_failure_test"),
                      HasSubstr("collective #2 of group \"world\"")));
  }
}

// The one that was waited for goes on with others, and records without looking after it.
TEST(ShmFailure, AKilledRankWaitsForNobody) {
  const Descriptor own(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!own.valid()) GTEST_SKIP() << "processes have no descriptors here";
  const Milestone waits, killed;
  ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 1, .ranks = 2};
  Child one = rank_process(options, [](HostBackend& backend) {
    all_reduce_once(*backend.communicator({0, 1}, "world"));
  });
  options.rank = 0;
  Child zero([&]() -> std::string {
    const auto fabric = std::make_shared<ShmFabric>(options);
    HostBackend backend(fabric, 0);
    while (!backend.peer_waits() || fabric->page(1).asked[0].load() == 0) {
      std::this_thread::yield();
    }
    waits.reached();
    killed.wait();
    EXPECT_TRUE(backend.peer_waits());
    fabric->look_for_deaths();
    return backend.peer_waits() ? "it waits" : "";
  });
  waits.wait();
  one.signal(SIGKILL);
  EXPECT_EQ(one.end(), "killed by signal 9");
  killed.reached();
  EXPECT_EQ(zero.end(), "");
}

TEST(ShmFailure, APeerThatExitsWithoutAWordDied) {
  const auto said = run_processes(2, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    all_reduce_once(*world);
    if (backend.rank() == 1) std::_Exit(7);
    all_reduce_once(*world);
  });
  EXPECT_EQ(said[1], "exit code 7");
  EXPECT_THAT(said[0], HasSubstr(") died"));
}

TEST(ShmFailure, APeerThatThrowsIsHeard) {
  const auto said = run_processes(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    if (backend.rank() == 2) throw UsageError("the data set is empty");
    all_reduce_once(*world);
  });
  EXPECT_THAT(said[0], HasSubstr("rank 2 left: the data set is empty"));
  EXPECT_THAT(said[1], HasSubstr("rank 2 left: the data set is empty"));
}

TEST(ShmFailure, AStoppedPeerIsATimeOutThatSaysSo) {
  const Milestone ready, stopped;
  ShmOptions options;
  options.host.timeout = 300ms;
  options.rendezvous = fresh_rendezvous();
  std::vector<Child> ranks = start_ranks(2, options, [&](HostBackend& backend) {
    const auto world = backend.communicator({0, 1}, "world");
    all_reduce_once(*world);
    if (backend.rank() == 1) {
      ready.reached();
      for (;;) pause();
    }
    stopped.wait();
    all_reduce_once(*world);
  });
  ready.wait();
  ranks[1].signal(SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(ranks[1].process(), &status, WUNTRACED), ranks[1].process());
  stopped.reached();
  EXPECT_THAT(ranks[0].end(), AllOf(HasSubstr("time-out after 300 ms: collective #2"),
                                    HasSubstr(", stopped)"), HasSubstr("#1 of group \"world\"")));
  ranks[1].signal(SIGKILL);
  ranks[1].signal(SIGCONT);
  EXPECT_EQ(ranks[1].end(), "killed by signal 9");
}

TEST(ShmFailure, ARankThatNeverComesIsNamed) {
  ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 0, .ranks = 3};
  options.host.timeout = 300ms;
  Child zero = rank_process(options, [](HostBackend&) {});
  options.rank = 2;
  Child two = rank_process(options, [](HostBackend&) {});
  EXPECT_THAT(zero.end(), HasSubstr("time-out after 300 ms: of 3 ranks rank 1 did not come"));
  EXPECT_THAT(two.end(), HasSubstr("time-out after 300 ms: of 3 ranks rank 1 did not come"));
}

TEST(ShmFailure, WithoutRankZeroTheOthersSayWhatTheyLookedFor) {
  ShmOptions options{.rendezvous = "nobody-is-here", .rank = 1, .ranks = 2};
  options.host.timeout = 100ms;
  EXPECT_THAT(rank_process(options, [](HostBackend&) {}).end(),
              AllOf(HasSubstr("rank 1 of 2 found no rank 0"), HasSubstr("nobody-is-here")));
}

TEST(ShmFailure, ARankThatDiesBeforeAllHaveComeIsNoticed) {
  // This process hands out the segment, as a launcher does, so that it can look into it.
  ShmOptions options{.rendezvous = fresh_rendezvous(), .ranks = 3};
  const Segment segment = Segment::create(options.segment_bytes);
  SegmentLayout::initialise(segment.data(), segment.bytes(), 3);
  const SegmentLayout layout(segment.data());
  SegmentServer server(options.rendezvous, segment, 3);
  Child zero = rank_process(options, [](HostBackend&) {});
  options.rank = 1;
  Child one = rank_process(options, [](HostBackend&) {});
  while (layout.page(0).process.load() == 0 || layout.page(1).process.load() == 0) server.serve();
  one.signal(SIGKILL);
  EXPECT_THAT(zero.end(), AllOf(HasSubstr("rank 1 (process " + std::to_string(one.process())),
                                HasSubstr("died before all ranks had come; missing: rank 2")));
  EXPECT_EQ(one.end(), "killed by signal 9");
}

TEST(ShmFailure, TheSameRankTwiceIsTurnedAway) {
  ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 0, .ranks = 3};
  options.host.timeout = 2000ms;
  Child zero = rank_process(options, [](HostBackend&) {});
  options.rank = 1;
  Child one = rank_process(options, [](HostBackend&) {});
  Child other = rank_process(options, [](HostBackend&) {});
  const std::vector<std::string> said = {one.end(), other.end()};
  EXPECT_THAT(said, testing::Contains(HasSubstr("another process is rank 1 already")));
  zero.signal(SIGKILL);
}

TEST(ShmFailure, TwoRanksZeroDoNotShareASegment) {
  const ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 0, .ranks = 2};
  Child zero = rank_process(options, [](HostBackend&) {});
  connect_as_stranger(options.rendezvous);
  EXPECT_THAT(rank_process(options, [](HostBackend&) {}).end(),
              HasSubstr("another process is rank 0 already"));
  zero.signal(SIGKILL);
}

TEST(ShmFailure, RanksThatDisagreeOnTheirNumberAreTurnedAway) {
  ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 0, .ranks = 2};
  options.host.timeout = 2000ms;
  Child zero = rank_process(options, [](HostBackend&) {});
  options.rank = 1;
  options.ranks = 4;
  EXPECT_THAT(rank_process(options, [](HostBackend&) {}).end(),
              HasSubstr("it believes in 4 ranks, the others in 2"));
  zero.signal(SIGKILL);
}

TEST(ShmFailure, MismatchesNameBothLinesOnAllRanks) {
  const auto said = run_processes(4, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(4), "world");
    const std::vector<float> operand(100'000, 1);
    std::vector<float> result;
    CollectiveCall call = all_reduce_call(operand, result);
    call.location = Location("even.cpp", 10);
    if (backend.rank() == 1) {
      call.reduction = Reduction::max;
      call.description = "all_reduce max f32[100000]";
      call.location = Location("odd.cpp", 20);
    }
    world->start(call)->wait();
  });
  EXPECT_THAT(said, Each(AllOf(HasSubstr("collective #1 of group \"world\" does not match"),
                               HasSubstr("rank 1 calls all_reduce max f32[100000] (odd.cpp:20)"),
                               HasSubstr("calls all_reduce sum f32[100000] (even.cpp:10)"))));
}

TEST(ShmFailure, AbortFromAnotherThreadFreesEveryProcess) {
  const auto said = run_processes(3, [&](HostBackend& backend) {
    const auto world = backend.communicator(first_ranks(3), "world");
    if (backend.rank() == 2) {
      std::thread([&] { world->abort("the operator said so"); }).join();
      return;
    }
    const auto rest = backend.communicator({0, 1}, "rest");
    EXPECT_THROW(all_reduce_once(*world), CommError);
    if (backend.rank() < 2) all_reduce_once(*rest);  // other groups go on
    all_reduce_once(*world);                         // this one never again
  });
  EXPECT_THAT(said[0], HasSubstr("was aborted: the operator said so"));
  EXPECT_THAT(said[1], HasSubstr("was aborted: the operator said so"));
}

TEST(ShmFailure, AbortOfAllPoisonsGroupsYetToCome) {
  const auto said = run_processes(2, [&](HostBackend& backend) {
    if (backend.rank() == 1) backend.abort("enough");
    const auto late = backend.communicator({0, 1}, "late");
    all_reduce_once(*late);
  });
  EXPECT_THAT(said, testing::Contains(HasSubstr("enough")));
  EXPECT_THAT(said[1], HasSubstr("group \"late\" was aborted: enough"));
}

// Whoever watches over the ranks may end what a group of others does.
TEST(ShmFailure, AbortOfAGroupByARankThatIsNoMember) {
  const auto said = run_processes(3, [&](HostBackend& backend) {
    if (backend.rank() == 2) return backend.abort({0, 1}, "pair", "it takes too long");
    const auto pair = backend.communicator({0, 1}, "pair");
    const auto next = backend.communicator({0, 1}, "the next page of the segment");
    while (true) {
      all_reduce_once(*next);
      all_reduce_once(*pair);
    }
  });
  EXPECT_THAT(said[0], HasSubstr("group \"pair\" was aborted: it takes too long"));
  EXPECT_THAT(said[1], HasSubstr("group \"pair\" was aborted: it takes too long"));
  EXPECT_EQ(said[2], "");
}

TEST(ShmFailure, TooManyGroupsAreAnErrorAndTheOthersGoOn) {
  ShmOptions options;
  options.segment_bytes = std::size_t{64} << 20;
  run_processes_well(
      2,
      [&](HostBackend& backend) {
        const auto world = backend.communicator({0, 1}, "world");
        if (backend.rank() == 1) {
          const auto many = [&] {
            for (int i = 0;; ++i) backend.communicator({1}, "group " + std::to_string(i));
          };
          EXPECT_THROW(many(), EnvironmentError);
        }
        all_reduce_once(*world);
      },
      options);
}

// A guest that speaks another language, or nothing, disturbs nobody.
TEST(ShmFailure, StrangersAtTheSocketAreIgnored) {
  ShmOptions options{.rendezvous = fresh_rendezvous(), .rank = 0, .ranks = 2};
  Child zero = rank_process(options, [](HostBackend& backend) {
    all_reduce_once(*backend.communicator({0, 1}, "world"));
  });
  const Descriptor talker = connect_as_stranger(options.rendezvous);
  const Descriptor silent = connect_as_stranger(options.rendezvous);
  send(talker.number(), "GET / HTTP/1.1", 14, MSG_NOSIGNAL);
  options.rank = 1;
  Child one = rank_process(options, [](HostBackend& backend) {
    all_reduce_once(*backend.communicator({0, 1}, "world"));
  });
  EXPECT_EQ(zero.end(), "");
  EXPECT_EQ(one.end(), "");
}

TEST(ShmFailure, NothingIsLeftBehind) {
  const ShmOptions options{.rendezvous = fresh_rendezvous()};
  const auto said = run_processes(
      2,
      [&](HostBackend& backend) {
        all_reduce_once(*backend.communicator({0, 1}, "world"));
        if (backend.rank() == 1) raise(SIGKILL);
      },
      options);
  EXPECT_EQ(said[1], "killed by signal 9");
  std::ifstream names("/proc/net/unix");
  const std::string text((std::istreambuf_iterator<char>(names)), {});
  EXPECT_EQ(text.find(socket_name(options.rendezvous)), std::string::npos);
}

}  // namespace
}  // namespace tutti::runtime::shm_failure_test

#pragma once

#include <tutti/runtime/comm/shm/segment.h>
#include <tutti/runtime/descriptor.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>

// How the ranks of a host come by their common segment: through a local socket in the abstract
// name space (nothing in a file system, gone with its owner) on which both sides ask the system who
// the other is. Only processes of the same user are served.
namespace tutti::runtime {

// What the socket of a rendezvous is called in the abstract name space.
std::string socket_name(const std::string& rendezvous);

// Who hands out the segment: local rank 0, or whoever launches the ranks.
class SegmentServer {
 public:
  // Listens under the name; `segment` must outlive it. Throws EnvironmentError; listening() is
  // false if somebody listens there already.
  SegmentServer(const std::string& name, const Segment& segment, std::int64_t ranks);

  bool listening() const { return socket_.valid(); }
  // Readable when serve() has something to do.
  int descriptor() const { return ready_.number(); }
  // Answers some of those who have come, and leaves the others to the next time: it never waits,
  // and comes to an end however many come. Who does not speak the protocol gets no answer.
  void serve();
  // That rank has the segment already: whoever comes in its name is turned away.
  void has_come(std::int64_t rank) { served_[static_cast<std::size_t>(rank)] = true; }
  // How many ranks have got the segment from here.
  std::int64_t served() const;
  // Who came and is no rank, for messages: "; user 1001, process 42 came 7 times and is no rank of
  // this job"; empty if nobody did.
  std::string strangers() const;

 private:
  // Somebody of this user, who has not said yet what he wants.
  struct Guest {
    Descriptor socket;
    ucred peer;
  };
  void welcome();
  bool answer(const Guest& guest);  // whether the guest is done with
  void note_stranger(const ucred& peer);

  const Segment& segment_;
  Descriptor socket_;
  Descriptor ready_;                                            // epoll, of socket_ and the guests
  std::vector<bool> served_;                                    // by rank
  std::deque<Guest> guests_;                                    // longest first
  std::map<std::pair<uid_t, pid_t>, std::uint64_t> strangers_;  // how often they came
  std::uint64_t other_strangers_ = 0;
};

// Gets the segment from who listens under the name, waiting for one to come. Throws CommError after
// `timeout` and when this rank is turned away; EnvironmentError, which names him, if the name
// belongs to another user, and if who listens runs in another process name space.
Segment receive_segment(const std::string& name, std::int64_t rank, std::int64_t ranks,
                        std::chrono::milliseconds timeout);

}  // namespace tutti::runtime

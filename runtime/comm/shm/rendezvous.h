#pragma once

#include <tutti/runtime/comm/shm/descriptor.h>
#include <tutti/runtime/comm/shm/segment.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

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
  int descriptor() const { return socket_.number(); }
  // Answers those who have come. Never blocks for long; ignores who does not speak the protocol.
  void serve();
  // That rank has the segment already: whoever comes in its name is turned away.
  void has_come(std::int64_t rank) { served_[static_cast<std::size_t>(rank)] = true; }
  // How many ranks have got the segment from here.
  std::int64_t served() const;

 private:
  const Segment& segment_;
  Descriptor socket_;
  std::vector<bool> served_;  // by rank
};

// Gets the segment from who listens under the name, waiting for one to come. Throws CommError after
// `timeout` and when this rank is turned away, EnvironmentError if the name belongs to another
// user.
Segment receive_segment(const std::string& name, std::int64_t rank, std::int64_t ranks,
                        std::chrono::milliseconds timeout);

}  // namespace tutti::runtime

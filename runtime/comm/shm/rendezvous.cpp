#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/kernels/host/flight_recorder.h>
#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/rendezvous.h>
#include <tutti/runtime/comm/shm/socket_owner.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

// What a rank says first, and what it is told.
struct Hello {
  std::uint64_t magic = SegmentHeader::kMagic;
  std::int64_t rank = 0;
  std::int64_t ranks = 0;
};
struct Answer {
  std::uint64_t magic = SegmentHeader::kMagic;
  std::uint32_t accepted = 0;  // 1: the segment comes with this
  std::array<char, 252> reason{};
};

// Of a rank with a host that does not take or answer it. It connects again.
constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 200'000};

constexpr int kMostAtOnce = 256;           // who are welcomed in a row
constexpr std::size_t kMostGuests = 256;   // who may be silent at a time; a rank comes again
constexpr std::size_t kMostStrangers = 8;  // who are told apart

constexpr const char* kOtherNameSpace =
    "runs in another process name space; the ranks of a host have to see each other's processes "
    "(one container for all, or --pid=host)";

struct Address {
  explicit Address(const std::string& name) {
    const std::string text = socket_name(name);
    data.sun_family = AF_UNIX;
    std::copy(text.begin(), text.end(), data.sun_path + 1);  // after a zero: the abstract names
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
  const sockaddr* pointer() const { return reinterpret_cast<const sockaddr*>(&data); }

  sockaddr_un data{};
  socklen_t size = 0;
};

Descriptor new_socket(int flags) {
  Descriptor out(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
  if (!out.valid()) {
    throw EnvironmentError(std::string("no local socket for the ranks of this host: ") +
                           std::strerror(errno));
  }
  setsockopt(out.number(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(out.number(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  return out;
}

ucred peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.uid = ~uid_t{0};
  return peer;
}

// Returns whether it was sent: who went meanwhile is not told.
bool send_answer(int socket, const Answer& answer, int descriptor) {
  iovec data{.iov_base = const_cast<Answer*>(&answer), .iov_len = sizeof(answer)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(answer);
}

// Makes an epoll ready when something comes to the socket; that ends with the socket.
bool watch(const Descriptor& epoll, const Descriptor& socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(epoll.number(), EPOLL_CTL_ADD, socket.number(), &event) == 0;
}

enum class Answered : std::uint8_t { yes, not_yet, never };

// The descriptor comes with an answer that accepts, where this process has room for it.
Answered receive_answer(int socket, Answer& answer, Descriptor& received) {
  iovec data{.iov_base = &answer, .iov_len = sizeof(answer)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return Answered::not_yet;
  const cmsghdr* const header = bytes > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof(int));
    received = Descriptor(number);
  }
  return bytes == sizeof(answer) ? Answered::yes : Answered::never;
}

[[noreturn]] void refuse_squatter(const SocketOwner& owner) {
  throw EnvironmentError("the local socket of this job belongs to " + describe_owner(owner) +
                         ", who is somebody else; choose another MASTER_PORT (or "
                         "TUTTI_RENDEZVOUS)");
}

}  // namespace

std::string socket_name(const std::string& rendezvous) {
  // Hashed, since names are at most 107 bytes long.
  Hasher hasher;
  hasher.add(std::string_view(rendezvous)).add(static_cast<std::uint64_t>(geteuid()));
  return "tutti-" + hasher.finish().text();
}

SegmentServer::SegmentServer(const std::string& name, const Segment& segment, std::int64_t ranks)
    : segment_(segment),
      socket_(new_socket(SOCK_NONBLOCK)),
      served_(static_cast<std::size_t>(ranks)) {
  const Address address(name);
  if (bind(socket_.number(), address.pointer(), address.size) != 0) {
    if (errno != EADDRINUSE) {
      throw EnvironmentError(std::string("the local socket for the ranks of this host: ") +
                             std::strerror(errno));
    }
    socket_ = Descriptor();
    return;
  }
  ready_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (listen(socket_.number(), SOMAXCONN) != 0 || !ready_.valid() || !watch(ready_, socket_)) {
    throw EnvironmentError(std::string("the local socket for the ranks of this host: ") +
                           std::strerror(errno));
  }
}

void SegmentServer::serve() {
  welcome();
  std::erase_if(guests_, [&](const Guest& guest) { return answer(guest); });
}

void SegmentServer::welcome() {
  for (int i = 0; i < kMostAtOnce; ++i) {
    Descriptor guest(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!guest.valid()) {
      // Out of descriptors: the oldest guest gives its own.
      if ((errno != EMFILE && errno != ENFILE) || guests_.empty()) return;
      note_stranger(guests_.front().peer);
      guests_.pop_front();
      continue;
    }
    const ucred peer = peer_of(guest.number());
    if (peer.uid != geteuid()) {
      note_stranger(peer);
      continue;
    }
    if (guests_.size() == kMostGuests) {
      note_stranger(guests_.front().peer);
      guests_.pop_front();
    }
    watch(ready_, guest);
    guests_.push_back({.socket = std::move(guest), .peer = peer});
  }
}

bool SegmentServer::answer(const Guest& guest) {
  std::array<std::byte, 2 * sizeof(Hello)> said{};
  const ssize_t size = recv(guest.socket.number(), said.data(), said.size(), MSG_TRUNC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  Hello hello;
  if (size != sizeof(hello)) {
    note_stranger(guest.peer);
    return true;
  }
  std::memcpy(&hello, said.data(), sizeof(hello));
  const auto ranks = static_cast<std::int64_t>(served_.size());
  std::string reason;
  if (hello.magic != SegmentHeader::kMagic) {
    reason = "the ranks were built from different versions of Tutti";
  } else if (hello.ranks != ranks) {
    reason = "it believes in " + std::to_string(hello.ranks) + " ranks, the others in " +
             std::to_string(ranks);
  } else if (hello.rank < 0 || hello.rank >= ranks) {
    reason = "ranks are 0.." + std::to_string(ranks - 1);
  } else if (served_[static_cast<std::size_t>(hello.rank)]) {
    reason = "another process is rank " + std::to_string(hello.rank) +
             " already (two jobs with one MASTER_PORT?)";
  } else if (guest.peer.pid == 0) {
    reason = std::string("it ") + kOtherNameSpace;
  }
  Answer answer{.accepted = reason.empty() ? 1U : 0U};
  kernels::write_text(answer.reason, reason);
  const int descriptor = reason.empty() ? segment_.descriptor() : -1;
  const bool sent = send_answer(guest.socket.number(), answer, descriptor);
  if (sent && reason.empty()) served_[static_cast<std::size_t>(hello.rank)] = true;
  return true;
}

void SegmentServer::note_stranger(const ucred& peer) {
  const auto known = strangers_.find({peer.uid, peer.pid});
  if (known != strangers_.end()) {
    ++known->second;
  } else if (strangers_.size() < kMostStrangers) {
    strangers_.emplace(std::pair(peer.uid, peer.pid), 1);
  } else {
    ++other_strangers_;
  }
}

std::string SegmentServer::strangers() const {
  std::string text;
  const auto came = [](std::uint64_t count) {
    return count == 1 ? " came once" : " came " + std::to_string(count) + " times";
  };
  for (const auto& [who, count] : strangers_) {
    text += (text.empty() ? "; " : ", ") +
            describe_owner({.user = who.first, .process = who.second}) + came(count);
  }
  if (other_strangers_ > 0) text += ", others" + came(other_strangers_);
  return text.empty() ? text : text + " to this job's local socket without being a rank";
}

std::int64_t SegmentServer::served() const {
  return std::count(served_.begin(), served_.end(), true);
}

Segment receive_segment(const std::string& name, std::int64_t rank, std::int64_t ranks,
                        std::chrono::milliseconds timeout) {
  const Address address(name);
  const std::string self = "rank " + std::to_string(rank);
  Deadline deadline(timeout);
  const char* full = "";
  for (auto pause = std::chrono::milliseconds(1);;
       pause = std::min(2 * pause, std::chrono::milliseconds(50))) {
    const Descriptor host = new_socket(0);
    if (connect(host.number(), address.pointer(), address.size) == 0) {
      const ucred peer = peer_of(host.number());
      if (peer.uid != geteuid()) refuse_squatter({.user = peer.uid, .process = peer.pid});
      if (peer.pid == 0) {
        throw EnvironmentError(self + ": who hands out the ranks' memory " + kOtherNameSpace);
      }
      const Hello hello{.rank = rank, .ranks = ranks};
      send(host.number(), &hello, sizeof(hello), MSG_NOSIGNAL);
      // The host answers when it gets round to it.
      Answer answer;
      Descriptor received;
      Answered answered = Answered::not_yet;
      while (answered == Answered::not_yet && !deadline.has_passed()) {
        answered = receive_answer(host.number(), answer, received);
      }
      if (answered == Answered::yes && answer.magic != SegmentHeader::kMagic) {
        throw CommError(self + ": the ranks were built from different versions of Tutti");
      }
      if (answered == Answered::yes && answer.accepted == 0) {
        throw CommError(self + " was turned away: " + kernels::read_text(answer.reason));
      }
      if (received.valid()) return Segment(std::move(received));
      // Another try would be turned away: this rank has been served.
      if (answered == Answered::yes) {
        throw EnvironmentError(
            self +
            ": no descriptor is left for the ranks' shared memory: too many open "
            "files (ulimit -n)");
      }
    } else {
      full = errno == EAGAIN ? "; so many come to its local socket that it has no room" : "";
      // One who listens is asked who he is above.
      const std::optional<SocketOwner> owner = owner_of_socket(socket_name(name));
      if (owner && owner->user && *owner->user != geteuid()) refuse_squatter(*owner);
    }
    if (deadline.has_passed()) break;
    std::this_thread::sleep_for(pause);
  }
  const std::optional<SocketOwner> owner = owner_of_socket(socket_name(name));
  throw CommError("time-out after " + std::to_string(timeout.count()) + " ms: " + self + " of " +
                  std::to_string(ranks) + " found no rank 0 on this host under the rendezvous \"" +
                  name + "\"" + full +
                  (owner ? "; its local socket belongs to " + describe_owner(*owner) : ""));
}

}  // namespace tutti::runtime

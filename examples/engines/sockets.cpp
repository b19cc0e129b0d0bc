// An engine of one's own: collectives over sockets between the ranks of a host. A program loads and
// names it:
//
//   runtime::EngineRegistry::process().load("libsockets_engine.so");
//   Group group = Group(world).with_backends("cpu:sockets");
//
// Every member sends its operands to all others and computes what it gets: simple, not fast.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

using namespace tutti;
using namespace tutti::runtime;

std::string system_error(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  void shut() const { shutdown(descriptor_, SHUT_RDWR); }

 private:
  int descriptor_;
};

Socket new_socket() {
  Socket made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.get() < 0) throw CommError(system_error("socket"));
  return made;
}

// A socket that others can connect to, and its name, which no file system knows.
std::pair<Socket, std::string> listening_socket() {
  Socket made = new_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Without a name the system chooses one.
  socklen_t length = sizeof(address.sun_family);
  const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
  if (bind(made.get(), plain, length) != 0) throw CommError(system_error("bind"));
  if (listen(made.get(), SOMAXCONN) != 0) throw CommError(system_error("listen"));
  length = sizeof(address);
  getsockname(made.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return {std::move(made), std::string(address.sun_path, length - sizeof(address.sun_family))};
}

Socket connected_socket(const std::string& name) {
  Socket made = new_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  const auto length = static_cast<socklen_t>(sizeof(address.sun_family) + name.size());
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    throw CommError(system_error("connect"));
  }
  return made;
}

void send_all(const Socket& to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(to.get(), at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw CommError(system_error("a member is gone, send"));
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void receive_all(const Socket& from, void* data, std::size_t bytes) {
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = recv(from.get(), at, bytes, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received == 0) throw CommError("a member has closed its connection");
    if (received < 0) throw CommError(system_error("a member is gone, recv"));
    at += received;
    bytes -= static_cast<std::size_t>(received);
  }
}

class SocketsEngine final : public Engine {
 public:
  explicit SocketsEngine(const EngineGroup& group)
      : position_(group.position), peers_(group.members.size()) {
    auto [listening, name] = listening_socket();
    const std::vector<std::string> names = group.exchange(name);
    // Members connect to those before them and say who they are.
    for (int other = 0; other < position_; ++other) {
      Socket to = connected_socket(names[static_cast<std::size_t>(other)]);
      send_all(to, &position_, sizeof(position_));
      peers_[static_cast<std::size_t>(other)] = std::move(to);
    }
    for (std::size_t count = static_cast<std::size_t>(position_) + 1; count < peers_.size();
         ++count) {
      Socket from(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (from.get() < 0) throw CommError(system_error("accept"));
      int other = 0;
      receive_all(from, &other, sizeof(other));
      peers_.at(static_cast<std::size_t>(other)) = std::move(from);
    }
    worker_ = std::thread([this] { work(); });
  }

  ~SocketsEngine() override {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  std::shared_ptr<EngineWork> start(const CollectiveCall& call) override {
    Job job{.call = call, .packed = pack_operands(call, position_), .done = {}};
    std::shared_ptr<EngineWork> out = work_of(job.done.get_future());
    {
      const std::scoped_lock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
    return out;
  }

  void abort(const std::string& reason) noexcept override {
    {
      const std::scoped_lock lock(mutex_);
      if (failure_.empty()) failure_ = reason;
    }
    // Whoever reads from one of them is woken, here and at the other end.
    for (const Socket& peer : peers_) {
      if (peer.get() >= 0) peer.shut();
    }
  }

 private:
  struct Job {
    CollectiveCall call;
    std::string packed;
    std::promise<void> done;
  };

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      const std::string failure = failure_;
      lock.unlock();
      try {
        if (!failure.empty()) throw CommError(failure);
        carry_out(job);
        job.done.set_value();
      } catch (const std::exception& error) {
        abort(error.what());
        const std::scoped_lock again(mutex_);
        job.done.set_exception(std::make_exception_ptr(CommError(failure_)));
      }
    }
  }

  // Sends on one thread and receives on the other: nobody waits for a full buffer.
  void carry_out(const Job& job) {
    std::exception_ptr failure;
    std::thread sender([&] {
      try {
        for (const Socket& peer : peers_) {
          if (peer.get() < 0) continue;
          const std::uint64_t length = job.packed.size();
          send_all(peer, &length, sizeof(length));
          send_all(peer, job.packed.data(), length);
        }
      } catch (...) {
        failure = std::current_exception();
      }
    });
    struct Join {
      std::thread& thread;
      ~Join() {
        if (thread.joinable()) thread.join();
      }
    } const join{sender};
    std::vector<std::string> packed(peers_.size());
    packed[static_cast<std::size_t>(position_)] = job.packed;
    for (std::size_t member = 0; member < peers_.size(); ++member) {
      if (peers_[member].get() < 0) continue;
      std::uint64_t length = 0;
      receive_all(peers_[member], &length, sizeof(length));
      packed[member].resize(length);
      receive_all(peers_[member], packed[member].data(), length);
    }
    sender.join();
    if (failure) std::rethrow_exception(failure);
    compute_results(job.call, position_, packed);
  }

  const int position_;
  std::vector<Socket> peers_;  // by member; the own is closed
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::string failure_;
  bool ends_ = false;
  std::thread worker_;
};

}  // namespace

TUTTI_ENGINES(registry) {
  registry.add("sockets", [](const EngineGroup& group) -> std::unique_ptr<Engine> {
    return std::make_unique<SocketsEngine>(group);
  });
}

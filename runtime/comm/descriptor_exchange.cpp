#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/descriptor_exchange.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

constexpr std::size_t kNameOffset = offsetof(sockaddr_un, sun_path) + 1;  // after a zero

[[noreturn]] void fail_exchange(const std::string& what) {
  throw EnvironmentError(what + ": " + std::strerror(errno));
}

// For the descriptor and the system's word about the sender.
struct alignas(cmsghdr) ControlSpace {
  std::array<char, CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))> bytes{};
};

}  // namespace

DescriptorExchange::DescriptorExchange()
    : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int on = 1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t size = sizeof(sa_family_t);  // and no name: the system chooses one
  if (!socket_.valid() ||
      setsockopt(socket_.number(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0 ||
      bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    fail_exchange("no local socket to give memory to other processes");
  }
  size = sizeof(address);
  if (getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      size <= kNameOffset) {
    fail_exchange("the local socket to give memory to other processes has no name");
  }
  name_.assign(address.sun_path + 1, size - kNameOffset);
}

bool DescriptorExchange::send(const std::string& name, const Message& message,
                              const Descriptor& descriptor) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy_n(name.begin(), std::min(name.size(), sizeof(address.sun_path) - 1),
              address.sun_path + 1);
  Message said = message;
  iovec data{.iov_base = &said, .iov_len = sizeof(said)};
  ControlSpace control;
  msghdr header{};
  header.msg_name = &address;
  header.msg_namelen = static_cast<socklen_t>(kNameOffset + name.size());
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  if (descriptor.valid()) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int));
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int number = descriptor.number();
    std::memcpy(CMSG_DATA(rights), &number, sizeof(number));
  }
  if (sendmsg(socket_.number(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
  if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS) return false;
  fail_exchange("memory can't be given to another process");
}

std::optional<DescriptorExchange::Received> DescriptorExchange::receive() const {
  for (;;) {
    Received out;
    iovec data{.iov_base = &out.message, .iov_len = sizeof(out.message)};
    ControlSpace control;
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    const ssize_t bytes = recvmsg(socket_.number(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (bytes < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return std::nullopt;
      fail_exchange("the memory of other processes does not come");
    }
    for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr;
         each = CMSG_NXTHDR(&header, each)) {
      if (each->cmsg_level != SOL_SOCKET) continue;
      if (each->cmsg_type == SCM_RIGHTS) {
        // Of more than one, which only strangers send, each is closed.
        const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
          int number = -1;
          std::memcpy(&number, CMSG_DATA(each) + i * sizeof(int), sizeof(number));
          Descriptor own(number);
          out.descriptor = count == 1 ? std::move(own) : Descriptor();
        }
      } else if (each->cmsg_type == SCM_CREDENTIALS) {
        ucred sender{};
        std::memcpy(&sender, CMSG_DATA(each), sizeof(sender));
        out.process = sender.pid;
      }
    }
    if (bytes == sizeof(out.message)) return out;
  }
}

}  // namespace tutti::runtime

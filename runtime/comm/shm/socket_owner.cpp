#include <tutti/runtime/comm/shm/socket_owner.h>
#include <tutti/runtime/descriptor.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>

namespace tutti::runtime {

namespace {

namespace fs = std::filesystem;

// The number of the socket that is bound to the name; 0: there is none.
std::uint32_t bound_socket(const std::string& name) {
  std::ifstream file("/proc/net/unix");
  std::string line;
  std::getline(file, line);  // what the columns are
  while (std::getline(file, line)) {
    // "0000000000000000: 00000002 00000000 00010000 0005 01 12345 @name"
    std::istringstream words(line);
    std::string word;
    std::uint32_t number = 0;
    std::string path;
    for (int i = 0; i < 6; ++i) words >> word;
    // Those that wait to be accepted have the name, too, and no number.
    if (words >> number >> path && number != 0 && path == "@" + name) return number;
  }
  return 0;
}

std::optional<uid_t> user_of(std::uint32_t socket_number) {
  const Descriptor link(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!link.valid()) return {};
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } ask{};
  ask.header.nlmsg_len = sizeof(ask);
  ask.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.header.nlmsg_flags = NLM_F_REQUEST;
  ask.request.sdiag_family = AF_UNIX;
  ask.request.udiag_states = ~std::uint32_t{0};
  ask.request.udiag_ino = socket_number;
  ask.request.udiag_cookie[0] = ask.request.udiag_cookie[1] = ~std::uint32_t{0};  // any
  ask.request.udiag_show = UDIAG_SHOW_UID;
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  if (send(link.number(), &ask, sizeof(ask), 0) != sizeof(ask)) return {};
  const ssize_t got = recv(link.number(), answer.data(), answer.size(), 0);
  if (got < static_cast<ssize_t>(sizeof(nlmsghdr))) return {};
  nlmsghdr header{};
  std::memcpy(&header, answer.data(), sizeof(header));
  constexpr std::size_t kBefore = NLMSG_LENGTH(sizeof(unix_diag_msg));
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      header.nlmsg_len > static_cast<std::size_t>(got)) {
    return {};
  }
  for (std::size_t at = NLMSG_ALIGN(kBefore); at + sizeof(rtattr) <= header.nlmsg_len;) {
    rtattr attribute{};
    std::memcpy(&attribute, answer.data() + at, sizeof(attribute));
    if (attribute.rta_len < sizeof(rtattr)) return {};
    if (attribute.rta_type == UNIX_DIAG_UID && attribute.rta_len >= RTA_LENGTH(sizeof(uid_t))) {
      uid_t user = 0;
      std::memcpy(&user, answer.data() + at + RTA_LENGTH(0), sizeof(user));
      return user;
    }
    at += RTA_ALIGN(attribute.rta_len);
  }
  return {};
}

pid_t process_of(std::uint32_t socket_number) {
  const std::string wanted = "socket:[" + std::to_string(socket_number) + "]";
  std::error_code error;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    const auto number =
        static_cast<pid_t>(std::strtol(process.path().filename().c_str(), nullptr, 10));
    if (number <= 0) continue;
    std::error_code ignored;
    for (fs::directory_iterator at(process.path() / "fd", ignored), end; !ignored && at != end;
         at.increment(ignored)) {
      std::error_code gone;
      if (fs::read_symlink(at->path(), gone) == wanted) return number;
    }
  }
  return 0;
}

}  // namespace

std::optional<SocketOwner> owner_of_socket(const std::string& name) {
  const std::uint32_t number = bound_socket(name);
  if (number == 0) return {};
  return SocketOwner{.user = user_of(number), .process = process_of(number)};
}

std::string describe_owner(const SocketOwner& owner) {
  return (owner.user ? "user " + std::to_string(*owner.user)
                     : "a user that the system does not name") +
         (owner.process > 0 ? ", process " + std::to_string(owner.process) : "");
}

}  // namespace tutti::runtime

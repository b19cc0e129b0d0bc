#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

namespace tutti::runtime {

// Who has bound a name in the abstract name space of local sockets, as far as the system tells.
struct SocketOwner {
  std::optional<uid_t> user;
  pid_t process = 0;  // 0: unknown, as are those of other users
};

// Nothing if nobody has.
std::optional<SocketOwner> owner_of_socket(const std::string& name);

// "user 1001, process 4242"
std::string describe_owner(const SocketOwner& owner);

}  // namespace tutti::runtime

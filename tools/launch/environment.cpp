#include "tools/launch/environment.h"

#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>

#include <string_view>

#include "tools/launch/file_handle.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tutti::tools {

namespace {

std::string free_port() {
  const FileHandle file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (!file.is_open() || bind(file.get(), any, size) != 0 ||
      getsockname(file.get(), any, &size) != 0) {
    throw EnvironmentError(system_failure("cannot find a free port on 127.0.0.1"));
  }
  return std::to_string(ntohs(address.sin_port));
}

std::string random_name() {
  Hash128 bits;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
    throw EnvironmentError(system_failure("cannot get random bits"));
  }
  return bits.text();
}

}  // namespace

Environment own_environment() {
  Environment out;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::size_t sign = text.find('=');
    if (sign == text.npos) continue;
    out.emplace(text.substr(0, sign), text.substr(sign + 1));
  }
  return out;
}

void add_job(Environment& environment, std::size_t ranks) {
  const std::string count = std::to_string(ranks);
  environment["WORLD_SIZE"] = count;
  environment["LOCAL_WORLD_SIZE"] = count;
  environment["MASTER_ADDR"] = "127.0.0.1";
  environment["MASTER_PORT"] = free_port();
  environment["TUTTI_RENDEZVOUS"] = random_name();
}

std::vector<std::string> lines_for_rank(Environment environment, std::size_t rank) {
  environment["RANK"] = std::to_string(rank);
  environment["LOCAL_RANK"] = std::to_string(rank);
  std::vector<std::string> out;
  for (const auto& [name, value] : environment) {
    std::string& line = out.emplace_back(name);
    line += "=";
    line += value;
  }
  return out;
}

}  // namespace tutti::tools

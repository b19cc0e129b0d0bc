#include "tests/fake_cuda/nccl/board.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace tutti::fake_cuda {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRoot = "/dev/shm";
constexpr std::string_view kPrefix = "fake-nccl-";

}  // namespace

std::string Board::fresh_id() {
  static std::atomic<int> count{0};
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(kRoot, ignored)) {
    const std::string name = each.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const auto process = static_cast<pid_t>(std::atol(name.c_str() + kPrefix.size()));
    if (kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(each.path(), ignored);
  }
  return std::string(kPrefix) + std::to_string(getpid()) + "-" + std::to_string(++count);
}

std::string Board::path_of_process(const std::string& name) {
  return fs::path(kRoot) / (std::string(kPrefix) + std::to_string(getpid()) + name);
}

Board::Board(const std::string& id, int size, int rank)
    : folder_(fs::path(kRoot) / id), size_(size), rank_(rank) {
  fs::create_directories(folder_);
}

void Board::leave() const {
  say("left-" + std::to_string(rank_), {});
  for (int rank = 0; rank < size_; ++rank) {
    if (!has("left-" + std::to_string(rank))) return;
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Board::say(const std::string& name, const std::vector<std::byte>& what) const {
  const fs::path written = folder_ / (name + ".part");
  {
    std::ofstream file(written, std::ios::binary);
    file.write(reinterpret_cast<const char*>(what.data()),
               static_cast<std::streamsize>(what.size()));
  }
  std::error_code ignored;
  fs::rename(written, folder_ / name, ignored);
}

std::optional<std::vector<std::byte>> Board::read(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary | std::ios::ate);
  if (!file) return std::nullopt;
  std::vector<std::byte> out(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  return out;
}

bool Board::has(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(folder_ / name, ignored);
}

void Board::forget(const std::string& name) const {
  std::error_code ignored;
  fs::remove(folder_ / name, ignored);
}

}  // namespace tutti::fake_cuda

#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tutti::fake_cuda {

// Where the ranks of a communicator, processes of one host, tell each other things: a folder of
// shared memory. What was said once stays until all have left.
class Board {
 public:
  // `id` is a name that no other communicator has.
  Board(const std::string& id, int size, int rank);
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Removes what those have left that died.
  static std::string fresh_id();
  // A file of this process, which goes then, too.
  static std::string path_of_process(const std::string& name);

  // Under a name that this rank uses once. Whoever reads it gets all of it or nothing.
  void say(const std::string& name, const std::vector<std::byte>& what) const;
  std::optional<std::vector<std::byte>> read(const std::string& name) const;
  bool has(const std::string& name) const;
  void forget(const std::string& name) const;
  // The last one removes it.
  void leave() const;

 private:
  const std::filesystem::path folder_;
  const int size_;
  const int rank_;
};

}  // namespace tutti::fake_cuda

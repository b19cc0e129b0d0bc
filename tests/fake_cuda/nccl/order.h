#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tutti::fake_cuda {

// What a rank launches on its GPU, in that order, over all its communicators. Kernels of NCCL's
// wait for those of other ranks, and need room that those before them have: so the orders of all
// ranks have to go together, or the ranks may wait for each other in a circle, which NCCL does not
// notice and which on some days passes. Ranks tell each other by files of shared memory, a line a
// launch.
class LaunchOrder {
 public:
  // Of this process, on a device; never destroyed.
  static LaunchOrder& of(int device);

  // A communicator of that name comes, and goes; the file goes with the last.
  void open(const std::string& communicator);
  void close(const std::string& communicator);
  // A launch, by the names of what it waits for, which other ranks call the same.
  void add(const std::string& communicator, const std::vector<std::string>& names);
  // Complains, once, if this rank and others have launched in orders that make a circle.
  void check();

 private:
  explicit LaunchOrder(int device) : device_(device) {}
  // Of the process that asks, which may have been forked off.
  std::string path() const;

  // What was launched; with the mutex held.
  void forget();

  const int device_;
  std::mutex mutex_;                 // of what follows
  std::map<std::string, int> open_;  // handles of each that is there
  std::set<std::string> launched_;   // communicators
  // Ranks that are threads have the device together, and no order of their own.
  bool is_shared_ = false;
  bool has_complained_ = false;
};

}  // namespace tutti::fake_cuda

#pragma once

#include <tutti/ir/group.h>
#include <tutti/lazy/tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace tutti {

namespace detail {
class RankContext;
}

// This rank's place among all ranks of the program. While it lives, the thread that made it records
// for this rank. The last of its copies to go closes it.
class World {
 public:
  explicit World(std::shared_ptr<detail::RankContext> context);

  int rank() const;
  int size() const;

  // Makes the calling thread the one that records for this rank; the thread that did so before must
  // not any more.
  void attach() const;

  // Issues every recorded collective, waits for them, and tells the peers that this rank is done.
  // Throws what went wrong. Afterwards nothing new can be computed; data stays readable.
  void close();

  // Evaluate after every op (to find a mistake's line); off by default.
  void set_eager(bool eager) const;

  const std::shared_ptr<detail::RankContext>& context() const;

 private:
  class Owner;
  std::shared_ptr<Owner> owner_;
};

// Joins the world that the environment describes (WORLD_SIZE and RANK); a world of one without
// them. Throws EnvironmentError for variables that make no sense, and for more than one process,
// which this version does not run: ranks are threads, see simulate().
World init();

struct SimulateOptions {
  // Threads that one rank computes with, itself included; 0: the machine's cores divided.
  int threads = 0;
  // How long a rank waits for its peers.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
};

// Runs `body(world)` on `ranks` ranks as threads of this process, and returns when all have ended.
// An exception on one rank aborts the others; the first by rank is rethrown, its message prefixed
// with the rank, as a CommError if it was one and with its own type where that is one of Tutti's.
void simulate(int ranks, const std::function<void(World&)>& body,
              const SimulateOptions& options = {});

// The ranks that communicate: a World (all of them), a list of ranks, or a partition (each rank
// finds its own list in it).
class Group {
 public:
  Group(const World& world);  // NOLINT(google-explicit-constructor)
  Group(std::initializer_list<std::int64_t> ranks, std::string tag = "")  // NOLINT
      : Group(std::vector<std::int64_t>(ranks), std::move(tag)) {}
  Group(std::vector<std::int64_t> ranks, std::string tag = "");                          // NOLINT
  Group(const std::vector<std::vector<std::int64_t>>& partition, std::string tag = "");  // NOLINT

  const ir::GroupPtr& data() const { return data_; }

 private:
  ir::GroupPtr data_;
};

}  // namespace tutti

#pragma once

#include <tutti/ir/support/hash.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/comm_memory.h>
#include <tutti/runtime/comm/order.h>
#include <tutti/runtime/comm/symmetric_memory.h>
#include <tutti/runtime/process_mark.h>
#include <tutti/runtime/ring.h>
#include <tutti/runtime/settings.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// The buffers of one member's collectives that some peer may still use, oldest first.
class KeptCollectives {
 public:
  std::size_t size() const { return collectives_.size(); }

  // Makes sure that add() of so many buffers needs no memory.
  void make_room(std::size_t buffers) {
    collectives_.reserve_more(1);
    buffers_.reserve_more(buffers);
  }
  // Takes the buffers out of the vector. Sequence numbers only grow.
  void add(std::uint64_t sequence, std::vector<std::shared_ptr<Buffer>>& buffers);
  // Drops those of collectives up to `sequence`.
  void drop_through(std::uint64_t sequence);

 private:
  struct Collective {
    std::uint64_t sequence = 0;
    std::size_t buffers = 0;
  };
  Ring<Collective> collectives_;
  Ring<std::shared_ptr<Buffer>> buffers_;
};

// What a group's page is known by, in all processes the same.
struct GroupKey {
  std::string tag;
  std::string purpose;  // of a page besides the group's own: what an engine carries
  std::vector<std::int64_t> members;

  Hash128 hash() const;
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

// What the members of a group share, as one process sees it.
class HostGroup {
 public:
  // `memory` holds the initialised page and lives as long as the group. `by` is the rank of this
  // process, for its failures; of several, which die together, any.
  HostGroup(const GroupKey& key, void* memory, std::int64_t by);
  HostGroup(const HostGroup&) = delete;
  HostGroup& operator=(const HostGroup&) = delete;

  // Fails collectives from `from` on and wakes whoever waits. From any thread.
  void fail(std::uint64_t from, const std::string& text);
  void abort(const std::string& reason);
  // Rule 5 for a rank that left or died.
  void member_left(int position);
  void rank_left(std::int64_t rank);  // if it is a member

  const std::vector<std::int64_t> members;
  const std::string tag;
  const std::uint64_t id;  // a hash of both
  const kernels::GroupPage page;
  // By position, each used by that member's thread alone: a peer may read what a rank that left has
  // published.
  std::vector<KeptCollectives> kept;
  // Likewise: what lies with this member and all have in common.
  std::vector<std::vector<std::shared_ptr<SymmetricMemory>>> common;

  // What is kept for members. Code of users' runs where it goes.
  struct Kept {
    std::vector<KeptCollectives> collectives;
    std::vector<std::vector<std::shared_ptr<SymmetricMemory>>> common;
  };
  // All members have left it: what is kept for them may go, where the caller holds no lock.
  [[nodiscard]] Kept let_go();

 private:
  const std::int64_t by_;
};

// A year. Time-outs are no longer than that, whatever was asked for.
inline constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(24 * 365);

struct HostOptions {
  // How long a wait may take where neither the group nor the call says otherwise.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  // How often a waiting rank looks before it gives its core away; negative: many times where every
  // rank can have a core, few where not.
  int spins = -1;
  // A rank whose collective fails writes its flight record to this file, with "." and the rank
  // appended; empty: it does not.
  std::string record = {};
  // How collectives are carried out; of processes, rank 0's counts.
  AlgorithmTable algorithms = AlgorithmTable::process();
  // Whether a thread of each rank's completes what it has started while it is elsewhere.
  bool progress = Settings::process().flag("progress");
};

// What the ranks of one host share: pages of ranks and groups, and memory. Thread-safe.
class HostFabric {
 public:
  explicit HostFabric(HostOptions options, std::int64_t ranks);
  HostFabric(const HostFabric&) = delete;
  HostFabric& operator=(const HostFabric&) = delete;
  virtual ~HostFabric() = default;

  virtual std::string_view name() const = 0;
  std::int64_t ranks() const { return ranks_; }
  const HostOptions& options() const { return options_; }
  // Throws UsageError if there is no such rank.
  kernels::RankPage& page(std::int64_t rank);

  // The memory of a rank of this process, from which it gives to its peers.
  virtual const std::shared_ptr<CommMemory>& memory(std::int64_t rank) const = 0;
  // The group's shared state, made by the first member that asks.
  virtual std::shared_ptr<HostGroup> group(const GroupKey& key) = 0;

  // A member has closed the group; the last one may let go of its state.
  virtual void forget(const GroupKey& /*key*/) {}

  // Frees every rank that is stuck in any group, and poisons all groups, future ones too.
  virtual void abort(const std::string& reason) = 0;
  // Says for this rank that it is gone.
  virtual void leave(std::int64_t rank, const std::string& message) = 0;
  // Finds the ranks whose processes have ended (note_death).
  virtual void look_for_deaths() {}
  // Marks the page of a rank whose process has ended, if it did not say that it leaves
  // (RankPage::kDied). It waits for nobody then, either way.
  void note_death(std::int64_t rank);
  // "rank 2", with its process and the state that the system gives it where ranks have their own.
  virtual std::string describe(std::int64_t rank) const;

 protected:
  virtual kernels::RankPage& page_of(std::int64_t rank) = 0;
  void use(AlgorithmTable algorithms) { options_.algorithms = std::move(algorithms); }
  // What leave() writes first.
  void announce_departure(std::int64_t rank, const std::string& message);

 private:
  HostOptions options_;
  const std::int64_t ranks_;
};

// What the communicators of one rank share.
struct HostRank {
  HostRank(std::int64_t own, std::int64_t ranks) : rank(own), is_alone(ranks == 1) {}

  // Whether this process is no rank, but was forked off one that has peers.
  bool is_forked_off() const { return process.is_copy() && !is_alone; }

  const std::int64_t rank;
  const bool is_alone;
  const ProcessMark process;
  ProgramOrder order;
  bool left = false;
};

}  // namespace tutti::runtime

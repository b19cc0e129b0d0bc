#pragma once

#include <tutti/kernels/host/collective_run.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/comm/order.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime {

// The collectives of one member whose memory some peer may still use, oldest first.
struct KeptCollective {
  std::uint64_t sequence;
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::vector<kernels::PartPlace> places;                // of a list, read by peers
  std::vector<std::unique_ptr<std::byte[]>> operands{};  // copies of operands that results overlap
};
using KeptCollectives = std::deque<KeptCollective>;

// What the members of a group share.
class LocalGroup {
 public:
  LocalGroup(std::vector<std::int64_t> ranks, std::string name);
  LocalGroup(const LocalGroup&) = delete;
  LocalGroup& operator=(const LocalGroup&) = delete;

  // Fails collectives from `from` on and wakes whoever waits. From any thread.
  void fail(std::uint64_t from, const std::string& text);
  void abort(const std::string& reason);
  // Rule 5 for a rank that left, under the fabric's lock.
  void member_left(int position);

  const std::vector<std::int64_t> members;
  const std::string tag;

 private:
  std::unique_ptr<std::byte, void (*)(std::byte*)> memory_;

 public:
  const kernels::GroupPage page;
  // By position, each used by that member's thread alone. They outlive the members, since a peer
  // may read what a rank that left has published; the last to leave clears all.
  std::vector<KeptCollectives> kept;

 private:
  int left_ = 0;
};

// What the communicators of one rank share.
struct LocalRank {
  std::int64_t rank;
  ProgramOrder order;
  bool left = false;
};

class LocalWork;

// One rank's end of a group of threads.
class LocalCommunicator final : public Communicator,
                                public std::enable_shared_from_this<LocalCommunicator> {
 public:
  LocalCommunicator(std::shared_ptr<LocalFabric> fabric, std::shared_ptr<LocalRank> rank,
                    std::shared_ptr<LocalGroup> group, std::vector<kernels::RankPage*> pages,
                    int position);

  std::shared_ptr<Work> start(CollectiveCall call,
                              std::vector<std::shared_ptr<Buffer>> keep_alive) override;
  bool released(std::uint64_t sequence) override;
  void wait_released(std::uint64_t sequence) override;
  void abort(const std::string& reason) override;
  void set_timeout(std::chrono::milliseconds timeout) override { timeout_ = timeout; }
  const std::string& tag() const override { return group_->tag; }
  const std::vector<std::int64_t>& members() const override { return group_->members; }
  int position() const override { return position_; }

 private:
  friend class LocalWork;

  // The steps of start().
  void wait_for_all(std::uint64_t sequence, const CollectiveCall& call);
  void copy_overlapped_operands(CollectiveCall& call, KeptCollective& kept) const;
  kernels::PartPlace announce_places(const CollectiveCall& call, KeptCollective& kept) const;
  void retire();

  // The steps of completing a collective; the booleans are those of OrderedWork::attempt.
  bool complete(const LocalWork& work, bool may_wait);
  bool all_arrived(const LocalWork& work, bool may_wait);
  bool compute(const LocalWork& work, bool may_wait);
  void prepare_run(const LocalWork& work);

  // Failures. `call` is this rank's, for its line.
  void compare(int member, const LocalWork& work);
  void check_failure(std::uint64_t sequence, const CollectiveCall& call) const;
  void check_left(const LocalWork& work) const;
  [[noreturn]] void time_out(std::uint64_t sequence, const CollectiveCall& call,
                             const std::string& waits_for) const;
  [[noreturn]] void fail(std::uint64_t sequence, const CollectiveCall& call,
                         const std::string& text) const;

  std::chrono::milliseconds timeout_of(const CollectiveCall& call) const;
  std::string number(std::uint64_t sequence) const;  // `collective #3 of group "dp"`
  std::string names(const std::vector<int>& positions) const;

  std::shared_ptr<LocalFabric> fabric_;
  std::shared_ptr<LocalRank> rank_;
  std::shared_ptr<LocalGroup> group_;
  const kernels::GroupPage& page_;
  const std::vector<kernels::RankPage*> pages_;  // by position
  const int position_;
  const int spins_;
  std::chrono::milliseconds timeout_;
  std::uint64_t started_ = 0;
  std::uint64_t done_by_all_ = 0;  // as last seen

  // Scratch of complete().
  std::vector<int> missing_;
  std::vector<kernels::PartShape> shapes_;
  kernels::CollectiveRun run_;
};

}  // namespace tutti::runtime

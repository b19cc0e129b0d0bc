#pragma once

#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/comm/host_call.h>
#include <tutti/runtime/comm/host_fabric.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

class HostCommunicator;

// How many collectives of a group may queue up for a slot of the ring. Starting more waits for
// peers, so that one who never waits does not fill the memory.
inline constexpr std::uint64_t kMostQueued = 1024;

// What waits: for messages, and how long.
struct Waiting {
  std::string_view description;
  Location location;
  std::chrono::milliseconds timeout;  // zero: what the group says
};

// Where a part's tensors lie on this rank.
struct PartAddresses {
  const void* operand = nullptr;
  void* result = nullptr;  // null: where the communicator chooses
};

// A collective under way in a HostCommunicator.
class HostWork final : public OrderedWork, public Recycled<HostWork> {
 public:
  explicit HostWork(Home* home) : Recycled(home) {}

  std::uint64_t sequence() const override { return sequence_; }
  std::shared_ptr<Buffer> result(std::size_t part) const override { return results_.at(part); }
  const HostCall& call() const { return *call_; }
  const Waiting& waiting() const { return waiting_; }

 private:
  friend class HostCommunicator;
  friend class Recycled<HostWork>;
  bool attempt(bool may_wait) override;
  void let_go() noexcept;

  std::shared_ptr<HostCommunicator> communicator_;
  std::uint64_t sequence_ = 0;
  std::uint64_t recorded_ = 0;  // in the flight recorder
  std::shared_ptr<const HostCall> call_;
  Waiting waiting_;
  Agreement agreement_;
  std::uint32_t site_ = 0;
  std::vector<PartAddresses> parts_;
  // By part: memory of the communicator's choice that holds the result, null where the caller's own
  // does or (until it is complete) where a peer provides it.
  std::vector<std::shared_ptr<Buffer>> results_;
  kernels::PartPlace place_{};     // what its record will say
  std::uint64_t fingerprint_ = 0;  // likewise
  bool copies_out_ = false;        // results go on to memory of the caller's that peers can't reach
  bool common_results_ = false;    // one copy is to serve all members
  std::vector<std::uint64_t>
      lent_;  // the places of common results, by part, if this rank owns them
};

// The collective of a group of one.
class LonelyWork final : public Work, public Recycled<LonelyWork> {
 public:
  explicit LonelyWork(Home* home) : Recycled(home) {}

  bool test() override { return true; }
  void wait() override {}
  std::uint64_t sequence() const override { return 0; }
  std::shared_ptr<Buffer> result(std::size_t part) const override { return results_.at(part); }

 private:
  friend class HostCommunicator;
  friend class Recycled<LonelyWork>;
  void let_go() noexcept { results_.clear(); }

  std::vector<std::shared_ptr<Buffer>> results_;
};

// One rank's end of a group of the host.
class HostCommunicator final : public Communicator,
                               public std::enable_shared_from_this<HostCommunicator> {
 public:
  HostCommunicator(std::shared_ptr<HostFabric> fabric, std::shared_ptr<HostRank> rank,
                   std::shared_ptr<HostGroup> group, std::vector<kernels::RankPage*> pages,
                   int position);

  std::shared_ptr<const PreparedCall> prepare(CollectiveCall call) override;
  std::shared_ptr<Work> start(const std::shared_ptr<const PreparedCall>& call,
                              std::span<const std::shared_ptr<Buffer>> operands,
                              const StartOptions& options) override;
  std::shared_ptr<Work> start(CollectiveCall call,
                              std::vector<std::shared_ptr<Buffer>> keep_alive) override;
  bool released(std::uint64_t sequence) override;
  void wait_released(std::uint64_t sequence) override;
  void abort(const std::string& reason) override { group_->abort(reason); }
  void abandon(const std::string& reason) override { group_->fail(started_ + 1, reason); }
  void close() override;
  void set_timeout(std::chrono::milliseconds timeout) override { timeout_ = timeout; }
  const std::string& tag() const override { return group_->tag; }
  const std::vector<std::int64_t>& members() const override { return group_->members; }
  int position() const override { return position_; }
  // The group whose messages these are.
  void set_parent(std::shared_ptr<HostGroup> group) { parent_ = std::move(group); }

 private:
  friend class HostWork;

  // The steps of start() (host_start.cpp).
  static Waiting waiting_for(const HostCall& call, const StartOptions& options) {
    const CollectiveCall& of = call.call();
    return {of.description, options.location.known() ? options.location : of.location,
            options.timeout.count() > 0 ? options.timeout : of.timeout};
  }
  void check_usable(const HostCall& call, const Waiting& waiting) const;
  std::shared_ptr<Work> start_alone(const HostCall& call,
                                    std::span<const PartAddresses> parts) const;
  // Says why no collective can start, or waits until one may.
  void make_room(const Waiting& waiting);
  std::shared_ptr<HostWork> new_work(const std::shared_ptr<const PreparedCall>& call,
                                     const Waiting& waiting);
  void announce(const std::shared_ptr<HostWork>& work);
  void publish(HostWork& work);
  // Publishes what waits for a slot of the ring, if there is one; see OrderedWork::attempt.
  bool publish_in_turn(HostWork& work, bool may_wait);
  // What a rank does while it waits.
  void look_around() const;
  void wait_for_all(std::uint64_t sequence, const Waiting& waiting);
  void prepare_operands(HostWork& work);
  void prepare_results(HostWork& work);
  kernels::PartPlace prepare_places(HostWork& work);
  void lend_common_results(HostWork& work) const;
  // Whether results that are common to all have no place of the caller's.
  static bool leaves_results(const HostWork& work);
  // Who provides the memory of a result that is common to all.
  int owner_of(std::uint64_t sequence) const {
    return static_cast<int>(sequence % static_cast<std::uint64_t>(size()));
  }
  // Drops what is kept for collectives that everybody is done with, as far as is known.
  void retire();
  // Looks for such ones if that is worth while: what others write soon is dear to read, and a few
  // small operands may stay.
  void look_for_retired();

  // The steps of completing a collective; the booleans are those of OrderedWork::attempt.
  bool complete(HostWork& work, bool may_wait);
  bool all_arrived(const HostWork& work, bool may_wait);
  bool compute(HostWork& work, bool may_wait);
  // Returns whether each rank computes its own result.
  bool prepare_run(HostWork& work);
  const kernels::PartPlace* places_of(int member, const HostWork& work,
                                      kernels::PartPlace& single) const;
  bool take_common_results(HostWork& work);
  void copy_out(const HostWork& work) const;
  void write_record() const noexcept;

  // Failures (host_failure.cpp). `waiting` is this rank's, for its line.
  void compare(int member, const HostWork& work);
  bool same_build(int member) const;
  void check_parent(std::uint64_t sequence, const Waiting& waiting) const;
  void check_failure(std::uint64_t sequence, const Waiting& waiting) const;
  void check_splits(const HostWork& work) const;
  void check_gone(const HostWork& work, const std::vector<int>& late) const;
  void bury(int member) const;
  [[noreturn]] void time_out(std::uint64_t sequence, const Waiting& waiting,
                             const std::string& waits_for, const std::vector<int>& late) const;
  [[noreturn]] void fail(std::uint64_t sequence, const Waiting& waiting,
                         const std::string& text) const;
  std::chrono::milliseconds timeout_of(const Waiting& waiting) const;
  std::string number(std::uint64_t sequence) const;  // `collective #3 of group "dp"`
  std::string names(const std::vector<int>& positions) const;
  std::string last_call(int position) const;

  std::shared_ptr<HostFabric> fabric_;
  std::shared_ptr<CommMemory> memory_;
  std::shared_ptr<HostRank> rank_;
  std::shared_ptr<HostGroup> group_;
  std::shared_ptr<HostGroup> parent_;  // null but of messages
  const kernels::GroupPage& page_;
  const std::vector<kernels::RankPage*> pages_;  // by position
  const int position_;
  const int spins_;
  std::chrono::milliseconds timeout_;
  const std::string recorded_name_;
  // Numbers of collectives: started_ >= published_ >= finished_ (in success or failure).
  std::uint64_t started_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t finished_ = 0;
  bool told_ = false;  // that the group fails
  bool closed_ = false;
  std::uint64_t done_by_all_ = 0;  // as last seen
  std::uint64_t last_large_ = 0;   // the last collective that was not one-shot

  RecycledPool<HostWork>::Handle works_ = RecycledPool<HostWork>::make();
  RecycledPool<LonelyWork>::Handle lonely_works_ = RecycledPool<LonelyWork>::make();

  // Scratch.
  std::vector<std::shared_ptr<Buffer>> keeping_;  // of the collective that starts
  std::vector<int> missing_;
  std::vector<int> late_;
  std::vector<int> asked_;
  bool waited_long_ = false;
  kernels::CollectiveRun run_;
  std::shared_ptr<const HostCall> run_call_;  // the one-shot call that run_ was reset for
};

}  // namespace tutti::runtime

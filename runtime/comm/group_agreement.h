#pragma once

#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/comm/host_fabric.h>
#include <tutti/runtime/comm/transport.h>
#include <tutti/runtime/function_ref.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// How many collectives of a group may queue up for a slot of the ring. Starting more waits for
// peers, so that one who never waits does not fill the memory.
inline constexpr std::uint64_t kMostQueued = 1024;

// A page whose failure of collective `from` fails another group as a whole; 0: its abort alone. A
// member that has closed it starts nothing more in the other one, either.
struct Parent {
  std::shared_ptr<HostGroup> group;
  std::uint64_t from = 0;
};

// Whether a group's ranks stand as they do in most groups: in another order they are another one.
// Of a message the sender stands first.
bool is_in_order(const std::string& tag, const std::vector<std::int64_t>& members);

// What one rank and its group agree about: the numbers of collectives, that all members make the
// same call under one number, who is done with which, and what failed. It all stands on the group's
// page (kernels/host/collectives.h has the rules); how data moves is a Transport's affair.
class GroupAgreement {
 public:
  // `recorded` is what flight records call the group: of one tag there may be several.
  GroupAgreement(std::shared_ptr<HostFabric> fabric, std::shared_ptr<HostRank> rank,
                 std::shared_ptr<HostGroup> group, std::vector<Parent> parents,
                 std::string recorded);
  GroupAgreement(const GroupAgreement&) = delete;
  GroupAgreement& operator=(const GroupAgreement&) = delete;

  HostFabric& fabric() const { return *fabric_; }
  // This rank's.
  const std::shared_ptr<CommMemory>& memory() const { return fabric_->memory(rank_->rank); }
  const std::shared_ptr<HostGroup>& group() const { return group_; }
  const kernels::GroupPage& page() const { return page_; }
  const std::string& tag() const { return group_->tag; }
  const std::vector<std::int64_t>& members() const { return group_->members; }
  int size() const { return static_cast<int>(members().size()); }
  int position() const { return position_; }
  // Rank 0's, for all ranks.
  const AlgorithmTable& algorithms() const { return fabric_->options().algorithms; }
  ProgramOrder& order() const { return rank_->order; }
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  // Whether this process is no rank, but was forked off this one.
  bool is_forked_off() const { return rank_->is_forked_off(); }
  // Throws UsageError where this rank can start nothing in the group.
  void check_usable(const Waiting& waiting) const;
  // Throws UsageError in a process that was forked off this rank. It would see what peers do, but
  // they don't wait for it, and write where it reads.
  void check_is_rank(const Waiting& waiting) const;
  // Says why no collective can start, or waits until one may.
  void make_room(const Waiting& waiting);
  // Gives the work the next number.
  void number(GroupWork& work);
  // Makes sure that announce() of what is kept, and one buffer more, needs no memory.
  void reserve(Keeping& keeping);
  // The number is taken. Empties `keeping`.
  void announce(const std::shared_ptr<GroupWork>& work, Keeping& keeping);

  // Completing a collective; the booleans are those of OrderedWork::attempt. Whether it is the
  // group's first:
  bool is_first(const GroupWork& work) const { return work.sequence_ == finished_ + 1; }
  // Whether all members have announced the same call.
  bool arrive(GroupWork& work, bool may_wait);
  void finish(const GroupWork& work);
  void finish(const GroupWork& work, const std::exception& failure);

  // For transports: waits until `ready` says so, with what the error of a time-out says: "for
  // chunks that a peer has claimed". The second is for what is done elsewhere: it looks less often,
  // asks the others to hurry, and calls `before_sleep` before each sleep, which wake() ends.
  void wait(const GroupWork& work, std::string_view what, FunctionRef<bool()> ready);
  void wait_elsewhere(const GroupWork& work, std::string_view what, FunctionRef<bool()> ready,
                      FunctionRef<void()> before_sleep);
  // For what members get ready for together while they complete a call, and can do without: that
  // this one could not; whether some member says so.
  void decline(const GroupWork& work) const;
  bool is_declined(const GroupWork& work) const;
  // How long a wait may take.
  std::chrono::milliseconds timeout_of(const Waiting& waiting) const;
  // Wakes whoever waits for the group. From any thread, whatever has ended meanwhile.
  std::function<void()> wake() const;
  // Throws CommError if the collective has failed, or if a member died that was not done with it.
  void check_peers(const GroupWork& work) const;
  // The same for one that its members are done with once `is_complete`: then those that died lack
  // nothing.
  void check_peers(const GroupWork& work, FunctionRef<bool()> is_complete) const;
  // The same for one that goes on when its members have completed it: if any of them died.
  void check_all_live(const GroupWork& work) const;
  [[noreturn]] void fail(std::uint64_t sequence, const Waiting& waiting,
                         const std::string& text) const;

  // "; rank 1 (process 1234): its last collective was #3 of ..." of each member, of many the first
  // ones: for errors that do not say who it is that they are about.
  std::string last_calls() const;

  // See Communicator.
  bool released(std::uint64_t sequence);
  void wait_released(std::uint64_t sequence, const Location& where);
  void abandon(const std::string& reason) {
    abandoned_ = reason;  // also where another reason is being written on the page just now
    group_->fail(started_ + 1, reason);
  }
  // Completes what is started, `closing` what it uses, and says that nothing more comes.
  void close(FunctionRef<void()> closing);
  // Drops what is kept for collectives that everybody is done with, before this rank closes the
  // group or leaves: the rest, the last to leave drops.
  void drop_released() { kept().drop_through(page_.done_by_all()); }

  std::string number(std::uint64_t sequence) const;  // `collective #3 of group "dp"`
  std::string names(const std::vector<int>& positions) const;

 private:
  void publish(GroupWork& work);
  // Publishes what waits for a slot of the ring, if there is one; see OrderedWork::attempt.
  bool publish_in_turn(GroupWork& work, bool may_wait);
  bool all_arrived(const GroupWork& work, bool may_wait);
  // What a rank does while it waits.
  void look_around() const;
  void wait_for_all(std::uint64_t sequence, const Waiting& waiting);
  // Drops what is kept for collectives that everybody is done with, as far as is known.
  void retire();
  // Looks for such ones if that is worth while: what others write soon is dear to read, and a few
  // small operands may stay.
  void look_for_retired();
  // All members but this one, in missing_.
  const std::vector<int>& others();
  kernels::RankPage& rank_page(int member) const {
    return *pages_[static_cast<std::size_t>(member)];
  }
  KeptCollectives& kept() const { return group_->kept[static_cast<std::size_t>(position_)]; }
  void write_record() const noexcept;

  // Failures (group_failure.cpp). `waiting` is this rank's, for its line.
  void compare(int member, const GroupWork& work);
  bool same_build(int member) const;
  // Why what is numbered `from` fails on that page, also where who was writing that down died.
  std::optional<std::string> why_failed(const HostGroup& group, std::uint64_t from) const;
  void check_parents(std::uint64_t sequence, const Waiting& waiting) const;
  void check_failure(std::uint64_t sequence, const Waiting& waiting) const;
  // Throws where one of those has not announced the collective and never will.
  void check_gone(const GroupWork& work, const std::vector<int>& late) const;
  bool died_before_its_end(int member, const GroupWork& work) const;
  // Says which collective waits for the member in vain, and why.
  [[noreturn]] void fail_without(int member, const GroupWork& work) const;
  // That of the parents which the member has closed, or left; null if there is none.
  const HostGroup* closed_parent(int member) const;
  void bury(int member) const;
  [[noreturn]] void time_out(std::uint64_t sequence, const Waiting& waiting,
                             const std::string& waits_for, const std::vector<int>& late) const;
  std::string last_call(int position) const;
  std::string last_calls(const std::vector<int>& of) const;
  bool receives(int position) const;

  const std::shared_ptr<HostFabric> fabric_;
  const std::shared_ptr<HostRank> rank_;
  const std::shared_ptr<HostGroup> group_;
  const std::vector<Parent> parents_;
  const std::string recorded_name_;
  const kernels::GroupPage& page_;
  std::vector<kernels::RankPage*> pages_;  // by position
  const int position_;
  const int spins_;
  std::chrono::milliseconds timeout_;
  // Numbers of collectives: started_ >= published_ >= finished_ (in success or failure).
  std::uint64_t started_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t finished_ = 0;
  bool told_ = false;  // that the group fails
  std::optional<std::string> abandoned_;
  bool closed_ = false;
  std::uint64_t done_by_all_ = 0;  // as last seen
  std::uint64_t last_large_ = 0;   // the last collective that was not one-shot
  bool waited_long_ = false;

  // Scratch.
  std::vector<int> missing_;
  std::vector<int> late_;
  std::vector<int> asked_;  // lent to whoever waits
};

}  // namespace tutti::runtime

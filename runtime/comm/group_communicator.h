#pragma once

#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::runtime {

// The collective of a group of one.
class LonelyWork final : public Work, public Recycled<LonelyWork> {
 public:
  explicit LonelyWork(Home* home) : Recycled(home) {}

  bool test() override { return true; }
  void wait() override {}
  std::uint64_t sequence() const override { return 0; }
  std::shared_ptr<Buffer> result(std::size_t part) const override { return results_.at(part); }
  std::span<const void* const> arrive() override { return {}; }
  void finish() override {}
  void stop_reading() override {}

 private:
  friend class GroupCommunicator;
  friend class Recycled<LonelyWork>;
  void let_go() noexcept { results_.clear(); }

  std::vector<std::shared_ptr<Buffer>> results_;
};

// One rank's end of a group: what its members agree about, and how their data moves.
class GroupCommunicator final : public Communicator,
                                public std::enable_shared_from_this<GroupCommunicator> {
 public:
  using MakeTransport = std::function<std::unique_ptr<Transport>(GroupAgreement&)>;

  GroupCommunicator(std::shared_ptr<HostFabric> fabric, std::shared_ptr<HostRank> rank,
                    std::shared_ptr<HostGroup> group, std::vector<Parent> parents,
                    std::string engine, std::string recorded, const MakeTransport& transport);

  std::shared_ptr<const PreparedCall> prepare(CollectiveCall call) override;
  std::shared_ptr<Work> start(const std::shared_ptr<const PreparedCall>& call,
                              std::span<const std::shared_ptr<Buffer>> operands,
                              const StartOptions& options) override;
  std::shared_ptr<Work> start(CollectiveCall call,
                              std::vector<std::shared_ptr<Buffer>> keep_alive) override;
  bool released(std::uint64_t sequence) override;
  void wait_released(std::uint64_t sequence, const Location& where) override;
  std::shared_ptr<SymmetricMemory> symmetric_memory(std::size_t bytes, Accelerator* on) override;
  std::shared_ptr<SymmetricMemory> common_memory(std::size_t bytes) override;
  std::shared_ptr<RecordedCalls> record_calls(
      std::vector<std::shared_ptr<const PreparedCall>> calls, Accelerator& on) override;
  void abort(const std::string& reason) override;
  void abandon(const std::string& reason) override;
  void close() override;
  void set_timeout(std::chrono::milliseconds timeout) override { agreement_.set_timeout(timeout); }
  const std::string& tag() const override { return agreement_.tag(); }
  const std::vector<std::int64_t>& members() const override { return agreement_.members(); }
  int position() const override { return agreement_.position(); }

  // For RecordedCalls: announces a call whose operands are not there yet, with that word in its
  // record, and returns when all members have announced it. `operands` say where they will lie,
  // where that is known; null: elsewhere. Then one of the others: its operands are there; it is
  // replayed; it is given up.
  std::shared_ptr<GroupWork> begin(const std::shared_ptr<const PreparedCall>& call,
                                   std::uint32_t word,
                                   std::span<const std::shared_ptr<Buffer>> operands,
                                   const StartOptions& options);
  void supply(GroupWork& work, std::span<const std::shared_ptr<Buffer>> operands);
  void end_begun(GroupWork& work, GroupWork::Begun how);

  // Before the rank leaves, and behind that.
  void drop_released() { agreement_.drop_released(); }
  void leave() noexcept { transport_->leave(); }

  Transport& transport() const { return *transport_; }
  const std::string& engine() const { return engine_; }

 private:
  friend class GroupWork;

  static Waiting waiting_for(const GroupCall& call, const StartOptions& options);
  // The steps of start().
  void check_usable(const GroupCall& call, const Waiting& waiting) const;
  std::shared_ptr<Work> start_alone(const GroupCall& call,
                                    std::span<const PartAddresses> parts) const;
  // The caller fills in its places, and keeping_ with what is to be kept for it.
  std::shared_ptr<GroupWork> new_work(const std::shared_ptr<const GroupCall>& call,
                                      const Waiting& waiting);
  static void set_options(GroupWork& work, const StartOptions& options);
  void announce(const std::shared_ptr<GroupWork>& work);
  // See OrderedWork::attempt.
  bool complete(GroupWork& work, bool may_wait);
  // Brings the data of a call that is the group's first to its place; the same.
  bool move(GroupWork& work, bool may_wait);
  // The same for one that RecordedCalls began.
  bool go_on(GroupWork& work, bool may_wait);
  // The same for one that the caller reads.
  bool read(GroupWork& work, bool may_wait);

  const std::string engine_;
  GroupAgreement agreement_;
  const std::unique_ptr<Transport> transport_;
  RecycledPool<LonelyWork>::Handle lonely_works_ = RecycledPool<LonelyWork>::make();
  // By size. Memory that nobody uses any more returns once all members are done with it.
  std::map<std::size_t, std::weak_ptr<SymmetricMemory>> symmetric_;
  Keeping keeping_;  // scratch: of the collective that starts
};

}  // namespace tutti::runtime

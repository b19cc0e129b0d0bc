#pragma once

#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

// What a HostTransport has under way.
class HostWork final : public GroupWork, public Recycled<HostWork> {
 public:
  explicit HostWork(Home* home) : Recycled(home) {}

 private:
  friend class HostTransport;
  friend class Recycled<HostWork>;
  void let_go() noexcept { GroupWork::let_go(); }

  bool copies_out_ = false;      // results go on to memory of the caller's that peers can't reach
  bool common_results_ = false;  // one copy is to serve all members
  std::int64_t chunks_ = 0;      // of an attempt that has left none unclaimed: how many there are
  // What this rank's record says of common results, by part: the place of one that it lends, or
  // that its plan has with it; else 0.
  std::vector<std::uint64_t> common_places_;
};

// Over memory that the ranks of a host share: operands and results have places in it, which records
// tell, and whoever waits does the work.
class HostTransport final : public Transport {
 public:
  explicit HostTransport(GroupAgreement& agreement)
      : agreement_(agreement), memory_(agreement.memory()) {}

  std::shared_ptr<GroupWork> new_work() override;
  void prepare(GroupWork& work, Keeping& keeping) override;
  kernels::PartPlace begin(GroupWork& work, Keeping& keeping) override;
  bool move(GroupWork& work, bool may_wait) override;
  bool moves_in_background() const override { return true; }
  bool is_readable() const override { return true; }
  void find_operands(GroupWork& work) override;
  void compute_result(GroupWork& work) override;

 private:
  void prepare_operands(HostWork& work, Keeping& keeping);
  void prepare_results(HostWork& work, Keeping& keeping);
  void note_copy(const HostWork& work, std::size_t bytes, std::string_view why);
  void find_common_places(HostWork& work) const;
  // Who provides the memory of a result that is common to all.
  int owner_of(const HostWork& work) const {
    return static_cast<int>(work.sequence() % static_cast<std::uint64_t>(agreement_.size()));
  }

  bool compute(HostWork& work, bool may_wait);
  // Returns whether each rank computes its own result.
  bool prepare_run(HostWork& work);
  const kernels::PartPlace* places_of(int member, const HostWork& work,
                                      kernels::PartPlace& single) const;
  void check_splits(const HostWork& work) const;
  // The place of a part's common result; 0 if nobody has one. `planned_count`: is_one_call().
  std::uint64_t common_place(const HostWork& work, std::size_t part, bool planned_count) const;
  bool is_one_call(const HostWork& work) const;
  bool take_common_results(HostWork& work);

  GroupAgreement& agreement_;
  const std::shared_ptr<CommMemory> memory_;
  RecycledPool<HostWork>::Handle works_ = RecycledPool<HostWork>::make();
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> stretches_;  // scratch
  std::vector<std::uint64_t> common_;  // scratch, too: by part, the places of common results
  kernels::CollectiveRun run_;
  std::shared_ptr<const GroupCall> run_call_;  // the one-shot call that run_ was reset for
  std::set<std::string> noted_;                // lines whose copies the log has
};

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/asking.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/comm/flight_record.h>
#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/signal.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace tutti::runtime {

GroupAgreement::GroupAgreement(std::shared_ptr<HostFabric> fabric, std::shared_ptr<HostRank> rank,
                               std::shared_ptr<HostGroup> group, std::vector<Parent> parents,
                               std::string recorded)
    : fabric_(std::move(fabric)),
      rank_(std::move(rank)),
      group_(std::move(group)),
      parents_(std::move(parents)),
      recorded_name_(std::move(recorded)),
      page_(group_->page),
      position_(static_cast<int>(std::ranges::find(group_->members, rank_->rank) -
                                 group_->members.begin())),
      spins_(fabric_->options().spins),
      timeout_(fabric_->options().timeout) {
  for (const std::int64_t member : members()) pages_.push_back(&fabric_->page(member));
  // A wait needs no memory.
  for (std::vector<int>* const each : {&missing_, &late_, &asked_}) each->reserve(pages_.size());
}

bool is_in_order(const std::string& tag, const std::vector<std::int64_t>& members) {
  return std::ranges::is_sorted(members) || tag.ends_with(" messages");
}

void GroupAgreement::check_usable(const Waiting& waiting) const {
  const auto refuse = [&](const std::string& rule) {
    throw UsageError(std::string(waiting.description) + ": " + rule, waiting.location);
  };
  if (closed_) refuse("group \"" + tag() + "\" was closed");
  if (rank_->left)
    refuse("rank " + std::to_string(rank_->rank) + " has left: its World was closed");
  check_is_rank(waiting);
}

void GroupAgreement::check_is_rank(const Waiting& waiting) const {
  if (!rank_->is_forked_off()) return;
  throw UsageError(std::string(waiting.description) + ": this process was forked off rank " +
                       std::to_string(rank_->rank) + " and is no rank itself",
                   waiting.location);
}

void GroupAgreement::make_room(const Waiting& waiting) {
  const std::uint64_t sequence = started_ + 1;
  const bool failed = page_.failed(sequence);
  if (failed || abandoned_) {
    told_ = true;
    throw CommError("group \"" + tag() + "\" can't be used any more: " +
                        (failed ? page_.failure_text() : *abandoned_),
                    waiting.location);
  }
  check_parents(sequence, waiting);
  look_for_retired();
  if (sequence > kernels::kRingSlots && !released(sequence - kernels::kRingSlots)) {
    order().advance_any();
    constexpr std::uint64_t kMost = kernels::kRingSlots + kMostQueued;
    if (sequence <= kMost) return;
    // One that is to be read does not end by itself.
    while (finished_ < sequence - kMost && !order().empty()) order().complete_first();
    wait_for_all(sequence - kMost, waiting);
  }
}

void GroupAgreement::number(GroupWork& work) {
  work.start_in(order(), told_);
  work.sequence_ = started_ + 1;
  work.recorded_ = 0;
}

void GroupAgreement::reserve(Keeping& keeping) {
  keeping.reserve(keeping.size() + 1);
  kept().make_room(keeping.size() + 1);
  order().make_room();
}

void GroupAgreement::announce(const std::shared_ptr<GroupWork>& work, Keeping& keeping) {
  const std::uint64_t sequence = work->sequence_;
  kept().add(sequence, keeping);
  order().add(work);
  started_ = sequence;
  if (!work->call().one_shot) last_large_ = sequence;
  // Without a free slot it waits for its turn.
  const bool free = sequence <= kernels::kRingSlots || released(sequence - kernels::kRingSlots);
  if (published_ + 1 == sequence && free) publish(*work);
}

void GroupAgreement::publish(GroupWork& work) {
  const Waiting& waiting = work.waiting();
  work.recorded_ = rank_page(position_).recorder.start(
      {.group = group_->id, .sequence = work.sequence_, .fingerprint = work.fingerprint},
      recorded_name_, waiting.description, waiting.location.file(), waiting.location.line(),
      monotonic_now());
  published_ = work.sequence_;
  const CollectiveCall& call = work.call().call();
  page_.publish(position_, work.sequence_,
                {.fingerprint = work.fingerprint,
                 .place = work.place_,
                 .recorded = work.recorded_,
                 .numbers = work.agreement_.word(),
                 .site = work.site_,
                 .program_set = work.call().program.set,
                 .program_order = work.call().program.order,
                 .skeleton = call.placement.skeleton,
                 .layout = call.placement.layout});
  notify(page_.signal());
}

bool GroupAgreement::publish_in_turn(GroupWork& work, bool may_wait) {
  if (published_ >= work.sequence_) return true;
  const std::uint64_t last_user = work.sequence_ - kernels::kRingSlots;
  if (!released(last_user)) {
    if (!may_wait) return false;
    wait_for_all(last_user, work.waiting());
  }
  publish(work);
  return true;
}

bool GroupAgreement::arrive(GroupWork& work, bool may_wait) {
  waited_long_ = false;
  return publish_in_turn(work, may_wait) && all_arrived(work, may_wait);
}

bool GroupAgreement::all_arrived(const GroupWork& work, bool may_wait) {
  others();
  const auto nobody_is_missing = [&] {
    std::erase_if(missing_, [&](int member) {
      if (!page_.arrived(member, work.sequence())) return false;
      compare(member, work);
      return true;
    });
    check_failure(work.sequence(), work.waiting());
    if (missing_.empty()) return true;
    check_gone(work, missing_);
    return false;
  };
  if (nobody_is_missing()) return true;
  if (!may_wait) return false;
  Asking asking(pages_, members(), position_, spins_, asked_);
  const bool arrived = wait_until(
      page_.signal(), spins_, timeout_of(work.waiting()),
      [&] {
        const bool ready = nobody_is_missing();
        asking.looked(missing_);
        waited_long_ = waited_long_ || asking.waits_long();
        return ready;
      },
      [&] { look_around(); });
  if (!arrived) time_out(work.sequence(), work.waiting(), "for " + names(missing_), missing_);
  return true;
}

void GroupAgreement::finish(const GroupWork& work) {
  finished_ = work.sequence_;
  page_.progress(position_).done_through.store(work.sequence_);
  notify(page_.signal());
  // Reading the clock takes as long as a small collective.
  const bool at_once = !waited_long_ && work.call().one_shot && !order().is_in_background();
  rank_page(position_).recorder.end(work.recorded_, kernels::FlightEntry::kCompleted,
                                    at_once ? kernels::FlightEntry::kAtOnce : monotonic_now());
  // A user's buffers are dropped by his own thread, when it starts the next one.
  if (!order().is_in_background()) look_for_retired();
}

void GroupAgreement::finish(const GroupWork& work, const std::exception& failure) {
  finished_ = work.sequence_;
  rank_page(position_).recorder.end(work.recorded_, kernels::FlightEntry::kFailed, monotonic_now());
  write_record();
  // What went wrong here alone (no memory) must not be waited for elsewhere.
  if (page_.failed(work.sequence_)) return;
  group_->fail(work.sequence_, names({position_}) + " could not complete " +
                                   number(work.sequence_) + ": " + failure.what());
}

const std::vector<int>& GroupAgreement::others() {
  missing_.clear();
  for (int member = 0; member < size(); ++member) {
    if (member != position_) missing_.push_back(member);
  }
  return missing_;
}

void GroupAgreement::wait(const GroupWork& work, std::string_view what, FunctionRef<bool()> ready) {
  if (!wait_until(page_.signal(), spins_, timeout_of(work.waiting()), ready,
                  [&] { look_around(); })) {
    time_out(work.sequence(), work.waiting(), std::string(what), others());
  }
}

void GroupAgreement::wait_elsewhere(const GroupWork& work, std::string_view what,
                                    FunctionRef<bool()> ready, FunctionRef<void()> before_sleep) {
  waited_long_ = true;
  Asking asking(pages_, members(), position_, 0, asked_);
  const auto is_ready = [&] {
    if (ready()) return true;
    asking.looked(others());
    return false;
  };
  if (!wait_until(page_.signal(), 0, timeout_of(work.waiting()), is_ready, [&] {
        look_around();
        before_sleep();
      })) {
    time_out(work.sequence(), work.waiting(), std::string(what), others());
  }
}

void GroupAgreement::decline(const GroupWork& work) const {
  page_.progress(position_).declined.store(work.sequence());
  notify(page_.signal());
}

bool GroupAgreement::is_declined(const GroupWork& work) const {
  for (int member = 0; member < size(); ++member) {
    if (page_.progress(member).declined.load() == work.sequence()) return true;
  }
  return false;
}

std::function<void()> GroupAgreement::wake() const {
  return [fabric = fabric_, group = group_] { notify(group->page.signal()); };
}

void GroupAgreement::close(FunctionRef<void()> closing) {
  if (std::exchange(closed_, true)) return;
  if (size() == 1) return;
  while (finished_ < started_ && !order().empty()) order().complete_first();
  const bool failed = !told_ && started_ > 0 && page_.failed(started_);
  const std::string failure = failed ? page_.failure_text() : std::string();
  abandon(names({position_}) + " closed group \"" + tag() + "\"");
  std::exception_ptr failure_of_closing;
  try {
    closing();
  } catch (...) {
    failure_of_closing = std::current_exception();
  }
  // From the next line on the last of the others to leave may drop what is kept here.
  drop_released();
  group_->member_left(position_);
  if (failure_of_closing) std::rethrow_exception(failure_of_closing);
  if (failed) throw CommError(failure);
}

void GroupAgreement::look_around() const {
  fabric_->look_for_deaths();
  order().advance_any();
}

void GroupAgreement::wait_for_all(std::uint64_t sequence, const Waiting& waiting) {
  if (released(sequence)) return;
  check_is_rank(waiting);
  check_failure(sequence, waiting);
  Asking asking(pages_, members(), position_, spins_, asked_);
  std::vector<int>& late = late_;
  const auto everybody_is_done = [&] {
    // A peer may need what we started, elsewhere or later.
    order().advance_any();
    late.clear();
    for (int member = 0; member < size(); ++member) {
      bury(member);
      if (page_.progress(member).done_through.load() < sequence) late.push_back(member);
    }
    if (late.empty()) return true;
    check_failure(sequence, waiting);
    asking.looked(late);
    return false;
  };
  if (!wait_until(page_.signal(), spins_, timeout_of(waiting), everybody_is_done,
                  [&] { fabric_->look_for_deaths(); })) {
    time_out(sequence, waiting, "to be completed by " + names(late), late);
  }
  done_by_all_ = page_.done_by_all();
  retire();
}

bool GroupAgreement::released(std::uint64_t sequence) {
  if (done_by_all_ >= sequence) return true;
  const std::uint64_t seen = page_.done_by_all();
  if (!order().is_in_background()) {
    done_by_all_ = seen;
    retire();
  }
  return seen >= sequence;
}

void GroupAgreement::wait_released(std::uint64_t sequence, const Location& where) {
  // Peers may wait for us too: our own part comes first.
  while (!released(sequence) && finished_ < sequence && !order().empty()) {
    order().complete_first();
  }
  wait_for_all(sequence, {.description = "wait_released", .location = where, .timeout = {}});
}

// Of one that was left a peer may be dropping it, too.
void GroupAgreement::retire() {
  if (!closed_ && !rank_->left) kept().drop_through(done_by_all_);
}

void GroupAgreement::look_for_retired() {
  constexpr std::size_t kSmallOnesKept = 8;
  if (kept().size() < kSmallOnesKept && last_large_ <= done_by_all_) return;
  done_by_all_ = page_.done_by_all();
  retire();
}

// The error that is on its way matters more than a record that can't be written.
void GroupAgreement::write_record() const noexcept {
  if (fabric_->options().record.empty()) return;
  try {
    const std::string file = fabric_->options().record + "." + std::to_string(rank_->rank);
    write_file(file, read_recorder(rank_->rank, rank_page(position_).recorder));
  } catch (const std::exception& error) {
    std::cerr << "tutti: " << error.what() << "\n";
  }
}

}  // namespace tutti::runtime

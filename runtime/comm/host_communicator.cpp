// How a collective is completed.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/asking.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/comm/flight_record.h>
#include <tutti/runtime/comm/host_communicator.h>
#include <tutti/runtime/comm/signal.h>

#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

namespace tutti::runtime {

namespace {

// What a group is called in flight records: of one tag there may be several with other members.
std::string recorded_name(const HostGroup& group, std::int64_t ranks) {
  if (std::ssize(group.members) == ranks) return group.tag;
  std::string text;
  for (const std::int64_t rank : group.members) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return group.tag + " [" + text + "]";
}

}  // namespace

// The call stays: the next one is likely to be the same.
void HostWork::let_go() noexcept {
  forget_failure();
  results_.clear();
  communicator_.reset();
}

bool HostWork::attempt(bool may_wait) { return communicator_->complete(*this, may_wait); }

HostCommunicator::HostCommunicator(std::shared_ptr<HostFabric> fabric,
                                   std::shared_ptr<HostRank> rank, std::shared_ptr<HostGroup> group,
                                   std::vector<kernels::RankPage*> pages, int position)
    : fabric_(std::move(fabric)),
      memory_(fabric_->memory()),
      rank_(std::move(rank)),
      group_(std::move(group)),
      page_(group_->page),
      pages_(std::move(pages)),
      position_(position),
      spins_(fabric_->options().spins),
      timeout_(fabric_->options().timeout),
      recorded_name_(recorded_name(*group_, fabric_->ranks())) {}

bool HostCommunicator::complete(HostWork& work, bool may_wait) {
  kernels::FlightRecorder& recorder = pages_[static_cast<std::size_t>(position_)]->recorder;
  if (work.sequence() != finished_ + 1) return false;  // one of this group comes first
  waited_long_ = false;
  try {
    if (!publish_in_turn(work, may_wait)) return false;
    if (!all_arrived(work, may_wait) || !compute(work, may_wait)) return false;
  } catch (const std::exception& error) {
    finished_ = work.sequence();
    recorder.end(work.recorded_, kernels::FlightEntry::kFailed, monotonic_now());
    write_record();
    // What went wrong here alone (no memory) must not be waited for elsewhere.
    if (!page_.failed(work.sequence())) {
      group_->fail(work.sequence(), names({position_}) + " could not complete " +
                                        number(work.sequence()) + ": " + error.what());
    }
    throw;
  }
  finished_ = work.sequence();
  copy_out(work);
  page_.progress(position_).done_through.store(work.sequence());
  notify(page_.signal());
  // Reading the clock takes as long as a small collective.
  recorder.end(work.recorded_, kernels::FlightEntry::kCompleted,
               waited_long_ || !run_.one_shot() ? monotonic_now() : kernels::FlightEntry::kAtOnce);
  look_for_retired();
  return true;
}

void HostCommunicator::close() {
  if (std::exchange(closed_, true)) return;
  if (size() == 1) return;
  while (finished_ < started_ && !rank_->order.empty()) rank_->order.complete_first();
  const bool failed = !told_ && started_ > 0 && page_.failed(started_);
  const std::string failure = failed ? page_.failure_text() : std::string();
  abandon(names({position_}) + " closed group \"" + tag() + "\"");
  group_->member_left(position_);
  done_by_all_ = page_.done_by_all();
  retire();
  if (failed) throw CommError(failure);
}

bool HostCommunicator::all_arrived(const HostWork& work, bool may_wait) {
  missing_.clear();
  for (int member = 0; member < size(); ++member) {
    if (member != position_) missing_.push_back(member);
  }
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
  Asking asking(pages_, spins_, asked_);
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

bool HostCommunicator::compute(HostWork& work, bool may_wait) {
  if (work.parts_.empty()) return true;
  if (prepare_run(work)) {
    run_.compute_for(position_);
    return true;
  }
  kernels::ChunkCounters& counters = page_.chunks(work.sequence());
  const std::int64_t chunks = run_.chunks();
  run_.write_zeros(position_);
  const std::int64_t taken = run_.take_chunks(counters.claimed);
  if (taken > 0 && counters.done.fetch_add(taken) + taken == chunks) notify(page_.signal());
  // Nobody but a rank that died leaves a chunk that it has claimed.
  std::vector<int>& others = missing_;
  others.clear();
  const auto all_done = [&] {
    if (counters.done.load() == chunks) return true;
    check_failure(work.sequence(), work.waiting());
    for (const int member : others) {
      const bool finished = page_.progress(member).done_through.load() >= work.sequence();
      if (!finished &&
          pages_[static_cast<std::size_t>(member)]->presence.load() == kernels::RankPage::kDied) {
        check_gone(work, {member});
      }
    }
    return false;
  };
  if (all_done()) return true;
  if (!may_wait) return false;
  for (int member = 0; member < size(); ++member) {
    if (member != position_) others.push_back(member);
  }
  if (!wait_until(page_.signal(), spins_, timeout_of(work.waiting()), all_done,
                  [&] { look_around(); })) {
    time_out(work.sequence(), work.waiting(), "for chunks that a peer has claimed", others);
  }
  return true;
}

const kernels::PartPlace* HostCommunicator::places_of(int member, const HostWork& work,
                                                      kernels::PartPlace& single) const {
  const kernels::ArrivalRecord& record = page_.record(member, work.sequence());
  if (work.call().has_table) {
    return memory_->pointer_to<const kernels::PartPlace>(record.operand);
  }
  single = {record.operand, record.result};
  return &single;
}

bool HostCommunicator::prepare_run(HostWork& work) {
  const CollectiveCall& call = work.call().call();
  if (work.call_ != run_call_) {
    run_.reset(call.kind, call.reduction, call.dtype, call.root, call.pairs, size(),
               work.call().shapes, call.scan);
    run_call_ = work.call().one_shot ? work.call_ : nullptr;
  }
  for (int member = 0; member < size(); ++member) {
    kernels::PartPlace single{};
    const kernels::PartPlace* const places = places_of(member, work, single);
    const auto* sizes = reinterpret_cast<const std::int64_t*>(places + call.parts.size());
    for (std::size_t part = 0; part < call.parts.size(); ++part) {
      run_.place(member, part, memory_->pointer_to<const void>(places[part].operand),
                 memory_->pointer_to<void>(places[part].result));
      if (!is_uneven_exchange(call, call.parts[part])) continue;
      const std::size_t count = call.parts[part].sizes.size();
      run_.split(member, part, {sizes, count}, {sizes + count, count});
      sizes += 2 * count;
    }
  }
  if (work.call().uneven) check_splits(work);
  const bool alone = run_.one_shot() || (work.common_results_ && !take_common_results(work));
  for (std::size_t part = 0; alone && part < work.parts_.size(); ++part) {
    std::shared_ptr<Buffer>& result = work.results_[part];
    if (work.common_results_ && result == nullptr) {
      result = memory_->allocate_anywhere(work.call().result_bytes[part]);
    }
    run_.place(position_, part, work.parts_[part].operand,
               result != nullptr ? result->data() : work.parts_[part].result);
  }
  return alone;
}

// False where the owner had no room.
bool HostCommunicator::take_common_results(HostWork& work) {
  kernels::PartPlace single{};
  const kernels::PartPlace* const places = places_of(owner_of(work.sequence()), work, single);
  for (std::size_t part = 0; part < work.results_.size(); ++part) {
    const std::uint64_t place = places[part].result;
    if (place == 0) return false;
    if (work.results_[part] == nullptr) {  // else: not the first attempt
      work.results_[part] = memory_->hold(place, work.call().result_bytes[part]);
    }
    run_.place_common(part, memory_->pointer_to<void>(place));
  }
  return true;
}

// The error that is on its way matters more than a record that can't be written.
void HostCommunicator::write_record() const noexcept {
  if (fabric_->options().record.empty()) return;
  try {
    const std::string file = fabric_->options().record + "." + std::to_string(rank_->rank);
    write_file(file,
               read_recorder(rank_->rank, pages_[static_cast<std::size_t>(position_)]->recorder));
  } catch (const std::exception& error) {
    std::cerr << "tutti: " << error.what() << "\n";
  }
}

void HostCommunicator::copy_out(const HostWork& work) const {
  if (!work.copies_out_) return;  // (one-shot, the results were written where they belong)
  for (std::size_t i = 0; i < work.results_.size(); ++i) {
    void* const target = work.parts_[i].result;
    if (target == nullptr || work.results_[i] == nullptr) continue;
    std::memcpy(target, work.results_[i]->data(), work.results_[i]->bytes());
  }
}

}  // namespace tutti::runtime

// How a collective is announced.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/asking.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/comm/host_communicator.h>
#include <tutti/runtime/comm/signal.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace tutti::runtime {

namespace {

// Stretches of memory that do not overlap each other.
class Stretches {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    if (data != nullptr && bytes > 0) stretches_.emplace_back(begin, begin + bytes);
  }
  void sort() { std::sort(stretches_.begin(), stretches_.end()); }
  // Once they are sorted.
  bool touch(const void* data, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const auto first = std::upper_bound(
        stretches_.begin(), stretches_.end(), begin,
        [](std::uintptr_t at, const auto& stretch) { return at < stretch.second; });
    return first != stretches_.end() && first->first < begin + bytes;
  }

 private:
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> stretches_;  // begins and ends
};

// Whether results in a group of one are the operands; else nobody's operand is in them.
bool gives_back(const CollectiveCall& call) {
  if (call.kind == CollectiveKind::scan_ranks) return !call.scan.exclusive;
  return call.kind != CollectiveKind::collective_permute || !call.pairs.empty();
}

}  // namespace

std::shared_ptr<const PreparedCall> HostCommunicator::prepare(CollectiveCall call) {
  return std::make_shared<HostCall>(*this, std::move(call));
}

std::shared_ptr<Work> HostCommunicator::start(const std::shared_ptr<const PreparedCall>& call,
                                              std::span<const std::shared_ptr<Buffer>> operands,
                                              const StartOptions& options) {
  const auto& prepared = static_cast<const HostCall&>(*call);
  const Waiting waiting = waiting_for(prepared, options);
  check_usable(prepared, waiting);
  const auto refuse = [&](const std::string& rule) {
    throw TypeError(std::string(waiting.description) + ": " + rule, waiting.location);
  };
  if (operands.size() != prepared.shapes.size()) {
    refuse("takes " + std::to_string(prepared.shapes.size()) + " operands, not " +
           std::to_string(operands.size()));
  }
  const auto address_of = [&](std::size_t i) -> const void* {
    const std::size_t needed = prepared.gives ? prepared.operand_bytes[i] : 0;
    if (operands[i] == nullptr) {
      if (needed > 0) refuse("an operand is missing");
      return nullptr;
    }
    if (operands[i]->bytes() < needed) {
      refuse("an operand has " + std::to_string(operands[i]->bytes()) + " bytes of " +
             std::to_string(needed));
    }
    return operands[i]->data();
  };
  if (size() == 1) {
    for (std::size_t i = 0; i < operands.size(); ++i) address_of(i);
    if (!gives_back(prepared.call())) {
      return start_alone(prepared, std::vector<PartAddresses>(operands.size()));
    }
    std::shared_ptr<LonelyWork> work = lonely_works_->take();
    work->results_.assign(operands.begin(), operands.end());
    return work;
  }
  std::shared_ptr<HostWork> work = new_work(call, waiting);
  work->agreement_ = options.agreement;
  if (options.site != 0 && prepared.compares_positions) work->site_ = options.site;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    work->parts_.push_back({address_of(i), nullptr});
  }
  keeping_.assign(operands.begin(), operands.end());
  announce(work);
  return work;
}

std::shared_ptr<Work> HostCommunicator::start(CollectiveCall call,
                                              std::vector<std::shared_ptr<Buffer>> keep_alive) {
  std::vector<PartAddresses> parts;
  for (const TensorPart& part : call.parts) parts.push_back({part.operand, part.result});
  const auto prepared = std::make_shared<HostCall>(*this, std::move(call));
  const Waiting waiting = waiting_for(*prepared, {});
  check_usable(*prepared, waiting);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (prepared->gives && prepared->operand_bytes[i] > 0 && parts[i].operand == nullptr) {
      throw TypeError(std::string(waiting.description) + ": an operand is missing",
                      waiting.location);
    }
  }
  if (size() == 1) return start_alone(*prepared, parts);
  std::shared_ptr<HostWork> work = new_work(prepared, waiting);
  work->parts_ = std::move(parts);
  keeping_ = std::move(keep_alive);
  announce(work);
  return work;
}

void HostCommunicator::check_usable(const HostCall& call, const Waiting& waiting) const {
  const auto refuse = [&](const std::string& rule) {
    throw UsageError(std::string(waiting.description) + ": " + rule, waiting.location);
  };
  if (call.made_by != this) refuse("was prepared for another group than \"" + tag() + "\"");
  if (closed_) refuse("group \"" + tag() + "\" was closed");
  if (rank_->left) refuse("rank " + std::to_string(rank_->rank) + " has left");
  if (fabric_->is_forked_off()) {
    refuse("this process was forked off rank " + std::to_string(rank_->rank) +
           " and is no rank itself");
  }
}

// Results are the operands, copied, or what a collective of nobody gives.
std::shared_ptr<Work> HostCommunicator::start_alone(const HostCall& call,
                                                    std::span<const PartAddresses> parts) const {
  // A result may lie over another's operand.
  std::vector<std::vector<std::byte>> operands;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto* const bytes = static_cast<const std::byte*>(parts[i].operand);
    const bool copied = parts.size() > 1 && parts[i].result != nullptr;
    operands.emplace_back(bytes, bytes + (copied ? call.operand_bytes[i] : 0));
  }
  std::shared_ptr<LonelyWork> work = lonely_works_->take();
  std::vector<std::shared_ptr<Buffer>>& results = work->results_;
  const CollectiveCall& what = call.call();
  std::optional<kernels::CollectiveRun> run;
  if (!gives_back(what)) {
    run.emplace();
    run->reset(what.kind, what.reduction, what.dtype, what.root, what.pairs, 1, call.shapes,
               what.scan);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t bytes = call.result_bytes[i];
    results.push_back(parts[i].result == nullptr ? memory_->allocate_anywhere(bytes) : nullptr);
    void* const result = parts[i].result != nullptr ? parts[i].result : results.back()->data();
    const void* const operand = operands[i].empty() ? parts[i].operand : operands[i].data();
    if (run) {
      run->place(0, i, nullptr, result);
    } else if (bytes != 0 && result != operand) {
      std::memmove(result, operand, bytes);
    }
  }
  if (run) run->compute_for(0);
  return work;
}

void HostCommunicator::make_room(const Waiting& waiting) {
  const std::uint64_t sequence = started_ + 1;
  if (page_.failed(sequence)) {
    told_ = true;
    throw CommError("group \"" + tag() + "\" can't be used any more: " + page_.failure_text(),
                    waiting.location);
  }
  check_parent(sequence, waiting);
  look_for_retired();
  if (sequence > kernels::kRingSlots && !released(sequence - kernels::kRingSlots)) {
    rank_->order.advance_any();
    constexpr std::uint64_t kMost = kernels::kRingSlots + kMostQueued;
    if (sequence > kMost) wait_for_all(sequence - kMost, waiting);
  }
}

// The caller fills in its places, and keeping_ with what is to be kept for it.
std::shared_ptr<HostWork> HostCommunicator::new_work(
    const std::shared_ptr<const PreparedCall>& call, const Waiting& waiting) {
  make_room(waiting);
  std::shared_ptr<HostWork> work = works_->take();
  work->start_in(rank_->order, told_);
  work->communicator_ = shared_from_this();
  work->sequence_ = started_ + 1;
  work->recorded_ = 0;
  if (work->call_ != call) work->call_ = std::static_pointer_cast<const HostCall>(call);
  work->waiting_ = waiting;
  work->agreement_ = {};
  work->site_ = work->call_->site;
  work->parts_.clear();
  work->copies_out_ = false;
  work->common_results_ = false;
  work->lent_.clear();
  return work;
}

void HostCommunicator::announce(const std::shared_ptr<HostWork>& work) {
  KeptCollectives& kept = group_->kept[static_cast<std::size_t>(position_)];
  try {
    prepare_operands(*work);
    prepare_results(*work);
    // Once a place is lent, nothing may fail before it is announced.
    keeping_.reserve(keeping_.size() + 1);
    work->lent_.reserve(work->call().result_bytes.size());
    kept.make_room(keeping_.size() + 1);
    rank_->order.make_room();
    work->place_ = prepare_places(*work);
  } catch (...) {
    keeping_.clear();
    throw;
  }
  work->fingerprint_ = work->call_->fingerprint + (leaves_results(*work) ? 1 : 0);
  const std::uint64_t sequence = work->sequence_;
  kept.add(sequence, keeping_);
  rank_->order.add(work);
  started_ = sequence;
  if (!work->call_->one_shot) last_large_ = sequence;
  // Without a free slot it waits for its turn.
  const bool free = sequence <= kernels::kRingSlots || released(sequence - kernels::kRingSlots);
  if (published_ + 1 == sequence && free) publish(*work);
}

void HostCommunicator::publish(HostWork& work) {
  const Waiting& waiting = work.waiting();
  work.recorded_ = pages_[static_cast<std::size_t>(position_)]->recorder.start(
      {.group = group_->id, .sequence = work.sequence_, .fingerprint = work.fingerprint_},
      recorded_name_, waiting.description, waiting.location.file(), waiting.location.line(),
      monotonic_now());
  published_ = work.sequence_;
  page_.publish(position_, work.sequence_, work.fingerprint_, work.place_, work.recorded_,
                work.agreement_.word(), work.site_, work.call().program.set,
                work.call().program.order);
  notify(page_.signal());
}

bool HostCommunicator::publish_in_turn(HostWork& work, bool may_wait) {
  if (published_ >= work.sequence_) return true;
  const std::uint64_t last_user = work.sequence_ - kernels::kRingSlots;
  if (!released(last_user)) {
    if (!may_wait) return false;
    wait_for_all(last_user, work.waiting());
  }
  publish(work);
  return true;
}

void HostCommunicator::look_around() const {
  fabric_->look_for_deaths();
  rank_->order.advance_any();
}

void HostCommunicator::wait_for_all(std::uint64_t sequence, const Waiting& waiting) {
  if (released(sequence)) return;
  check_failure(sequence, waiting);
  Asking asking(pages_, spins_, asked_);
  std::vector<int>& late = late_;
  const auto everybody_is_done = [&] {
    // A peer may need what we started, elsewhere or later.
    rank_->order.advance_any();
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

bool HostCommunicator::released(std::uint64_t sequence) {
  if (done_by_all_ < sequence) {
    done_by_all_ = page_.done_by_all();
    retire();
  }
  return done_by_all_ >= sequence;
}

void HostCommunicator::wait_released(std::uint64_t sequence) {
  // Peers may wait for us too: our own part comes first.
  while (!released(sequence) && finished_ < sequence && !rank_->order.empty()) {
    rank_->order.complete_first();
  }
  wait_for_all(sequence, {.description = "wait_released", .location = {}, .timeout = {}});
}

void HostCommunicator::prepare_operands(HostWork& work) {
  const HostCall& call = work.call();
  if (!call.gives) return;
  // Chunks of an all_reduce read all operands before they write where they read; one-shot, a rank
  // may write its result long before a peer has read the operand. The root of a broadcast writes
  // nothing in place, and nobody reads another's operand.
  const CollectiveKind kind = call.call().kind;
  const bool in_place =
      kind == CollectiveKind::broadcast || (kind == CollectiveKind::all_reduce && !call.one_shot);
  Stretches results;
  for (std::size_t i = 0; i < work.parts_.size(); ++i) {
    results.add(work.parts_[i].result, call.result_bytes[i]);
  }
  results.sort();
  for (std::size_t i = 0; i < work.parts_.size(); ++i) {
    PartAddresses& part = work.parts_[i];
    const std::size_t bytes = call.operand_bytes[i];
    const bool same = part.operand == part.result && in_place;
    const bool overwritten = !same && results.touch(part.operand, bytes);
    if (!overwritten && memory_->reachable(part.operand, bytes)) continue;
    std::shared_ptr<Buffer> copy = memory_->allocate(bytes);
    if (bytes > 0) std::memcpy(copy->data(), part.operand, bytes);
    part.operand = copy->data();
    keeping_.push_back(std::move(copy));
  }
}

bool HostCommunicator::leaves_results(const HostWork& work) {
  const HostCall& call = work.call();
  if (!call.common_results) return false;
  for (std::size_t i = 0; i < work.parts_.size(); ++i) {
    if (call.result_bytes[i] > 0 && work.parts_[i].result != nullptr) return false;
  }
  return true;
}

void HostCommunicator::prepare_results(HostWork& work) {
  const HostCall& call = work.call();
  work.results_.resize(work.parts_.size());
  if (!call.gets) return;
  const bool others_write = !call.one_shot;
  work.common_results_ = others_write && leaves_results(work);
  if (work.common_results_) return;
  for (std::size_t i = 0; i < work.parts_.size(); ++i) {
    const void* const result = work.parts_[i].result;
    const std::size_t bytes = call.result_bytes[i];
    const bool provided = result == nullptr;
    if (!provided && (!others_write || memory_->reachable(result, bytes))) continue;
    work.results_[i] = others_write ? memory_->allocate(bytes) : memory_->allocate_anywhere(bytes);
    work.copies_out_ = work.copies_out_ || !provided;
    // Peers write it, whatever becomes of the work.
    if (others_write) keeping_.push_back(work.results_[i]);
  }
}

// All of them or none: without room each rank has its own.
void HostCommunicator::lend_common_results(HostWork& work) const {
  for (const std::size_t bytes : work.call().result_bytes) {
    const std::uint64_t place = memory_->lend(bytes, static_cast<std::uint32_t>(size()));
    if (place != 0) {
      work.lent_.push_back(place);
      continue;
    }
    for (const std::uint64_t lent : work.lent_) memory_->take_back(lent);
    work.lent_.clear();
    return;
  }
}

kernels::PartPlace HostCommunicator::prepare_places(HostWork& work) {
  const HostCall& call = work.call();
  if (work.parts_.empty()) return {0, 0};
  std::shared_ptr<Buffer> table;
  if (call.has_table) table = memory_->allocate(call.table_bytes);
  // Nothing may go wrong from here on: what is lent gets announced.
  if (work.common_results_ && owner_of(work.sequence_) == position_) lend_common_results(work);
  const auto place_of = [&](std::size_t i) -> kernels::PartPlace {
    const PartAddresses& part = work.parts_[i];
    const std::uint64_t operand = call.gives ? memory_->place_of(part.operand) : 0;
    if (!work.lent_.empty()) return {operand, work.lent_[i]};
    const void* result = work.results_[i] != nullptr ? work.results_[i]->data() : part.result;
    // One that peers can't reach is written by this rank alone.
    if (result == nullptr || !memory_->reachable(result, 0)) return {operand, 0};
    return {operand, memory_->place_of(result)};
  };
  if (table == nullptr) return place_of(0);
  auto* const places = reinterpret_cast<kernels::PartPlace*>(table->data());
  for (std::size_t i = 0; i < work.parts_.size(); ++i) places[i] = place_of(i);
  auto* number = reinterpret_cast<std::int64_t*>(places + work.parts_.size());
  for (const TensorPart& part : call.call().parts) {
    if (!is_uneven_exchange(call.call(), part)) continue;
    number = std::copy(part.sizes.begin(), part.sizes.end(), number);
    number = std::copy(part.receive_sizes.begin(), part.receive_sizes.end(), number);
  }
  const std::uint64_t place = memory_->place_of(table->data());
  keeping_.push_back(std::move(table));
  return {place, 0};
}

void HostCommunicator::retire() {
  group_->kept[static_cast<std::size_t>(position_)].drop_through(done_by_all_);
}

void HostCommunicator::look_for_retired() {
  constexpr std::size_t kSmallOnesKept = 8;
  const KeptCollectives& kept = group_->kept[static_cast<std::size_t>(position_)];
  if (kept.size() < kSmallOnesKept && last_large_ <= done_by_all_) return;
  done_by_all_ = page_.done_by_all();
  retire();
}

}  // namespace tutti::runtime

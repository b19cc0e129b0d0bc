#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local_communicator.h>
#include <tutti/runtime/comm/signal.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace tutti::runtime {

namespace {

std::uint64_t place_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

template <class T>
T* pointer_to(std::uint64_t place) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(place));
}

// While a rank waits, those it waits for are asked to hurry (Backend::peer_waits).
class Asking {
 public:
  Asking(const std::vector<kernels::RankPage*>& pages, int spins)
      : pages_(pages), patience_(std::min(spins, kLooksBeforeAsking)) {}
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { keep_asking({}); }

  // To be called at every look in vain, with the positions of those still waited for.
  void looked(const std::vector<int>& late) {
    if (looks_ < patience_) {
      ++looks_;
    } else if (!asked_) {
      asked_ = late;
      for (const int position : *asked_) waiting_peers(position).fetch_add(1);
    } else if (asked_->size() != late.size()) {
      keep_asking(late);
    }
  }

 private:
  // Where ranks run in step, an answer is closer than the peer's cache line.
  static constexpr int kLooksBeforeAsking = 64;

  void keep_asking(const std::vector<int>& late) {
    if (!asked_) return;
    std::erase_if(*asked_, [&](int position) {
      if (std::find(late.begin(), late.end(), position) != late.end()) return false;
      waiting_peers(position).fetch_sub(1);
      return true;
    });
  }
  std::atomic<std::uint32_t>& waiting_peers(int position) {
    return pages_[static_cast<std::size_t>(position)]->waiting_peers;
  }

  const std::vector<kernels::RankPage*>& pages_;
  const int patience_;
  int looks_ = 0;
  std::optional<std::vector<int>> asked_;
};

bool overlaps(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  const std::uint64_t first = place_of(a);
  const std::uint64_t second = place_of(b);
  return first < second + static_cast<std::uint64_t>(b_bytes) &&
         second < first + static_cast<std::uint64_t>(a_bytes);
}

std::int64_t result_elements(const CollectiveCall& call, const TensorPart& part, int members) {
  if (call.kind == CollectiveKind::all_gather) return part.elements * members;
  if (call.kind == CollectiveKind::reduce_scatter) return part.elements / members;
  return part.elements;
}

// The collective of a group of one: results are copies of the operands.
class LonelyWork final : public Work {
 public:
  explicit LonelyWork(const CollectiveCall& call) {
    for (const TensorPart& part : call.parts) {
      if (part.elements == 0 || part.result == part.operand) continue;
      std::memmove(part.result, part.operand,
                   static_cast<std::size_t>(part.elements * size_of(call.dtype)));
    }
  }
  bool test() override { return true; }
  void wait() override {}
  std::uint64_t sequence() const override { return 0; }
};

}  // namespace

class LocalWork final : public OrderedWork {
 public:
  LocalWork(std::shared_ptr<LocalCommunicator> communicator, std::uint64_t sequence,
            CollectiveCall call)
      : OrderedWork({communicator->rank_, &communicator->rank_->order}),
        communicator_(std::move(communicator)),
        sequence_(sequence),
        call_(std::move(call)) {}

  std::uint64_t sequence() const override { return sequence_; }
  const CollectiveCall& call() const { return call_; }

 private:
  bool attempt(bool may_wait) override { return communicator_->complete(*this, may_wait); }

  std::shared_ptr<LocalCommunicator> communicator_;
  std::uint64_t sequence_;
  CollectiveCall call_;
};

LocalCommunicator::LocalCommunicator(std::shared_ptr<LocalFabric> fabric,
                                     std::shared_ptr<LocalRank> rank,
                                     std::shared_ptr<LocalGroup> group,
                                     std::vector<kernels::RankPage*> pages, int position)
    : fabric_(std::move(fabric)),
      rank_(std::move(rank)),
      group_(std::move(group)),
      page_(group_->page),
      pages_(std::move(pages)),
      position_(position),
      spins_(fabric_->options().spins),
      timeout_(fabric_->options().timeout) {}

std::shared_ptr<Work> LocalCommunicator::start(CollectiveCall call,
                                               std::vector<std::shared_ptr<Buffer>> keep_alive) {
  check_call(call, size());
  if (rank_->left) {
    throw UsageError(describe(call) + ": rank " + std::to_string(rank_->rank) + " has left",
                     call.location);
  }
  if (size() == 1) return std::make_shared<LonelyWork>(call);

  const std::uint64_t sequence = started_ + 1;
  if (page_.failed(sequence)) {
    throw CommError("group \"" + tag() + "\" can't be used any more: " + page_.failure_text(),
                    call.location);
  }
  retire();
  if (sequence > kernels::kRingSlots) wait_for_all(sequence - kernels::kRingSlots, call);

  KeptCollective kept{.sequence = sequence, .buffers = std::move(keep_alive), .places = {}};
  copy_overlapped_operands(call, kept);
  const kernels::PartPlace place = announce_places(call, kept);
  const std::uint64_t print = fingerprint(call);
  const std::string text = describe(call);
  const std::string line = call.location.text();
  auto work = std::make_shared<LocalWork>(shared_from_this(), sequence, std::move(call));
  group_->kept[static_cast<std::size_t>(position_)].push_back(std::move(kept));
  rank_->order.add(work);
  started_ = sequence;
  page_.publish(position_, sequence, print, place, text, line);
  notify(page_.signal());
  return work;
}

void LocalCommunicator::wait_for_all(std::uint64_t sequence, const CollectiveCall& call) {
  if (released(sequence)) return;
  // Peers may wait for us too: our own part comes first.
  while (page_.progress(position_).done_through.load() < sequence && !rank_->order.empty()) {
    rank_->order.complete_first();
  }
  check_failure(sequence, call);
  Asking asking(pages_, spins_);
  std::vector<int> late;
  const auto everybody_is_done = [&] {
    // A peer that waits in another group may need what we started there.
    rank_->order.advance();
    late.clear();
    for (int member = 0; member < size(); ++member) {
      if (page_.progress(member).done_through.load() < sequence) late.push_back(member);
    }
    if (late.empty()) return true;
    check_failure(sequence, call);
    asking.looked(late);
    return false;
  };
  if (!wait_until(page_.signal(), spins_, timeout_of(call), everybody_is_done)) {
    time_out(sequence, call, "to be completed by " + names(late));
  }
  retire();
}

bool LocalCommunicator::released(std::uint64_t sequence) {
  if (done_by_all_ < sequence) done_by_all_ = page_.done_by_all();
  retire();
  return done_by_all_ >= sequence;
}

void LocalCommunicator::wait_released(std::uint64_t sequence) {
  CollectiveCall call;
  call.description = "wait_released";
  wait_for_all(sequence, call);
}

void LocalCommunicator::copy_overlapped_operands(CollectiveCall& call, KeptCollective& kept) const {
  std::int64_t bytes = 0;
  for (const TensorPart& part : call.parts) bytes += part.elements * size_of(call.dtype);
  // Chunks of an all_reduce read all operands before they write where they read; one-shot, a rank
  // may write its result long before a peer has read the operand. The root of a broadcast writes
  // nothing in place, and nobody reads another's operand.
  const bool in_place = call.kind == CollectiveKind::broadcast ||
                        (call.kind == CollectiveKind::all_reduce && bytes > kernels::kOneShotBytes);
  for (TensorPart& part : call.parts) {
    const std::int64_t operand_bytes = part.elements * size_of(call.dtype);
    const std::int64_t result_bytes = result_elements(call, part, size()) * size_of(call.dtype);
    if (part.operand == part.result && in_place) continue;
    if (!overlaps(part.operand, operand_bytes, part.result, result_bytes)) continue;
    if (call.kind == CollectiveKind::broadcast && call.root != position_) continue;
    auto copy =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(operand_bytes));
    std::memcpy(copy.get(), part.operand, static_cast<std::size_t>(operand_bytes));
    part.operand = copy.get();
    kept.operands.push_back(std::move(copy));
  }
}

kernels::PartPlace LocalCommunicator::announce_places(const CollectiveCall& call,
                                                      KeptCollective& kept) const {
  if (call.parts.empty()) return {0, 0};
  if (call.parts.size() == 1) {
    return {place_of(call.parts[0].operand), place_of(call.parts[0].result)};
  }
  kept.places.reserve(call.parts.size());
  for (const TensorPart& part : call.parts) {
    kept.places.push_back({place_of(part.operand), place_of(part.result)});
  }
  return {place_of(kept.places.data()), 0};
}

void LocalCommunicator::retire() {
  KeptCollectives& kept = group_->kept[static_cast<std::size_t>(position_)];
  if (kept.empty()) return;
  if (kept.front().sequence > done_by_all_) done_by_all_ = page_.done_by_all();
  while (!kept.empty() && kept.front().sequence <= done_by_all_) kept.pop_front();
}

bool LocalCommunicator::complete(const LocalWork& work, bool may_wait) {
  if (!all_arrived(work, may_wait) || !compute(work, may_wait)) return false;
  page_.progress(position_).done_through.store(work.sequence());
  notify(page_.signal());
  retire();
  return true;
}

bool LocalCommunicator::all_arrived(const LocalWork& work, bool may_wait) {
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
    check_failure(work.sequence(), work.call());
    if (missing_.empty()) return true;
    check_left(work);
    return false;
  };
  if (nobody_is_missing()) return true;
  if (!may_wait) return false;
  Asking asking(pages_, spins_);
  const bool arrived = wait_until(page_.signal(), spins_, timeout_of(work.call()), [&] {
    const bool ready = nobody_is_missing();
    asking.looked(missing_);
    return ready;
  });
  if (!arrived) time_out(work.sequence(), work.call(), "for " + names(missing_));
  return true;
}

bool LocalCommunicator::compute(const LocalWork& work, bool may_wait) {
  if (work.call().parts.empty()) return true;
  prepare_run(work);
  if (run_.one_shot()) {
    run_.compute_for(position_);
    return true;
  }
  kernels::ChunkCounters& counters = page_.chunks(work.sequence());
  const std::int64_t chunks = run_.chunks();
  const std::int64_t taken = run_.take_chunks(counters.claimed);
  if (taken > 0 && counters.done.fetch_add(taken) + taken == chunks) notify(page_.signal());
  const auto all_done = [&] {
    if (counters.done.load() == chunks) return true;
    check_failure(work.sequence(), work.call());
    return false;
  };
  if (all_done()) return true;
  if (!may_wait) return false;
  if (!wait_until(page_.signal(), spins_, timeout_of(work.call()), all_done)) {
    time_out(work.sequence(), work.call(), "for chunks that a peer has claimed");
  }
  return true;
}

void LocalCommunicator::prepare_run(const LocalWork& work) {
  const CollectiveCall& call = work.call();
  shapes_.clear();
  for (const TensorPart& part : call.parts) {
    shapes_.push_back({part.elements, part.outer, part.axis_size, part.inner});
  }
  run_.reset(call.kind, call.reduction, call.dtype, call.root, size(), shapes_);
  for (int member = 0; member < size(); ++member) {
    const kernels::ArrivalRecord& record = page_.record(member, work.sequence());
    const kernels::PartPlace one{record.operand, record.result};
    const kernels::PartPlace* places =
        shapes_.size() == 1 ? &one : pointer_to<const kernels::PartPlace>(record.operand);
    for (std::size_t part = 0; part < shapes_.size(); ++part) {
      run_.place(member, part, pointer_to<const void>(places[part].operand),
                 pointer_to<void>(places[part].result));
    }
  }
}

void LocalCommunicator::compare(int member, const LocalWork& work) {
  const std::uint64_t sequence = work.sequence();
  const kernels::ArrivalRecord& theirs = page_.record(member, sequence);
  const kernels::ArrivalRecord& ours = page_.record(position_, sequence);
  if (theirs.fingerprint == ours.fingerprint) return;
  const auto speaks = [&](int position) {
    return names({position}) + " calls " + page_.description(position, sequence).text.data();
  };
  // In the members' order, so that it reads the same whoever notices first.
  std::string text = number(sequence) + " does not match: " + speaks(std::min(member, position_)) +
                     ", " + speaks(std::max(member, position_));
  if (page_.description(member, sequence).text == page_.description(position_, sequence).text) {
    text += "; they differ in what the descriptions do not show: list shapes or plans";
  }
  fail(sequence, work.call(), text);
}

void LocalCommunicator::check_failure(std::uint64_t sequence, const CollectiveCall& call) const {
  if (page_.failed(sequence)) throw CommError(page_.failure_text(), call.location);
}

void LocalCommunicator::check_left(const LocalWork& work) const {
  for (const int member : missing_) {
    const kernels::RankPage& page = *pages_[static_cast<std::size_t>(member)];
    if (page.left.load() == 0) continue;
    // What it published before it left is visible by now.
    if (page_.arrived(member, work.sequence())) continue;
    fail(work.sequence(), work.call(),
         page.message.data() + ("; " + number(work.sequence())) + " (" + describe(work.call()) +
             ") waits for it");
  }
}

void LocalCommunicator::time_out(std::uint64_t sequence, const CollectiveCall& call,
                                 const std::string& waits_for) const {
  fail(sequence, call,
       "time-out after " + std::to_string(timeout_of(call).count()) + " ms: " + number(sequence) +
           " (" + describe(call) + ") waits " + waits_for);
}

void LocalCommunicator::fail(std::uint64_t sequence, const CollectiveCall& call,
                             const std::string& text) const {
  group_->fail(sequence, text);
  // Another rank's reason may have come first; one that is being written is as good as ours.
  throw CommError(page_.failed(sequence) ? page_.failure_text() : text, call.location);
}

void LocalCommunicator::abort(const std::string& reason) { group_->abort(reason); }

std::chrono::milliseconds LocalCommunicator::timeout_of(const CollectiveCall& call) const {
  return call.timeout.count() > 0 ? call.timeout : timeout_;
}

std::string LocalCommunicator::number(std::uint64_t sequence) const {
  return "collective #" + std::to_string(sequence) + " of group \"" + tag() + "\"";
}

std::string LocalCommunicator::names(const std::vector<int>& positions) const {
  std::string text = positions.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(members()[static_cast<std::size_t>(positions[i])]);
  }
  return text;
}

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_transport.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/comm/uneven_exchange.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::runtime {

namespace {

// Stretches of memory that do not overlap each other.
class Stretches {
 public:
  explicit Stretches(std::vector<std::pair<std::uintptr_t, std::uintptr_t>>& scratch)
      : stretches_(scratch) {
    stretches_.clear();
  }
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
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>>& stretches_;  // begins and ends
};

// Whether results that are common to all have no place of the caller's.
bool leaves_results(const GroupWork& work) {
  const GroupCall& call = work.call();
  if (!call.common_results) return false;
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    if (call.result_bytes[i] > 0 && work.parts[i].result != nullptr) return false;
  }
  return true;
}

// Whether the place of a common result is one that members hold and count.
bool is_lent(std::uint64_t place) { return place != 0 && (place & kernels::kPlanned) == 0; }

void copy_out(const GroupWork& work) {
  for (std::size_t i = 0; i < work.results.size(); ++i) {
    void* const target = work.parts[i].result;
    if (target == nullptr || work.results[i] == nullptr) continue;
    if (work.results[i]->data() == target) continue;  // the caller's own
    std::memcpy(target, work.results[i]->data(), work.results[i]->bytes());
  }
}

}  // namespace

std::shared_ptr<GroupWork> HostTransport::new_work() {
  std::shared_ptr<HostWork> work = works_->take();
  work->copies_out_ = false;
  work->common_results_ = false;
  work->common_places_.clear();
  work->chunks_ = 0;
  return work;
}

void HostTransport::prepare(GroupWork& work, Keeping& keeping) {
  auto& own = static_cast<HostWork&>(work);
  prepare_operands(own, keeping);
  prepare_results(own, keeping);
  own.common_places_.reserve(work.call().result_bytes.size());
  if (leaves_results(work)) ++work.fingerprint;
}

bool HostTransport::move(GroupWork& work, bool may_wait) {
  auto& own = static_cast<HostWork&>(work);
  if (!compute(own, may_wait)) return false;
  // One-shot, the results were written where they belong.
  if (own.copies_out_) copy_out(own);
  return true;
}

void HostTransport::prepare_operands(HostWork& work, Keeping& keeping) {
  const GroupCall& call = work.call();
  if (!call.gives) return;
  // Chunks of an all_reduce read all operands before they write where they read; one-shot, a rank
  // may write its result long before a peer has read the operand. The root of a broadcast writes
  // nothing in place, and nobody reads another's operand.
  const CollectiveKind kind = call.call().kind;
  const bool in_place =
      kind == CollectiveKind::broadcast || (kind == CollectiveKind::all_reduce && !call.one_shot);
  Stretches results(stretches_);
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    results.add(work.parts[i].result, call.result_bytes[i]);
  }
  results.sort();
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    PartAddresses& part = work.parts[i];
    const std::size_t bytes = call.operand_bytes[i];
    const bool same = part.operand == part.result && in_place;
    const bool overwritten = !same && results.touch(part.operand, bytes);
    const bool reachable = memory_->reachable(part.operand, bytes);
    if (!overwritten && reachable && !part.borrowed) continue;
    if (Log::process().takes(LogTopic::copies)) {
      note_copy(work, bytes,
                overwritten  ? "results are written over it"
                : !reachable ? "peers can't reach the memory it lies in"
                             : "its owner gave no release, and may change it before they read it");
    }
    std::shared_ptr<Buffer> copy = memory_->allocate(bytes, work.label());
    if (bytes > 0) std::memcpy(copy->data(), part.operand, bytes);
    part.operand = copy->data();
    keeping.push_back(std::move(copy));
  }
}

// Once for each line.
void HostTransport::note_copy(const HostWork& work, std::size_t bytes, std::string_view why) {
  const Waiting& waiting = work.waiting();
  const std::string what = waiting.location.text() + ": " + std::string(waiting.description);
  if (!noted_.insert(what).second) return;
  Log::process().write(LogTopic::copies,
                       agreement_.members()[static_cast<std::size_t>(agreement_.position())],
                       what + " copies an operand of " + std::to_string(bytes) +
                           " bytes each time: " + std::string(why));
}

void HostTransport::prepare_results(HostWork& work, Keeping& keeping) {
  const GroupCall& call = work.call();
  work.results.resize(work.parts.size());
  if (!call.gets || (work.reads && !leaves_results(work))) return;
  const bool others_write = !call.one_shot;
  work.common_results_ = leaves_results(work);
  if (work.common_results_) return;
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    const void* const result = work.parts[i].result;
    const std::size_t bytes = call.result_bytes[i];
    const bool provided = result == nullptr;
    if (!provided && (!others_write || memory_->reachable(result, bytes))) {
      if (others_write && work.results[i] != nullptr) keeping.push_back(work.results[i]);
      continue;
    }
    work.results[i] = others_write ? memory_->allocate(bytes, work.label())
                                   : memory_->allocate_anywhere(bytes, work.label());
    work.copies_out_ = work.copies_out_ || !provided;
    // Peers write it, whatever becomes of the work.
    if (others_write) keeping.push_back(work.results[i]);
  }
}

// What is planned lies with the member that the plan says; of the others the owner lends all or
// none: without room each rank has its own.
void HostTransport::find_common_places(HostWork& work) const {
  const std::vector<std::size_t>& bytes = work.call().result_bytes;
  work.common_places_.assign(bytes.size(), 0);
  const auto is_planned = [&](std::size_t i) {
    return i < work.common.size() && work.common[i].planned;
  };
  bool room = owner_of(work) == agreement_.position();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (is_planned(i)) {
      const Buffer* const own = work.common[i].memory.get();
      if (own != nullptr)
        work.common_places_[i] = memory_->place_of(own->data()) | kernels::kPlanned;
    } else if (room) {
      work.common_places_[i] =
          memory_->lend(bytes[i], static_cast<std::uint32_t>(agreement_.size()), work.label());
      room = work.common_places_[i] != 0;
      for (std::size_t before = 0; !room && before < i; ++before) {
        if (is_planned(before)) continue;
        memory_->take_back(work.common_places_[before]);
        work.common_places_[before] = 0;
      }
    }
  }
}

kernels::PartPlace HostTransport::begin(GroupWork& started, Keeping& keeping) {
  auto& work = static_cast<HostWork&>(started);
  const GroupCall& call = work.call();
  if (work.parts.empty()) return {0, 0};
  std::shared_ptr<Buffer> table;
  if (call.has_table) table = memory_->allocate(call.table_bytes, work.label());
  // Nothing may go wrong from here on: what is lent gets announced.
  // Who reads for himself has none to lend: the others, if they do not, compute their own.
  if (work.common_results_ && !work.reads) find_common_places(work);
  const auto place_of = [&](std::size_t i) -> kernels::PartPlace {
    const PartAddresses& part = work.parts[i];
    const std::uint64_t operand = call.gives ? memory_->place_of(part.operand) : 0;
    if (!work.common_places_.empty()) return {operand, work.common_places_[i]};
    const void* result = work.results[i] != nullptr ? work.results[i]->data() : part.result;
    // One that peers can't reach is written by this rank alone.
    if (result == nullptr || !memory_->reachable(result, 0)) return {operand, 0};
    return {operand, memory_->place_of(result)};
  };
  if (table == nullptr) return place_of(0);
  auto* const places = reinterpret_cast<kernels::PartPlace*>(table->data());
  for (std::size_t i = 0; i < work.parts.size(); ++i) places[i] = place_of(i);
  auto* number = reinterpret_cast<std::int64_t*>(places + work.parts.size());
  for (const TensorPart& part : call.call().parts) {
    if (!is_uneven_exchange(call.call(), part)) continue;
    number = std::copy(part.sizes.begin(), part.sizes.end(), number);
    number = std::copy(part.receive_sizes.begin(), part.receive_sizes.end(), number);
  }
  const std::uint64_t place = memory_->place_of(table->data());
  keeping.push_back(std::move(table));
  return {place, 0};
}

void HostTransport::find_operands(GroupWork& work) {
  const auto& own = static_cast<const HostWork&>(work);
  work.operands.clear();
  for (int member = 0; member < agreement_.size(); ++member) {
    kernels::PartPlace single{};
    work.operands.push_back(
        memory_->pointer_to<const void>(places_of(member, own, single)->operand));
  }
  // A common result is also lent to this rank.
  if (!own.common_results_) return;
  const std::uint64_t place = common_place(own, 0, is_one_call(own));
  if (is_lent(place)) memory_->hold(place, work.call().result_bytes[0]);
}

void HostTransport::compute_result(GroupWork& work) {
  auto& own = static_cast<HostWork&>(work);
  own.common_results_ = false;
  std::shared_ptr<Buffer>& result = work.results[0];
  if (result == nullptr) result = memory_->allocate_anywhere(work.call().result_bytes[0]);
  prepare_run(own);
  run_.place(agreement_.position(), 0, work.parts[0].operand, result->data());
  run_.compute_for(agreement_.position());
}

bool HostTransport::compute(HostWork& work, bool may_wait) {
  if (work.parts.empty()) return true;
  kernels::ChunkCounters& counters = agreement_.page().chunks(work.sequence());
  if (work.chunks_ == 0) {
    if (prepare_run(work)) {
      run_.compute_for(agreement_.position());
      return true;
    }
    work.chunks_ = run_.chunks();
    run_.write_zeros(agreement_.position());
    const std::int64_t taken = run_.take_chunks(counters.claimed);
    if (taken > 0 && counters.done.fetch_add(taken) + taken == work.chunks_)
      notify(agreement_.page().signal());
  }
  // Nobody but a rank that died leaves a chunk that it has claimed.
  const auto none_is_missing = [&] { return counters.done.load() == work.chunks_; };
  const auto all_done = [&] {
    if (none_is_missing()) return true;
    agreement_.check_peers(work, none_is_missing);
    return false;
  };
  if (all_done()) return true;
  if (!may_wait) return false;
  agreement_.wait(work, "for chunks that a peer has claimed", all_done);
  return true;
}

const kernels::PartPlace* HostTransport::places_of(int member, const HostWork& work,
                                                   kernels::PartPlace& single) const {
  const kernels::ArrivalRecord& record = agreement_.page().record(member, work.sequence());
  if (work.call().has_table) {
    return memory_->pointer_to<const kernels::PartPlace>(record.operand);
  }
  single = {record.operand, record.result};
  return &single;
}

bool HostTransport::prepare_run(HostWork& work) {
  const CollectiveCall& call = work.call().call();
  if (work.prepared() != run_call_) {
    run_.reset(call.kind, call.reduction, call.dtype, call.root, call.pairs, agreement_.size(),
               work.call().shapes, call.scan, call.one_shot_up_to);
    run_call_ = work.call().one_shot ? work.prepared() : nullptr;
  }
  for (int member = 0; member < agreement_.size(); ++member) {
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
  for (std::size_t part = 0; alone && part < work.parts.size(); ++part) {
    std::shared_ptr<Buffer>& result = work.results[part];
    if (work.common_results_ && result == nullptr) {
      result = memory_->allocate_anywhere(work.call().result_bytes[part]);
    }
    run_.place(agreement_.position(), part, work.parts[part].operand,
               result != nullptr ? result->data() : work.parts[part].result);
  }
  return alone;
}

// Whether all members make the same call of one compiled program: then all are done, by its plan,
// with what lay at the result's place.
bool HostTransport::is_one_call(const HostWork& work) const {
  const std::uint32_t own = work.call().call().placement.skeleton;
  for (int member = 0; member < agreement_.size(); ++member) {
    if (agreement_.page().record(member, work.sequence()).skeleton != own) return false;
  }
  return own != 0;
}

std::uint64_t HostTransport::common_place(const HostWork& work, std::size_t part,
                                          bool planned_count) const {
  for (int i = 0; i < agreement_.size(); ++i) {
    const int member = (owner_of(work) + i) % agreement_.size();
    kernels::PartPlace single{};
    const std::uint64_t place = places_of(member, work, single)[part].result;
    if (is_lent(place) || (place != 0 && planned_count)) return place;
  }
  return 0;
}

// False where somebody's is missing.
bool HostTransport::take_common_results(HostWork& work) {
  const std::vector<std::size_t>& bytes = work.call().result_bytes;
  const bool planned_count = is_one_call(work);
  common_.clear();
  for (std::size_t part = 0; part < work.results.size(); ++part) {
    common_.push_back(common_place(work, part, planned_count));
  }
  const bool all = std::ranges::find(common_, std::uint64_t{0}) == common_.end();
  for (std::size_t part = 0; part < work.results.size(); ++part) {
    const std::uint64_t place = common_[part] & ~kernels::kPlanned;
    std::shared_ptr<Buffer>& result = work.results[part];
    if (!all) {
      if (is_lent(common_[part])) memory_->hold(place, bytes[part]);  // and lets go of it
      continue;
    }
    run_.place_common(part, memory_->pointer_to<void>(place));
    result = is_lent(common_[part]) ? memory_->hold(place, bytes[part])
                                    : memory_->look_at(place, bytes[part]);
  }
  return all;
}

// For all pairs, since any rank may move their data.
void HostTransport::check_splits(const HostWork& work) const {
  const std::size_t parts = work.call().shapes.size();
  std::vector<const std::int64_t*> sizes;  // by member: the numbers that follow its table
  for (int member = 0; member < agreement_.size(); ++member) {
    kernels::PartPlace single{};
    sizes.push_back(reinterpret_cast<const std::int64_t*>(places_of(member, work, single) + parts));
  }
  check_exchanges(agreement_, work, sizes);
}

}  // namespace tutti::runtime

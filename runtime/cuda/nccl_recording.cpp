#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/cuda/nccl_recording.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <utility>

namespace tutti::runtime {

namespace {

bool same_places(std::span<const RecordedCalls::Places> a,
                 std::span<const RecordedCalls::Places> b) {
  const auto same = [](const std::vector<std::shared_ptr<Buffer>>& x,
                       const std::vector<std::shared_ptr<Buffer>>& y) {
    return std::ranges::equal(x, y, [](const auto& one, const auto& other) {
      const void* const place = one == nullptr ? nullptr : one->data();
      return place == (other == nullptr ? nullptr : other->data());
    });
  };
  return std::ranges::equal(a, b, [&](const auto& one, const auto& other) {
    return same(one.operands, other.operands) && same(one.results, other.results);
  });
}

}  // namespace

NcclRecording::NcclRecording(std::shared_ptr<GroupCommunicator> group, NcclTransport& transport,
                             std::vector<std::shared_ptr<const PreparedCall>> calls,
                             CudaAccelerator& gpu)
    : group_(std::move(group)), transport_(transport), gpu_(gpu), stream_(gpu.stream()) {
  for (std::shared_ptr<const PreparedCall>& call : calls) {
    calls_.push_back({.prepared = std::move(call)});
  }
  transport_.recordings_.push_back(this);
}

NcclRecording::~NcclRecording() {
  std::erase(transport_.recordings_, this);
  drop();
}

bool NcclRecording::is_warm(std::span<const Places> places) const {
  const auto is_known = [this](const std::shared_ptr<Buffer>& place) {
    return place == nullptr || !transport_.windows_.is_fresh(place->data());
  };
  // Nobody waits here for what was announced before: a peer may wait for what this one announces
  // next.
  return misses_ <= kMostMisses && std::ranges::all_of(calls_, &Call::settled) &&
         (is_recorded(places) || !gpu_.lane()->opens_memory()) &&
         std::ranges::all_of(places, [&](const Places& each) {
           return std::ranges::all_of(each.operands, is_known) &&
                  std::ranges::all_of(each.results, is_known);
         });
}

bool NcclRecording::is_recorded(std::span<const Places> places) const {
  return number_ != 0 && same_places(asked_, places);
}

void NcclRecording::make_room(Call& call, const Places& places) {
  const auto& prepared = static_cast<const GroupCall&>(*call.prepared);
  const MemoryLabel label = {.what = name_of(prepared.call().kind).data(),
                             .where = prepared.call().location};
  const auto fill = [&](const std::vector<std::shared_ptr<Buffer>>& given,
                        const std::vector<std::size_t>& bytes,
                        std::vector<std::shared_ptr<Buffer>>& out) {
    out.assign(given.begin(), given.end());
    out.resize(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (out[i] != nullptr) continue;
      out[i] = gpu_.memory().allocate(std::max<std::size_t>(bytes[i], 1), label);
    }
  };
  fill(places.operands, prepared.operand_bytes, call.places.operands);
  fill(places.results, prepared.result_bytes, call.places.results);
}

void NcclRecording::get_ready(std::span<const Places> places) {
  drop();
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  try {
    asked_.assign(places.begin(), places.end());
    for (std::size_t i = 0; i < calls_.size(); ++i) make_room(calls_[i], places[i]);
    for (Call& call : calls_) {
      driver.check(driver.cuStreamCreate(&call.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                   "to record communication");
      call.graph = std::make_shared<CudaGraph>(stream_);
      call.graph->begin(call.stream);
    }
  } catch (const std::exception&) {
    drop();
    throw;
  }
}

void* NcclRecording::operand(std::size_t call, std::size_t part) const {
  return calls_.at(call).places.operands.at(part)->data();
}

void* NcclRecording::result(std::size_t call, std::size_t part) const {
  return calls_.at(call).places.results.at(part)->data();
}

std::vector<PartAddresses> NcclRecording::places(std::size_t call) const {
  std::vector<PartAddresses> out;
  for (std::size_t part = 0; part < calls_.at(call).places.results.size(); ++part) {
    out.push_back({operand(call, part), result(call, part)});
  }
  return out;
}

void NcclRecording::end_streams() noexcept {
  const CudaStream::Entered entered = stream_->try_enter();
  if (!entered) return;
  for (Call& call : calls_) {
    const CUstream stream = std::exchange(call.stream, nullptr);
    if (stream != nullptr) stream_->driver().cuStreamDestroy(stream);
  }
}

void NcclRecording::drop() noexcept {
  ++drops_;
  joined_ = nullptr;
  number_ = making_ = 0;
  recording_ = false;
  for (Call& call : calls_) {
    call.graph = nullptr;
    call.captured = false;
    call.companions = {};
    call.fused.reset();
    call.peers = nullptr;
    call.used.clear();
  }
  end_streams();
  for (Call& call : calls_) call.places = {};
}

// What members compare: a hash, so that those that say the same are about to do the same.
std::uint32_t NcclRecording::word(std::uint64_t content) const {
  Hasher all;
  all.add(content).add(number_).add(std::uint64_t{calls_.size()});
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    all.add(static_cast<const GroupCall&>(*calls_[i].prepared).fingerprint);
    for (const auto* const places : {&asked_[i].operands, &asked_[i].results}) {
      for (const std::shared_ptr<Buffer>& place : *places) {
        all.add(std::uint64_t{place == nullptr ? 0U : 1U});
      }
    }
  }
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(all.finish().low));
}

void NcclRecording::miss() {
  drop();
  if (++misses_ != kMostMisses + 1) return;
  Log::process().write(LogTopic::gpu, -1,
                       "calls of group \"" + group_->tag() +
                           "\" are not recorded any more, but launched one by one: its members "
                           "differed about that in each of " +
                           std::to_string(misses_) + " runs");
}

RecordedCalls::Way NcclRecording::begin(std::uint64_t content, const StartOptions& options) {
  StartOptions first = options;
  first.recorded = shared_from_this();
  first.number_in_recording = 0;
  failure_.clear();
  const int drops = drops_;
  try {
    begun_ = group_->begin(calls_[0].prepared, word(content), asked_[0].operands, first);
  } catch (...) {
    drop();
    throw;
  }
  if (!transport_.members_say_alike(*begun_)) {
    miss();
    return Way::one_by_one;
  }
  // A call before it has made all members drop what they had, which all have announced.
  if (drops_ != drops) return Way::one_by_one;
  if (number_ != 0) return Way::replayed;
  recording_ = true;
  making_ = begun_->sequence();
  return Way::recorded;
}

std::shared_ptr<Work> NcclRecording::supply(std::span<const std::shared_ptr<Buffer>> operands) {
  if (begun_ == nullptr) return nullptr;
  group_->supply(*begun_, operands);  // or give_up() ends it
  return std::exchange(begun_, nullptr);
}

void NcclRecording::replay() {
  misses_ = 0;
  const std::shared_ptr<GroupWork> work = std::exchange(begun_, nullptr);
  group_->end_begun(*work, GroupWork::Begun::replayed);
}

void NcclRecording::fuse(std::size_t call, const PeerLaunch& launch, Companions companions,
                         std::shared_ptr<PeerMemory> peers) {
  Call& of = calls_.at(call);
  of.companions = companions;
  of.fused = launch;
  of.peers = std::move(peers);
}

// On the other members nothing changes by it: they meet a kernel of as many blocks.
std::shared_ptr<const Accelerator::Part> NcclRecording::fused_part(
    std::size_t call, const FusedCommKernels& kernels, std::span<void* const> arguments) const {
  const Call& of = calls_.at(call);
  return gpu_.record_part([&] {
    Keeping used;
    transport_.own_kernels_->launch(of.fused.value(), kernels, of.companions, arguments, of.peers,
                                    gpu_, stream_->handle(), used);
    for (const std::shared_ptr<Buffer>& each : used) gpu_.keep(each);
  });
}

void NcclRecording::captured(std::size_t call, Keeping used) {
  Call& of = calls_.at(call);
  of.used = std::move(used);
  of.captured = true;
  try {
    of.graph->end();
  } catch (const EnvironmentError& error) {
    failure_ = error.what();  // the others go on, and hear of it in the next record
  }
}

void NcclRecording::end() {
  if (!std::exchange(recording_, false)) return;
  const std::uint64_t number = making_;
  if (!failure_.empty()) {
    drop();
    throw EnvironmentError(failure_);
  }
  if (!std::ranges::all_of(calls_, &Call::captured)) return miss();
  end_streams();
  number_ = number;
}

void NcclRecording::give_up() noexcept {
  const std::shared_ptr<GroupWork> work = std::exchange(begun_, nullptr);
  if (recording_ || work != nullptr) drop();
  if (work == nullptr) return;
  try {
    group_->end_begun(*work, GroupWork::Begun::given_up);
  } catch (const std::exception&) {
    // The group has failed, as was wanted.
  }
}

Keeping NcclRecording::used() const {
  Keeping out;
  for (const Call& call : calls_) {
    out.insert(out.end(), call.used.begin(), call.used.end());
    out.insert(out.end(), call.places.operands.begin(), call.places.operands.end());
    out.insert(out.end(), call.places.results.begin(), call.places.results.end());
  }
  return out;
}

}  // namespace tutti::runtime

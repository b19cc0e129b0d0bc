#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/clock.h>
#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/cuda/moment.h>
#include <tutti/runtime/cuda/nccl_launch.h>
#include <tutti/runtime/cuda/nccl_transport.h>
#include <tutti/runtime/cuda/nccl_work.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

// For how long it is found out, where NCCL fails, whether a member has died.
constexpr std::chrono::milliseconds kLongestForDeaths{100};
constexpr std::chrono::milliseconds kBetweenLooksForDeaths{1};

// Whether the rank has zeros for a result, or among it: what nothing arrives at.
bool begins_with_zeros(const CollectiveCall& call, int position) {
  switch (call.kind) {
    case CollectiveKind::reduce:
    case CollectiveKind::gather:
      return position != call.root;
    case CollectiveKind::collective_permute:
      return std::ranges::none_of(call.pairs,
                                  [&](const auto& pair) { return pair.second == position; });
    default:
      return false;
  }
}

std::unique_ptr<CudaMoment> moment_on_lane(CudaAccelerator& gpu) {
  auto out = std::make_unique<CudaMoment>(gpu.stream());
  out->mark(gpu.lane()->handle());
  return out;
}

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(GroupAgreement& agreement,
                                               std::shared_ptr<GroupCommunicator> setup) {
  return std::make_unique<NcclTransport>(agreement, std::move(setup));
}

std::shared_ptr<SymmetricMemory> NcclTransport::symmetric_memory(std::size_t bytes,
                                                                 Accelerator& on) {
  return windows_.take(bytes, CudaAccelerator::of(on));
}

std::shared_ptr<GroupWork> NcclTransport::new_work() { return std::make_shared<NcclWork>(); }

void NcclTransport::prepare(GroupWork& work, Keeping& /*keeping*/) {
  if (work.accelerator == nullptr) {
    throw UsageError(std::string(work.waiting().description) +
                         ": NCCL moves what lies on GPUs; \"cpu:shm,cuda:nccl\" has the host's "
                         "memory for the rest",
                     work.waiting().location);
  }
  auto& own = static_cast<NcclWork&>(work);
  own.gpu_ = &CudaAccelerator::of(*work.accelerator);
  if (gpu_ != nullptr && gpu_ != own.gpu_) {
    throw UsageError(std::string(work.waiting().description) + ": lies on " +
                         own.gpu_->device().text() + ", but the group is connected for " +
                         gpu_->device().text() +
                         "; a rank has one GPU in a group of NCCL's, and any in one with "
                         "\"cuda:shm\"",
                     work.waiting().location);
  }
  // Else when it is supplied: a replay has places of its own.
  if (work.begun == GroupWork::Begun::no) make_results(own);
}

void NcclTransport::make_results(NcclWork& work) {
  const GroupCall& call = work.call();
  work.results.resize(work.parts.size());
  for (std::size_t i = 0; call.gets && i < work.parts.size(); ++i) {
    if (work.parts[i].result != nullptr) continue;
    work.results[i] = work.gpu_->memory().allocate(call.result_bytes[i], work.label());
    work.parts[i].result = work.results[i]->data();
  }
}

kernels::PartPlace NcclTransport::begin(GroupWork& work, Keeping& keeping) {
  auto& own = static_cast<NcclWork&>(work);
  const CudaStream::Entered entered = own.gpu_->stream()->enter();
  if (communicator_ == nullptr) connect(work, *own.gpu_);
  own.ready_ = std::make_unique<CudaEvent>(own.gpu_->stream());
  // Else when it is supplied.
  if (work.begun == GroupWork::Begun::no) own.ready_->record();
  own.group_ = agreement_.group();
  own.rank_ = agreement_.members()[static_cast<std::size_t>(agreement_.position())];
  own.turn_.emplace(own.gpu_->lane(), windows_.have_fresh(work));
  // Who is done with them, streams say: nobody keeps them for peers.
  own.operands_ = std::exchange(keeping, {});
  return place_in_record(work);
}

// The library hears of a death by its connections, maybe before anybody has looked for it.
bool NcclTransport::is_over(const GroupWork& work) const {
  const auto communicator = current();
  if (communicator == nullptr) throw CommError("the communicator is gone");
  try {
    return communicator->is_over();
  } catch (const NcclError&) {
    // Connections end before their process does.
    Deadline soon(kLongestForDeaths);
    do {
      agreement_.check_all_live(work);
      std::this_thread::sleep_for(kBetweenLooksForDeaths);
    } while (!soon.has_passed());
    throw;
  }
}

bool NcclTransport::check_over(const GroupWork& work) const {
  try {
    return is_over(work);
  } catch (const NcclError& error) {
    throw error_of(work, error);
  }
}

CommError NcclTransport::error_of(const GroupWork& work, const NcclError& error) const {
  return CommError(agreement_.number(work.sequence()) + " (" + work.call().call().description +
                       "): " + error.message() + agreement_.last_calls(),
                   work.waiting().location);
}

void NcclTransport::wait_until_over(const GroupWork& work, std::string_view what) {
  agreement_.wait_elsewhere(
      work, what,
      [&] {
        static_cast<const NcclWork&>(work).gpu_->lane()->look();
        if (check_over(work)) return true;
        agreement_.check_peers(work);
        return false;
      },
      [] {});
}

std::vector<PeerLaunch> NcclTransport::own_launches(const NcclWork& work,
                                                    std::span<const PartAddresses> parts,
                                                    const NcclWindows::Settled& places) {
  const PeerMemory* const peers = places.peers.get();
  if (peers == nullptr || !own_kernels_) return {};
  auto out = choose_comm_kernels(
      work.call(), parts, agreement_.algorithms(), agreement_.size(),
      [=](const void* place) { return peers->has(place, 0); }, places.multicast);
  // Hosts look after their GPUs; this is for one that can't any more.
  constexpr auto kMore = std::chrono::minutes(10);
  if (!out.empty()) peers->words().raise_patience(agreement_.timeout_of(work.waiting()) + kMore);
  return out;
}

std::vector<PartAddresses> NcclTransport::set_aside(const NcclWork& work, Keeping& buffers) const {
  std::vector<PartAddresses> out = work.parts;
  const GroupCall& call = work.call();
  const auto take = [&](std::size_t bytes) {
    return buffers.emplace_back(work.gpu_->memory().allocate(bytes, work.label()))->data();
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (windows_.has(out[i].operand)) out[i].operand = take(call.gives ? call.operand_bytes[i] : 0);
    if (windows_.has(out[i].result)) out[i].result = take(call.result_bytes[i]);
  }
  // Kernels that had this memory before may not have run yet.
  CudaEvent before(work.gpu_->stream());
  before.record();
  before.hold_up(work.gpu_->lane()->handle());
  return out;
}

void NcclTransport::copy_on_lane(const NcclWork& work, void* to, const void* from,
                                 std::size_t bytes) {
  if (to == from || bytes == 0) return;
  const CudaDriver& driver = work.gpu_->stream()->driver();
  driver.check(driver.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                        reinterpret_cast<CUdeviceptr>(from), bytes,
                                        work.gpu_->lane()->handle()),
               "cuMemcpyDtoDAsync");
}

// What operands become, and results begin as.
void NcclTransport::bring(const NcclWork& work, std::span<const PartAddresses> parts) const {
  const GroupCall& call = work.call();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    copy_on_lane(work, const_cast<void*>(parts[i].operand), work.parts[i].operand,
                 call.gives ? call.operand_bytes[i] : 0);
  }
  begin_results(work, parts, work.gpu_->lane()->handle());
}

void NcclTransport::begin_results(const NcclWork& work, std::span<const PartAddresses> parts,
                                  CUstream on) const {
  const GroupCall& call = work.call();
  if (!begins_with_zeros(call.call(), agreement_.position())) return;
  const CudaDriver& driver = work.gpu_->stream()->driver();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (call.result_bytes[i] == 0) continue;
    driver.check(driver.cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(parts[i].result), 0,
                                        call.result_bytes[i], on),
                 "cuMemsetD8Async");
  }
}

// Of a call that did not come to NCCL: what was put on the lane for it runs all the same.
void NcclTransport::keep_until_done(const NcclWork& work, Keeping buffers) {
  CudaLane& lane = *work.gpu_->lane();
  try {
    auto done = std::make_shared<CudaEvent>(work.gpu_->stream());
    done->record(lane.handle());
    lane.add(
        {.done = std::move(done), .check = [] {}, .abort = [] {}, .buffers = std::move(buffers)});
  } catch (const std::exception&) {
    lane.break_down(std::current_exception(), std::move(buffers));
  }
}

bool NcclTransport::move(GroupWork& work, bool may_wait) {
  auto& own = static_cast<NcclWork&>(work);
  if (!own.turn_->has_come() && !may_wait) return false;
  const CudaStream::Entered entered = own.gpu_->stream()->enter();
  own.at_line([&] {
    try {
      launch(own);
    } catch (const NcclError& error) {
      throw error_of(own, error);
    }
  });
  own.turn_.reset();
  return true;
}

void NcclTransport::launch(NcclWork& work) {
  CudaLane& lane = *work.gpu_->lane();
  const CUstream stream = lane.handle();
  lane.look();  // nothing is put on one that is broken
  if (current() == nullptr) throw CommError("the communicator is gone");
  std::vector<std::shared_ptr<Buffer>> buffers = std::move(work.operands_);
  buffers.insert(buffers.end(), work.results.begin(), work.results.end());
  check_sizes(work);
  work.ready_->hold_up(stream);
  const NcclWindows::Settled places = settle_places(work);
  const auto communicator = current();  // the members may have made another one
  const std::vector<PeerLaunch> own = own_launches(work, work.parts, places);
  const bool stays = places.in_place || !own.empty();
  work.way_ = !own.empty() ? CommKernel::way_of(own[0].kernel.kind)
                           : std::string_view(places.is_window && stays ? "windows" : "nccl");
  const std::vector<PartAddresses> parts = stays ? work.parts : set_aside(work, buffers);
  const Companions companions = companions_in(work, own);
  const CudaReleases::PeersWork running = lane.peers_work();
  Work::DeviceTimes times;
  if (work.timed) times = {.device = work.gpu_->device(), .put = monotonic_now()};
  try {
    if (work.leader_ != nullptr && !companions.leader) launch_leader(work, buffers);
    if (work.timed) times.begin = moment_on_lane(*work.gpu_);
    if (own.empty()) {
      bring(work, parts);
      communicator->launch(
          nccl_calls(work.call().call(), parts, agreement_.size(), agreement_.position(), stream));
    } else if (companions.any()) {
      launch_fused(work, own[0], companions, places.peers, buffers);
    } else {
      own_kernels_->launch(own, places.peers, *work.gpu_, stream, buffers);
    }
  } catch (const std::exception&) {
    // What waits for the others stops once all were told (fail()).
    keep_until_done(work, std::move(buffers));
    throw;
  }
  ++in_flight_;  // until the lane lets go of it
  try {
    if (own.empty()) wait_until_over(work, "for NCCL to put it on the stream");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      copy_on_lane(work, work.parts[i].result, parts[i].result, work.call().result_bytes[i]);
    }
    work.done_ = std::make_shared<CudaEvent>(work.gpu_->stream());
    work.done_->record(stream);
    if (work.timed) times.end = moment_on_lane(*work.gpu_);
    work.times_ = std::move(times);
  } catch (const std::exception&) {
    // It may run all the same, and stays in flight.
    lane.break_down(std::current_exception(), std::move(buffers));
    throw;
  }
  watch(work, std::move(buffers));
  if (work.recorded != nullptr) record(work, places);
  work.leader_ = nullptr;  // nothing of it is to come
}

// Looks after what is on its way until it is over.
void NcclTransport::watch(NcclWork& work, Keeping buffers) {
  work.deadline_ = Deadline(agreement_.timeout_of(work.waiting()));
  const std::shared_ptr<NcclWork> held(
      &work, [this, work = work.shared_from_this()](NcclWork*) { --in_flight_; });
  work.gpu_->lane()->add({.done = work.done_,
                          .check = [this, held] { check(*held); },
                          .abort = [this] { fail("another collective on this GPU failed"); },
                          .buffers = std::move(buffers)});
}

void NcclTransport::check(NcclWork& work) {
  try {
    agreement_.check_all_live(work);
    if (current() != nullptr) check_over(work);
    const int missed = exchange_ == nullptr ? -1 : exchange_->words().missed();
    if (missed >= 0) {
      agreement_.fail(work.sequence(), work.waiting(),
                      "the GPU of " + agreement_.names({missed}) + " did not come to " +
                          agreement_.number(work.sequence()));
    }
    // (Nobody may have looked since it ended.)
    if (work.deadline_.has_passed() && !work.done_->is_done()) {
      agreement_.fail(work.sequence(), work.waiting(),
                      "time-out: " + agreement_.number(work.sequence()) + " (" +
                          work.call().call().description + ") does not end on the GPU" +
                          agreement_.last_calls());
    }
  } catch (const CommError& error) {
    fail(error.what());
    drop_recordings();
    throw;
  }
}

// What an abort ends on one GPU ends on the others, too, with garbage, and so does what was made of
// that in other groups: so all are told before.
void NcclTransport::fail(const std::string& reason) noexcept {
  const auto communicator = current();
  if (communicator == nullptr) return;
  const std::string told = agreement_.names({agreement_.position()}) + " saw: " + reason;
  agreement_.group()->fail(0, told);
  if (in_flight_ > 0) agreement_.fabric().abort("values of GPUs are lost: " + told);
  {
    const std::scoped_lock lock(mutex_);
    if (exchange_ != nullptr) exchange_->stop();
  }
  communicator->abort();
}

void NcclTransport::give_up(GroupWork& work) noexcept {
  drop_recordings();
  static_cast<NcclWork&>(work).turn_.reset();
}

std::shared_ptr<NcclCommunicator> NcclTransport::current() const {
  const std::scoped_lock lock(mutex_);
  return communicator_;
}

void NcclTransport::set(std::shared_ptr<NcclCommunicator> communicator) {
  const std::scoped_lock lock(mutex_);
  communicator_.swap(communicator);
}

void NcclTransport::close() {
  // Whatever fails: what did not come to its end is aborted.
  struct End {
    NcclTransport& transport;
    ~End() {
      transport.leave();
      try {
        transport.setup_->close();
      } catch (const std::exception&) {
        // What kept the members from connecting, the group has said.
      }
    }
  } const end{*this};
  const auto communicator = current();
  if (communicator == nullptr) return;
  const CudaStream::Entered entered = gpu_->stream()->enter();
  gpu_->lane()->wait_for_all();
  drop_recordings();  // the library waits for these graphs
  Deadline deadline(NcclCommunicator::kLongestEnd);
  windows_.give_up(*communicator);
  while (!communicator->is_over() && !deadline.has_passed()) std::this_thread::yield();
  while (!communicator->close() && !deadline.has_passed()) std::this_thread::yield();
}

void NcclTransport::leave() noexcept {
  drop_recordings();  // the library waits for their graphs
  set(nullptr);
  windows_.leave();
  std::shared_ptr<PeerExchange> exchange;  // goes without the lock: its memory may wait for the GPU
  const std::scoped_lock lock(mutex_);
  exchange.swap(exchange_);
}

}  // namespace tutti::runtime

// What NcclTransport does for calls that members record together, and replay.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_launch.h>
#include <tutti/runtime/cuda/nccl_recording.h>
#include <tutti/runtime/cuda/nccl_transport.h>
#include <tutti/runtime/cuda/nccl_work.h>

#include <utility>

namespace tutti::runtime {

std::shared_ptr<RecordedCalls> NcclTransport::record_calls(
    const std::shared_ptr<GroupCommunicator>& group,
    std::vector<std::shared_ptr<const PreparedCall>> calls, Accelerator& on) {
  return std::make_shared<NcclRecording>(group, *this, std::move(calls), CudaAccelerator::of(on));
}

void NcclTransport::supply(GroupWork& work, Keeping& keeping) {
  auto& own = static_cast<NcclWork&>(work);
  const CudaStream::Entered entered = own.gpu_->stream()->enter();
  make_results(own);
  own.ready_->record();
  own.operands_ = std::exchange(keeping, {});
}

bool NcclTransport::members_say_alike(const GroupWork& work) const {
  for (int member = 0; member < agreement_.size(); ++member) {
    const kernels::ArrivalRecord& record = agreement_.page().record(member, work.sequence());
    if (NcclWindows::recording_word(record.operand) != work.recording_word) return false;
  }
  return true;
}

// Behind the call itself, on a stream that records. Whether it comes to that, and by which kernels,
// follows from what all members know.
void NcclTransport::record(NcclWork& work, const NcclWindows::Settled& places) {
  auto& recording = static_cast<NcclRecording&>(*work.recorded);
  const std::size_t number = work.number_in_recording;
  const bool settled = places.alike && places.in_place;
  recording.made(number, settled);
  if (!recording.is_recording() || !settled) return;
  const CUstream stream = recording.stream(number);
  const std::vector<PartAddresses> parts = recording.places(number);
  const std::vector<PeerLaunch> own = own_launches(work, parts, places);
  const Companions companions = companions_in(work, own);
  Keeping used;
  if (own.empty()) {
    const auto communicator = current();
    if (communicator == nullptr) throw CommError("the communicator is gone");
    begin_results(work, parts, stream);
    communicator->launch(
        nccl_calls(work.call().call(), parts, agreement_.size(), agreement_.position(), stream));
    wait_until_over(work, "for NCCL to record it");
  } else if (companions.any()) {
    // Whose arguments lie elsewhere in each run: this rank makes that part then.
    recording.fuse(number, own[0], companions, places.peers);
    used.emplace_back(places.peers, nullptr);
  } else {
    own_kernels_->launch(own, places.peers, *work.gpu_, stream, used);
  }
  recording.captured(number, std::move(used));
}

// On the GPU's own stream: behind what is on the lane, and before what comes there.
void NcclTransport::replay(GroupWork& work) {
  auto& own = static_cast<NcclWork&>(work);
  auto& recording = static_cast<NcclRecording&>(*work.recorded);
  const CudaStream::Entered entered = own.gpu_->stream()->enter();
  own.at_line([&] {
    CudaLane& lane = *own.gpu_->lane();
    lane.look();
    if (current() == nullptr) throw CommError("the communicator is gone");
    if (recording.joined() == nullptr) throw CommError("the recording is gone");
    CudaEvent before(own.gpu_->stream());
    before.record(lane.handle());
    before.hold_up(own.gpu_->stream()->handle());
    Keeping used = recording.used();
    const CudaReleases::PeersWork running = lane.peers_work();
    ++in_flight_;
    try {
      recording.joined()->replay();
      own.done_ = std::make_shared<CudaEvent>(own.gpu_->stream());
      own.done_->record();
      own.done_->hold_up(lane.handle());
    } catch (const std::exception&) {
      // It may run all the same, and stays in flight.
      lane.break_down(std::current_exception(), std::move(used));
      throw;
    }
    own.joined_ = true;  // the stream is its own
    watch(own, std::move(used));
  });
  own.turn_.reset();
}

void NcclTransport::drop_recordings() noexcept {
  for (NcclRecording* const each : recordings_) each->drop();
}

}  // namespace tutti::runtime

// What NcclTransport does about a group's memory on GPUs, in the middle of a call.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/comm/tell_each_other.h>
#include <tutti/runtime/cuda/nccl_transport.h>
#include <tutti/runtime/cuda/nccl_work.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <chrono>

namespace tutti::runtime {

class NcclTransport::SlabOpening final : public NcclWindows::Opening {
 public:
  SlabOpening(NcclTransport& transport, const NcclWork& work)
      : transport_(transport), work_(work) {}

  NcclCommunicator& communicator() override {
    const auto communicator = transport_.current();
    if (communicator == nullptr) throw CommError("the communicator is gone");
    return *communicator;  // who replaces it is this thread
  }
  void wait() override {
    work_.gpu_->lane()->wait_for_all();
    transport_.wait_until_over(work_, "for NCCL to be done, before memory is registered or shared");
  }
  bool wait_for_window() override {
    bool is_over = false;
    const GroupAgreement& agreement = transport_.agreement_;
    transport_.agreement_.wait_elsewhere(
        work_, "for NCCL to register memory",
        [&] {
          is_over = transport_.is_over(work_);
          if (is_over || agreement.is_declined(work_)) return true;
          agreement.check_peers(work_);
          return false;
        },
        [] {});
    return is_over;
  }
  void decline() override { transport_.agreement_.decline(work_); }
  std::vector<std::string> tell(const std::string& own) override {
    return transport_.tell_within(work_, own);
  }
  void connect_again() override { transport_.connect_again(work_); }
  std::string name_of(std::size_t member) const override {
    return transport_.agreement_.names({static_cast<int>(member)});
  }
  void warn(const std::string& text) const override {
    const GroupAgreement& agreement = transport_.agreement_;
    if (agreement.position() == 0) {
      runtime::warn("group \"" + agreement.tag() + "\": " + text);
    }
  }
  std::shared_ptr<PeerMemory> share(std::uint64_t number, Buffer& slab,
                                    std::size_t bytes) override {
    return transport_.share(work_, number, slab, bytes);
  }

 private:
  NcclTransport& transport_;
  const NcclWork& work_;
};

NcclWindows::Settled NcclTransport::settle_places(const NcclWork& work) {
  SlabOpening opening(*this, work);
  NcclWindows::Settled out =
      windows_.settle(places_in_records(work), agreement_.position(), opening);
  // A sender whose memory NCCL knows waits for the place of a receiver, and one whose memory it
  // does not know never says it. The records have shown that places are alike on all members; a
  // recording makes NCCL know what it finds.
  const bool known = out.is_window || work.recorded != nullptr;
  if (known && are_messages(work.call().call()) && windows_.have_some(work)) out.in_place = false;
  return out;
}

// While a call is completed nothing that was started behind it may be waited for, only looked at.
std::vector<std::string> NcclTransport::tell_within(const GroupWork& work, const std::string& own) {
  ProgramOrder& order = agreement_.order();
  return tell_each_other(*setup_, own, [&](Work& told) {
    try {
      agreement_.wait_elsewhere(
          work, "for what the others say",
          [&] {
            order.advance_any();
            if (told.test()) return true;
            agreement_.check_peers(work);
            return false;
          },
          [] {});
    } catch (const std::exception& error) {
      // Nobody is to wait for it any more, nor to hear of it twice.
      setup_->abort(error.what());
      order.advance_any();
      try {
        told.test();
      } catch (const CommError&) {
        // That it failed.
      }
      throw;
    }
  });
}

std::shared_ptr<PeerMemory> NcclTransport::share(const GroupWork& work, std::uint64_t number,
                                                 Buffer& slab, std::size_t bytes) {
  // Long enough for a member that has to come to this call yet; who waits in vain goes on without.
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);
  Deadline deadline(std::min(kLongest, agreement_.timeout_of(work.waiting()) / 2));
  const Log& log = Log::process();
  try {
    exchange_->begin(number, slab.data(), slab.bytes(), bytes);
    agreement_.wait_elsewhere(
        work, "for the memory of the others' GPUs",
        [&] {
          if (exchange_->advance() || deadline.has_passed()) return true;
          agreement_.check_peers(work);
          return false;
        },
        [] {});
    auto peers = exchange_->finish();
    if (log.takes(LogTopic::gpu)) {
      log.write(LogTopic::gpu, -1,
                std::to_string(bytes) + " bytes for collectives are reached by all members' GPUs" +
                    (peers->has_multicast()
                         ? ", also as multicast memory"
                         : "; they are no multicast memory: " + exchange_->no_multicast()));
    }
    return peers;
  } catch (const EnvironmentError& error) {
    if (log.takes(LogTopic::gpu)) {
      log.write(LogTopic::gpu, -1,
                std::string("collectives go by NCCL, without kernels of our own: ") + error.what());
    }
    return nullptr;
  }
}

}  // namespace tutti::runtime

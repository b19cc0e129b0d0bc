#pragma once

#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/cuda/nccl_windows.h>
#include <tutti/runtime/cuda/peer_collectives.h>
#include <tutti/runtime/cuda/peer_exchange.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

class GroupCommunicator;
class NcclRecording;
class NcclWork;

// Over NCCL, between one GPU of each member. Members agree about a call on the host, as always;
// then each puts it on the lane of its GPU (lane.h), in the order of its program, and goes on.
// Whoever waits makes the GPU wait, not the host. Its first call connects the members, and waits
// for all.
class NcclTransport final : public Transport {
 public:
  struct Greeting;  // what members tell each other to connect

  NcclTransport(GroupAgreement& agreement, std::shared_ptr<GroupCommunicator> setup)
      : agreement_(agreement), setup_(std::move(setup)) {}

  std::shared_ptr<GroupWork> new_work() override;
  void prepare(GroupWork& work, Keeping& keeping) override;
  kernels::PartPlace begin(GroupWork& work, Keeping& keeping) override;
  bool move(GroupWork& work, bool may_wait) override;
  std::shared_ptr<RecordedCalls> record_calls(
      const std::shared_ptr<GroupCommunicator>& group,
      std::vector<std::shared_ptr<const PreparedCall>> calls, Accelerator& on) override;
  void supply(GroupWork& work, Keeping& keeping) override;
  void replay(GroupWork& work) override;
  void lead_now(GroupWork& work) noexcept override;
  void fail(const std::string& reason) noexcept override;
  void give_up(GroupWork& work) noexcept override;
  void close() override;
  void leave() noexcept override;
  std::shared_ptr<SymmetricMemory> symmetric_memory(std::size_t bytes, Accelerator& on) override;

 private:
  friend class NcclRecording;

  // nccl_replay.cpp
  void record(NcclWork& work, const NcclWindows::Settled& places);
  bool members_say_alike(const GroupWork& work) const;
  void drop_recordings() noexcept;
  // nccl_connect.cpp
  void connect(const GroupWork& work, CudaAccelerator& gpu);
  std::shared_ptr<PeerExchange> offer_peers(Greeting& own, const CommKernels* kernels,
                                            const CudaAccelerator& gpu);
  void connect_peers(std::span<const Greeting> said, const std::shared_ptr<PeerExchange>& exchange,
                     const CommKernels* kernels, const CudaAccelerator& gpu);
  void connect_again(const GroupWork& work);
  // nccl_companions.cpp
  // Which companions of a call that has these kernels are parts of its kernel. By this rank alone:
  // where they can't be compiled together each is launched on its own.
  Companions companions_in(const NcclWork& work, std::span<const PeerLaunch> own);
  void launch_fused(NcclWork& work, const PeerLaunch& own, Companions companions,
                    const std::shared_ptr<PeerMemory>& peers, Keeping& buffers);
  // By itself; that and all that it uses has to live until it is over.
  static void launch_leader(const NcclWork& work, Keeping& buffers);
  // nccl_exchanges.cpp
  // What a call's record says, and what all members' say of where its places lie.
  kernels::PartPlace place_in_record(const GroupWork& work) const;
  std::vector<kernels::PartPlace> places_in_records(const GroupWork& work) const;
  // Fails an uneven all_to_all of which two members' sizes do not fit together.
  void check_sizes(const GroupWork& work);
  // nccl_slabs.cpp
  class SlabOpening;
  // What a call's places are good for.
  NcclWindows::Settled settle_places(const NcclWork& work);
  std::vector<std::string> tell_within(const GroupWork& work, const std::string& own);
  std::shared_ptr<PeerMemory> share(const GroupWork& work, std::uint64_t number, Buffer& slab,
                                    std::size_t bytes);
  std::shared_ptr<NcclCommunicator> current() const;
  void set(std::shared_ptr<NcclCommunicator> communicator);
  // Memory for results that have no place yet.
  static void make_results(NcclWork& work);
  void launch(NcclWork& work);
  // The kernels of our own that carry the call out; none: NCCL does.
  std::vector<PeerLaunch> own_launches(const NcclWork& work, std::span<const PartAddresses> parts,
                                       const NcclWindows::Settled& places);
  // Where parts are brought that may not lie where they do.
  std::vector<PartAddresses> set_aside(const NcclWork& work, Keeping& buffers) const;
  void bring(const NcclWork& work, std::span<const PartAddresses> parts) const;
  void begin_results(const NcclWork& work, std::span<const PartAddresses> parts, CUstream on) const;
  void watch(NcclWork& work, Keeping buffers);
  static void copy_on_lane(const NcclWork& work, void* to, const void* from, std::size_t bytes);
  static void keep_until_done(const NcclWork& work, Keeping buffers);
  void wait_until_over(const GroupWork& work, std::string_view what);
  // NcclCommunicator::is_over() of the current one; throws who died where that is why it failed.
  bool is_over(const GroupWork& work) const;
  // The same, for the call itself: what NCCL says that failed says which call that was, and what
  // all members have called last.
  bool check_over(const GroupWork& work) const;
  CommError error_of(const GroupWork& work, const NcclError& error) const;
  // Whether what is on the lane may still come to its end; throws where not, and aborts it.
  void check(NcclWork& work);

  GroupAgreement& agreement_;
  const std::shared_ptr<GroupCommunicator> setup_;
  CudaAccelerator* gpu_ = nullptr;  // that it was connected for
  NcclWindows windows_;             // goes behind the communicator
  std::optional<PeerCollectives> own_kernels_;
  std::string not_fused_;     // why companions were not compiled, as the log has it
  mutable std::mutex mutex_;  // aborts come from any thread
  std::shared_ptr<NcclCommunicator> communicator_;
  std::shared_ptr<PeerExchange> exchange_;  // null: members do not reach each other's memory
  std::atomic<int> in_flight_{0};           // what the lane has of this group
  std::vector<NcclRecording*> recordings_;  // that there are; of the rank's thread
};

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/graph.h>
#include <tutti/runtime/cuda/nccl_transport.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime {

// Calls over NCCL, or by kernels of our own, each of which is captured in a graph.
//
// NCCL wants every call captured by all members or by none, and graphs of one capture launched by
// all. So a member that says in its record that it can record has every stream recording already:
// what is left then is to call NCCL. Recordings have the number of the collective that they begin
// with, which is the same on all members; who has another one, or none, says so in the next record.
class NcclRecording final : public RecordedCalls,
                            public std::enable_shared_from_this<NcclRecording> {
 public:
  // After so many runs in a row in which members differed it is not tried any more.
  static constexpr int kMostMisses = 12;

  NcclRecording(std::shared_ptr<GroupCommunicator> group, NcclTransport& transport,
                std::vector<std::shared_ptr<const PreparedCall>> calls, CudaAccelerator& gpu);
  ~NcclRecording() override;

  bool is_warm(std::span<const Places> places) const override;
  void get_ready(std::span<const Places> places) override;
  bool is_recorded(std::span<const Places> places) const override;
  std::shared_ptr<const Accelerator::Part> part(std::size_t call) const override {
    return calls_.at(call).graph;
  }
  Companions fused(std::size_t call) const override { return calls_.at(call).companions; }
  std::shared_ptr<const Accelerator::Part> fused_part(
      std::size_t call, const FusedCommKernels& kernels,
      std::span<void* const> arguments) const override;
  void* operand(std::size_t call, std::size_t part) const override;
  void* result(std::size_t call, std::size_t part) const override;
  std::unique_ptr<Accelerator::JoinedRecording>& joined() override { return joined_; }
  void drop() noexcept override;
  Way begin(std::uint64_t content, const StartOptions& options) override;
  std::shared_ptr<Work> supply(std::span<const std::shared_ptr<Buffer>> operands) override;
  void replay() override;
  void end() override;
  void give_up() noexcept override;

  // For the transport. A call was made one by one, and is made so by all members from now on, as
  // far as places are concerned; or not.
  void made(std::size_t call, bool settled) { calls_.at(call).settled = settled; }
  bool is_recording() const { return recording_; }
  std::vector<PartAddresses> places(std::size_t call) const;
  CUstream stream(std::size_t call) const { return calls_.at(call).stream; }
  // It is made by this kernel, with some of its companions: nothing is put on its stream.
  void fuse(std::size_t call, const PeerLaunch& launch, Companions companions,
            std::shared_ptr<PeerMemory> peers);
  // What was put on its stream is all of it; `used` lives as long as the recording.
  void captured(std::size_t call, Keeping used);
  // What replays use.
  Keeping used() const;

 private:
  struct Call {
    std::shared_ptr<const PreparedCall> prepared;
    Places places = {};  // with those of its own
    CUstream stream = nullptr;
    std::shared_ptr<CudaGraph> graph = nullptr;
    Companions companions = {};                      // that are made with it
    std::optional<PeerLaunch> fused = std::nullopt;  // where there are some
    std::shared_ptr<PeerMemory> peers = nullptr;     // of that
    Keeping used = {};
    bool settled = false;
    bool captured = false;
  };

  void make_room(Call& call, const Places& places);
  std::uint32_t word(std::uint64_t content) const;
  void end_streams() noexcept;
  void miss();

  const std::shared_ptr<GroupCommunicator> group_;
  NcclTransport& transport_;
  CudaAccelerator& gpu_;
  const std::shared_ptr<CudaStream> stream_;  // may outlive the GPU's accelerator
  std::vector<Call> calls_;
  std::vector<Places> asked_;  // the places, as they were given
  std::shared_ptr<GroupWork> begun_;
  std::uint64_t number_ = 0;  // of the recording; 0: there is none
  std::uint64_t making_ = 0;  // of the one that is being made
  bool recording_ = false;
  std::string failure_;  // why it can't be made here
  std::unique_ptr<Accelerator::JoinedRecording> joined_;
  int misses_ = 0;
  int drops_ = 0;
};

}  // namespace tutti::runtime

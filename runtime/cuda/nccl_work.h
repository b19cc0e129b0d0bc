#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/comm_kernels.h>
#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/comm/host_fabric.h>
#include <tutti/runtime/comm/transport.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/event.h>
#include <tutti/runtime/cuda/lane.h>
#include <tutti/runtime/function_ref.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::runtime {

// What a NcclTransport has under way.
class NcclWork final : public GroupWork, public std::enable_shared_from_this<NcclWork> {
 public:
  // The others' GPUs wait for one that was announced.
  ~NcclWork() override {
    if (!turn_) return;
    group_->fail(sequence(),
                 "rank " + std::to_string(rank_) + " gave it up before it was on its GPU");
  }

  void lead_with(std::shared_ptr<const BoundLeader> leader) noexcept override {
    leader_ = std::move(leader);
  }

 private:
  friend class NcclTransport;

  // What comes on the GPU's own stream from here on waits for it.
  void joined() override {
    if (done_ == nullptr || std::exchange(joined_, true)) return;
    const CudaStream& stream = *gpu_->stream();
    const CudaStream::Entered entered = stream.enter();
    done_->hold_up(stream.handle());
  }

  // One object makes its kernels with both of its companions.
  const FusedCommKernels& kernels_with_companions() const {
    return leader_ != nullptr ? *leader_->kernels : *follower->kernels;
  }

  std::string_view way() const override { return way_; }
  DeviceTimes take_device_times() override { return std::exchange(times_, {}); }

  // What a launch throws says which call it was, and where.
  void at_line(FunctionRef<void()> launch) const {
    const auto& [description, line, timeout] = waiting();
    try {
      launch();
    } catch (const CommError& error) {
      if (error.where().known()) throw;
      throw CommError(std::string(description) + ": " + error.what(), line);
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (const EnvironmentError& error) {
      if (error.where().known()) throw;
      throw EnvironmentError(std::string(description) + ": " + error.what(), line);
    }
  }

  CudaAccelerator* gpu_ = nullptr;
  std::shared_ptr<HostGroup> group_;
  std::int64_t rank_ = 0;               // this one
  std::optional<CudaLane::Turn> turn_;  // from its announcement until it is on the lane
  std::unique_ptr<CudaEvent> ready_;    // the operands
  std::shared_ptr<CudaEvent> done_;     // null: it is not on the lane yet
  bool joined_ = false;
  std::shared_ptr<const BoundLeader> leader_;  // null: none is to come
  std::string_view way_;
  DeviceTimes times_;  // once it is on the lane, if it is timed
  Keeping operands_;
  Deadline deadline_{{}};  // of what is on the lane
};

}  // namespace tutti::runtime

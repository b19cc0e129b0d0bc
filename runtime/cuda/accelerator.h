#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cuda/blocks.h>
#include <tutti/runtime/cuda/graph.h>
#include <tutti/runtime/cuda/lane.h>
#include <tutti/runtime/cuda/registered_memory.h>
#include <tutti/runtime/cuda/staging.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime {

// A GPU of NVIDIA's, through the driver.
class CudaAccelerator final : public Accelerator {
 public:
  // Keeps as much free memory as there is: it costs nothing but where somebody else needs it.
  static constexpr std::size_t kKeepsAll = std::numeric_limits<std::size_t>::max();

  // `index` counts the GPUs that the driver shows; `driver` outlives all that comes of it. At most
  // `cache_bytes` of free memory are kept for later. Throws EnvironmentError if there is no such
  // GPU or it can't be used.
  CudaAccelerator(const CudaDriver& driver, int index, std::size_t cache_bytes = kKeepsAll);
  ~CudaAccelerator() override;

  Device device() const override { return Device::cuda(stream_->index()); }
  std::string name() const override;
  std::string target() const override;
  Allocator& memory() override { return memory_; }
  void copy_in(void* to, const void* from, std::size_t bytes) override;
  void copy_out(void* to, const void* from, std::size_t bytes) override;
  std::shared_ptr<const void> register_host(const std::shared_ptr<Buffer>& memory) override;
  bool begin_copy_out(void* to, const void* from, std::size_t bytes) override;
  void finish_copies_out() override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  std::byte* workspace(std::size_t bytes) override;
  std::unique_ptr<Recording> record(FunctionRef<void()> work) override;
  std::shared_ptr<const Part> record_part(FunctionRef<void()> work) override;
  std::unique_ptr<JoinedRecording> join(std::vector<JoinedPart> parts) override;
  std::unique_ptr<Moment> moment() override;
  void synchronize() override;

  // For code that launches itself on the stream. An accelerator of another kind is a bug
  // (InternalError).
  static CudaAccelerator& of(Accelerator& accelerator);
  const std::shared_ptr<CudaStream>& stream() const { return stream_; }
  // For communication; made when it is first asked for. Whoever asks has entered.
  const std::shared_ptr<CudaLane>& lane();
  // What is launched while a recording is made, and has to live as long as the recording.
  bool is_recording() const { return recording_ != nullptr; }
  void keep(std::shared_ptr<const void> used);

 private:
  std::unique_ptr<CudaGraph> capture(FunctionRef<void()> work);
  void check_not_recording(const char* call) const;
  // Waits in the driver only where nothing hangs on other ranks.
  void wait_for(CudaEvent& event);
  CudaStaging& staging();
  void clear(std::byte* data, std::size_t bytes) const;

  std::shared_ptr<CudaStream> stream_;
  Allocator memory_;
  CudaCaches::Member member_;
  CudaBlocks blocks_;
  CudaRegisteredMemory registered_;
  std::unique_ptr<CudaStaging> staging_;  // made when it is needed, as are the next
  std::unique_ptr<CudaEvent> copied_out_;
  std::shared_ptr<CudaLane> lane_;
  struct Workspace {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::unique_ptr<MemoryUse::Counted> counted;
  };
  std::vector<Workspace> workspaces_;  // each larger than the one before
  CudaGraph* recording_ = nullptr;     // the one that is being made
};

}  // namespace tutti::runtime

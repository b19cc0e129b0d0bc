#pragma once

#include <tutti/runtime/cuda/stream.h>
#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <memory>

namespace tutti::runtime {

// Whether a GPU can be one of those that follow: sm_90 and up, behind a switch that adds.
bool can_multicast(const CudaStream& stream);

// The memory of several GPUs at one address, for kernels/device/multimem.cuh. One member makes it
// and gives it to the others; each adds its GPU, and once all have, binds its own memory and maps
// the whole (the driver waits for GPUs that were not added, where nobody can end it). Nobody uses
// it before all have bound theirs. Whatever fails throws EnvironmentError. Belongs to the rank's
// thread, which has entered.
//
// What lies so far behind the beginning of a member's memory lies as far behind the common one's:
// each binds the first bytes of its own to the first of that, all of them, once.
class MulticastMemory {
 public:
  // For so many GPUs, each with so many bytes that map_memory() has made: whole pieces, of the size
  // that each GPU says.
  MulticastMemory(std::shared_ptr<CudaStream> stream, int gpus, std::size_t bytes);
  // What another member has made so, from what it exported.
  MulticastMemory(std::shared_ptr<CudaStream> stream, int gpus, std::size_t bytes,
                  const Descriptor& exported);
  MulticastMemory(const MulticastMemory&) = delete;
  MulticastMemory& operator=(const MulticastMemory&) = delete;
  // Nothing on a stream may use it any more.
  ~MulticastMemory();

  Descriptor export_memory() const;
  void add_gpu();
  // `own` is where the member's memory begins.
  void bind(const std::byte* own);

  std::size_t bytes() const { return bytes_; }

  // Where it begins, for this GPU; after bind().
  CUdeviceptr address() const { return address_; }

 private:
  CUmulticastObjectProp wanted(int gpus) const;
  void find_unit(int gpus);
  void require_beginning(const std::byte* own) const;
  void release() noexcept;

  const std::shared_ptr<CudaStream> stream_;
  const std::size_t bytes_;
  std::size_t unit_ = 0;  // of which it is made
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
  bool bound_ = false;
  bool mapped_ = false;
};

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/cuda/stream.h>
#include <tutti/runtime/descriptor.h>

#include <cstddef>
#include <memory>

namespace tutti::runtime {

// Whether a GPU says that it has something.
bool has_attribute(const CudaStream& stream, CUdevice_attribute attribute);

// Whether a GPU has what follows.
bool can_map_memory(const CudaStream& stream);

// Memory of a GPU that is mapped piece by piece (the driver's virtual memory management) and that
// other processes can be given, which is what windows of NCCL and peers' kernels want; of at least
// so many bytes. By a file descriptor, and by a handle of the fabric that joins GPUs of several
// hosts where there is one and the system lets this process use it. Null where there is no such (a
// container may forbid it, too). Throws OutOfMemoryError if there is no room. Its release waits for
// the stream. It is counted in `use`.
std::shared_ptr<Buffer> map_memory(
    const std::shared_ptr<CudaStream>& stream, std::size_t bytes,
    const std::shared_ptr<MemoryUse>& use = std::make_shared<MemoryUse>());

// The same for memory that map_memory() has made for another GPU, so that this one reaches it, too:
// of this process, or of another one that has exported it. It is there until all who map it are
// done. They throw EnvironmentError where the driver refuses. Nothing on a stream may use it any
// more when it is released.
std::shared_ptr<Buffer> map_peer_memory(const std::shared_ptr<CudaStream>& stream,
                                        const std::byte* theirs, std::size_t bytes);
std::shared_ptr<Buffer> map_peer_memory(const std::shared_ptr<CudaStream>& stream,
                                        const Descriptor& exported, std::size_t bytes);
Descriptor export_memory(const CudaStream& stream, const std::byte* begin);

}  // namespace tutti::runtime

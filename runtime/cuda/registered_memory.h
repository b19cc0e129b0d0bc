#pragma once

#include <tutti/runtime/buffer.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace tutti::runtime {

// Memory of the host that a GPU reads and writes where it lies, since it was registered with the
// driver. Belongs to the rank's thread; whoever calls it has entered (CudaStream::enter).
class CudaRegisteredMemory {
 public:
  explicit CudaRegisteredMemory(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {}

  // Registers memory, if it is not yet, for as long as what this gives lives; it is kept until the
  // driver has let go of it, which is when no work on the stream uses it any more. Null where the
  // driver refuses, which the log says.
  std::shared_ptr<const void> add(const std::shared_ptr<Buffer>& memory);
  // Whether all of these bytes lie in memory that is registered.
  bool holds(const void* place, std::size_t bytes) const;

 private:
  class Range;

  const std::shared_ptr<CudaStream> stream_;
  std::map<const std::byte*, std::weak_ptr<const Range>> ranges_;  // by where they begin
};

}  // namespace tutti::runtime

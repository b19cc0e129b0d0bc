#include <tutti/runtime/cuda/registered_memory.h>
#include <tutti/runtime/log.h>

#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace tutti::runtime {

class CudaRegisteredMemory::Range {
 public:
  // Of memory that was just registered. It goes behind its registration: pages that go before would
  // be written all the same.
  Range(std::shared_ptr<CudaStream> stream, std::shared_ptr<Buffer> memory)
      : stream_(std::move(stream)),
        bytes_(memory->bytes()),
        let_go_([&driver = stream_->driver(), memory = std::move(memory)]() mutable {
          driver.cuMemHostUnregister(memory->data());
          memory = nullptr;
        }) {}
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() { stream_->releases().release(std::move(let_go_)); }

  std::size_t bytes() const { return bytes_; }

 private:
  const std::shared_ptr<CudaStream> stream_;
  const std::size_t bytes_;
  std::function<void()> let_go_;  // made before, since there may be no memory for it later
};

std::shared_ptr<const void> CudaRegisteredMemory::add(const std::shared_ptr<Buffer>& memory) {
  std::erase_if(ranges_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<const Range>& known = ranges_[memory->data()];
  std::shared_ptr<const Range> out = known.lock();
  if (out != nullptr && out->bytes() >= memory->bytes()) return out;
  const CudaDriver& driver = stream_->driver();
  const CUresult result = driver.cuMemHostRegister(memory->data(), memory->bytes(), 0);
  if (result != CUDA_SUCCESS) {
    if (const Log& log = Log::process(); log.takes(LogTopic::gpu)) {
      log.write(LogTopic::gpu, -1,
                "what cuda:" + std::to_string(stream_->index()) +
                    " gives to collectives through the host is copied twice: the driver does not "
                    "register " +
                    std::to_string(memory->bytes()) +
                    " bytes of their memory (cuMemHostRegister: " + driver.describe(result) + ")");
    }
    return nullptr;
  }
  try {
    known = out = std::make_shared<const Range>(stream_, memory);
  } catch (...) {
    driver.cuMemHostUnregister(memory->data());
    throw;
  }
  return out;
}

bool CudaRegisteredMemory::holds(const void* place, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::byte*>(place);
  const auto after = ranges_.upper_bound(begin);
  if (after == ranges_.begin()) return false;
  const auto& [first, known] = *std::prev(after);
  const std::shared_ptr<const Range> range = known.lock();
  if (range == nullptr) return false;
  const auto offset = static_cast<std::size_t>(begin - first);
  return offset <= range->bytes() && bytes <= range->bytes() - offset;
}

}  // namespace tutti::runtime

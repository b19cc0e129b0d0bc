#include <tutti/runtime/cuda/image.h>
#include <tutti/runtime/cuda/stream.h>

#include <atomic>
#include <utility>

namespace tutti::runtime {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> ids{0};
  return ++ids;
}

}  // namespace

CudaImage::CudaImage(std::string name, std::vector<std::byte> bytes)
    : id_(next_id()), name_(std::move(name)), bytes_(std::move(bytes)) {}

CudaImage::~CudaImage() {
  for (const auto& known : streams_) {
    if (const auto stream = known.lock()) stream->forget(id_);
  }
}

void CudaImage::taken_by(const std::weak_ptr<CudaStream>& stream) const {
  const std::scoped_lock lock(mutex_);
  std::erase_if(streams_, [](const auto& known) { return known.expired(); });
  streams_.push_back(stream);
}

}  // namespace tutti::runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tutti::runtime {

class CudaStream;

// A kernel as the driver takes it (a cubin), and who launches it: it is loaded once a GPU, at the
// first launch there (CudaModules), and unloaded when it goes. Thread-safe.
class CudaImage {
 public:
  // The function called `name` is the one that is launched.
  CudaImage(std::string name, std::vector<std::byte> bytes);
  CudaImage(const CudaImage&) = delete;
  CudaImage& operator=(const CudaImage&) = delete;
  ~CudaImage();

  // No other image of this process ever has the same.
  std::uint64_t id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  // Notes a stream that has its function.
  void taken_by(const std::weak_ptr<CudaStream>& stream) const;

 private:
  const std::uint64_t id_;
  const std::string name_;
  const std::vector<std::byte> bytes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<CudaStream>> streams_;
};

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/kernel.h>

#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

std::string text_of(const std::array<std::uint32_t, 3>& shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" + std::to_string(shape[2]);
}

}  // namespace

CudaKernel::CudaKernel(std::shared_ptr<const CudaImage> image, const Geometry& geometry)
    : image_(std::move(image)), geometry_(geometry) {}

void CudaKernel::launch(Accelerator& accelerator, void* const* buffers) const {
  CudaAccelerator& cuda = CudaAccelerator::of(accelerator);
  CudaStream& stream = *cuda.stream();
  const CudaStream::Entered entered = stream.enter();
  const CudaStream::Function function = stream.function_of(*image_);
  void* workspace = nullptr;
  std::size_t count = function.parameters;
  if (geometry_.workspace_bytes > 0) {
    if (count == 0) throw InternalError("the kernel " + image_->name() + " takes no workspace");
    workspace = cuda.workspace(geometry_.workspace_bytes);
    --count;
  }
  // The driver takes the places of the values, and reads them before it returns.
  constexpr std::size_t kFew = 32;
  std::array<void*, kFew> few;
  std::vector<void*> many;
  void** places = few.data();
  if (count + 1 > kFew) {
    many.resize(count + 1);
    places = many.data();
  }
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = static_cast<void*>(const_cast<void**>(buffers + i));
  }
  places[count] = static_cast<void*>(&workspace);
  put(stream, function.handle, stream.handle(), geometry_.grid[0], places);
  if (cuda.is_recording()) cuda.keep(image_);
}

void CudaKernel::launch_on(CUstream stream, CudaStream& code, std::uint32_t blocks,
                           void* const* parameters) const {
  const CudaStream::Function function = code.function_of(*image_);
  std::vector<void*> places;
  for (std::size_t i = 0; i < function.parameters; ++i) {
    places.push_back(static_cast<void*>(const_cast<void**>(parameters + i)));
  }
  put(code, function.handle, stream, blocks, places.data());
}

void CudaKernel::put(const CudaStream& code, CUfunction function, CUstream stream,
                     std::uint32_t blocks, void** places) const {
  const CudaDriver& driver = code.driver();
  const CUresult result = driver.cuLaunchKernel(
      function, blocks, geometry_.grid[1], geometry_.grid[2], geometry_.block[0],
      geometry_.block[1], geometry_.block[2], 0, stream, places, nullptr);
  if (result == CUDA_SUCCESS) return;
  const std::array grid = {blocks, geometry_.grid[1], geometry_.grid[2]};
  driver.fail(result, "cuLaunchKernel",
              "launching " + image_->name() + " with " + text_of(grid) + " blocks of " +
                  text_of(geometry_.block) + " threads");
}

}  // namespace tutti::runtime

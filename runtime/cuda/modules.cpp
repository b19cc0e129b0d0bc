#include <tutti/runtime/cuda/image.h>
#include <tutti/runtime/cuda/modules.h>

#include <map>
#include <string>
#include <utility>

namespace tutti::runtime {

namespace {

std::size_t count_parameters(const CudaDriver& driver, CUfunction function,
                             const std::string& what) {
  std::size_t offset = 0;
  std::size_t size = 0;
  for (std::size_t count = 0;; ++count) {
    const CUresult result = driver.cuFuncGetParamInfo(function, count, &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) return count;  // there is no such parameter
    driver.check(result, "cuFuncGetParamInfo", what);
  }
}

}  // namespace

std::shared_ptr<CudaModules> CudaModules::of(const CudaDriver& driver, int gpu) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::pair<const CudaDriver*, int>, std::weak_ptr<CudaModules>>();
  const std::scoped_lock lock(mutex);
  std::erase_if(all, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<CudaModules>& known = all[{&driver, gpu}];
  std::shared_ptr<CudaModules> out = known.lock();
  if (out == nullptr) known = out = std::make_shared<CudaModules>(driver);
  return out;
}

CudaModules::Function CudaModules::take(const CudaImage& image) {
  std::shared_ptr<Loaded> loaded;
  {
    const std::scoped_lock lock(mutex_);
    loaded = loaded_[image.id()];
    if (loaded == nullptr) loaded_[image.id()] = loaded = std::make_shared<Loaded>();
    ++loaded->users;
  }
  try {
    const std::scoped_lock lock(loaded->mutex);
    if (loaded->module == nullptr) load(image, *loaded);
    return loaded->function;
  } catch (...) {
    let_go(image.id());  // the next one tries again
    throw;
  }
}

void CudaModules::let_go(std::uint64_t image) noexcept {
  std::shared_ptr<Loaded> last;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = loaded_.find(image);
    if (found == loaded_.end() || --found->second->users > 0) return;
    last = std::move(found->second);
    loaded_.erase(found);
  }
  if (last->module != nullptr) driver_.cuModuleUnload(last->module);
}

void CudaModules::load(const CudaImage& image, Loaded& loaded) const {
  const std::string what = "loading the kernel " + image.name();
  CUmodule module = nullptr;
  driver_.check(driver_.cuModuleLoadData(&module, image.bytes().data()), "cuModuleLoadData", what);
  try {
    Function function;
    driver_.check(driver_.cuModuleGetFunction(&function.handle, module, image.name().c_str()),
                  "cuModuleGetFunction", what);
    function.parameters = count_parameters(driver_, function.handle, what);
    loaded.function = function;
    loaded.module = module;
  } catch (...) {
    driver_.cuModuleUnload(module);
    throw;
  }
}

}  // namespace tutti::runtime

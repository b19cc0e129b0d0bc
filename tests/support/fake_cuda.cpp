#include "tests/support/fake_cuda.h"

#include <tutti/runtime/dylib/nvrtc.h>

#include <array>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tutti::test {

namespace {

runtime::SharedLibrary open(std::string_view name) {
  const std::array folders = {FakeCuda::folder()};
  const std::array names = {name};
  runtime::SharedLibrary library(folders, names);
  if (!library.is_open()) throw std::runtime_error("no double of CUDA: " + library.tried());
  return library;
}

std::vector<std::byte> compile(const std::string& name, const std::string& text,
                               const std::string& target) {
  const runtime::Nvrtc nvrtc(open("libnvrtc.so.13"));
  nvrtcProgram program = nullptr;
  nvrtc.nvrtcCreateProgram(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
  const std::string architecture = "--gpu-architecture=" + target;
  const std::array options = {architecture.c_str(), "--fmad=false"};
  std::size_t size = 0;
  std::vector<std::byte> bytes;
  std::string log;
  if (nvrtc.nvrtcCompileProgram(program, 2, options.data()) == NVRTC_SUCCESS) {
    nvrtc.nvrtcGetCUBINSize(program, &size);
    bytes.resize(size);
    nvrtc.nvrtcGetCUBIN(program, reinterpret_cast<char*>(bytes.data()));
  } else {
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    log.resize(size);
    nvrtc.nvrtcGetProgramLog(program, log.data());
  }
  nvrtc.nvrtcDestroyProgram(&program);
  if (bytes.empty()) throw std::runtime_error(log);
  return bytes;
}

}  // namespace

std::string FakeCuda::folder() { return TUTTI_BINARY_DIR "/fake_cuda"; }

FakeCuda::FakeCuda(const FakeCudaSetup& setup) : library_(open("libcuda.so.1")) {
  control<decltype(fake_cuda_reset)>("fake_cuda_reset")(&setup);
}

const runtime::CudaDriver& FakeCuda::driver() {
  if (driver_ == nullptr) driver_ = std::make_unique<runtime::CudaDriver>(open("libcuda.so.1"));
  return *driver_;
}

template <class Function>
Function* FakeCuda::control(const char* name) const {
  auto* const function = reinterpret_cast<Function*>(library_.symbol(name));
  if (function == nullptr) throw std::runtime_error(std::string("no function ") + name);
  return function;
}

void FakeCuda::fail(const char* function, int nth, CUresult result) const {
  control<decltype(fake_cuda_fail)>("fake_cuda_fail")(function, nth, result);
}
void FakeCuda::deinitialize() const {
  control<decltype(fake_cuda_deinitialize)>("fake_cuda_deinitialize")();
}
void FakeCuda::isolate() const { control<decltype(fake_cuda_isolate)>("fake_cuda_isolate")(); }
std::string FakeCuda::calls() const {
  return control<decltype(fake_cuda_calls)>("fake_cuda_calls")();
}
std::string FakeCuda::operations() const {
  return control<decltype(fake_cuda_operations)>("fake_cuda_operations")();
}
std::string FakeCuda::complaints() const {
  return control<decltype(fake_cuda_complaints)>("fake_cuda_complaints")();
}
std::string FakeCuda::left() const { return control<decltype(fake_cuda_left)>("fake_cuda_left")(); }

std::shared_ptr<const runtime::CudaImage> FakeCuda::image(const std::string& name,
                                                          const std::string& text,
                                                          const std::string& target) {
  static std::map<std::string, std::vector<std::byte>> compiled;
  auto& bytes = compiled[target + text];
  if (bytes.empty()) bytes = compile(name, text, target);
  return std::make_shared<const runtime::CudaImage>(name, bytes);
}

}  // namespace tutti::test

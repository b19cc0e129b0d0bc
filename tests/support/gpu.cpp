#include "tests/support/gpu.h"

#include <tutti/codegen/driver/compile.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

namespace tutti::test {

namespace {

// Before anybody reads the settings.
[[maybe_unused]] const bool chosen = [] {
  const char* const real = std::getenv("TUTTI_TEST_GPU");
  if (real == nullptr || std::string_view(real) != "real") {
    setenv("TUTTI_CUDA_LIBRARIES", TUTTI_BINARY_DIR "/fake_cuda", 0);
  }
  return true;
}();

bool loads_kernels = false;

using BufferPtr = std::shared_ptr<runtime::Buffer>;

BufferPtr buffer_of(runtime::Context& context, const ir::Array& array, Device device) {
  const std::span<const std::byte> bytes = array.bytes();
  if (device.is_cpu() || device.is_any()) {  // numbers lie on the host
    BufferPtr buffer = context.allocator.allocate(bytes.size());
    std::memcpy(buffer->data(), bytes.data(), bytes.size());
    return buffer;
  }
  runtime::Accelerator& gpu = context.accelerator(device);
  BufferPtr buffer = gpu.memory().allocate(bytes.size());
  gpu.copy_in(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

ir::Array array_of(runtime::Context& context, const codegen::Executable::Result& result) {
  ir::Array array(result.type.dtype, result.type.shape);
  const BufferPtr buffer = result.wait();
  const std::span<std::byte> bytes = array.bytes();
  if (result.type.device.is_cpu() || result.type.device.is_any()) {
    std::memcpy(bytes.data(), buffer->data(), bytes.size());
  } else {
    context.accelerator(result.type.device).copy_out(bytes.data(), buffer->data(), bytes.size());
  }
  return array;
}

}  // namespace

bool has_gpu() {
  loads_kernels = true;
  return TUTTI_HAS_CUDA != 0;
}

std::vector<ir::Array> run_on_gpu(const ir::Graph& graph, const std::vector<ir::Array>& inputs) {
  runtime::Context context(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 1);
  const auto executable = codegen::compile(graph, context);
  std::vector<BufferPtr> buffers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    buffers.push_back(
        buffer_of(context, inputs[i], graph.type(graph.parameters()[i].value).device));
  }
  std::vector<ir::Array> first;
  for (int run = 0; run < 4; ++run) {
    std::vector<ir::Array> results;
    for (const auto& result : executable->run(buffers)) {
      results.push_back(array_of(context, result));
    }
    if (run == 0) {
      first = std::move(results);
    } else {
      EXPECT_EQ(results.size(), first.size());
      for (std::size_t i = 0; i < first.size(); ++i) {
        const auto a = first[i].bytes();
        const auto b = results[i].bytes();
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()))
            << "result " << i << " of run " << run << " differs from that of run 0";
      }
    }
  }
  return first;
}

}  // namespace tutti::test

#if defined(__SANITIZE_ADDRESS__)
// The search for leaks crashes on the thread-local memory of kernels that were loaded at run time;
// the double of the driver looks for what was not freed by itself.
extern "C" int __lsan_is_turned_off();  // NOLINT: the sanitizer's name for it
extern "C" int __lsan_is_turned_off() { return tutti::test::loads_kernels ? 1 : 0; }  // NOLINT
#endif

#include "tests/codegen/nvrtc_testing.h"

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/ir/support/error.h>

#if TUTTI_HAS_CUDA

namespace tutti::codegen::kernel_testing {

std::string nvrtc_refusal(const Kernel& kernel, std::string_view target) {
  const cuda::Source source = cuda::emit_kernel(kernel);
  constexpr std::int64_t kSharedBytes = 48 << 10;
  try {
    const cuda::Compiled compiled = cuda::compile_source(source, target);
    if (compiled.log.find("warning") != std::string::npos) return compiled.log + source.text;
    if (compiled.use.shared_bytes > kSharedBytes) return "too much shared memory\n" + source.text;
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tutti::codegen::kernel_testing

#endif

#include <tutti/codegen/build_id.h>
#include <tutti/codegen/cuda/compile.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/codegen/time_text.h>
#include <tutti/runtime/cuda/kernel.h>
#include <tutti/runtime/log.h>

#include <chrono>
#include <string>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

using runtime::CudaImage;
using runtime::CudaKernel;
using runtime::DiskCache;
using Code = std::shared_ptr<const runtime::DeviceCode>;
using Clock = std::chrono::steady_clock;

Code code_of(const Source& source, std::vector<std::byte> cubin) {
  return std::make_shared<CudaKernel>(
      std::make_shared<const CudaImage>(source.name, std::move(cubin)),
      CudaKernel::Geometry{.grid = source.grid,
                           .block = source.block,
                           .workspace_bytes = static_cast<std::size_t>(source.workspace_bytes)});
}

// The shape of the launch is not part of what is compiled.
Hash128 key_of(const Source& source, std::string_view target, std::string_view compiler) {
  return Hasher()
      .add(compiler)
      .add(build_id())
      .add(target)
      .add(source.name)
      .add(source.text)
      .finish();
}

std::string describe(const Source& source, const ResourceUse& use) {
  std::string out = source.name + ": " + std::to_string(use.registers) + " registers, " +
                    std::to_string(use.shared_bytes) + " bytes of shared memory";
  if (use.spill_stores + use.spill_loads > 0) {
    out += ", spills " + std::to_string(use.spill_stores) + " bytes and reads " +
           std::to_string(use.spill_loads);
  }
  return out;
}

}  // namespace

std::vector<Code> compile(std::span<const Source* const> sources, std::string_view target,
                          DiskCache* given) {
  DiskCache& cache = given != nullptr ? *given : DiskCache::shared();
  const runtime::Log& log = runtime::Log::process();
  const auto start = Clock::now();
  const std::string compiler = compiler_text();
  const std::string origin = compiler.substr(0, compiler.find(" --")) + ", " + std::string(target);
  std::vector<Code> codes(sources.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto stored = cache.get(key_of(*sources[i], target, compiler));
    if (stored) {
      const auto data = stored->data();
      codes[i] = code_of(*sources[i], {data.begin(), data.end()});
    } else {
      missing.push_back(i);
    }
  }
  for_each_in_parallel(missing.size(), [&](std::size_t n) {
    const Source& source = *sources[missing[n]];
    Compiled compiled;
    {
      const CompileSlot slot;
      compiled = compile_source(source, target);
    }
    if (log.takes(runtime::LogTopic::compile)) {
      log.write(runtime::LogTopic::compile, -1, describe(source, compiled.use));
    }
    cache.put(key_of(source, target, compiler), source.name, origin, compiled.cubin);
    codes[missing[n]] = code_of(source, std::move(compiled.cubin));
  });
  if (log.takes(runtime::LogTopic::compile)) {
    log.write(runtime::LogTopic::compile, -1,
              std::to_string(missing.size()) + " of " + std::to_string(sources.size()) +
                  " kernels compiled by " + origin + ", the others found on disk, in " +
                  text_of(Clock::now() - start));
  }
  return codes;
}

}  // namespace tutti::codegen::cuda

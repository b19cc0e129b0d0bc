#if TUTTI_HAS_ONEDNN

#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/onednn.h>

#include <dlfcn.h>

namespace tutti::kernels {

const dnnl::engine& onednn_engine() {
  static const auto* const cpu = [] {
    // A machine with AVX2 may have some more that counts, so that only a limit is one.
    const InstructionSet most = instruction_set_limit();
    if (most == InstructionSet::avx2) dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    if (most == InstructionSet::baseline) dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41);
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *cpu;
}

// Looked up by name: see the class.
const OpenMpThreads::Functions& OpenMpThreads::functions() {
  static const Functions found = [] {
    Functions openmp;
    openmp.get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    openmp.set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    return openmp.get != nullptr && openmp.set != nullptr ? openmp : Functions();
  }();
  return found;
}

}  // namespace tutti::kernels

#endif

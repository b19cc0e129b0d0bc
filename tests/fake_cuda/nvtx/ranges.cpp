#include <cstdio>
#include <cstdlib>
#include <string>

#pragma GCC visibility push(default)
#include <nvtx3/nvToolsExt.h>

// A profiler that listens to NVTX (NVTX_INJECTION64_PATH): it writes the names of ranges into the
// file of TUTTI_TEST_RANGES, each line as far to the right as the range is deep.
extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
#pragma GCC visibility pop

namespace {

thread_local std::size_t g_depth = 0;

int push(const char* name) {
  static std::FILE* const file = std::fopen(std::getenv("TUTTI_TEST_RANGES"), "w");
  std::fprintf(file, "%s%s\n", std::string(g_depth, ' ').c_str(), name);
  std::fflush(file);
  return static_cast<int>(g_depth++);
}

int pop() { return static_cast<int>(--g_depth); }

}  // namespace

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

#pragma once

#include <tutti/runtime/dylib/shared_library.h>

#include <cstddef>
#include <string>

#include <cublasLt.h>

// The functions of cuBLASLt that Tutti calls.
#define TUTTI_CUBLASLT_FUNCTIONS(X)       \
  X(cublasLtGetVersion)                   \
  X(cublasLtGetStatusName)                \
  X(cublasLtGetStatusString)              \
  X(cublasLtCreate)                       \
  X(cublasLtDestroy)                      \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatrixLayoutSetAttribute)     \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmul)

namespace tutti::runtime {

// The library of matrix products on NVIDIA's GPUs.
class CublasLt {
 public:
  // The one of this process, loaded at the first call. Throws EnvironmentError that says what is
  // missing and what to do.
  static const CublasLt& process();

  // Takes over a library; throws as process() does.
  explicit CublasLt(SharedLibrary library);

  const SharedLibrary& library() const { return library_; }
  // "13.0.2"
  std::string version() const;

  // Throws EnvironmentError if a call failed: "cublasLtMatmul failed: CUBLAS_STATUS_...". `more` is
  // put behind it.
  void check(cublasStatus_t status, const char* call, const std::string& more = {}) const {
    if (status != CUBLAS_STATUS_SUCCESS) fail(status, call, more);
  }
  [[noreturn]] void fail(cublasStatus_t status, const char* call,
                         const std::string& more = {}) const;

  // NOLINTBEGIN(readability-identifier-naming): their names are their library's
#define TUTTI_MEMBER(name) decltype(&::name) name = nullptr;
  TUTTI_CUBLASLT_FUNCTIONS(TUTTI_MEMBER)
#undef TUTTI_MEMBER
  // NOLINTEND(readability-identifier-naming)

 private:
  SharedLibrary library_;
};

// That of this process, see open_library_of_cuda.
SharedLibrary open_cublaslt(int driver_version);

}  // namespace tutti::runtime

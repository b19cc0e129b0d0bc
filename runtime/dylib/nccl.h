#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/dylib/shared_library.h>

#include <cstddef>
#include <string>

#include <cuda.h>

// What Tutti uses of NCCL, as its library has it since 2.18: builds need no header of NCCL's, which
// CUDA does not bring along. tests/runtime/cuda/nccl_abi_test.cpp compares it with the real one.
namespace tutti::runtime::nccl {

struct Communicator;  // ncclComm
struct Window;        // ncclWindow_vidmem

enum class Result : int {
  success = 0,
  unhandled_cuda_error = 1,
  system_error = 2,
  internal_error = 3,
  invalid_argument = 4,
  invalid_usage = 5,
  remote_error = 6,
  in_progress = 7,
  timeout = 8,  // since 2.30
};
enum class DataType : int {
  i8 = 0,
  u8 = 1,
  i32 = 2,
  u32 = 3,
  i64 = 4,
  u64 = 5,
  f16 = 6,
  f32 = 7,
  f64 = 8,
  bf16 = 9,
};
// Of a window that all members register, at one offset of it for one call.
inline constexpr int kWindowOfAllMembers = 1;
enum class Operation : int { sum = 0, product = 1, max = 2, min = 3 };

inline constexpr std::size_t kUniqueIdBytes = 128;
struct UniqueId {
  char bytes[kUniqueIdBytes];
};

// The beginning of ncclConfig_t; `size` tells the library that there is no more.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 0;  // that of the library
  int blocking = 0;
  int cga_cluster_size = kUndefined;
  int min_ctas = kUndefined;
  int max_ctas = kUndefined;
  const char* net_name = nullptr;
  int split_share = kUndefined;
  int traffic_class = kUndefined;  // since 2.25; before it was padding

  static constexpr int kUndefined = -2147483647 - 1;
};

}  // namespace tutti::runtime::nccl

// The functions of NCCL that Tutti calls: the result's type, the name, the parameters.
#define TUTTI_NCCL_FUNCTIONS(X)                                                                  \
  X(Result, ncclGetVersion, (int*))                                                              \
  X(const char*, ncclGetErrorString, (Result))                                                   \
  X(const char*, ncclGetLastError, (Communicator*))                                              \
  X(Result, ncclGetUniqueId, (UniqueId*))                                                        \
  X(Result, ncclCommInitRankConfig, (Communicator**, int, UniqueId, int, Config*))               \
  X(Result, ncclCommGetAsyncError, (Communicator*, Result*))                                     \
  X(Result, ncclCommFinalize, (Communicator*))                                                   \
  X(Result, ncclCommDestroy, (Communicator*))                                                    \
  X(Result, ncclCommAbort, (Communicator*))                                                      \
  X(Result, ncclGroupStart, ())                                                                  \
  X(Result, ncclGroupEnd, ())                                                                    \
  X(Result, ncclAllReduce,                                                                       \
    (const void*, void*, std::size_t, DataType, Operation, Communicator*, CUstream))             \
  X(Result, ncclReduce,                                                                          \
    (const void*, void*, std::size_t, DataType, Operation, int, Communicator*, CUstream))        \
  X(Result, ncclBroadcast,                                                                       \
    (const void*, void*, std::size_t, DataType, int, Communicator*, CUstream))                   \
  X(Result, ncclAllGather, (const void*, void*, std::size_t, DataType, Communicator*, CUstream)) \
  X(Result, ncclReduceScatter,                                                                   \
    (const void*, void*, std::size_t, DataType, Operation, Communicator*, CUstream))             \
  X(Result, ncclSend, (const void*, std::size_t, DataType, int, Communicator*, CUstream))        \
  X(Result, ncclRecv, (void*, std::size_t, DataType, int, Communicator*, CUstream))

// Those that older libraries lack.
#define TUTTI_NCCL_NEWER_FUNCTIONS(X)                                                   \
  X(Result, ncclCommWindowRegister, (Communicator*, void*, std::size_t, Window**, int)) \
  X(Result, ncclCommWindowDeregister, (Communicator*, Window*))

namespace tutti::runtime {

// NCCL itself says that something failed.
class NcclError : public CommError {
  using CommError::CommError;
};

// NVIDIA's library of collectives between GPUs.
class Nccl {
 public:
  // The one of this process, loaded at the first call. Throws EnvironmentError that says what is
  // missing and what to do.
  static const Nccl& process();

  // Takes over a library; throws as process() does.
  explicit Nccl(SharedLibrary library);

  const SharedLibrary& library() const { return library_; }
  // 22809 is 2.28.9.
  int version() const { return version_; }
  static std::string version_text(int version);

  // Why memory can't be registered as windows with it; empty: it can. From 2.29.7 on: kernels of
  // older ones that use windows don't look whether they were aborted.
  std::string why_no_windows() const;

  // Throws NcclError where a call failed: "ncclAllReduce failed: unhandled cuda error (...)", with
  // what would be right where that is known. What is in progress has not failed.
  void check(nccl::Result result, const char* call, nccl::Communicator* communicator) const {
    if (result == nccl::Result::success || result == nccl::Result::in_progress) return;
    fail(result, call, communicator);
  }
  [[noreturn]] void fail(nccl::Result result, const char* call,
                         nccl::Communicator* communicator) const;

 private:
  using Communicator = nccl::Communicator;
  using Config = nccl::Config;
  using DataType = nccl::DataType;
  using Operation = nccl::Operation;
  using Result = nccl::Result;
  using UniqueId = nccl::UniqueId;
  using Window = nccl::Window;

 public:
  // NOLINTBEGIN(readability-identifier-naming): their names are their library's
#define TUTTI_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  TUTTI_NCCL_FUNCTIONS(TUTTI_MEMBER)
  TUTTI_NCCL_NEWER_FUNCTIONS(TUTTI_MEMBER)  // null where the library has none
#undef TUTTI_MEMBER
  // NOLINTEND(readability-identifier-naming)

 private:
  SharedLibrary library_;
  int version_ = 0;
};

// Where cuda_library_folders() has it.
SharedLibrary open_nccl();

}  // namespace tutti::runtime

// Our own declarations of NCCL beside a real header. tests/CMakeLists.txt has this compiled with
// each one that there is.

#include <tutti/runtime/dylib/nccl.h>

#include <cstddef>
#include <type_traits>

#include "../fake_cuda/nccl/persona.h"
#include <nccl.h>

namespace tutti::runtime::nccl {
namespace {

// ---- Numbers

template <class Own, class Real>
constexpr bool same(Own own, Real real) {
  return static_cast<int>(own) == static_cast<int>(real) && sizeof(Own) == sizeof(Real);
}

static_assert(same(Result::success, ncclSuccess));
static_assert(same(Result::unhandled_cuda_error, ncclUnhandledCudaError));
static_assert(same(Result::system_error, ncclSystemError));
static_assert(same(Result::internal_error, ncclInternalError));
static_assert(same(Result::invalid_argument, ncclInvalidArgument));
static_assert(same(Result::invalid_usage, ncclInvalidUsage));
static_assert(same(Result::remote_error, ncclRemoteError));
static_assert(same(Result::in_progress, ncclInProgress));
// There is no other.
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 3)
static_assert(same(Result::timeout, ncclTimeout));
static_assert(ncclNumResults == static_cast<int>(Result::timeout) + 1);
#else
static_assert(ncclNumResults == static_cast<int>(Result::in_progress) + 1);
#endif

static_assert(same(DataType::i8, ncclInt8) && same(DataType::u8, ncclUint8));
static_assert(same(DataType::i32, ncclInt32) && same(DataType::u32, ncclUint32));
static_assert(same(DataType::i64, ncclInt64) && same(DataType::u64, ncclUint64));
static_assert(same(DataType::f16, ncclFloat16) && same(DataType::f32, ncclFloat32));
static_assert(same(DataType::f64, ncclFloat64) && same(DataType::bf16, ncclBfloat16));
static_assert(same(Operation::sum, ncclSum) && same(Operation::product, ncclProd));
static_assert(same(Operation::max, ncclMax) && same(Operation::min, ncclMin));

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
static_assert(kWindowOfAllMembers == NCCL_WIN_COLL_SYMMETRIC);
#endif

// ---- Structures

static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId) && alignof(UniqueId) == 1);
static_assert(alignof(ncclUniqueId) == 1);
static_assert(offsetof(Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(Config, cga_cluster_size) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(offsetof(Config, min_ctas) == offsetof(ncclConfig_t, minCTAs));
static_assert(offsetof(Config, max_ctas) == offsetof(ncclConfig_t, maxCTAs));
static_assert(offsetof(Config, net_name) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(Config, split_share) == offsetof(ncclConfig_t, splitShare));
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 25, 0)
static_assert(offsetof(Config, traffic_class) == offsetof(ncclConfig_t, trafficClass));
static_assert(sizeof(Config) <= sizeof(ncclConfig_t));
#else
static_assert(sizeof(Config) == sizeof(ncclConfig_t));  // where the rest is padding
#endif
static_assert(offsetof(Config, traffic_class) + sizeof(int) == sizeof(Config));
static_assert(fake_cuda::nccl_config_bytes(NCCL_VERSION_CODE) == sizeof(ncclConfig_t));

constexpr ncclConfig_t kInitialised = NCCL_CONFIG_INITIALIZER;
static_assert(Config().magic == kInitialised.magic);
static_assert(Config::kUndefined == NCCL_CONFIG_UNDEF_INT);
static_assert(Config::kUndefined == kInitialised.blocking);

// ---- Functions

// What we call a type of theirs.
template <class T>
struct OwnOf {
  using type = T;
};
template <class T>
using Own = typename OwnOf<T>::type;
template <class T>
struct OwnOf<T*> {
  using type = Own<T>*;
};
template <class T, class... Parameters>
struct OwnOf<T(Parameters...)> {
  using type = Own<T>(Own<Parameters>...);
};
template <>
struct OwnOf<ncclResult_t> {
  using type = Result;
};
template <>
struct OwnOf<ncclDataType_t> {
  using type = DataType;
};
template <>
struct OwnOf<ncclRedOp_t> {
  using type = Operation;
};
template <>
struct OwnOf<ncclUniqueId> {
  using type = UniqueId;
};
template <>
struct OwnOf<ncclConfig_t> {
  using type = Config;
};
template <>
struct OwnOf<std::remove_pointer_t<ncclComm_t>> {
  using type = Communicator;
};

#define TUTTI_COMPARE(result, name, parameters) \
  static_assert(std::is_same_v<Own<decltype(::name)>, result parameters>, #name);

TUTTI_NCCL_FUNCTIONS(TUTTI_COMPARE)

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
template <>
struct OwnOf<std::remove_pointer_t<ncclWindow_t>> {
  using type = Window;
};

TUTTI_NCCL_NEWER_FUNCTIONS(TUTTI_COMPARE)
#endif

#undef TUTTI_COMPARE

}  // namespace
}  // namespace tutti::runtime::nccl

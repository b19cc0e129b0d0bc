// Our own declarations of NCCL beside the real ones, where there are any.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/nccl_calls.h>
#include <tutti/runtime/dylib/nccl.h>

#include <cstddef>
#include <optional>
#include <type_traits>

#include "tests/runtime/cuda/testing.h"

#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

namespace tutti::runtime::nccl_abi_test {
namespace {

#if __has_include(<nccl.h>)

template <class Own, class Real>
constexpr bool same(Own own, Real real) {
  return static_cast<int>(own) == static_cast<int>(real) && sizeof(Own) == sizeof(Real);
}

static_assert(same(nccl::Result::success, ncclSuccess));
static_assert(same(nccl::Result::unhandled_cuda_error, ncclUnhandledCudaError));
static_assert(same(nccl::Result::system_error, ncclSystemError));
static_assert(same(nccl::Result::internal_error, ncclInternalError));
static_assert(same(nccl::Result::invalid_argument, ncclInvalidArgument));
static_assert(same(nccl::Result::invalid_usage, ncclInvalidUsage));
static_assert(same(nccl::Result::remote_error, ncclRemoteError));
static_assert(same(nccl::Result::in_progress, ncclInProgress));
static_assert(same(nccl::DataType::i8, ncclInt8) && same(nccl::DataType::u8, ncclUint8));
static_assert(same(nccl::DataType::i32, ncclInt32) && same(nccl::DataType::u32, ncclUint32));
static_assert(same(nccl::DataType::i64, ncclInt64) && same(nccl::DataType::u64, ncclUint64));
static_assert(same(nccl::DataType::f16, ncclFloat16) && same(nccl::DataType::f32, ncclFloat32));
static_assert(same(nccl::DataType::f64, ncclFloat64) && same(nccl::DataType::bf16, ncclBfloat16));
static_assert(same(nccl::Operation::sum, ncclSum) && same(nccl::Operation::product, ncclProd));
static_assert(same(nccl::Operation::max, ncclMax) && same(nccl::Operation::min, ncclMin));
static_assert(sizeof(nccl::UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(nccl::Config) <= sizeof(ncclConfig_t));
static_assert(offsetof(nccl::Config, size) == offsetof(ncclConfig_t, size));
static_assert(offsetof(nccl::Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(nccl::Config, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(nccl::Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(nccl::Config, cga_cluster_size) == offsetof(ncclConfig_t, cgaClusterSize));
static_assert(offsetof(nccl::Config, min_ctas) == offsetof(ncclConfig_t, minCTAs));
static_assert(offsetof(nccl::Config, max_ctas) == offsetof(ncclConfig_t, maxCTAs));
static_assert(offsetof(nccl::Config, net_name) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(nccl::Config, split_share) == offsetof(ncclConfig_t, splitShare));
static_assert(offsetof(nccl::Config, traffic_class) == offsetof(ncclConfig_t, trafficClass));
static_assert(offsetof(nccl::Config, traffic_class) + sizeof(int) == sizeof(nccl::Config));
static_assert(nccl::Config::kUndefined == NCCL_CONFIG_UNDEF_INT);

TEST(NcclAbi, TheConfigIsWhatTheHeaderInitialises) {
  const ncclConfig_t real = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(nccl::Config().magic, real.magic);
}

#endif

// Where there is the library: all functions are there, and without a GPU it says so.
TEST(NcclAbi, TheRealLibraryHasAllFunctions) {
  SharedLibrary library = open_nccl();
  if (!library.is_open()) {
    EXPECT_THAT(message_of<EnvironmentError>([&] { Nccl nccl(std::move(library)); }),
                testing::HasSubstr("there is no NCCL here: tried"));
    return;
  }
  const Nccl nccl(std::move(library));
  EXPECT_GE(nccl.version(), 21800);
  EXPECT_STREQ(nccl.ncclGetErrorString(nccl::Result::success), "no error");
}

TEST(NcclAbi, NumbersAreThoseOfOurHeader) {
  const auto same_number = [](auto of, auto number) {
    return nccl_number(of) == static_cast<int>(number);
  };
  EXPECT_TRUE(same_number(DType::i8, nccl::DataType::i8));
  EXPECT_TRUE(same_number(DType::u8, nccl::DataType::u8));
  EXPECT_TRUE(same_number(DType::i32, nccl::DataType::i32));
  EXPECT_TRUE(same_number(DType::u32, nccl::DataType::u32));
  EXPECT_TRUE(same_number(DType::i64, nccl::DataType::i64));
  EXPECT_TRUE(same_number(DType::u64, nccl::DataType::u64));
  EXPECT_TRUE(same_number(DType::f16, nccl::DataType::f16));
  EXPECT_TRUE(same_number(DType::f32, nccl::DataType::f32));
  EXPECT_TRUE(same_number(DType::f64, nccl::DataType::f64));
  EXPECT_TRUE(same_number(DType::bf16, nccl::DataType::bf16));
  EXPECT_TRUE(same_number(Reduction::sum, nccl::Operation::sum));
  EXPECT_TRUE(same_number(Reduction::product, nccl::Operation::product));
  EXPECT_TRUE(same_number(Reduction::max, nccl::Operation::max));
  EXPECT_TRUE(same_number(Reduction::min, nccl::Operation::min));
  for (const DType none : {DType::boolean, DType::i16, DType::u16, DType::f8_e5m2}) {
    EXPECT_EQ(nccl_number(none), std::nullopt);
  }
  EXPECT_EQ(nccl_number(Reduction::mean), std::nullopt);
}

TEST(NcclAbi, VersionsReadAsPeopleWriteThem) {
  EXPECT_EQ(Nccl::version_text(22809), "2.28.9");
  EXPECT_EQ(Nccl::version_text(23207), "2.32.7");
}

}  // namespace
}  // namespace tutti::runtime::nccl_abi_test

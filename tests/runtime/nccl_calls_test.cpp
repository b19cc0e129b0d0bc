#include <tutti/runtime/comm/nccl_calls.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// What goes to NCCL, and what through the host.
namespace tutti::runtime::nccl_calls_test {
namespace {

CollectiveCall call_of(CollectiveKind kind, Reduction reduction = Reduction::sum,
                       DType dtype = DType::f32) {
  CollectiveCall call{.kind = kind, .reduction = reduction, .dtype = dtype};
  call.parts = {{.elements = 12, .axis_size = 12}};
  return call;
}

// Extremes of floats are not among them: NCCL does not say that it keeps NaN.
TEST(NcclServes, ReductionsThatMeanTheSame) {
  const std::vector<DType> integers = {DType::i8,  DType::u8,  DType::i32,
                                       DType::u32, DType::i64, DType::u64};
  std::vector<DType> numbers = integers;
  numbers.insert(numbers.end(), {DType::f16, DType::bf16, DType::f32, DType::f64});
  const std::vector<std::pair<Reduction, std::vector<DType>>> served = {
      {Reduction::sum, numbers},  {Reduction::product, numbers}, {Reduction::min, integers},
      {Reduction::max, integers}, {Reduction::mean, {}},         {Reduction::bit_and, {}},
      {Reduction::bit_or, {}},    {Reduction::bit_xor, {}}};
  EXPECT_EQ(served.size(), kernels::kReductionNames.size());
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::reduce, CollectiveKind::reduce_scatter}) {
    for (const auto& [reduction, dtypes] : served) {
      for (int number = 0; number < kDTypeCount; ++number) {
        const auto dtype = static_cast<DType>(number);
        EXPECT_EQ(nccl_serves(call_of(kind, reduction, dtype), 2),
                  std::ranges::find(dtypes, dtype) != dtypes.end())
            << name_of(kind) << " " << name_of(reduction) << " " << name_of(dtype);
      }
    }
  }
}

TEST(NcclServes, MovesOfEveryDtype) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::gather, CollectiveKind::scatter,
        CollectiveKind::broadcast, CollectiveKind::all_to_all,
        CollectiveKind::collective_permute}) {
    for (int number = 0; number < kDTypeCount; ++number) {
      const auto dtype = static_cast<DType>(number);
      EXPECT_TRUE(nccl_serves(call_of(kind, Reduction::sum, dtype), 2))
          << name_of(kind) << " " << name_of(dtype);
    }
  }
}

TEST(NcclServes, NoScansMessagesAndBarriers) {
  EXPECT_FALSE(nccl_serves(call_of(CollectiveKind::scan_ranks), 2));
  EXPECT_FALSE(nccl_serves(call_of(CollectiveKind::send_recv), 2));
  EXPECT_FALSE(nccl_serves({.kind = CollectiveKind::barrier}, 2));
}

TEST(NcclServes, NobodyAlone) {
  EXPECT_FALSE(nccl_serves(call_of(CollectiveKind::all_reduce), 1));
  EXPECT_FALSE(nccl_serves(call_of(CollectiveKind::all_gather), 1));
  EXPECT_TRUE(nccl_serves(call_of(CollectiveKind::all_reduce), 64));
}

// Where a member's part is many pieces; of a list it is enough that one tensor's is.
TEST(NcclServes, PartsOfOnePiece) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::gather, CollectiveKind::scatter,
        CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    CollectiveCall call = call_of(kind);
    call.parts.push_back({.elements = 24, .outer = 2, .axis_size = 12});
    EXPECT_FALSE(nccl_serves(call, 2)) << name_of(kind);
    call.parts[1] = {.elements = 24, .axis_size = 12, .inner = 2};
    EXPECT_TRUE(nccl_serves(call, 2)) << name_of(kind);
  }
}

TEST(NcclServes, UnevenParts) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_gather, CollectiveKind::gather, CollectiveKind::scatter,
        CollectiveKind::reduce_scatter, CollectiveKind::all_to_all}) {
    CollectiveCall call = call_of(kind);
    call.parts[0].sizes = {5, 7};
    EXPECT_TRUE(nccl_serves(call, 2)) << name_of(kind);
  }
}

}  // namespace
}  // namespace tutti::runtime::nccl_calls_test

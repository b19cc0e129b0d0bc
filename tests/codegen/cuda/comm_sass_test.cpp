// What the machine code of kernels between GPUs has to hold, whatever compiler made it.

#include <tutti/codegen/cuda/comm_kernels.h>
#include <tutti/codegen/cuda/fused_comm.h>
#include <tutti/codegen/cuda/nvrtc.h>
#include <tutti/codegen/in_parallel.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/companion_kernels.h"
#include "tests/support/nvrtc.h"
#include "tests/support/sass.h"
#include <gmock/gmock.h>

namespace tutti::codegen::cuda::comm_sass_test {
namespace {

using kernel_testing::following;
using kernel_testing::leading;
using runtime::CommKernel;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Kind = CommKernel::Kind;
using Code = std::vector<std::string>;

// Of words: what others load with acquire, and what they stored with release. Packs have ".128".
constexpr const char* kFlagStore = "STG.E.STRONG.SYS";
constexpr const char* kFlagLoad = "LDG.E.STRONG.SYS";
// Of packs that go to all members by multicast memory.
constexpr const char* kMulticastStore = "STG.E.128.STRONG.SYS";

CommKernel kernel(Kind kind, DType dtype) {
  return {.kind = kind,
          .dtype = dtype,
          .reduction = runtime::Reduction::sum,
          .members = 4,
          .bytes_at_once = 16};
}

CommCompanion with(Kernel kernel, int shared = 0) {
  return {.kernel = std::move(kernel), .shared = shared};
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view each) { return text.starts_with(each); });
}

// Of memory that other blocks, GPUs or the host reach.
bool touches_memory(std::string_view operation) {
  return starts_with_any(operation, {"LD.", "LDG", "ST.", "STG", "ATOM.", "ATOMG", "RED"});
}
bool is_pack_load(std::string_view operation) {
  return starts_with_any(operation, {"LD.E.128", "LDG.E.128", "LDGMC."});
}

std::size_t first(const Code& code, const char* operation) {
  return static_cast<std::size_t>(std::ranges::find(code, operation) - code.begin());
}

// The flags stored without a fence of the whole system right in front, whoever comes there: neither
// memory nor a place to jump to is in between.
Code stores_without_a_fence(const Code& code) {
  Code out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] != kFlagStore) continue;
    std::size_t at = i;
    while (at > 0 && !touches_memory(code[at - 1]) && code[at - 1] != "label" &&
           !code[at - 1].starts_with("MEMBAR")) {
      --at;
    }
    const std::string before = at > 0 ? code[at - 1] : "the beginning";
    if (!before.starts_with("MEMBAR.") || !before.ends_with(".SYS")) out.push_back(before);
  }
  return out;
}

// The flags loaded behind which the caches are not invalidated before anything else happens.
Code loads_without_invalidation(const Code& code) {
  Code out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] != kFlagLoad) continue;
    std::size_t at = i + 1;
    while (at < code.size() && !touches_memory(code[at]) &&
           !starts_with_any(code[at], {"CCTL", "BRA", "BAR", "EXIT"})) {
      ++at;
    }
    const std::string behind = at < code.size() ? code[at] : "the end";
    if (behind != "CCTL.IVALL") out.push_back(behind);
  }
  return out;
}

// What holds of every kernel whose blocks meet so often.
void expect_meetings(const Code& code, std::ptrdiff_t meetings, bool is_led = false) {
  // The fence that others see, and what the release makes of itself.
  EXPECT_GE(std::ranges::count(code, "MEMBAR.SC.SYS"), meetings);
  EXPECT_LT(first(code, "MEMBAR.SC.SYS"), first(code, kFlagStore));
  EXPECT_GE(std::ranges::count(code, kFlagStore), meetings);
  EXPECT_THAT(stores_without_a_fence(code), IsEmpty());
  EXPECT_GE(std::ranges::count(code, kFlagLoad), meetings);
  EXPECT_THAT(loads_without_invalidation(code), IsEmpty());
  // What others write is loaded as such, and when they have come.
  EXPECT_THAT(code, Not(Contains(HasSubstr(".CONSTANT"))));
  EXPECT_TRUE(std::any_of(code.begin() + static_cast<std::ptrdiff_t>(first(code, kFlagLoad)),
                          code.end(), is_pack_load));
  if (is_led) return;  // by a kernel that loads its own operands before
  EXPECT_FALSE(std::any_of(code.begin(),
                           code.begin() + static_cast<std::ptrdiff_t>(first(code, kFlagLoad)),
                           is_pack_load));
}

class CommCodeOfNvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = test::why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
    if (const std::string why = test::why_no_nvdisasm(); !why.empty()) GTEST_SKIP() << why;
  }

  static Code code_of(const Source& source) {
    return test::sass_of(compile_source(source, GetParam()).cubin);
  }
  static std::vector<Code> codes_of(const std::vector<Source>& sources) {
    std::vector<Code> out(sources.size());
    for_each_in_parallel(sources.size(), [&](std::size_t i) { out[i] = code_of(sources[i]); });
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Targets, CommCodeOfNvrtc, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& target) { return target.param; });

TEST_P(CommCodeOfNvrtc, FencesItsFlagsAndLoadsWhatOthersWrite) {
  const std::vector<std::pair<Source, std::ptrdiff_t>> kernels = {
      {comm_kernel_source(kernel(Kind::all_reduce_one_shot, DType::f32)), 2},
      {comm_kernel_source(kernel(Kind::all_reduce_two_shot, DType::bf16)), 3},
      {comm_kernel_source(kernel(Kind::all_gather, DType::u8)), 2},
      {comm_kernel_source(kernel(Kind::reduce_scatter, DType::f64)), 2},
      {fused_comm_source(kernel(Kind::all_reduce_one_shot, DType::f32), {},
                         with(following(DType::f32, DType::f32, 1000, 64))),
       2},
      {fused_comm_source(kernel(Kind::all_gather, DType::u8), {},
                         with(following(DType::f16, DType::f32, 1000, 64))),
       2},
      {fused_comm_source(kernel(Kind::all_reduce_one_shot, DType::f32),
                         with(leading(DType::f32, DType::f32, 1000, 64), 3),
                         with(following(DType::f32, DType::f32, 1000, 64))),
       2},
  };
  std::vector<Source> sources;
  for (const auto& [source, meetings] : kernels) sources.push_back(source);
  const std::vector<Code> codes = codes_of(sources);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto& [source, meetings] = kernels[i];
    SCOPED_TRACE(source.name + " " + GetParam());
    expect_meetings(codes[i], meetings, source.name.find("_after_") != std::string::npos);
    EXPECT_TRUE(std::ranges::any_of(codes[i], is_pack_load));
    EXPECT_THAT(codes[i], Not(Contains(StartsWith("LDGMC"))));
  }
}

// Its addresses are two ways to the same memory, so that a fence stands beside each meeting and one
// at the end. What it sums is added in f32: of f16 and bf16, "ADD" alone would be in their own
// type.
TEST_P(CommCodeOfNvrtc, HasTheSwitchAddAndStore) {
  if (GetParam() == std::string("sm_80")) return;
  constexpr std::ptrdiff_t meetings = 2;
  constexpr std::ptrdiff_t fences = meetings + 3;
  const auto expect_code = [&](const Code& code) {
    expect_meetings(code, meetings);
    EXPECT_GE(std::ranges::count(code, "MEMBAR.SC.SYS"), fences);
  };
  const std::vector<std::pair<DType, std::string>> types = {
      {DType::f32, ".ADD.F32x4."}, {DType::f16, "ADD.F16x8."}, {DType::bf16, "ADD.BF16x8."}};
  std::vector<Source> sources;
  for (const auto& [dtype, text] : types) {
    sources.push_back(comm_kernel_source(kernel(Kind::all_reduce_multimem, dtype)));
    sources.push_back(comm_kernel_source(kernel(Kind::reduce_scatter_multimem, dtype)));
  }
  sources.push_back(comm_kernel_source(kernel(Kind::all_gather_multimem, DType::u8)));
  const std::vector<Code> codes = codes_of(sources);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [dtype, text] = types[i];
    for (const bool all : {true, false}) {
      const Code& code = codes[2 * i + (all ? 0 : 1)];
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + GetParam() + (all ? "" : ", a part"));
      expect_code(code);
      EXPECT_THAT(
          code, Contains(AllOf(StartsWith("LDGMC.E."), HasSubstr(text), EndsWith(".STRONG.SYS"))));
      const bool in_own_type = std::ranges::any_of(
          code, [](std::string_view each) { return each.starts_with("LDGMC.E.ADD."); });
      EXPECT_EQ(in_own_type, dtype == DType::f32);
      EXPECT_EQ(std::ranges::count(code, kMulticastStore) > 0, all);
    }
  }
  const Code& gather = codes.back();
  SCOPED_TRACE(std::string("all_gather_multimem ") + GetParam());
  expect_code(gather);
  EXPECT_THAT(gather, Contains(std::string(kMulticastStore)));
  EXPECT_THAT(gather, Not(Contains(StartsWith("LDGMC"))));
}

}  // namespace
}  // namespace tutti::codegen::cuda::comm_sass_test

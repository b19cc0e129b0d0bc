#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/stand_in_call.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/codegen/pair_plan.h"
#include "tests/support/collective_tensor.h"
#include <gmock/gmock.h>

namespace tutti::codegen::stand_in_call_test {
namespace {

using runtime::CollectiveCall;
using runtime::CollectiveKind;
using test::Bytes;
using test::Tensor;
using testing::HasSubstr;
using Reduce = runtime::Reduction;

constexpr int kMembers = 3;

const runtime::TransportEntry& nccl() { return *runtime::find_transport("nccl"); }

// ---- What comes of it, in place of the call

struct Case {
  CollectiveKind kind;
  Reduce reduction = Reduce::sum;
  DType dtype = DType::f32;
  kernels::ScanRange scan = {};
  Tensor tensor = {};

  CollectiveCall call(int member) const {
    const kernels::PartShape shape = tensor.shape(kind, member);
    runtime::TensorPart part{.elements = shape.elements, .sizes = tensor.sizes};
    if (kernels::has_axis(kind)) {
      part.outer = shape.outer;
      part.axis_size = shape.axis_size;
      part.inner = shape.inner;
    }
    return {.kind = kind,
            .reduction = reduction,
            .scan = scan,
            .dtype = dtype,
            .root = 1,
            .parts = {part}};
  }
  std::vector<Bytes> meaning(const std::vector<Bytes>& operands) const {
    return test::expected_results(kind, reduction, dtype, 1, tensor.shape(kind, 0), operands, {},
                                  tensor.splits, scan);
  }
  std::string text(int member) const {
    return describe(call(member)) + " " + std::string(name_of(reduction)) + " of " +
           std::string(name_of(dtype)) + ", member " + std::to_string(member);
  }
};

// [outer, size, inner] as [size, outer, inner].
Bytes with_axis_before(const Bytes& bytes, const kernels::PartShape& shape, DType dtype) {
  const auto row = static_cast<std::size_t>(shape.inner * size_of(dtype));
  Bytes out(bytes.size());
  for (std::int64_t o = 0; o < shape.outer; ++o) {
    for (std::int64_t a = 0; a < shape.axis_size; ++a) {
      const auto from = static_cast<std::size_t>(o * shape.axis_size + a);
      const auto to = static_cast<std::size_t>(a * shape.outer + o);
      std::memcpy(out.data() + to * row, bytes.data() + from * row, row);
    }
  }
  return out;
}

// What the members get from a stand-in that an engine carries out, of their operands.
std::vector<Bytes> carried_out(const std::vector<StandIn>& of, std::vector<Bytes> operands,
                               const Case& asked) {
  const CollectiveCall& call = of[0].call;
  const runtime::TensorPart& part = call.parts[0];
  test::Splits splits;
  for (int member = 0; member < kMembers; ++member) {
    const auto own = static_cast<std::size_t>(member);
    if (of[own].turns(0)) {
      operands[own] =
          with_axis_before(operands[own], asked.tensor.shape(asked.kind, member), asked.dtype);
    }
    if (call.kind == CollectiveKind::all_to_all && !part.sizes.empty()) {
      splits.push_back(of[own].call.parts[0].sizes);
    }
  }
  const kernels::PartShape shape{part.elements, part.outer, part.axis_size, part.inner, {}};
  return test::expected_results(call.kind, call.reduction, call.dtype, call.root, shape, operands,
                                {}, splits);
}

void expect_the_meaning(const Case& asked) {
  std::vector<StandIn> stand_ins;
  std::vector<Bytes> operands;
  for (int member = 0; member < kMembers; ++member) {
    const auto found = find_stand_in(asked.call(member), nccl(), kMembers, member, true);
    ASSERT_TRUE(found) << asked.text(member);
    EXPECT_NO_THROW(check_call(found->call, kMembers, member)) << asked.text(member);
    EXPECT_TRUE(nccl().serves(found->call, kMembers)) << asked.text(member);
    stand_ins.push_back(*found);
    operands.push_back(test::random_operand(asked.dtype,
                                            asked.tensor.shape(asked.kind, member).elements,
                                            static_cast<unsigned>(member)));
    EXPECT_EQ(fingerprint(found->call), fingerprint(stand_ins[0].call)) << asked.text(member);
  }
  std::vector<Bytes> come = carried_out(stand_ins, operands, asked);
  const std::vector<Bytes> expected = asked.meaning(operands);
  for (int member = 0; member < kMembers; ++member) {
    const auto own = static_cast<std::size_t>(member);
    const Kernel kernel =
        combining_kernel(*stand_ins[own].combination, stand_ins[own].results[0], asked.dtype);
    Bytes result(expected[own].size(), std::byte{0xA5});
    const std::array<void*, 2> buffers = {come[own].data(), result.data()};
    make_evaluator(kernel)->run(buffers.data(), 0, kernel.tiles());
    EXPECT_TRUE(test::without_payloads(asked.dtype, result) ==
                test::without_payloads(asked.dtype, expected[own]))
        << asked.text(member);
  }
}

// Bit for bit, as the host does.
TEST(StandIn, PiecesCombineToWhatTheCallMeans) {
  for (const DType dtype : test::kAllDTypes) {
    for (const Reduce reduction : test::reductions_of(dtype)) {
      for (const CollectiveKind kind :
           {CollectiveKind::all_reduce, CollectiveKind::reduce, CollectiveKind::reduce_scatter}) {
        expect_the_meaning({.kind = kind,
                            .reduction = reduction,
                            .dtype = dtype,
                            .tensor = test::even_tensor(kind, kMembers, 2, 5, 3)});
      }
      if (reduction == Reduce::mean) continue;
      for (const bool exclusive : {false, true}) {
        for (const bool reverse : {false, true}) {
          expect_the_meaning({.kind = CollectiveKind::scan_ranks,
                              .reduction = reduction,
                              .dtype = dtype,
                              .scan = {.exclusive = exclusive, .reverse = reverse},
                              .tensor = {.axis = 7}});
        }
      }
    }
  }
}

// One of them gets nothing.
TEST(StandIn, UnevenScattersGoByAnExchange) {
  for (const std::int64_t outer : {1, 4}) {
    std::int64_t share = 0;
    expect_the_meaning({.kind = CollectiveKind::reduce_scatter,
                        .reduction = Reduce::max,
                        .tensor = test::uneven_tensor(CollectiveKind::reduce_scatter, kMembers,
                                                      outer, 3, [&] { return share++ * 2; })});
  }
}

// ---- Which one it is

std::optional<StandIn> found(const CollectiveCall& call, bool in_order = false, int members = 2) {
  return find_stand_in(call, nccl(), members, 0, in_order);
}

TEST(StandIn, AMeanIsASumDividedOnceWhereTheEngineHasThat) {
  CollectiveCall mean{
      .kind = CollectiveKind::all_reduce, .reduction = Reduce::mean, .parts = {{.elements = 8}}};
  const auto sum = found(mean);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->call.kind, CollectiveKind::all_reduce);
  EXPECT_EQ(sum->call.reduction, Reduce::sum);
  EXPECT_EQ(sum->combination->count, 1);
  EXPECT_EQ(sum->combination->divisor, 2);
  EXPECT_EQ(combining_kernel(*sum->combination, sum->results[0], mean.dtype).name, "divide");
  for (const DType dtype : {DType::f16, DType::f8_e4m3fn}) {
    mean.dtype = dtype;
    EXPECT_EQ(found(mean)->call.kind, CollectiveKind::all_gather) << name_of(dtype);
  }
}

TEST(StandIn, WhatIsAlongALaterAxisIsGivenWithTheAxisFirst) {
  CollectiveCall gather{.kind = CollectiveKind::all_gather,
                        .parts = {{.elements = 24, .outer = 2, .axis_size = 3, .inner = 4},
                                  {.elements = 5, .outer = 1, .axis_size = 5, .inner = 1}}};
  const auto turned = found(gather);
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->call.parts[0].outer, 1);
  EXPECT_EQ(turned->call.parts[0].axis_size, 3);
  EXPECT_EQ(turned->call.parts[0].inner, 8);
  EXPECT_TRUE(turned->turns(0));
  EXPECT_FALSE(turned->turns(1));
  EXPECT_FALSE(turned->completes(1));
}

// Calls whose stand-ins are alike are other calls.
TEST(StandIn, MembersAgreeAboutWhatTheProgramCalls) {
  const auto fingerprint_of = [](Reduce reduction, CollectiveKind kind) {
    const CollectiveCall call{.kind = kind, .reduction = reduction, .parts = {{.elements = 8}}};
    return fingerprint(found(call)->call);
  };
  const std::uint64_t smallest = fingerprint_of(Reduce::min, CollectiveKind::all_reduce);
  EXPECT_EQ(fingerprint_of(Reduce::min, CollectiveKind::all_reduce), smallest);
  EXPECT_NE(fingerprint_of(Reduce::max, CollectiveKind::all_reduce), smallest);
  EXPECT_NE(fingerprint_of(Reduce::min, CollectiveKind::scan_ranks), smallest);
  const CollectiveCall sum{.kind = CollectiveKind::all_reduce, .parts = {{.elements = 8}}};
  EXPECT_NE(fingerprint_of(Reduce::mean, CollectiveKind::all_reduce), fingerprint(sum));
}

TEST(StandIn, WhatWouldFillTooMuchMemoryHasNone) {
  CollectiveCall largest{.kind = CollectiveKind::all_reduce,
                         .reduction = Reduce::max,
                         .parts = {{.elements = 8 << 20}}};  // f32, of two members: 64 MiB
  EXPECT_TRUE(found(largest));
  largest.parts.push_back({.elements = 1});
  EXPECT_FALSE(found(largest));
  EXPECT_FALSE(found(
      {.kind = CollectiveKind::all_reduce, .reduction = Reduce::max, .parts = {{.elements = 1}}},
      false, 65));
  // Nobody gets more than he gives.
  EXPECT_TRUE(found({.kind = CollectiveKind::reduce_scatter,
                     .reduction = Reduce::max,
                     .parts = {{.elements = 1 << 30, .axis_size = 1 << 30}}}));
}

TEST(StandIn, MessagesAndBarriersHaveNone) {
  EXPECT_FALSE(found({.kind = CollectiveKind::barrier}));
  EXPECT_FALSE(found({.kind = CollectiveKind::send_recv, .parts = {{.elements = 8}}}));
}

// ---- In plans

TEST(StandIn, AMeanIsDividedByAKernelThatFollowsTheSum) {
  const std::string plan = test::plan_of_pair(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "mean", group = @pair}
  %2 = wait(%1)
  return %2
)",
                                              "f32[8,16] on cuda:0");
  EXPECT_THAT(plan, HasSubstr("all_reduce \"all_reduce mean f32[8,16]\" over @pair by nccl ("));
  EXPECT_THAT(plan, HasSubstr("op = \"sum\""));
  EXPECT_THAT(plan, HasSubstr("then launch divide"));
}

TEST(StandIn, ExtremesOfFloatsAreGatheredAndCombined) {
  const std::string plan = test::plan_of_pair(R"(
  %0 = mul(%x, %x)
  %1 = all_reduce(%0) {op = "max", group = @pair}
  %2 = wait(%1)
  return %2
)",
                                              "f32[8,16] on cuda:0");
  EXPECT_THAT(plan, HasSubstr("all_gather \"all_reduce max f32[8,16]\" over @pair by nccl ("));
  EXPECT_THAT(plan, HasSubstr("parts = [128 = [1, 1, 128]]"));
  EXPECT_THAT(plan, HasSubstr("launch combine_max"));
}

// Behind the kernel that makes the operand and before the one that reads the result.
TEST(StandIn, TensorsAreTurnedAroundACallAlongALaterAxis) {
  const std::string plan = test::plan_of_pair(R"(
  %0 = mul(%x, %x)
  %1 = all_gather(%0) {axis = 1, group = @pair}
  %2 = wait(%1)
  return %2
)",
                                              "f32[8,32] on cuda:0");
  EXPECT_THAT(plan, HasSubstr("all_gather \"all_gather axis 1 f32[8,16]\" over @pair by nccl ("));
  EXPECT_THAT(plan, HasSubstr("parts = [128 = [1, 16, 8]]"));
  const std::size_t before = plan.find("call copy \"f32[16,8]\" (");
  const std::size_t start = plan.find("start w0");
  const std::size_t wait = plan.find("wait w0");
  const std::size_t behind = plan.find("call copy \"f32[8,32]\" (");
  EXPECT_LT(before, start) << plan;
  EXPECT_LT(start, wait) << plan;
  EXPECT_LT(wait, behind) << plan;
  EXPECT_NE(behind, plan.npos) << plan;
}

}  // namespace
}  // namespace tutti::codegen::stand_in_call_test

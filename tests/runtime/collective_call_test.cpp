#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/collective.h>

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::runtime::collective_call_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Kind = CollectiveKind;
using Sizes = std::vector<std::int64_t>;

constexpr Kind kTensorKinds[] = {
    Kind::all_reduce, Kind::reduce,        Kind::all_gather, Kind::gather,              //
    Kind::scatter,    Kind::broadcast,     Kind::all_to_all, Kind::collective_permute,  //
    Kind::send_recv,  Kind::reduce_scatter};

TensorPart tensor(std::int64_t outer, std::int64_t axis_size, std::int64_t inner, Sizes sizes = {},
                  Sizes receive_sizes = {}) {
  static const char somewhere = 0;
  return {.operand = &somewhere,
          .elements = outer * axis_size * inner,
          .outer = outer,
          .axis_size = axis_size,
          .inner = inner,
          .sizes = std::move(sizes),
          .receive_sizes = std::move(receive_sizes)};
}

CollectiveCall call_of(Kind kind, TensorPart part) { return {.kind = kind, .parts = {part}}; }

std::int64_t result_of(const CollectiveCall& call, int members, int position) {
  return result_elements(call, call.parts[0], members, position);
}

TEST(CollectiveCall, ResultsOfEqualParts) {
  const auto result = [](Kind kind, int position) {
    return result_of(call_of(kind, tensor(2, 4, 3)), 2, position);
  };
  for (const int position : {0, 1}) {
    for (const Kind kind : {Kind::all_reduce, Kind::reduce, Kind::broadcast, Kind::all_to_all,
                            Kind::collective_permute}) {
      EXPECT_EQ(result(kind, position), 24) << name_of(kind);
    }
    for (const Kind kind : {Kind::all_gather, Kind::gather}) EXPECT_EQ(result(kind, position), 48);
    for (const Kind kind : {Kind::reduce_scatter, Kind::scatter}) {
      EXPECT_EQ(result(kind, position), 12);
    }
  }
  EXPECT_EQ(result(Kind::send_recv, 0), 0);
  EXPECT_EQ(result(Kind::send_recv, 1), 24);
}

TEST(CollectiveCall, ResultsOfUnevenParts) {
  for (const Kind kind : {Kind::all_gather, Kind::gather}) {
    EXPECT_EQ(result_of(call_of(kind, tensor(2, 1, 5, {1, 0, 6})), 3, 0), 2 * 7 * 5);
    EXPECT_EQ(result_of(call_of(kind, tensor(2, 0, 5, {1, 0, 6})), 3, 1), 2 * 7 * 5);
  }
  for (const Kind kind : {Kind::reduce_scatter, Kind::scatter}) {
    EXPECT_EQ(result_of(call_of(kind, tensor(2, 7, 5, {1, 0, 6})), 3, 0), 2 * 1 * 5);
    EXPECT_EQ(result_of(call_of(kind, tensor(2, 7, 5, {1, 0, 6})), 3, 1), 0);
  }
  EXPECT_EQ(result_of(call_of(Kind::all_to_all, tensor(2, 3, 5, {1, 2}, {1, 8})), 2, 0), 2 * 9 * 5);
}

TEST(CollectiveCall, TheFingerprintCoversWhatAllKindsMustAgreeOn) {
  const std::vector<std::function<void(CollectiveCall&)>> changes = {
      [](CollectiveCall& call) { call.dtype = DType::i32; },
      [](CollectiveCall& call) { call.agreement = 5; },
      [](CollectiveCall& call) { call.parts.push_back(call.parts[0]); },
      [](CollectiveCall& call) { call.parts[0].elements = 12; },
      [](CollectiveCall& call) { call.kind = Kind::barrier; },
  };
  for (const Kind kind : kTensorKinds) {
    const CollectiveCall base = call_of(kind, tensor(2, 4, 3));
    for (std::size_t i = 0; i < changes.size(); ++i) {
      CollectiveCall call = base;
      changes[i](call);
      EXPECT_NE(fingerprint(call), fingerprint(base)) << name_of(kind) << ", change " << i;
    }
  }
}

TEST(CollectiveCall, TheFingerprintCoversWhatHasAMeaningForTheKindAlone) {
  for (const Kind kind : kTensorKinds) {
    SCOPED_TRACE(name_of(kind));
    const CollectiveCall base = call_of(kind, tensor(2, 4, 3));
    const auto counts = [&](const std::function<void(CollectiveCall&)>& change) {
      CollectiveCall call = base;
      change(call);
      return fingerprint(call) != fingerprint(base);
    };
    EXPECT_EQ(counts([](CollectiveCall& call) { call.reduction = Reduction::max; }),
              kernels::reduces(kind));
    EXPECT_EQ(counts([](CollectiveCall& call) { call.root = 1; }), kernels::has_root(kind));
    EXPECT_EQ(counts([](CollectiveCall& call) { call.pairs = {{0, 1}}; }),
              kind == Kind::collective_permute);
    EXPECT_EQ(counts([](CollectiveCall& call) { call.scan.exclusive = true; }),
              kind == Kind::scan_ranks);
    EXPECT_EQ(counts([](CollectiveCall& call) { call.scan.reverse = true; }),
              kind == Kind::scan_ranks);
    EXPECT_EQ(counts([](CollectiveCall& call) { call.parts[0] = tensor(4, 2, 3); }),
              kernels::has_axis(kind));
    EXPECT_FALSE(counts([](CollectiveCall& call) {
      call.description = "something";
      call.location = std::source_location::current();
      call.parts[0].operand = &call;
    }));
  }
}

TEST(CollectiveCall, RanksWithDifferentSharesHaveOneFingerprint) {
  const auto print = [](Kind kind, TensorPart part) { return fingerprint(call_of(kind, part)); };
  for (const Kind kind : {Kind::all_gather, Kind::gather}) {
    const std::uint64_t agreed = print(kind, tensor(2, 1, 3, {1, 4}));
    EXPECT_EQ(print(kind, tensor(2, 4, 3, {1, 4})), agreed);
    EXPECT_NE(print(kind, tensor(2, 4, 3, {4, 1})), agreed);
    EXPECT_NE(print(kind, tensor(3, 4, 3, {1, 4})), agreed);
    EXPECT_NE(print(kind, tensor(2, 4, 2, {1, 4})), agreed);
    EXPECT_NE(print(kind, tensor(2, 1, 3)), agreed);
  }
  for (const Kind kind : {Kind::reduce_scatter, Kind::scatter}) {
    EXPECT_NE(print(kind, tensor(2, 5, 3, {1, 4})), print(kind, tensor(2, 5, 3, {2, 3})));
  }
  const std::uint64_t agreed = print(Kind::all_to_all, tensor(2, 5, 3, {1, 4}, {1, 2}));
  EXPECT_EQ(print(Kind::all_to_all, tensor(2, 8, 3, {2, 6}, {4, 6})), agreed);
  EXPECT_NE(print(Kind::all_to_all, tensor(3, 5, 3, {1, 4}, {1, 2})), agreed);
  EXPECT_NE(print(Kind::all_to_all, tensor(2, 5, 2, {1, 4}, {1, 2})), agreed);
  EXPECT_NE(print(Kind::all_to_all, tensor(2, 4, 3)), agreed);
}

TEST(CollectiveCall, SaysWhatItIsWhereNobodyElseDoes) {
  EXPECT_EQ(describe({.kind = Kind::barrier}), "barrier");
  EXPECT_EQ(describe({.kind = Kind::reduce,
                      .reduction = Reduction::bit_and,
                      .dtype = DType::i8,
                      .parts = {tensor(1, 4, 1), tensor(2, 3, 1)}}),
            "reduce and i8[4] i8[6]");
  EXPECT_EQ(describe({.kind = Kind::barrier, .description = "my barrier"}), "my barrier");
}

TEST(CollectiveCall, GoodCallsPass) {
  for (const Kind kind : kTensorKinds) {
    EXPECT_NO_THROW(check_call(call_of(kind, tensor(2, 4, 3)), 2, 1));
    EXPECT_NO_THROW(check_call(call_of(kind, tensor(2, 0, 3)), 2, 0));
  }
  EXPECT_NO_THROW(check_call({.kind = Kind::barrier}, 3, 0));
  for (const Kind kind : {Kind::all_gather, Kind::gather}) {
    EXPECT_NO_THROW(check_call(call_of(kind, tensor(2, 0, 3, {4, 0, 1})), 3, 1));
  }
  for (const Kind kind : {Kind::reduce_scatter, Kind::scatter}) {
    EXPECT_NO_THROW(check_call(call_of(kind, tensor(2, 5, 3, {4, 0, 1})), 3, 1));
  }
  EXPECT_NO_THROW(check_call(call_of(Kind::all_to_all, tensor(1, 5, 1, {4, 1}, {9, 1})), 2, 1));
  CollectiveCall ring = call_of(Kind::collective_permute, tensor(1, 5, 1));
  ring.pairs = {{0, 1}, {1, 2}, {2, 0}};
  EXPECT_NO_THROW(check_call(ring, 3, 0));
}

// The member at `position` of `members` gets a TypeError that names the call, its line and the
// rule.
void expect_refused(CollectiveCall call, int members, int position, const std::string& rule) {
  call.location = Location("folder/train.cpp", 41);
  try {
    check_call(call, members, position);
    FAIL() << "not refused: " << rule;
  } catch (const TypeError& error) {
    EXPECT_EQ(error.where(), call.location);
    EXPECT_THAT(error.what(), AllOf(StartsWith("train.cpp:41: "), HasSubstr(describe(call) + ": "),
                                    HasSubstr(rule)));
  }
}

TEST(CollectiveCall, WhatTheKindDoesNotHaveIsRefused) {
  CollectiveCall call = call_of(Kind::reduce, tensor(1, 4, 1));
  call.dtype = DType::i32;
  call.reduction = Reduction::mean;
  expect_refused(call, 2, 0, "\"mean\" has no meaning for i32");
  expect_refused(call_of(Kind::barrier, tensor(1, 4, 1)), 2, 0, "a barrier takes no tensors");
  expect_refused(call_of(Kind::send_recv, tensor(1, 4, 1)), 3, 0, "of two members");
  expect_refused(call_of(Kind::send_recv, tensor(1, 4, 1)), 1, 0, "of two members");
  expect_refused(call_of(Kind::all_reduce, tensor(1, 4, 1, {2, 2})), 2, 0, "has no axis");
  expect_refused(call_of(Kind::all_gather, tensor(1, 2, 1, {2, 2}, {2, 2})), 2, 0,
                 "receive_sizes are for all_to_all alone");
}

TEST(CollectiveCall, PositionsOutsideTheGroupAreRefused) {
  for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::gather, Kind::scatter}) {
    CollectiveCall call = call_of(kind, tensor(1, 4, 1));
    call.root = 2;
    expect_refused(call, 2, 0, "root 2 is not among the group's 2 members");
    call.root = -1;
    expect_refused(call, 2, 0, "root -1 is not among");
  }
  CollectiveCall permute = call_of(Kind::collective_permute, tensor(1, 4, 1));
  permute.pairs = {{0, 1}, {3, 0}};
  expect_refused(permute, 3, 0, "source 3 is not among the group's 3 members");
  permute.pairs = {{0, -1}};
  expect_refused(permute, 3, 0, "target -1 is not among");
  permute.pairs = {{0, 1}, {2, 2}, {0, 0}};
  expect_refused(permute, 3, 0, "position 0 sends twice");
  permute.pairs = {{0, 1}, {2, 1}};
  expect_refused(permute, 3, 0, "position 1 receives twice");
}

TEST(CollectiveCall, DimensionsThatDoNotFitAreRefused) {
  expect_refused(call_of(Kind::all_reduce, {.elements = -1}), 2, 0, "negative size");
  for (const Kind kind :
       {Kind::all_gather, Kind::gather, Kind::reduce_scatter, Kind::scatter, Kind::all_to_all}) {
    TensorPart part = tensor(2, 4, 3);
    part.elements = 25;
    expect_refused(call_of(kind, part), 2, 0, "outer * axis_size * inner is not");
    expect_refused(call_of(kind, tensor(-1, 4, -3)), 2, 0, "a dimension of negative size");
  }
  for (const Kind kind : {Kind::reduce_scatter, Kind::scatter, Kind::all_to_all}) {
    expect_refused(call_of(kind, tensor(2, 4, 3)), 3, 0, "do not divide the 4 of the axis");
  }
}

TEST(CollectiveCall, SizesThatDoNotAddUpAreRefused) {
  for (const Kind kind : {Kind::all_gather, Kind::gather}) {
    expect_refused(call_of(kind, tensor(1, 3, 1, {3, 4, 5})), 2, 0,
                   "sizes {3, 4, 5} should have one for each of the group's 2 members");
    expect_refused(call_of(kind, tensor(1, 3, 1, {3, -4})), 2, 0, "{3, -4} are not all at least 0");
    expect_refused(call_of(kind, tensor(1, 3, 1, {3, 4})), 2, 1,
                   "give position 1 4 of the axis; its operand has 3");
  }
  for (const Kind kind : {Kind::reduce_scatter, Kind::scatter}) {
    expect_refused(call_of(kind, tensor(1, 7, 1, {3})), 2, 0, "should have one for each");
    expect_refused(call_of(kind, tensor(1, 7, 1, {8, -1})), 2, 0, "not all at least 0");
    expect_refused(call_of(kind, tensor(1, 7, 1, {3, 3})), 2, 0,
                   "sizes {3, 3} do not add up to the 7 of the axis");
  }
  const auto exchange = [](Sizes sizes, Sizes receive_sizes) {
    return call_of(Kind::all_to_all, tensor(1, 7, 1, std::move(sizes), std::move(receive_sizes)));
  };
  expect_refused(exchange({3, 4}, {}), 2, 0, "receive_sizes {} should have one for each");
  expect_refused(exchange({}, {3, 4}), 2, 0, "sizes {} should have one for each");
  expect_refused(exchange({3, 4}, {3, -1}), 2, 0, "receive_sizes {3, -1} are not all at least 0");
  expect_refused(exchange({3, 3}, {3, 1}), 2, 0, "do not add up to the 7 of the axis");
  expect_refused(exchange({3, 4}, {3, 5}), 2, 1,
                 "position 1 sends itself 4 and receives 5 from itself");
}

TEST(CollectiveCall, WhoseOperandsAreRead) {
  for (const Kind kind : kTensorKinds) {
    SCOPED_TRACE(name_of(kind));
    CollectiveCall call = call_of(kind, tensor(2, 4, 3));
    call.root = 1;
    call.pairs = {{1, 0}};
    const bool one_gives = kind == Kind::broadcast || kind == Kind::scatter ||
                           kind == Kind::send_recv || kind == Kind::collective_permute;
    EXPECT_EQ(gives(call, 0) && gives(call, 1), !one_gives);
  }
}

TEST(CollectiveCall, MoreElementsThanCanBeCountedAreRefused) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const std::string rule = "more elements than can be counted";
  const void* const somewhere = &rule;
  const auto part = [&](std::int64_t outer, std::int64_t axis_size, std::int64_t inner,
                        std::int64_t elements) {
    return TensorPart{.operand = somewhere,
                      .elements = elements,
                      .outer = outer,
                      .axis_size = axis_size,
                      .inner = inner};
  };
  for (const Kind kind : kTensorKinds) {
    SCOPED_TRACE(name_of(kind));
    EXPECT_NO_THROW(check_call(call_of(kind, part(1, kLarge, 1, kLarge)), 2, 0));
    expect_refused(call_of(kind, part(1, kHuge, 1, kHuge)), 2, 0, rule);  // of four bytes each
    CollectiveCall list = call_of(kind, part(1, kHuge / 16, 1, kHuge / 16));
    EXPECT_NO_THROW(check_call(list, 2, 0));
    list.parts.resize(16, list.parts[0]);
    expect_refused(list, 2, 0, rule);
    if (!kernels::has_axis(kind)) continue;
    // Taken modulo 2^64, the dimensions would fit.
    expect_refused(call_of(kind, part(kLarge, kLarge, 2, 0)), 2, 0, rule);
    if (kind == Kind::all_to_all) {
      expect_refused(call_of(kind, tensor(1, 2, 1, {1, 1}, {1, kHuge})), 2, 0, rule);
    } else {
      expect_refused(call_of(kind, tensor(1, 2, 1, {2, kHuge, kHuge})), 3, 0, rule);
    }
  }
}

}  // namespace
}  // namespace tutti::runtime::collective_call_test

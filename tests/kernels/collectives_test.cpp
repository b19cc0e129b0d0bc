#include <tutti/kernels/host/collectives.h>
#include <tutti/kernels/host/reduce_elements.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/support/collective_reference.h"
#include <gtest/gtest.h>

namespace tutti::kernels::collectives_test {
namespace {

using test::Bytes;

// Of operands that are all zeros, whatever is computed looks right.
TEST(RandomOperand, IsNotConstantForAnyDType) {
  for (const DType dtype : test::kAllDTypes) {
    const auto size = static_cast<std::ptrdiff_t>(size_of(dtype));
    for (unsigned seed = 0; seed < 8; ++seed) {
      const Bytes operand = test::random_operand(dtype, 16, seed);
      EXPECT_FALSE(std::equal(operand.begin() + size, operand.end(), operand.begin()))
          << name_of(dtype) << " of seed " << seed;
    }
  }
}

TEST(ReduceElements, AgreesWithTheScalarSemanticsForEveryDType) {
  for (const DType dtype : test::kAllDTypes) {
    for (const Reduction reduction : test::reductions_of(dtype)) {
      for (const int members : {1, 2, 3, 5}) {
        for (const std::int64_t elements : {0, 1, 31, 1024, 2500}) {
          std::vector<Bytes> operands;
          std::vector<const void*> sources;
          for (int member = 0; member < members; ++member) {
            operands.push_back(
                test::random_operand(dtype, elements, static_cast<unsigned>(member)));
          }
          for (const Bytes& operand : operands) sources.push_back(operand.data());
          Bytes first(test::bytes_of(dtype, elements));
          Bytes second = first;
          const std::array<void*, 2> results = {first.data(), second.data()};
          reduce_elements(reduction, dtype)(sources.data(), members, results.data(), 2, elements);
          EXPECT_EQ(test::without_payloads(dtype, first),
                    test::without_payloads(dtype, test::reduced(reduction, dtype, operands)))
              << name_of(reduction) << " of " << members << " x " << name_of(dtype) << "["
              << elements << "]";
          EXPECT_EQ(first, second);
        }
      }
    }
  }
}

TEST(ReduceElements, AResultMayBeAnOperand) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    std::vector<Bytes> operands;
    for (unsigned member = 0; member < 3; ++member) {
      operands.push_back(test::random_operand(dtype, 5000, member));
    }
    const Bytes expected = test::reduced(Reduction::sum, dtype, operands);
    const std::array<const void*, 3> sources = {operands[0].data(), operands[1].data(),
                                                operands[2].data()};
    const std::array<void*, 2> results = {operands[1].data(), operands[2].data()};
    reduce_elements(Reduction::sum, dtype)(sources.data(), 3, results.data(), 2, 5000);
    EXPECT_EQ(test::without_payloads(dtype, operands[1]), test::without_payloads(dtype, expected));
    EXPECT_EQ(operands[1], operands[2]);
  }
}

TEST(ReduceElements, HasNoMeaningWhereTheIrHasNone) {
  EXPECT_EQ(reduce_elements(Reduction::mean, DType::i32), nullptr);
  EXPECT_EQ(reduce_elements(Reduction::bit_and, DType::f32), nullptr);
  EXPECT_EQ(reduce_elements(Reduction::sum, DType::boolean), nullptr);
  EXPECT_NE(reduce_elements(Reduction::bit_xor, DType::boolean), nullptr);
  EXPECT_EQ(reduction_from_name("and"), Reduction::bit_and);
  EXPECT_EQ(reduction_from_name("average"), std::nullopt);
}

class GroupPageTest : public testing::Test {
 protected:
  GroupPageTest() { GroupPage::initialise(memory_.get(), 3); }

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> memory_{
      static_cast<std::byte*>(::operator new(GroupPage::bytes(3), std::align_val_t{64}))};
  GroupPage page_{memory_.get(), 3};
};

TEST_F(GroupPageTest, ARecordArrivesInItsTurnOfTheRing) {
  EXPECT_FALSE(page_.arrived(1, 1));
  page_.publish(1, 1, {.fingerprint = 77, .place = {8, 16}, .recorded = 5});
  EXPECT_TRUE(page_.arrived(1, 1));
  EXPECT_FALSE(page_.arrived(0, 1));
  EXPECT_FALSE(page_.arrived(1, 1 + kRingSlots));
  EXPECT_EQ(page_.record(1, 1).fingerprint, 77U);
  EXPECT_EQ(page_.record(1, 1).operand, 8U);
  EXPECT_EQ(page_.record(1, 1).recorded, 5U);
}

TEST_F(GroupPageTest, DoneByAllIsTheSlowestMember) {
  page_.progress(0).done_through.store(7);
  page_.progress(1).done_through.store(kLeft);
  EXPECT_EQ(page_.done_by_all(), 0U);
  page_.progress(2).done_through.store(3);
  EXPECT_EQ(page_.done_by_all(), 3U);
}

TEST_F(GroupPageTest, WhatAMemberCompletedIsKnownWhenItHasLeft) {
  EXPECT_EQ(page_.completed_by(1), 0U);
  page_.progress(1).done_through.store(7);
  EXPECT_EQ(page_.completed_by(1), 7U);
  for (int time = 0; time < 2; ++time) {  // by two that saw it die
    page_.leave(1);
    EXPECT_EQ(page_.completed_by(1), 7U);
    EXPECT_EQ(page_.progress(1).done_through.load(), kLeft);
  }
  page_.leave(0);
  EXPECT_EQ(page_.completed_by(0), 0U);
}

TEST_F(GroupPageTest, TheFirstFailureStaysAndSparesWhatCameBefore) {
  EXPECT_FALSE(page_.failed(1000));
  page_.fail(5, "first", 1);
  EXPECT_FALSE(page_.failed(4));
  EXPECT_TRUE(page_.failed(5));
  page_.fail(2, "second", 0);
  EXPECT_TRUE(page_.failed(2));
  EXPECT_EQ(page_.failure_text(), "first");
}

// A page of a rank is large.
TEST(RankPage, SaysForWhomItsRankWaits) {
  const auto pages = std::make_unique<std::array<RankPage, 2>>();
  auto& [own, peer] = *pages;
  constexpr std::int64_t kRank = 130;
  EXPECT_TRUE(ask(own, peer, kRank));
  EXPECT_FALSE(ask(own, peer, kRank));  // for another group
  EXPECT_EQ(peer.waiting_peers.load(), 1U);
  EXPECT_EQ(own.asked[2].load(), std::uint64_t{1} << 2);
  stop_asking(own, peer, kRank);
  EXPECT_EQ(peer.waiting_peers.load(), 0U);
  EXPECT_EQ(own.asked[2].load(), 0U);
  EXPECT_EQ(own.waiting_peers.load(), 0U);
}

}  // namespace
}  // namespace tutti::kernels::collectives_test

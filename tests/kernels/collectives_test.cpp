#include <tutti/kernels/host/collective_run.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/kernels/host/reduce_elements.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>

#include "tests/runtime/collective_reference.h"
#include <gtest/gtest.h>

namespace tutti::kernels {
namespace {

using test::Bytes;

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

// A collective's operands and results, all ranks' in one place.
class WholeCollective {
 public:
  WholeCollective(CollectiveKind kind, Reduction reduction, DType dtype, int members,
                  std::vector<std::int64_t> sizes)
      : dtype_(dtype), members_(members) {
    for (const std::int64_t size : sizes) shapes_.push_back(test::shape_for(kind, size, members));
    const int root = members - 1;
    run_.reset(kind, reduction, dtype, root, members, shapes_);
    for (std::size_t part = 0; part < shapes_.size(); ++part) {
      std::vector<Bytes> operands;
      for (int member = 0; member < members; ++member) {
        operands.push_back(test::random_operand(dtype, shapes_[part].elements,
                                                static_cast<unsigned>(member + 100)));
      }
      expected_.push_back(
          test::expected_results(kind, reduction, dtype, root, shapes_[part], operands));
      operands_.push_back(std::move(operands));
      results_.emplace_back();
      for (int member = 0; member < members; ++member) {
        results_.back().emplace_back(expected_[part][static_cast<std::size_t>(member)].size());
      }
    }
    for (std::size_t part = 0; part < shapes_.size(); ++part) {
      for (int member = 0; member < members; ++member) {
        const auto at = static_cast<std::size_t>(member);
        run_.place(member, part, operands_[part][at].data(), results_[part][at].data());
      }
    }
  }

  void compute_one_shot() {
    for (int member = 0; member < members_; ++member) run_.compute_for(member);
  }
  void compute_in_chunks() {
    std::atomic<std::int64_t> claimed{0};
    EXPECT_EQ(run_.take_chunks(claimed), run_.chunks());
    EXPECT_EQ(run_.take_chunks(claimed), 0);
  }
  bool one_shot() const { return run_.one_shot(); }

  void expect_right() {
    for (std::size_t part = 0; part < shapes_.size(); ++part) {
      for (std::size_t member = 0; member < results_[part].size(); ++member) {
        EXPECT_EQ(test::without_payloads(dtype_, results_[part][member]),
                  test::without_payloads(dtype_, expected_[part][member]))
            << "part " << part << ", member " << member << " of " << members_;
        std::fill(results_[part][member].begin(), results_[part][member].end(), std::byte{0xAA});
      }
    }
  }

 private:
  DType dtype_;
  int members_;
  std::vector<PartShape> shapes_;
  std::vector<std::vector<Bytes>> operands_, results_, expected_;  // [part][member]
  CollectiveRun run_;
};

TEST(CollectiveRun, BothAlgorithmsComputeWhatTheReferenceDoes) {
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::broadcast}) {
    for (const DType dtype : {DType::i8, DType::bf16, DType::f32, DType::f64}) {
      for (const int members : {1, 2, 3, 8}) {
        for (const std::vector<std::int64_t>& sizes :
             {std::vector<std::int64_t>{0}, {1}, {700}, {20'000}, {5, 0, 12'345, 7, 9000}}) {
          SCOPED_TRACE(std::string(name_of(kind)) + " " + std::string(name_of(dtype)));
          WholeCollective whole(kind, Reduction::sum, dtype, members, sizes);
          whole.compute_one_shot();
          whole.expect_right();
          whole.compute_in_chunks();
          whole.expect_right();
        }
      }
    }
  }
}

TEST(CollectiveRun, ManySmallPartsShareChunks) {
  WholeCollective whole(CollectiveKind::all_reduce, Reduction::max, DType::f32, 2,
                        std::vector<std::int64_t>(500, 37));
  EXPECT_FALSE(whole.one_shot());
  whole.compute_in_chunks();
  whole.expect_right();
}

TEST(CollectiveRun, OneShotEndsAt64KiBOfOperands) {
  const auto one_shot = [](std::vector<std::int64_t> sizes) {
    return WholeCollective(CollectiveKind::all_reduce, Reduction::sum, DType::f32, 2, sizes)
        .one_shot();
  };
  EXPECT_TRUE(one_shot({16384}));
  EXPECT_FALSE(one_shot({16385}));
  EXPECT_FALSE(one_shot({8192, 8193}));
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
  page_.publish(1, 1, 77, {8, 16}, "barrier", "a.cpp:3");
  EXPECT_TRUE(page_.arrived(1, 1));
  EXPECT_FALSE(page_.arrived(0, 1));
  EXPECT_FALSE(page_.arrived(1, 1 + kRingSlots));
  EXPECT_EQ(page_.record(1, 1).fingerprint, 77U);
  EXPECT_STREQ(page_.description(1, 1).text.data(), "barrier (a.cpp:3)");
}

TEST_F(GroupPageTest, ALongDescriptionKeepsItsLine) {
  page_.publish(0, 5, 1, {0, 0}, std::string(500, 'x'), "train.cpp:41");
  const std::string text = page_.description(0, 5).text.data();
  EXPECT_EQ(text.size(), sizeof(Description) - 1);
  EXPECT_EQ(text.substr(text.size() - 17), "xx (train.cpp:41)");
}

TEST_F(GroupPageTest, DoneByAllIsTheSlowestMember) {
  page_.progress(0).done_through.store(7);
  page_.progress(1).done_through.store(kLeft);
  EXPECT_EQ(page_.done_by_all(), 0U);
  page_.progress(2).done_through.store(3);
  EXPECT_EQ(page_.done_by_all(), 3U);
}

TEST_F(GroupPageTest, TheFirstFailureStaysAndSparesWhatCameBefore) {
  EXPECT_FALSE(page_.failed(1000));
  page_.fail(5, "first");
  EXPECT_FALSE(page_.failed(4));
  EXPECT_TRUE(page_.failed(5));
  page_.fail(2, "second");
  EXPECT_TRUE(page_.failed(2));
  EXPECT_EQ(page_.failure_text(), "first");
}

}  // namespace
}  // namespace tutti::kernels

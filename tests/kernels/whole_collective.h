#pragma once

// Collectives carried out by CollectiveRun for all their members in one place, and compared with
// what collective_reference.h says they mean.

#include <tutti/kernels/host/collective_run.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/collective_reference.h"
#include "tests/support/collective_tensor.h"
#include <gtest/gtest.h>

namespace tutti::test {

using kernels::CollectiveKind;
using kernels::CollectiveRun;
using kernels::PartShape;
using kernels::Reduction;

struct Collective {
  CollectiveKind kind;
  Reduction reduction = Reduction::sum;
  DType dtype = DType::f32;
  int members = 2;
  int root = 0;
  std::vector<std::pair<int, int>> pairs = {};
  kernels::ScanRange scan = {};
};

// One rank's object for each position, used by all collectives of a test one after another.
using Runs = std::vector<CollectiveRun>;

// A collective's operands and results, all ranks' in one place.
class WholeCollective {
 public:
  WholeCollective(Collective call, std::vector<Tensor> tensors, Runs& runs)
      : call_(std::move(call)), tensors_(std::move(tensors)), runs_(runs) {
    runs_.resize(std::max(runs_.size(), static_cast<std::size_t>(call_.members)));
    shapes_.resize(static_cast<std::size_t>(call_.members));
    for (const Tensor& tensor : tensors_) {
      std::vector<Bytes> operands;
      for (int member = 0; member < call_.members; ++member) {
        shapes_[static_cast<std::size_t>(member)].push_back(tensor.shape(call_.kind, member));
        operands.push_back(random_operand(
            call_.dtype, shapes_[static_cast<std::size_t>(member)].back().elements,
            static_cast<unsigned>(member) + 100 * static_cast<unsigned>(operands_.size())));
      }
      expected_.push_back(expected_results(call_.kind, call_.reduction, call_.dtype, call_.root,
                                           shapes_[0].back(), operands, call_.pairs, tensor.splits,
                                           call_.scan));
      operands_.push_back(std::move(operands));
    }
  }

  // As ranks do up to 64 KiB: each for itself.
  void check_one_shot() {
    clear_results();
    for (int rank = 0; rank < call_.members; ++rank) {
      CollectiveRun& run = prepare(rank);
      place_results(run, rank, false);
      run.compute_for(rank);
    }
    expect_results("one-shot");
  }

  // As ranks do above: all take chunks at a time.
  void check_chunks() {
    clear_results();
    for (int rank = 0; rank < call_.members; ++rank) {
      place_results(prepare(rank), rank, true);
    }
    take_chunks();
    expect_results("chunks");
  }

  void check_common_result() {
    std::vector<Bytes> common;
    for (const auto& results : expected_) common.emplace_back(results[0].size(), std::byte{0xAA});
    for (int rank = 0; rank < call_.members; ++rank) {
      CollectiveRun& run = prepare(rank);
      for (std::size_t part = 0; part < common.size(); ++part) {
        run.place_common(part, common[part].data());
      }
    }
    take_chunks();
    for (std::size_t part = 0; part < common.size(); ++part) {
      expect_same(common[part], expected_[part][0],
                  "the common result of part " + std::to_string(part));
    }
  }

  // Chunks of members whose results are their operands.
  void check_in_place(int first, int last) {
    clear_results();
    for (int rank = 0; rank < call_.members; ++rank) {
      CollectiveRun& run = prepare(rank);
      place_results(run, rank, true);
      for (int member = first; member <= last; ++member) {
        Bytes& operand = operands_[0][static_cast<std::size_t>(member)];
        run.place(member, 0, operand.data(), operand.data());
      }
    }
    take_chunks();
    for (int member = first; member <= last; ++member) {
      const auto at = static_cast<std::size_t>(member);
      expect_same(operands_[0][at], expected_[0][at], "in place at " + std::to_string(member));
    }
  }

  CollectiveRun& prepare(int rank) {
    CollectiveRun& run = runs_[static_cast<std::size_t>(rank)];
    const std::vector<PartShape>& shapes = shapes_[static_cast<std::size_t>(rank)];
    run.reset(call_.kind, call_.reduction, call_.dtype, call_.root, call_.pairs, call_.members,
              shapes, call_.scan);
    for (std::size_t part = 0; part < shapes.size(); ++part) {
      for (int member = 0; member < call_.members; ++member) {
        const auto at = static_cast<std::size_t>(member);
        run.place(member, part, operand(part, member), nullptr);
        const Splits& splits = tensors_[part].splits;
        if (splits.empty()) continue;
        std::vector<std::int64_t> receives;  // gone after the call
        for (const auto& sends : splits) receives.push_back(sends[at]);
        run.split(member, part, splits[at], receives);
      }
    }
    return run;
  }

 private:
  static constexpr std::size_t kGuard = 16;  // bytes behind a result that stay as they are

  // Null where nobody reads it.
  const void* operand(std::size_t part, int member) const {
    const bool one_gives = call_.kind == CollectiveKind::broadcast ||
                           call_.kind == CollectiveKind::scatter ||
                           call_.kind == CollectiveKind::send_recv;
    if (one_gives && member != (call_.kind == CollectiveKind::send_recv ? 0 : call_.root))
      return nullptr;
    return operands_[part][static_cast<std::size_t>(member)].data();
  }

  // Whether a member's result is made of zeros that only it writes.
  bool gets_zeros(int member) const {
    if (call_.kind == CollectiveKind::reduce || call_.kind == CollectiveKind::gather)
      return member != call_.root;
    return call_.kind == CollectiveKind::collective_permute &&
           std::none_of(call_.pairs.begin(), call_.pairs.end(),
                        [&](const auto& pair) { return pair.second == member; });
  }

  void place_results(CollectiveRun& run, int rank, bool chunks) {
    for (std::size_t part = 0; part < tensors_.size(); ++part) {
      for (int member = 0; member < call_.members; ++member) {
        const bool touched = member == rank || (chunks && !gets_zeros(member));
        Bytes& result = results_[part][static_cast<std::size_t>(member)];
        const bool sender = call_.kind == CollectiveKind::send_recv && member == 0;
        run.place(member, part, operand(part, member),
                  touched && !sender ? result.data() : nullptr);
      }
    }
  }

  void take_chunks() {
    std::atomic<std::int64_t> claimed{0};
    std::atomic<std::int64_t> taken{0};
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < call_.members; ++rank) {
      ranks.emplace_back([&, rank, &run = runs_[static_cast<std::size_t>(rank)]] {
        taken += run.take_chunks(claimed);
        if (!results_.empty()) run.write_zeros(rank);
      });
    }
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(taken, runs_[0].chunks());
    EXPECT_EQ(runs_[0].take_chunks(claimed), 0);
  }

  void clear_results() {
    results_.clear();
    for (const auto& expected : expected_) {
      results_.emplace_back();
      for (const Bytes& bytes : expected) {
        results_.back().emplace_back(bytes.size() + kGuard, std::byte{0xAA});
      }
    }
  }

  void expect_same(const Bytes& result, const Bytes& expected, const std::string& what) const {
    EXPECT_TRUE(without_payloads(call_.dtype, result) == without_payloads(call_.dtype, expected))
        << name_of(call_.kind) << " " << name_of(call_.reduction) << " " << name_of(call_.dtype)
        << " of " << call_.members << ": " << what;
  }

  void expect_results(const std::string& how) {
    for (std::size_t part = 0; part < results_.size(); ++part) {
      for (std::size_t member = 0; member < results_[part].size(); ++member) {
        const std::string what =
            how + ", part " + std::to_string(part) + ", member " + std::to_string(member);
        Bytes& result = results_[part][member];
        const auto end = result.end() - static_cast<std::ptrdiff_t>(kGuard);
        EXPECT_TRUE(std::all_of(end, result.end(), [](std::byte b) {
          return b == std::byte{0xAA};
        })) << what;
        expect_same({result.begin(), end}, expected_[part][member], what);
      }
    }
  }

  Collective call_;
  std::vector<Tensor> tensors_;
  Runs& runs_;
  std::vector<std::vector<PartShape>> shapes_;                     // [rank][part]
  std::vector<std::vector<Bytes>> operands_, results_, expected_;  // [part][member]
};

// A collective of the kind, its root the last member; a permutation leaves the first one out.
inline Collective collective(CollectiveKind kind, DType dtype, int members) {
  Collective call{.kind = kind, .dtype = dtype, .members = members, .root = members - 1};
  call.reduction = reductions_of(dtype).front();
  if (kind == CollectiveKind::collective_permute) {
    for (int member = 0; member + 1 < members; ++member) {
      call.pairs.emplace_back((member + 1) % members, members - 1 - member);
    }
  }
  return call;
}

}  // namespace tutti::test

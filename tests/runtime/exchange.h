#pragma once

// A collective with the data of all its members, carried out by ranks of any fabric and compared
// with what collective_reference.h says it means.

#include <tutti/ir/support/hash.h>
#include <tutti/runtime/comm/host_backend.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/collective_reference.h"
#include "tests/support/collective_tensor.h"
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tutti::runtime {

using test::Bytes;
using test::Tensor;

enum class OperandPlace { ordinary, communication };
enum class ResultPlace { ordinary, communication, provided, in_place };

inline constexpr OperandPlace kOperandPlaces[] = {OperandPlace::ordinary,
                                                  OperandPlace::communication};
inline constexpr ResultPlace kResultPlaces[] = {ResultPlace::ordinary, ResultPlace::communication,
                                                ResultPlace::provided, ResultPlace::in_place};

struct ExchangeSpec {
  std::vector<std::int64_t> group;
  CollectiveKind kind;
  Reduction reduction = Reduction::sum;
  DType dtype = DType::f32;
  int root = 0;
  std::vector<std::pair<int, int>> pairs = {};
  kernels::ScanRange scan = {};
  std::vector<Tensor> tensors = {};
  OperandPlace operands = OperandPlace::ordinary;
  ResultPlace results = ResultPlace::ordinary;
};

class Exchange {
 public:
  explicit Exchange(ExchangeSpec the_spec) : spec(std::move(the_spec)) {
    for (const Tensor& tensor : spec.tensors) {
      std::vector<Bytes> of_part;
      for (int member = 0; member < members(); ++member) {
        of_part.push_back(
            test::random_operand(spec.dtype, tensor.shape(spec.kind, member).elements,
                                 static_cast<unsigned>(member + 100 * operands.size())));
      }
      expected.push_back(test::expected_results(spec.kind, spec.reduction, spec.dtype, spec.root,
                                                tensor.shape(spec.kind, 0), of_part, spec.pairs,
                                                tensor.splits, spec.scan));
      operands.push_back(std::move(of_part));
    }
  }

  int members() const { return static_cast<int>(spec.group.size()); }
  bool has_common_result() const { return kernels::has_common_result(spec.kind); }

  std::string text() const {
    std::string what = describe(call(0)) + " of " + std::to_string(members()) + " members";
    constexpr std::string_view kOperands[] = {"ordinary", "communication"};
    constexpr std::string_view kResults[] = {"ordinary", "communication", "provided", "in place"};
    what += ", operands " + std::string(kOperands[static_cast<std::size_t>(spec.operands)]);
    return what + ", results " + std::string(kResults[static_cast<std::size_t>(spec.results)]);
  }

  // The member's call, without places.
  CollectiveCall call(int member) const {
    CollectiveCall call{.kind = spec.kind,
                        .reduction = spec.reduction,
                        .scan = spec.scan,
                        .dtype = spec.dtype,
                        .root = spec.root,
                        .pairs = spec.pairs};
    const auto at = static_cast<std::size_t>(member);
    for (const Tensor& tensor : spec.tensors) {
      const kernels::PartShape shape = tensor.shape(spec.kind, member);
      TensorPart part{.elements = shape.elements,
                      .outer = shape.outer,
                      .axis_size = shape.axis_size,
                      .inner = shape.inner,
                      .sizes = tensor.sizes};
      if (!tensor.splits.empty()) {
        part.sizes = tensor.splits[at];
        for (const auto& sends : tensor.splits) part.receive_sizes.push_back(sends[at]);
      }
      call.parts.push_back(std::move(part));
    }
    return call;
  }

  ExchangeSpec spec;
  std::vector<std::vector<Bytes>> operands, expected;  // [part][member]
};

// One rank's part in an exchange, under way.
class ExchangeOnRank {
 public:
  ExchangeOnRank(const Exchange& exchange, Backend& backend, const std::string& tag,
                 const std::string& engine)
      : exchange_(exchange) {
    const auto group = backend.communicator(exchange.spec.group, tag, engine);
    member_ = group->position();
    CollectiveCall call = exchange.call(member_);
    std::vector<std::shared_ptr<Buffer>> keep_alive;
    for (std::size_t part = 0; part < call.parts.size(); ++part) {
      place(call.parts[part], part, backend);
      keep_alive.insert(keep_alive.end(), {operands_[part], results_[part]});
    }
    work_ = group->start(std::move(call), std::move(keep_alive));
  }

  // Waits and compares. Returns a digest of the results' bits.
  std::uint64_t finish() {
    work_->wait();
    Hasher digest;
    for (std::size_t part = 0; part < operands_.size(); ++part) {
      const Bytes result = result_of(part);
      digest.add(std::string_view(reinterpret_cast<const char*>(result.data()), result.size()));
      const DType dtype = exchange_.spec.dtype;
      EXPECT_TRUE(test::without_payloads(dtype, result) ==
                  test::without_payloads(dtype, expected(part)))
          << exchange_.text() << ": part " << part << " of member " << member_;
      expect_untouched(part);
    }
    return digest.finish().low | 1;
  }

  Work& work() { return *work_; }

 private:
  static constexpr std::size_t kGuard = 16;  // bytes behind a result that stay as they are
  static constexpr std::byte kUnwritten{0xA5};

  const Bytes& operand(std::size_t part) const {
    return exchange_.operands[part][static_cast<std::size_t>(member_)];
  }
  const Bytes& expected(std::size_t part) const {
    return exchange_.expected[part][static_cast<std::size_t>(member_)];
  }
  bool in_place() const { return exchange_.spec.results == ResultPlace::in_place; }
  bool is_giver() const { return gives(exchange_.call(member_), member_); }

  void place(TensorPart& part, std::size_t at, Backend& backend) {
    const auto& spec = exchange_.spec;
    const auto memory = [&](std::size_t bytes, bool reachable) {
      auto buffer = reachable ? backend.allocate(bytes) : Allocator(0).allocate(bytes);
      std::fill_n(buffer->data(), bytes, kUnwritten);
      return buffer;
    };
    std::size_t bytes = operand(at).size();
    if (in_place()) bytes = std::max(bytes, expected(at).size() + kGuard);
    operands_.push_back(memory(bytes, spec.operands == OperandPlace::communication));
    std::copy(operand(at).begin(), operand(at).end(), operands_[at]->data());
    // An operand that nobody reads need not be there.
    if (is_giver() || in_place()) part.operand = operands_[at]->data();

    results_.emplace_back();
    if (in_place()) {
      results_[at] = operands_[at];
    } else if (spec.results != ResultPlace::provided) {
      results_[at] =
          memory(expected(at).size() + kGuard, spec.results == ResultPlace::communication);
    }
    const bool has_result = spec.kind != CollectiveKind::send_recv || member_ == 1;
    if (results_[at] != nullptr && has_result) part.result = results_[at]->data();
  }

  Bytes result_of(std::size_t part) const {
    std::shared_ptr<Buffer> buffer = results_[part];
    if (buffer == nullptr) buffer = work_->result(part);
    if (expected(part).empty()) return {};
    return {buffer->data(), buffer->data() + expected(part).size()};
  }

  void expect_untouched(std::size_t part) const {
    const bool guarded = !in_place() || expected(part).size() >= operand(part).size();
    if (results_[part] != nullptr && guarded) {
      const std::byte* const guard = results_[part]->data() + expected(part).size();
      EXPECT_TRUE(std::all_of(guard, guard + kGuard, [](std::byte at) { return at == kUnwritten; }))
          << exchange_.text() << ": bytes behind the result of part " << part;
    }
    if (in_place()) return;
    EXPECT_TRUE(std::equal(operand(part).begin(), operand(part).end(), operands_[part]->data()))
        << exchange_.text() << ": the operand of part " << part;
  }

  const Exchange& exchange_;
  int member_ = 0;
  std::vector<std::shared_ptr<Buffer>> operands_, results_;  // a provided result is null
  std::shared_ptr<Work> work_;
};

// Numbers that ranks of every kind, forked processes too, leave for the test that started them.
class SharedNumbers {
 public:
  explicit SharedNumbers(std::size_t count)
      : bytes_((count + 1) * sizeof(std::uint64_t)),
        numbers_(static_cast<std::uint64_t*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (numbers_ == MAP_FAILED) std::abort();
  }
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  ~SharedNumbers() { munmap(numbers_, bytes_); }

  std::uint64_t& operator[](std::size_t i) { return numbers_[i]; }

 private:
  std::size_t bytes_;
  std::uint64_t* numbers_;
};

// Runs a body as every rank: run_ranks_well, run_processes_well.
using RunRanks =
    std::function<void(std::int64_t ranks, const std::function<void(HostBackend&)>& body)>;

// Carries out all of them in order, several at a time, in groups of that tag and engine. What is
// common to all members has to be the same bit for bit: replicas never drift.
inline void run_exchanges(const RunRanks& run, std::int64_t ranks,
                          const std::vector<Exchange>& exchanges,
                          const std::string& tag = "exchanges", const std::string& engine = "shm") {
  constexpr std::size_t kUnderWay = 4;
  const auto count = static_cast<std::size_t>(ranks);
  SharedNumbers digests(exchanges.size() * count);
  run(ranks, [&](HostBackend& backend) {
    const auto rank = static_cast<std::size_t>(backend.rank());
    std::deque<std::pair<std::size_t, ExchangeOnRank>> under_way;
    const auto finish_first = [&] {
      digests[under_way.front().first * count + rank] = under_way.front().second.finish();
      under_way.pop_front();
    };
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
      const auto& group = exchanges[i].spec.group;
      if (std::find(group.begin(), group.end(), backend.rank()) == group.end()) continue;
      if (under_way.size() == kUnderWay) finish_first();
      under_way.emplace_back(std::piecewise_construct, std::forward_as_tuple(i),
                             std::forward_as_tuple(exchanges[i], backend, tag, engine));
    }
    while (!under_way.empty()) finish_first();
  });
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    for (const std::int64_t rank : exchanges[i].spec.group) {
      const auto digest_of = [&](std::int64_t of) {
        return digests[i * count + static_cast<std::size_t>(of)];
      };
      EXPECT_NE(digest_of(rank), 0U) << exchanges[i].text() << ": not finished by rank " << rank;
      if (!exchanges[i].has_common_result()) continue;
      EXPECT_EQ(digest_of(rank), digest_of(exchanges[i].spec.group[0]))
          << exchanges[i].text() << ": rank " << rank << " has other bits";
    }
  }
}

}  // namespace tutti::runtime

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/codegen/cuda/comm_kernel_testing.h"
#include "tests/runtime/cuda/nccl_testing.h"
#include "tests/runtime/exchange_tables.h"
#include "tests/runtime/ranks.h"

// What tests of collectives by kernels of our own between processes share (peer_collectives.h).
namespace tutti::codegen::cuda {

// A sum of so many elements of each rank; of reduce_scatter, of as many for each rank.
inline runtime::Exchange exchange_of(int ranks, runtime::CollectiveKind kind, DType dtype,
                                     std::int64_t elements,
                                     runtime::Reduction reduction = runtime::Reduction::sum) {
  runtime::ExchangeSpec spec{.group = runtime::first_ranks(ranks), .kind = kind};
  spec.dtype = dtype;
  spec.reduction = reduction;
  spec.tensors.push_back(test::even_tensor(kind, ranks, 1, elements, 1));
  return runtime::Exchange(std::move(spec));
}

// The results of the operands that it has by now.
inline void set_expected(runtime::Exchange& exchange) {
  const runtime::ExchangeSpec& spec = exchange.spec;
  const test::Tensor& tensor = spec.tensors[0];
  exchange.expected[0] =
      test::expected_results(spec.kind, spec.reduction, spec.dtype, 0, tensor.shape(spec.kind, 0),
                             exchange.operands[0], {}, tensor.splits, {});
}

// Whole numbers from -3 to 3, whose sums are the same in any order.
inline runtime::Exchange exact_sum(
    int ranks, DType dtype, std::int64_t elements,
    runtime::CollectiveKind kind = runtime::CollectiveKind::all_reduce) {
  runtime::Exchange out = exchange_of(ranks, kind, dtype, elements);
  constexpr std::array<std::uint16_t, 7> kF16 = {0xC200, 0xC000, 0xBC00, 0, 0x3C00, 0x4000, 0x4200};
  for (std::size_t member = 0; member < out.operands[0].size(); ++member) {
    test::Bytes& bytes = out.operands[0][member];
    for (std::size_t i = 0; i < bytes.size() / static_cast<std::size_t>(size_of(dtype)); ++i) {
      const std::size_t which = (i * i + 3 * member + i / 5) % kF16.size();
      const float number = static_cast<float>(which) - 3;
      const auto bits = std::bit_cast<std::uint32_t>(number);
      const auto narrow =
          dtype == DType::f16 ? kF16[which] : static_cast<std::uint16_t>(bits >> 16);
      if (dtype == DType::f32) std::memcpy(bytes.data() + 4 * i, &bits, 4);
      if (dtype != DType::f32) std::memcpy(bytes.data() + 2 * i, &narrow, 2);
    }
  }
  set_expected(out);
  return out;
}

// A rank of a group, as a compiled program whose operands and results lie at places of the group's
// memory.
class PeerMember {
 public:
  // Of a group of these ranks; of all.
  PeerMember(runtime::HostBackend& backend, runtime::GpuOfRank& gpu,
             const std::vector<std::int64_t>& members)
      : gpu_(gpu), group_(backend.communicator(members, "some", "nccl")) {}
  PeerMember(runtime::HostBackend& backend, runtime::GpuOfRank& gpu)
      : PeerMember(backend, gpu, runtime::first_ranks(backend.ranks())) {}

  runtime::Communicator& group() { return *group_; }
  int position() const { return group_->position(); }
  void set_one_shot_up_to(std::int64_t bytes) { one_shot_up_to_ = bytes; }
  void set_memory(std::size_t bytes) { bytes_ = bytes; }

  // `apart`: operands and results in two memories of the group.
  enum class Places : std::uint8_t { all, in_place, none, others, apart };
  // Makes the call and compares its results with the host's.
  void run(const runtime::Exchange& exchange, Places places = Places::all,
           const runtime::BoundLeader* leader = nullptr) {
    finish(exchange, *start(exchange, places, leader));
  }
  void finish(const runtime::Exchange& exchange, runtime::Work& work) {
    work.wait();
    const auto member = static_cast<std::size_t>(group_->position());
    for (std::size_t part = 0; part < exchange.operands.size(); ++part) {
      const auto& expected = exchange.expected[part][member];
      EXPECT_TRUE(gpu_.get(*work.result(part), expected.size()) == expected)
          << exchange.text() << ": part " << part << " of member " << member;
    }
  }

  // The same with what follows, which the call's kernel does: whether it did.
  bool run(const runtime::Exchange& exchange, runtime::BoundFollower& follower,
           Places places = Places::all, const runtime::BoundLeader* leader = nullptr) {
    const auto work = start(exchange, places, leader);
    work->follow_with(&follower);
    work->wait();
    work->follow_with(nullptr);
    return follower.done;
  }

  // With a leader the operand is what that makes.
  std::shared_ptr<runtime::Work> start(const runtime::Exchange& exchange,
                                       Places places = Places::all,
                                       const runtime::BoundLeader* leader = nullptr) {
    if (memory_ == nullptr || memory_->bytes() < bytes_)
      memory_ = group_->symmetric_memory(bytes_, &*gpu_);
    const auto member = static_cast<std::size_t>(group_->position());
    runtime::CollectiveCall call = exchange.call(group_->position());
    call.description = exchange.text();
    call.one_shot_up_to = one_shot_up_to_;
    const auto prepared = group_->prepare(std::move(call));
    std::size_t place = places == Places::others ? 4096 : 0;
    const auto next = [&](std::size_t bytes) {
      const std::size_t at = std::exchange(place, place + (bytes + 255) / 256 * 256);
      return memory_->at(at, std::max<std::size_t>(bytes, 1));
    };
    std::vector<std::shared_ptr<runtime::Buffer>> operands;
    std::vector<std::shared_ptr<runtime::Buffer>> results;
    for (std::size_t part = 0; part < exchange.operands.size(); ++part) {
      test::Bytes bytes = exchange.operands[part][member];
      if (leader != nullptr) bytes.assign(bytes.size(), std::byte{0x5a});
      auto operand = gpu_.put(bytes);
      if (places == Places::none) {
        operands.push_back(operand);
        results.push_back(nullptr);
        continue;
      }
      operands.push_back(next(bytes.size()));
      if (!bytes.empty()) gpu_->copy(operands.back()->data(), operand->data(), bytes.size());
      if (places == Places::apart) {
        if (apart_ == nullptr) apart_ = group_->symmetric_memory(std::size_t{6} << 20, &*gpu_);
        results.push_back(apart_->at(0, exchange.expected[part][member].size()));
        continue;
      }
      results.push_back(places == Places::in_place ? operands.back()
                                                   : next(exchange.expected[part][member].size()));
    }
    auto work = group_->start(
        prepared, operands,
        {.results = results, .accelerator = &*gpu_, .comm_kernels = &KernelsOfDoubles::process()});
    if (leader != nullptr) {
      auto own = std::make_shared<runtime::BoundLeader>(*leader);
      own->arguments[own->operand] = operands[0]->data();
      work->lead_with(std::move(own));
    }
    return work;
  }

 private:
  runtime::GpuOfRank& gpu_;
  const std::shared_ptr<runtime::Communicator> group_;
  std::int64_t one_shot_up_to_ = 65536;
  std::size_t bytes_ = std::size_t{1} << 19;  // of the group's memory
  std::shared_ptr<runtime::SymmetricMemory> memory_;
  std::shared_ptr<runtime::SymmetricMemory> apart_;
};

inline void compile_first(const std::vector<runtime::CommKernel>& kernels) {
  KernelsOfDoubles::process().compile(kernels);
}

}  // namespace tutti::codegen::cuda

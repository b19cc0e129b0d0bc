#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tutti::runtime {

// A kernel that carries out a collective on the GPUs of all members at once, each of which reads
// what the others have. It takes the PeerTable, operand and result, and a number of elements: of
// the operand; of a reduce_scatter, of the result.
struct CommKernel {
  enum class Kind : std::uint8_t {
    all_reduce_one_shot,  // each computes all of the result, which is not the operand
    all_reduce_two_shot,  // each computes a share of it, which the others read there
    all_reduce_multimem,  // each has a share of it made by the switch between the GPUs, for all
    all_gather,
    all_gather_multimem,  // each gives its operand to the switch, for all
    reduce_scatter,
    reduce_scatter_multimem,  // each has its part of the sum made by the switch
  };
  // The most members, and blocks of a launch (kernels/device/meeting.cuh).
  static constexpr int kMostMembers = 8;
  static constexpr std::uint32_t kMostBlocks = 64;
  static constexpr std::uint32_t kThreads = 256;  // of a block

  Kind kind = Kind::all_reduce_one_shot;
  DType dtype = DType::f32;
  Reduction reduction = Reduction::sum;  // where it reduces: sum, product, min or max
  int members = 2;
  // Bytes that a thread moves at once, at most 16: a multiple of an element's, by which places are
  // aligned. Only one_shot and two_shot move less than whole ones at the end.
  int bytes_at_once = 16;

  // Whether the switch between the GPUs carries it out, which moves 16 bytes at once.
  static constexpr bool is_by_switch(Kind kind) {
    return kind == Kind::all_reduce_multimem || kind == Kind::all_gather_multimem ||
           kind == Kind::reduce_scatter_multimem;
  }
  // "one_shot", "two_shot" or "multimem": in which of these ways members get what the others have.
  static constexpr std::string_view way_of(Kind kind) {
    if (is_by_switch(kind)) return "multimem";
    return kind == Kind::all_reduce_two_shot ? "two_shot" : "one_shot";
  }
  // Whether the switch can sum it; its sums are in no order that anybody knows.
  static constexpr bool is_summed_by_switch(DType dtype, Reduction reduction) {
    return reduction == Reduction::sum &&
           (dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16);
  }

  friend bool operator==(const CommKernel&, const CommKernel&) = default;
};

// What CommKernelLimits count of a call.
std::int64_t limited_bytes(const CollectiveCall& call, int members);

// Whether, as far as its size goes, a call is one in which each member reads all that its result is
// made of: all_reduce_one_shot, all_gather or reduce_scatter.
bool is_read_whole(const CollectiveCall& call, const AlgorithmTable& table, int members);

// Who makes them. Thread-safe.
class CommKernels {
 public:
  CommKernels() = default;
  CommKernels(const CommKernels&) = delete;
  CommKernels& operator=(const CommKernels&) = delete;
  virtual ~CommKernels() = default;

  // The kernel for a GPU ("sm_90"), the same object while it is remembered. Throws EnvironmentError
  // where it can't be compiled.
  virtual std::shared_ptr<const DeviceCode> code(const CommKernel& kernel,
                                                 std::string_view target) const = 0;
};

// Kernels that go with a collective, and may become parts of the one that carries it out: a leader
// makes the operand, a follower reads the result, both element by element in their order.
struct Companions {
  bool leader = false;
  bool follower = false;

  bool any() const { return leader || follower; }
  friend bool operator==(const Companions&, const Companions&) = default;
};

// Makes kernels that are a collective with its companions. Thread-safe.
class FusedCommKernels {
 public:
  FusedCommKernels() = default;
  FusedCommKernels(const FusedCommKernels&) = delete;
  FusedCommKernels& operator=(const FusedCommKernels&) = delete;
  virtual ~FusedCommKernels() = default;

  // A kernel of kind all_reduce_one_shot, all_gather or reduce_scatter in one with those of its
  // companions that are asked for. It takes the PeerTable, the operand, the result (with a follower
  // it has none: that is nowhere), the number of elements, what the leader takes beside the operand
  // and what the follower takes beside the result. The same object each time. Throws
  // EnvironmentError where it can't be compiled.
  virtual std::shared_ptr<const DeviceCode> with(const CommKernel& kernel, Companions companions,
                                                 std::string_view target) const = 0;
};

// The leader of a call that is under way, whose operand is not there before it was launched.
struct BoundLeader {
  std::shared_ptr<const FusedCommKernels> kernels;
  std::shared_ptr<const DeviceCode> alone;         // the leader itself
  std::vector<void*> arguments = {};               // all that this takes
  std::size_t operand = 0;                         // which of them is the operand
  std::vector<std::shared_ptr<Buffer>> held = {};  // what they are in, as far as that may go
};

// A follower of a call that is under way.
struct BoundFollower {
  std::shared_ptr<const FusedCommKernels> kernels;
  std::vector<void*> arguments = {};               // beside the result
  std::vector<std::shared_ptr<Buffer>> held = {};  // what they are in, as far as that may go
  bool done = false;                               // the call's kernel did it
};

}  // namespace tutti::runtime

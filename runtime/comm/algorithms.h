#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/group.h>
#include <tutti/kernels/host/collective_kinds.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

struct CollectiveCall;

// Up to how many bytes collectives between GPUs go by kernels of ours (CommKernel): of a member's
// operands, of an all_gather of its results. The first way that is large enough, and that the GPUs
// have, is taken; what fits none is NCCL's. -1: never.
struct CommKernelLimits {
  std::int64_t one_shot = -1;   // each reads all that its result is made of
  std::int64_t by_switch = -1;  // between three and more
  std::int64_t two_shot = -1;   // each makes a share, which the others read; of all_reduce alone

  friend bool operator==(const CommKernelLimits&, const CommKernelLimits&) = default;
};

// How collectives are carried out. Over the host's memory: up to a size each rank computes its own
// result (one-shot), above it the ranks share the work (two-shot); in some ranges of sizes a kernel
// reads what the members have, and there is no result at all (codegen/peer_readings.h). Between
// GPUs: see CommKernelLimits. A table says which, rank 0's for all ranks of a world.
//
// The text of a table has a line for each rule, and the first that fits a collective counts:
//
//   # of which collectives:             on the host:                  between GPUs:
//   # kind      reduction dtype members one-shot read by kernels one-shot by the switch two-shot
//   all_reduce  sum       f32   2..8    64K      4K..32K,4M..    512K     32M           1M
//   *           *         *     *       64K      never           1M       never         never
//
// Sizes are bytes, with K, M or G for powers of 1024; on the host of a member's operands. `always`
// and `never` stand for all sizes and none.
class AlgorithmTable {
 public:
  // From and to, both included.
  using Range = std::pair<std::int64_t, std::int64_t>;
  struct Rule {
    std::optional<kernels::CollectiveKind> kind;
    std::optional<kernels::Reduction> reduction;  // where it reduces
    std::optional<DType> dtype;
    int least_members = 1;
    int most_members = std::numeric_limits<int>::max();
    std::int64_t one_shot_up_to = 0;  // -1: never
    std::vector<Range> read;
    CommKernelLimits between_gpus;
  };

  // As long as a table's text may be, in characters.
  static constexpr std::size_t kMostText = 4000;

  // What was measured on hosts: decision 0041 has the figures for what kernels read. Decision 0053
  // says where those for GPUs come from.
  static const AlgorithmTable& defaults();
  // What TUTTI_COLLECTIVES of this process names, or the defaults. Throws EnvironmentError for a
  // file that can't be read or is no table.
  static const AlgorithmTable& process();
  // `name` is the file's, for messages: "table.txt:3: ...". Throws EnvironmentError.
  static AlgorithmTable parse(std::string_view text, const std::string& name);

  const std::string& text() const { return text_; }
  // The last rule fits all.
  const Rule& rule(kernels::CollectiveKind kind, kernels::Reduction reduction, DType dtype,
                   int members) const;

 private:
  std::string text_;
  std::vector<Rule> rules_;
};

// What a program is compiled with.
struct Algorithms {
  const AlgorithmTable* table = &AlgorithmTable::process();
  // Where a collective's group says nothing.
  ir::Algorithm asked = ir::Algorithm::automatic;
  // All ranks compile it as one program, so that they can agree where results in common lie.
  bool one_program = false;

  ir::Algorithm asked_of(const ir::Group& group) const { return group.algorithm.value_or(asked); }
  // Up to how many bytes a call in a group of so many is one-shot.
  std::int64_t one_shot_up_to(const CollectiveCall& call, const ir::Group& group) const;
  // Whether kernels are to read an operand of so many bytes where a member has it.
  bool reads(kernels::Reduction reduction, DType dtype, const ir::Group& group,
             std::int64_t bytes) const;
};

// Whether a call is to be carried out so whatever its size, as its group or a table says.
bool always_one_shot(const CollectiveCall& call);
bool always_two_shot(const CollectiveCall& call);
// "two-shot, above 65536 bytes": how a call is carried out in a group of so many members, and why.
std::string algorithm_text(const CollectiveCall& call, int members);
// The limit that such a text says; none if it is no such text.
std::optional<std::int64_t> one_shot_limit(std::string_view algorithm_text);

}  // namespace tutti::runtime

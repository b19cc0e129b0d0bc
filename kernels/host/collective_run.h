#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/collective_kinds.h>
#include <tutti/kernels/host/collectives.h>
#include <tutti/kernels/host/reduce_elements.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::kernels {

// One tensor of a collective, as the members agree on it: the operand is row-major
// [outer, axis_size, inner] and has `elements` elements.
struct PartShape {
  std::int64_t elements;
  std::int64_t outer;
  std::int64_t axis_size;
  std::int64_t inner;
};

// Up to this many bytes of operands each rank computes its own result (one-shot); above, the ranks
// share the work in chunks of about kChunkBytes. Part of the protocol: all ranks must choose alike.
inline constexpr std::int64_t kOneShotBytes = 64 * 1024;
inline constexpr std::int64_t kChunkBytes = 64 * 1024;

// The data movement and arithmetic of one collective whose operands are all in place. An object is
// used again and again: reset(), then place() for all, then compute. The bits of a result depend
// neither on the algorithm nor on who computed what.
class CollectiveRun {
 public:
  // All but barrier. `parts` stays in use until the next reset.
  void reset(CollectiveKind kind, Reduction reduction, DType dtype, int root, int members,
             std::span<const PartShape> parts);
  // Where a member has a part. Null operands and results are legal where nothing is read or
  // written.
  void place(int member, std::size_t part, const void* operand, void* result);

  // Whether each rank computes for itself.
  bool one_shot() const { return one_shot_; }
  // Writes one member's results.
  void compute_for(int member);

  std::int64_t chunks() const;
  // Claims chunks and writes them to every member's results until none is left to claim. Returns
  // how many it did; the caller has not yet counted them done.
  std::int64_t take_chunks(std::atomic<std::int64_t>& claimed);

 private:
  static constexpr int kEverybody = -1;

  // A part's work is a line of elements: the operand's for all_reduce and broadcast, all the
  // members' operands one after another for all_gather, their results one after another for
  // reduce_scatter.
  std::int64_t work_elements(const PartShape& part) const;
  // Does [begin, end) of a part's work, into the results of one member or of everybody.
  void run(std::size_t part, std::int64_t begin, std::int64_t end, int member);
  void gather(std::size_t part, int source, std::int64_t begin, std::int64_t end, int member);
  void scatter(std::size_t part, int target, std::int64_t begin, std::int64_t end);
  // The elements of all results from `to` on, from one member's operand or from the combination of
  // all, `count` elements from `from` on.
  void copy(std::size_t part, int source, std::int64_t from, std::int64_t to, std::int64_t count,
            int member);
  void combine(std::size_t part, std::int64_t from, std::int64_t to, std::int64_t count,
               int member);

  void write(std::byte* to, const std::byte* from, std::int64_t elements) const;

  std::size_t index(std::size_t part, int member) const {
    return part * static_cast<std::size_t>(members_) + static_cast<std::size_t>(member);
  }

  CollectiveKind kind_ = CollectiveKind::barrier;
  int root_ = 0;
  int members_ = 0;
  std::int64_t element_bytes_ = 1;
  bool one_shot_ = true;
  bool past_caches_ = false;  // results are too large to stay in a cache
  ReduceElements reduce_ = nullptr;
  std::span<const PartShape> parts_;
  std::vector<const std::byte*> operands_;  // by index()
  std::vector<std::byte*> results_;
  std::vector<const void*> sources_;  // scratch: where reduce_ reads and writes
  std::vector<void*> targets_;
  std::vector<std::byte> chunk_;  // scratch: a chunk's reduction on its way past the caches
};

}  // namespace tutti::kernels

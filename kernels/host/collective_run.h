#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/collective_boxes.h>
#include <tutti/kernels/host/collective_kinds.h>
#include <tutti/kernels/host/reduce_elements.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::kernels {

// Up to this many bytes of operands, on the members' average, each rank computes its own result
// (one-shot) where nothing else is said; above, the ranks share the work in chunks of about
// kChunkBytes. Part of the protocol: all ranks must choose alike.
inline constexpr std::int64_t kOneShotBytes = 64 * 1024;
inline constexpr std::int64_t kChunkBytes = 64 * 1024;

// What CollectiveRun::one_shot() will say. Not of an uneven all_to_all, whose size depends on what
// the peers send.
bool is_one_shot(CollectiveKind kind, DType dtype, std::span<const PartShape> parts, int members,
                 std::int64_t one_shot_up_to = kOneShotBytes);

// In floating point, which texts may ask for more than: nobody runs what does not fit in 64 bits,
// but a limit may stand for all sizes.
inline bool fits_one_shot(double elements, std::int64_t element_bytes, std::int64_t one_shot_up_to,
                          int members) {
  return elements * static_cast<double>(element_bytes) <=
         static_cast<double>(one_shot_up_to) * static_cast<double>(members);
}

// The data movement and arithmetic of one collective whose operands are all in place. Each rank has
// an object of its own and uses it again and again: reset(), then place() for all members and
// parts, then compute. The bits of a result depend neither on the algorithm nor on who computed
// what.
//
// A result may be its member's operand where nobody reads that operand later: of all_reduce in
// chunks; at the root, of reduce in chunks and of broadcast.
class CollectiveRun {
 public:
  // All kinds but barrier; send_recv is of two members. `pairs` (of collective_permute) and `parts`
  // stay in use until the next reset.
  void reset(CollectiveKind kind, Reduction reduction, DType dtype, int root,
             std::span<const std::pair<int, int>> pairs, int members,
             std::span<const PartShape> parts, ScanRange scan = {},
             std::int64_t one_shot_up_to = kOneShotBytes);
  // Where a member has a part. Null operands and results are legal where nothing is read or
  // written.
  void place(int member, std::size_t part, const void* operand, void* result);
  // Instead of results of their own: one result that all members share (has_common_result(kind)),
  // written once.
  void place_common(std::size_t part, void* result);
  // Of an uneven all_to_all, once for each member: what it sends to and receives from each. Copied.
  void split(int member, std::size_t part, std::span<const std::int64_t> send,
             std::span<const std::int64_t> receive) {
    boxes_.split(member, part, send, receive);
  }

  // Whether each rank computes for itself; the same answer on every rank.
  bool one_shot() const {
    return fits_one_shot(static_cast<double>(boxes_.operand_elements()), element_bytes_,
                         one_shot_up_to_, members_);
  }
  // Writes all of one member's results, zeros included. Legal for any size.
  void compute_for(int member);

  // The zeros of a member's results that nothing arrives at (reduce and gather elsewhere than at
  // the root; collective_permute), which chunks leave to the member. Nobody else touches them.
  void write_zeros(int member);
  std::int64_t chunks() const;
  // Claims chunks and writes them to every member's results until none is left to claim. Returns
  // how many it did; the caller has not yet counted them done.
  std::int64_t take_chunks(std::atomic<std::int64_t>& claimed);

 private:
  // The boxes' elements, laid end to end, are the line of work that chunks cut into equal lengths.
  std::int64_t chunk_elements() const { return kChunkBytes / element_bytes_; }
  // Whether results are too large to stay in a cache.
  bool past_caches() const;

  // Does [begin, end) of a box's elements, into the results of `target`.
  void run(std::size_t part, const CollectiveBox& box, std::int64_t begin, std::int64_t end,
           int target);
  // `count` elements, at most a chunk, from one operand, a combination of the box's, or of none.
  void copy(const std::byte* operand, std::span<std::byte* const> results, std::int64_t to,
            std::int64_t count) const;
  void combine(std::size_t part, const CollectiveBox& box, std::int64_t from,
               std::span<std::byte* const> results, std::int64_t to, std::int64_t count);
  void fill(std::span<std::byte* const> results, std::int64_t to, std::int64_t count) const;
  void write(std::byte* to, const std::byte* from, std::int64_t elements) const;

  std::size_t index(std::size_t part, int member) const {
    return part * static_cast<std::size_t>(members_) + static_cast<std::size_t>(member);
  }
  std::span<std::byte* const> results_of(std::size_t part, int target) const;

  int members_ = 1;
  std::int64_t element_bytes_ = 1;
  std::int64_t one_shot_up_to_ = kOneShotBytes;
  ReduceElements reduce_ = nullptr;
  std::array<std::byte, 8> none_{};  // an element of a combination of none
  std::span<const PartShape> parts_;
  CollectiveBoxes boxes_;
  std::vector<const std::byte*> operands_;  // by index()
  std::vector<std::byte*> results_;
  std::vector<std::byte*> common_results_;  // by part; null where the members have their own
  std::vector<const void*> sources_;        // scratch: where reduce_ reads and writes
  std::vector<void*> targets_;
  std::vector<std::byte> chunk_;  // scratch: a chunk's reduction on its way past the caches
};

}  // namespace tutti::kernels

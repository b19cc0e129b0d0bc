#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/ir/scalar.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/kernel_function.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::kernels {
struct DynamicUpdateSlice;
}

namespace tutti::codegen {

// A fused group as a loop nest: what every emitter prints and the reference evaluator runs.
//
//   for each point of the `outer` axes (parallel, in any order, divided into tiles):
//     for each segment, in order:
//       point segment: its body runs once
//       loop segment:  its body runs for every point of the `inner` axes, in row-major order;
//                      reductions combine a body value over them; their results are defined after
//
// Values are SSA and numbered over the whole kernel. A body value of a point segment and a
// reduction's result are visible in all later segments, a body value of a loop segment only in that
// loop.
//
// One axis is vectorised, kLanes elements at a time on every machine (so that bits do not depend on
// the width of its registers):
//   VectorAxis::outer: the last outer axis. Every value is a vector along it, inner loops are
//   serial,
//                      and a reduction adds element by element in row-major order of the inner
//                      axes.
//   VectorAxis::inner: the last inner axis. Point values are scalars, loop values are vectors. A
//                      reduction keeps kLanes partial results: in each run along the last inner
//                      axis element j goes to lane j % kLanes; partial results carry over between
//                      runs and start at the combination's neutral element. In the end the lanes
//                      are combined as a tree: lane i with lane i + 8, then i + 4, i + 2, i + 1.
// Long sums of floats are added in chunks (folding.h).
inline constexpr int kLanes = 16;

// Vectors of elements that lie up to so far apart are loaded on the host with all that is between
// them: a gather takes about an instruction for each lane.
inline constexpr std::int64_t kShortStride = 4;

enum class VectorAxis : std::uint8_t { outer, inner };

using ValueId = std::int32_t;

// An affine function of the loop indices: offset + sum(outer[i] * index_i) + sum(inner[j] *
// index_j). For accesses the unit is elements. Lengths equal the numbers of axes; `inner` is
// ignored (and may be empty) in point segments.
struct Affine {
  std::int64_t offset = 0;
  std::vector<std::int64_t> outer;
  std::vector<std::int64_t> inner;

  friend bool operator==(const Affine&, const Affine&) = default;
};

// A range of the indices along one axis.
struct Bound {
  bool inner = false;  // of an inner axis; only in loops
  int axis = 0;
  std::int64_t begin = 0;  // the first index inside
  std::int64_t end = 0;    // the first one behind

  friend bool operator==(const Bound&, const Bound&) = default;
};

// What a value adds to the address of a load: `stride` elements times the value, an integer,
// clamped to [0, most].
struct Term {
  std::int64_t most = 0;
  std::int64_t stride = 0;  // not 0

  friend bool operator==(const Term&, const Term&) = default;
};

struct Instruction {
  enum class Kind : std::uint8_t {
    scalar,  // op applied to operands; `dtype` is the operands' compute dtype as in ir::evaluate
             // (of the second operand for select); `to` is the result's dtype for cast and bitcast
             // (for bitcast both are storage dtypes of equal size)
    constant,  // `constant`, in compute dtype `dtype`
    load,   // element of `buffer` at `address`, to which each of `terms` adds what the operand of
            // its number says; widened to its compute dtype. Where an index is outside of one
            // of `bounds` nothing is read, and it is `constant`
    index,  // the value of `address` as i64
    round,  // a f32 value rounded to a narrower float (`dtype`) and widened again
  };

  Kind kind = Kind::constant;
  ir::ScalarOp op = ir::ScalarOp::constant;
  std::array<ValueId, 3> operands = {-1, -1, -1};
  DType dtype = DType::f32;
  DType to = DType::f32;
  ir::Cell constant = {};
  int buffer = -1;
  Affine address = {};
  std::vector<Bound> bounds = {};
  std::vector<Term> terms = {};
  ValueId result = -1;
  DType type = DType::f32;  // the result's compute dtype
};

struct Reduction {
  ir::ScalarOp combine = ir::ScalarOp::add;  // add, mul, minimum, maximum, bit_and, bit_or (bool)
  DType dtype = DType::f32;                  // compute dtype
  ValueId value = -1;                        // of the loop's body
  ValueId result = -1;
};

// Writes a value, narrowed from its compute dtype to the buffer's dtype.
struct Store {
  int buffer = -1;
  Affine address = {};
  ValueId value = -1;
};

struct Segment {
  bool loop = false;
  std::vector<Instruction> body;
  std::vector<Reduction> reductions;  // of loops only
  std::vector<Store> stores;
};

// What a number that is known when the kernel runs moves a buffer by: `stride` elements times the
// element of another buffer (of integers, read), clamped to [0, most].
struct Start {
  int buffer = -1;
  std::int64_t element = 0;
  std::int64_t most = 0;
  std::int64_t stride = 0;

  friend bool operator==(const Start&, const Start&) = default;
};

struct KernelBuffer {
  DType dtype = DType::f32;
  bool written = false;  // else read; never both
  // Of one that is read: its element 0 lies that far behind where the argument begins.
  std::vector<Start> starts = {};
};

struct Kernel {
  std::string name;  // after its ops: "mul_add_tanh"
  std::vector<std::int64_t> outer;
  std::vector<std::int64_t> inner;
  VectorAxis vector_axis = VectorAxis::outer;
  // VectorAxis::outer: the last outer axis is cut into blocks of this many elements (best a
  // multiple of kLanes, so that no vector is cut); a tile is one block. VectorAxis::inner: a tile
  // is one outer point (block is 1).
  std::int64_t block = 1;
  std::vector<KernelBuffer> buffers;
  std::vector<Segment> segments;
  ValueId value_count = 0;

  // How many tiles the outer space has; a function of the shape alone.
  std::int64_t tiles() const;
};

// Whether a load has bounds.
bool has_bounds(const Kernel& kernel);
// Whether a buffer begins where a number says.
bool has_starts(const Kernel& kernel);
// Whether a load has terms.
bool has_terms(const Kernel& kernel);
// The compute dtype of each value, by its id.
std::vector<DType> types_of_values(const Kernel& kernel);
// The index that a bound is of.
Affine index_of(const Kernel& kernel, const Bound& bound);

// How many points the outer and the inner axes span.
std::int64_t outer_points(const Kernel& kernel);
std::int64_t inner_points(const Kernel& kernel);

// Where a combination starts (ir/neutral.h): 0 of sums.
ir::Cell neutral_element(ir::ScalarOp combine, DType dtype);

// Readable text, one line an instruction; the kernel's identity (see kernel_hash) and what dumps
// show.
std::string print(const Kernel& kernel);

// Of everything but the name.
Hash128 kernel_hash(const Kernel& kernel);

// Throws InternalError when a kernel breaks a rule of this page: a value used where it is not
// visible, a length that differs from the number of axes, a store to a read buffer, ...
void check(const Kernel& kernel);

// Machine code (or an evaluator) of one kernel: computes tiles [begin, end). Buffers are in the
// order of Kernel::buffers; written ones do not overlap any other, but for one that
// may_run_in_place allows. Thread-safe: tiles may run concurrently.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  virtual void run(void* const* buffers, std::int64_t begin, std::int64_t end) const = 0;
  // The machine code alone, if that is all that run() calls.
  virtual runtime::KernelFunction function() const { return nullptr; }
  // Of a small call, a kernel that computes the same, bit for bit, for whoever puts it into other
  // code; its buffers are the call's, in their order. Null for all else.
  virtual const Kernel* kernel() const { return nullptr; }
  // Of a call that puts a part into a tensor, what it does, likewise. Null for all else.
  virtual const kernels::DynamicUpdateSlice* update() const { return nullptr; }
  // Of a product, how long the matmul library takes for it by itself (see
  // kernels::library_seconds); 0 for all else.
  virtual double library_seconds(int /*threads*/) const { return 0; }
};

}  // namespace tutti::codegen

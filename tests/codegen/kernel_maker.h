#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tutti::codegen::kernel_testing {

using Strides = std::vector<std::int64_t>;

// Builds kernels by hand, instruction by instruction, into the segment begun last. Each method
// gives the id of the value it defines.
class KernelMaker {
 public:
  KernelMaker(std::string name, Strides outer, Strides inner, VectorAxis axis,
              std::int64_t block = 1);

  int read(DType dtype, std::vector<Start> starts = {});
  int write(DType dtype);

  void point();
  void loop();

  ValueId load(int buffer, Affine address);
  // Within bounds, and `around` outside of them.
  ValueId load_within(int buffer, Affine address, std::vector<Bound> bounds, double around);
  // Where values say: each adds what the term of its number says. Within bounds, if there are any,
  // and `around` outside of them.
  ValueId load_at(int buffer, Affine address, const std::vector<ValueId>& indices,
                  std::vector<Term> terms, std::vector<Bound> bounds = {}, double around = 0);
  ValueId constant(DType dtype, double value);
  ValueId index(Affine address);
  ValueId round(DType dtype, ValueId value);
  ValueId cast(ValueId value, DType to);
  ValueId bitcast(ValueId value, DType from, DType to);
  ValueId op(ir::ScalarOp op, ValueId a, ValueId b = -1, ValueId c = -1);
  ValueId reduce(ir::ScalarOp combine, ValueId value);
  void store(int buffer, Affine address, ValueId value);

  DType type(ValueId value) const { return types_[static_cast<std::size_t>(value)]; }
  const Kernel& kernel() const { return kernel_; }

 private:
  ValueId add(Instruction instruction, DType type);

  Kernel kernel_;
  std::vector<DType> types_;
};

// Memory that ends where an unreadable page begins, so that any access behind it crashes. In front
// of the data lies a region that is checked for stray writes; so does the gap that an alignment
// leaves behind it.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t bytes, std::size_t alignment = 1);
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool surroundings_intact() const;

 private:
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t usable_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A kernel's buffers, each as long as its accesses reach. Read ones hold random numbers with a
// sprinkling of special values; written ones hold a pattern.
struct Arguments {
  std::vector<GuardedBuffer> buffers;
  std::vector<void*> pointers();
};
Arguments make_arguments(const Kernel& kernel, std::uint32_t seed, bool special_values = true,
                         std::size_t alignment = 1);

// Runs all tiles, in a few calls.
void run_all(const KernelCode& code, const Kernel& kernel, Arguments& arguments);

// Empty if the written buffers of two runs agree: equal bits (any NaN equals any other) or, for
// floats, at most `ulp` units apart in the last place of their dtype; of `scale` where they are
// smaller, as differences of sums are. Narrow floats may then be off by one unit of their own, or
// `ulp` units of f32, in which they were computed.
std::string difference(const Kernel& kernel, const Arguments& wanted, const Arguments& got,
                       double ulp = 0, double scale = 0);

// b1[i] = b0[i] + number over f32[50].
Kernel add_number(double number);

// A kernel of random shape, dtypes, ops and strides that obeys kernel.h. Its ops give the same bits
// in every mode.
Kernel random_kernel(std::mt19937& random);

}  // namespace tutti::codegen::kernel_testing

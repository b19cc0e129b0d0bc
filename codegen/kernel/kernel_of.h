#pragma once

#include <tutti/codegen/kernel/kernel.h>

namespace tutti::codegen {

// Code of a call that a kernel computes as well, bit for bit: small ones, for whoever puts them
// into other code. Buffers are the call's, in their order.
class HasKernel {
 public:
  HasKernel() = default;
  HasKernel(const HasKernel&) = delete;
  HasKernel& operator=(const HasKernel&) = delete;
  virtual ~HasKernel() = default;
  // Null: it is not small.
  virtual const Kernel* kernel() const = 0;
};

inline const Kernel* kernel_of(const KernelCode& code) {
  const auto* const known = dynamic_cast<const HasKernel*>(&code);
  return known == nullptr ? nullptr : known->kernel();
}

}  // namespace tutti::codegen

#pragma once

#include <tutti/codegen/kernel/kernel.h>

#include <functional>

namespace tutti::codegen::cuda {

// An address that a kernel uses: of a load, a store, or (buffer -1) an index.
struct Access {
  int buffer = -1;
  DType dtype = DType::i64;  // of the buffer
  const Affine* address = nullptr;
  bool store = false;
  bool loop = false;                  // else the inner strides mean nothing
  const Instruction* load = nullptr;  // that is at the address; its terms say more
};

void for_each_access(const Kernel& kernel, const std::function<void(const Access&)>& f);

// Whether each outer and inner point has an element of its own under an address of a loop.
bool is_injective(const Kernel& kernel, const Affine& address);

}  // namespace tutti::codegen::cuda

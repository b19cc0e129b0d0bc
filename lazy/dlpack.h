#pragma once

#include <tutti/lazy/dlpack_abi.h>
#include <tutti/lazy/tensor.h>

#include <source_location>

// Tensors of other frameworks in this process (NumPy, PyTorch, JAX, ...), without a copy. Python's
// objects wrap such structs as capsules, named "dltensor_versioned" and "dltensor".
namespace tutti {

// Computes the tensor and lends it: whoever gets the struct calls its deleter, on any thread, when
// it is done. Until then no result takes over the memory. It is read-only, as values are, and says
// so. A tensor on a GPU lies there, complete.
dlpack::ManagedTensorVersioned* to_dlpack(
    const Tensor& tensor, std::source_location at = std::source_location::current());

// The same for consumers that know the struct without versions alone. It cannot say that it is
// read-only: they get a copy, which is theirs.
dlpack::ManagedTensor* to_unversioned_dlpack(
    const Tensor& tensor, std::source_location at = std::source_location::current());

// A tensor that looks at another framework's, without a copy where it is row-major and aligned to
// its elements, on a GPU to 256 bytes; else a copy, which on a GPU has to be row-major. It must not
// change while tensors use it. The struct is taken over, also when this throws; its deleter is
// called when the last tensor is gone and, of a collective's operand, when the peers are done with
// it, at the latest when the World ends. What is imported is never written: no result takes over
// its memory, and what peers of other processes are to read is copied to where they can. Work of
// the other framework on a GPU must be complete. Throws TypeError for dtypes, ranks and memory that
// Tutti does not have, UsageError for a struct of another major version.
Tensor from_dlpack(dlpack::ManagedTensorVersioned* given,
                   std::source_location at = std::source_location::current());
Tensor from_dlpack(dlpack::ManagedTensor* given,
                   std::source_location at = std::source_location::current());

}  // namespace tutti

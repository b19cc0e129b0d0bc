// What dlpack_exchange.py loads: tensors of Tutti's for Python's frameworks, and back.

#include <tutti/tutti.h>

#include <cstdio>

using namespace tutti;

namespace {

DType dtype_of_name(const char* name) { return dtype_from_name(name).value_or(DType::f32); }

}  // namespace

extern "C" {

// [[0, 1, 2], [3, 4, 5]] of a dtype.
dlpack::ManagedTensorVersioned* lend(const char* dtype) {
  return to_dlpack(cast(reshape(arange(6), {2, 3}), dtype_of_name(dtype)));
}

dlpack::ManagedTensor* lend_unversioned(const char* dtype) {
  return to_unversioned_dlpack(cast(reshape(arange(6), {2, 3}), dtype_of_name(dtype)));
}

// Writes the elements as doubles, of which there is room for 64, and returns how many; -1 if the
// struct is refused.
int read_versioned(dlpack::ManagedTensorVersioned* given, double* out);
int read_unversioned(dlpack::ManagedTensor* given, double* out);

}  // extern "C"

namespace {

template <class Managed>
int read(Managed* given, double* out) {
  try {
    const Tensor x = cast(from_dlpack(given), DType::f64);
    const auto values = x.host<double>();
    std::copy(values.begin(), values.end(), out);
    return static_cast<int>(values.size());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return -1;
  }
}

}  // namespace

int read_versioned(dlpack::ManagedTensorVersioned* given, double* out) { return read(given, out); }
int read_unversioned(dlpack::ManagedTensor* given, double* out) { return read(given, out); }

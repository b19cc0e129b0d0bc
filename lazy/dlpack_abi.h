#pragma once

#include <cstddef>
#include <cstdint>

// The structs of DLPack 1, as frameworks hand tensors to each other in one process: of the same
// layout as those of dlpack.h, to which a reinterpret_cast leads.
// https://dmlc.github.io/dlpack/latest/c_api.html
namespace tutti::dlpack {

inline constexpr std::uint32_t kMajorVersion = 1;
inline constexpr std::uint32_t kMinorVersion = 1;

struct Version {
  std::uint32_t major = kMajorVersion;
  std::uint32_t minor = kMinorVersion;
};

enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct Device {
  DeviceType type = DeviceType::cpu;
  std::int32_t index = 0;
};

enum class TypeCode : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  ieee_float = 2,
  bfloat = 4,
  boolean = 6,
  float8_e4m3fn = 10,
  float8_e5m2 = 12
};

struct DataType {
  TypeCode code = TypeCode::ieee_float;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;
};

struct TensorView {
  void* data = nullptr;
  Device device;
  std::int32_t rank = 0;
  DataType dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in elements; null: row-major
  std::uint64_t byte_offset = 0;
};

// DLManagedTensor, which knows no versions.
struct ManagedTensor {
  TensorView tensor;
  void* owner = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
};

inline constexpr std::uint64_t kReadOnly = 1;
inline constexpr std::uint64_t kIsCopied = 2;

// DLManagedTensorVersioned.
struct ManagedTensorVersioned {
  Version version;
  void* owner = nullptr;
  void (*deleter)(ManagedTensorVersioned* self) = nullptr;
  std::uint64_t flags = 0;
  TensorView tensor;
};

static_assert(sizeof(void*) != 8 ||
              (sizeof(TensorView) == 48 && offsetof(TensorView, rank) == 16 &&
               offsetof(TensorView, dtype) == 20 && offsetof(TensorView, shape) == 24));
static_assert(sizeof(void*) != 8 ||
              (sizeof(ManagedTensor) == 64 && offsetof(ManagedTensor, deleter) == 56));
static_assert(sizeof(void*) != 8 || (sizeof(ManagedTensorVersioned) == 80 &&
                                     offsetof(ManagedTensorVersioned, deleter) == 16 &&
                                     offsetof(ManagedTensorVersioned, tensor) == 32));

}  // namespace tutti::dlpack

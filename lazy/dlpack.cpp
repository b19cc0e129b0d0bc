#include <tutti/codegen/plan/buffer.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/dlpack.h>
#include <tutti/runtime/are_truths.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace tutti {

using detail::RankContext;

namespace {

struct Kind {
  DType dtype;
  dlpack::TypeCode code;
};
constexpr Kind kKinds[] = {
    {DType::boolean, dlpack::TypeCode::boolean},
    {DType::u8, dlpack::TypeCode::unsigned_integer},
    {DType::u16, dlpack::TypeCode::unsigned_integer},
    {DType::u32, dlpack::TypeCode::unsigned_integer},
    {DType::u64, dlpack::TypeCode::unsigned_integer},
    {DType::i8, dlpack::TypeCode::signed_integer},
    {DType::i16, dlpack::TypeCode::signed_integer},
    {DType::i32, dlpack::TypeCode::signed_integer},
    {DType::i64, dlpack::TypeCode::signed_integer},
    {DType::f8_e4m3fn, dlpack::TypeCode::float8_e4m3fn},
    {DType::f8_e5m2, dlpack::TypeCode::float8_e5m2},
    {DType::f16, dlpack::TypeCode::ieee_float},
    {DType::bf16, dlpack::TypeCode::bfloat},
    {DType::f32, dlpack::TypeCode::ieee_float},
    {DType::f64, dlpack::TypeCode::ieee_float},
};
static_assert(std::size(kKinds) == kDTypeCount);

// What a consumer holds.
template <class Managed>
struct Lent {
  Managed managed;
  std::shared_ptr<runtime::Buffer> buffer;
  std::array<std::int64_t, Shape::kMaxRank> shape;
  std::array<std::int64_t, Shape::kMaxRank> strides;
};

template <class Managed>
Managed* lend(const ir::Type& type, std::shared_ptr<runtime::Buffer> buffer) {
  auto lent = std::make_unique<Lent<Managed>>();
  std::ranges::copy(type.shape, lent->shape.begin());
  lent->strides = type.shape.strides();
  dlpack::TensorView& view = lent->managed.tensor;
  view.data = type.bytes() == 0 ? nullptr : buffer->data();
  if (!type.device.is_cpu()) view.device = {dlpack::DeviceType::cuda, type.device.index};
  view.rank = type.shape.rank();
  const Kind* const kind = std::ranges::find(kKinds, type.dtype, &Kind::dtype);
  view.dtype = {kind->code, static_cast<std::uint8_t>(8 * size_of(type.dtype)), 1};
  view.shape = lent->shape.data();
  view.strides = lent->strides.data();
  lent->buffer = std::move(buffer);
  lent->managed.owner = lent.get();
  lent->managed.deleter = [](Managed* self) { delete static_cast<Lent<Managed>*>(self->owner); };
  return &lent.release()->managed;
}

// The tensor's state, computed, and complete also for those who know nothing of our streams.
detail::StatePtr complete(const Tensor& tensor, Location where) {
  detail::StatePtr state = detail::evaluated(tensor, where);
  if (!state->type.device.is_cpu()) synchronize();
  return state;
}

[[noreturn]] void refuse(const std::string& what, Location where) {
  throw TypeError("from_dlpack: " + what, where);
}

ir::Type type_of(const dlpack::TensorView& view, Location where) {
  ir::Type type;
  const auto* const kind = std::ranges::find_if(kKinds, [&](const Kind& each) {
    return each.code == view.dtype.code && 8 * size_of(each.dtype) == view.dtype.bits;
  });
  if (kind == std::end(kKinds) || view.dtype.lanes != 1) {
    refuse("elements of type code " + std::to_string(static_cast<int>(view.dtype.code)) + " with " +
               std::to_string(view.dtype.bits) + " bits and " + std::to_string(view.dtype.lanes) +
               " lanes are none of Tutti's dtypes",
           where);
  }
  type.dtype = kind->dtype;
  if (view.rank < 0 || view.rank > Shape::kMaxRank || (view.rank > 0 && view.shape == nullptr)) {
    refuse("a tensor of rank " + std::to_string(view.rank) + "; 0 to " +
               std::to_string(Shape::kMaxRank) + " have a shape here",
           where);
  }
  try {
    type.shape = Shape(std::span(view.shape, static_cast<std::size_t>(view.rank)));
  } catch (const TypeError& error) {
    refuse(error.message(), where);
  }
  switch (view.device.type) {
    case dlpack::DeviceType::cpu:
    case dlpack::DeviceType::cuda_host:
      break;
    case dlpack::DeviceType::cuda:
    case dlpack::DeviceType::cuda_managed:
      type.device = Device::cuda(view.device.index);
      break;
    default:
      refuse("memory of device type " + std::to_string(static_cast<int>(view.device.type)) +
                 " is neither the host's nor a GPU's of NVIDIA's; copy it to the host",
             where);
  }
  if (view.data == nullptr && type.bytes() > 0) refuse("the pointer is null", where);
  return type;
}

bool is_row_major(const dlpack::TensorView& view, const Shape& shape) {
  if (view.strides == nullptr || shape.elements() == 0) return true;
  const auto strides = shape.strides();
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] > 1 && view.strides[d] != strides[static_cast<std::size_t>(d)]) return false;
  }
  return true;
}

// The elements one after another.
std::shared_ptr<runtime::Buffer> gathered(const dlpack::TensorView& view, const ir::Type& type,
                                          const std::byte* data, Location where) {
  auto buffer = RankContext::current().runtime().allocator.allocate(
      static_cast<std::size_t>(type.bytes()), {.what = "copy", .where = where});
  const std::int64_t bytes = size_of(type.dtype);
  const auto own = type.shape.strides();
  std::byte* to = buffer->data();
  for_each_index(type.shape, [&](std::span<const std::int64_t> index) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      element += index[d] * (view.strides == nullptr ? own[d] : view.strides[d]);
    }
    std::memcpy(to, data + element * bytes, static_cast<std::size_t>(bytes));
    to += bytes;
  });
  return buffer;
}

// Whether its kernels may read it where it lies: those of a GPU read many elements at once.
bool is_aligned(const std::byte* data, const ir::Type& type) {
  const std::int64_t alignment =
      type.device.is_cpu() ? size_of(type.dtype) : codegen::kDeviceAlignment;
  return type.bytes() == 0 ||
         reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment) == 0;
}

// The same elements in memory of our own, when it returns.
std::shared_ptr<runtime::Buffer> copied_on_gpu(const std::byte* data, const ir::Type& type,
                                               Location where) {
  runtime::Accelerator& gpu = RankContext::current().runtime().accelerator(type.device);
  const auto bytes = static_cast<std::size_t>(type.bytes());
  auto buffer = gpu.memory().allocate(bytes, {.what = "copy", .where = where});
  gpu.copy(buffer->data(), data, bytes);
  gpu.synchronize();
  return buffer;
}

void check_truths(const std::byte* data, const ir::Type& type, Location where) {
  if (type.dtype != DType::boolean || !type.device.is_cpu()) return;
  const std::span all(data, static_cast<std::size_t>(type.bytes()));
  if (runtime::are_truths(all)) return;
  refuse("a bool that is neither 0 nor 1", where);
}

template <class Managed>
Tensor imported(Managed* given, Location where) {
  if (given == nullptr) throw UsageError("from_dlpack: the pointer is null", where);
  const std::shared_ptr<Managed> held(given, [](Managed* managed) {
    if (managed->deleter != nullptr) managed->deleter(managed);
  });
  if constexpr (std::same_as<Managed, dlpack::ManagedTensorVersioned>) {
    if (given->version.major != dlpack::kMajorVersion) {
      throw UsageError("from_dlpack: DLPack " + std::to_string(given->version.major) + "." +
                           std::to_string(given->version.minor) + " is not 1",
                       where);
    }
  }
  const dlpack::TensorView& view = given->tensor;
  const ir::Type type = type_of(view, where);
  const auto bytes = static_cast<std::size_t>(type.bytes());
  std::byte* const data = static_cast<std::byte*>(view.data) + view.byte_offset;
  const bool row_major = is_row_major(view, type.shape);
  std::shared_ptr<runtime::Buffer> buffer;
  if (row_major && is_aligned(data, type)) {
    buffer = runtime::Buffer::wrap(data, bytes, [held](void* /*data*/) {});
  } else if (type.device.is_cpu()) {
    buffer = gathered(view, type, data, where);
  } else if (row_major) {
    buffer = copied_on_gpu(data, type, where);
  } else {
    refuse("the elements on a GPU do not lie one after another; make them contiguous there", where);
  }
  if (bytes > 0) check_truths(buffer->data(), type, where);
  RankContext& context = RankContext::current();
  if (!type.device.is_cpu()) static_cast<void>(context.runtime().accelerator(type.device));
  return Tensor(context.leaf(type, std::move(buffer), where));
}

}  // namespace

dlpack::ManagedTensorVersioned* to_dlpack(const Tensor& tensor, std::source_location at) {
  const detail::StatePtr state = complete(tensor, at);
  dlpack::ManagedTensorVersioned* const out =
      lend<dlpack::ManagedTensorVersioned>(state->type, state->buffer);
  out->flags = dlpack::kReadOnly;
  return out;
}

dlpack::ManagedTensor* to_unversioned_dlpack(const Tensor& tensor, std::source_location at) {
  const detail::StatePtr state = complete(tensor, at);
  RankContext& context = RankContext::current();
  const auto bytes = static_cast<std::size_t>(state->type.bytes());
  const runtime::MemoryLabel label = {.what = "copy", .where = at};
  std::shared_ptr<runtime::Buffer> copy;
  if (state->type.device.is_cpu()) {
    copy = context.runtime().allocator.allocate(bytes, label);
    context.read(*state, {copy->data(), bytes});
  } else {
    runtime::Accelerator& gpu = context.runtime().accelerator(state->type.device);
    copy = gpu.memory().allocate(bytes, label);
    const auto host = detail::host_bytes(Tensor(state), at);
    gpu.copy_in(copy->data(), host.get(), bytes);
    synchronize();
  }
  return lend<dlpack::ManagedTensor>(state->type, std::move(copy));
}

Tensor from_dlpack(dlpack::ManagedTensorVersioned* given, std::source_location at) {
  return imported(given, at);
}

Tensor from_dlpack(dlpack::ManagedTensor* given, std::source_location at) {
  return imported(given, at);
}

}  // namespace tutti

#include <tutti/codegen/cuda/access.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen::cuda {

void for_each_access(const Kernel& kernel, const std::function<void(const Access&)>& f) {
  const auto dtype_of_buffer = [&](int buffer) {
    return buffer < 0 ? DType::i64 : kernel.buffers[static_cast<std::size_t>(buffer)].dtype;
  };
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load &&
          instruction.kind != Instruction::Kind::index) {
        continue;
      }
      for (const Bound& bound : instruction.bounds) {
        const Affine index = index_of(kernel, bound);
        f({.buffer = -1, .address = &index, .store = false, .loop = segment.loop});
      }
      const int buffer = instruction.kind == Instruction::Kind::load ? instruction.buffer : -1;
      f({.buffer = buffer,
         .dtype = dtype_of_buffer(buffer),
         .address = &instruction.address,
         .store = false,
         .loop = segment.loop,
         .load = buffer < 0 ? nullptr : &instruction});
    }
    for (const Store& store : segment.stores) {
      f({.buffer = store.buffer,
         .dtype = dtype_of_buffer(store.buffer),
         .address = &store.address,
         .store = true,
         .loop = segment.loop});
    }
  }
}

bool is_injective(const Kernel& kernel, const Affine& address) {
  // By ascending stride, each has to span all that the axes before it reach.
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride, extent
  const auto add = [&](const auto& strides, const auto& extents) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] > 1) axes.emplace_back(std::abs(strides[i]), extents[i]);
    }
  };
  add(address.outer, kernel.outer);
  add(address.inner, kernel.inner);
  std::ranges::sort(axes);
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

}  // namespace tutti::codegen::cuda

#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/kernel/varying_axes.h>
#include <tutti/codegen/schedule.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace tutti::codegen {

namespace {

// Cut points along the last axis of kernels that only map, in elements: big enough to amortise the
// start of a tile, small enough for the first-level cache.
constexpr std::int64_t kMapBlock = 8192;
// Columns that one tile of a column reduction adds up: four vectors of f32.
constexpr std::int64_t kColumnBlock = 64;
// Short rows that one tile works on side by side.
constexpr std::int64_t kShortRowBlock = 256;

// Calls f with every address of the kernel and whether its inner strides count.
template <class F>
void each_address(Kernel& kernel, F&& f) {
  for (Segment& segment : kernel.segments) {
    for (Instruction& instruction : segment.body) {
      const bool addressed = instruction.kind == Instruction::Kind::load ||
                             instruction.kind == Instruction::Kind::index;
      if (addressed) f(instruction.address, segment.loop);
    }
    for (Store& store : segment.stores) f(store.address, segment.loop);
  }
}

// Calls f with every load that has terms.
template <class F>
void each_indexed_load(const Kernel& kernel, F&& f) {
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (!instruction.terms.empty()) f(instruction);
    }
  }
}

// Calls f with every bound of one level.
template <class F>
void each_bound(Kernel& kernel, bool inner, F&& f) {
  for (Segment& segment : kernel.segments) {
    for (Instruction& instruction : segment.body) {
      for (Bound& bound : instruction.bounds) {
        if (bound.inner == inner) f(bound);
      }
    }
  }
}

bool is_bounded(Kernel& kernel, bool inner, std::size_t axis) {
  bool out = false;
  each_bound(kernel, inner,
             [&](const Bound& bound) { out = out || std::cmp_equal(bound.axis, axis); });
  return out;
}

// Merges the axes of one level; `strides` picks the level's strides out of an address.
template <class Strides>
void merge_level(Kernel& kernel, std::vector<std::int64_t>& extents, bool inner,
                 Strides&& strides) {
  const auto erase = [&](std::size_t axis) {
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
    each_bound(kernel, inner, [&](Bound& bound) {
      if (std::cmp_greater(bound.axis, axis)) --bound.axis;
    });
    each_address(kernel, [&](Affine& address, bool loop) {
      if (inner && !loop) return;
      auto& list = strides(address);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(axis));
    });
  };
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (extents[axis] == 1 && extents.size() > 1 && !is_bounded(kernel, inner, axis)) erase(axis);
  }
  for (std::size_t axis = extents.size(); axis-- > 1;) {
    bool joined = !is_bounded(kernel, inner, axis) && !is_bounded(kernel, inner, axis - 1);
    each_address(kernel, [&](Affine& address, bool loop) {
      if (inner && !loop) return;
      const auto& list = strides(address);
      joined = joined && list[axis - 1] == list[axis] * extents[axis];
    });
    if (!joined) continue;
    extents[axis] *= extents[axis - 1];
    erase(axis - 1);
  }
}

// Parts so short that their sums keep their digits, where kMostParts are not enough; 1 if there are
// none, or too many for all results. An accumulator loses what is added to it bit by bit, the more
// the larger it is; a row has one for each lane.
std::int64_t short_parts_of(const Kernel& kernel, std::int64_t most_parts) {
  constexpr std::int64_t kAdditions = 1024;  // to one accumulator
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kMostPartial = std::int64_t{1} << 18;  // results of all parts
  const std::int64_t longest =
      kernel.vector_axis == VectorAxis::inner ? kAdditions * kLanes : kAdditions;
  const std::int64_t length = inner_points(kernel);
  if (length <= most_parts * longest) return 1;
  const std::int64_t wanted = (length + longest - 1) / longest;
  const std::int64_t most = std::min(2 * wanted, kMostPartial / outer_points(kernel));
  for (std::int64_t parts = wanted; parts <= most; ++parts) {
    if (kernel.inner.front() % parts == 0) return parts;
  }
  return 1;
}

// The number of parts a reduction is divided into; 1 for none.
std::int64_t parts_of(const Kernel& kernel) {
  constexpr std::int64_t kMostParts = 16;
  constexpr std::int64_t kLeastPart = 64;        // elements of one result in one part
  constexpr std::int64_t kEnoughResults = 4096;  // that many results are parallel enough
  constexpr std::int64_t kLongRow = 32768;       // rows are fast: only very long ones are divided
  const std::int64_t length = inner_points(kernel);
  const std::int64_t results = outer_points(kernel);
  if (length == 0 || results == 0) return 1;
  if (const std::int64_t parts = short_parts_of(kernel, kMostParts); parts > 1) return parts;
  const bool rows = kernel.vector_axis == VectorAxis::inner;
  if (results >= kEnoughResults || (rows && (length < kLongRow || results >= kMostParts))) return 1;
  for (std::int64_t parts = kMostParts; parts > 1; --parts) {
    if (kernel.inner.front() % parts == 0 && length / parts >= kLeastPart) return parts;
  }
  return 1;
}

// Removes buffers that nothing reads or writes any more.
void drop_unused_buffers(LoweredKernel& lowered) {
  std::vector<int> renamed(lowered.arguments.size(), -1);
  const auto mark = [&](int buffer) { renamed[static_cast<std::size_t>(buffer)] = 0; };
  for (const Segment& segment : lowered.kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind == Instruction::Kind::load) mark(instruction.buffer);
    }
    for (const Store& store : segment.stores) mark(store.buffer);
  }
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    if (renamed[i] < 0) continue;
    for (const Start& start : lowered.kernel.buffers[i].starts) mark(start.buffer);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    if (renamed[i] < 0) continue;
    renamed[i] = static_cast<int>(kept);
    lowered.arguments[kept] = lowered.arguments[i];
    lowered.kernel.buffers[kept++] = lowered.kernel.buffers[i];
  }
  lowered.arguments.resize(kept);
  lowered.kernel.buffers.resize(kept);
  for (KernelBuffer& buffer : lowered.kernel.buffers) {
    for (Start& start : buffer.starts) {
      start.buffer = renamed[static_cast<std::size_t>(start.buffer)];
    }
  }
  for (Segment& segment : lowered.kernel.segments) {
    for (Instruction& instruction : segment.body) {
      if (instruction.kind != Instruction::Kind::load) continue;
      instruction.buffer = renamed[static_cast<std::size_t>(instruction.buffer)];
    }
    for (Store& store : segment.stores)
      store.buffer = renamed[static_cast<std::size_t>(store.buffer)];
  }
}

}  // namespace

void merge_axes(Kernel& kernel) {
  merge_level(kernel, kernel.outer, false,
              [](Affine& address) -> std::vector<std::int64_t>& { return address.outer; });
  merge_level(kernel, kernel.inner, true,
              [](Affine& address) -> std::vector<std::int64_t>& { return address.inner; });
  if (!kernel.outer.empty()) return;
  kernel.outer.push_back(1);
  each_address(kernel, [](Affine& address, bool) { address.outer.push_back(0); });
}

void lengthen_vectors(Kernel& kernel) {
  const std::size_t last = kernel.outer.size() - 1;
  if (kernel.vector_axis != VectorAxis::outer || kernel.outer[last] >= kLanes) return;
  const std::vector<VaryingAxes> values = find_varying_axes(kernel);
  // Of a point, with vectors along an axis: in loads and stores of elements that lie side by side.
  const auto cost = [&](std::size_t axis) {
    constexpr double kApart = 6;
    constexpr double kBegin = 60;  // a vector's row, and maybe a tile
    double accesses = 0;
    each_address(kernel, [&](const Affine& address, bool) {
      const std::int64_t stride = address.outer[axis];
      accesses += stride == 0 || stride == 1 ? 1 : kApart;
    });
    each_indexed_load(kernel, [&](const Instruction& load) {
      const std::int64_t stride = load.address.outer[axis];
      const bool counted = stride != 0 && stride != 1;
      if (!counted && axes_of_terms(values, load).has(false, axis)) accesses += kApart - 1;
    });
    const std::int64_t extent = kernel.outer[axis];
    const std::int64_t lanes = (extent + kLanes - 1) / kLanes * kLanes;
    return (accesses * static_cast<double>(lanes) + kBegin) / static_cast<double>(extent);
  };
  std::size_t best = last;
  for (std::size_t axis = 0; axis < last; ++axis) {
    if (cost(axis) < cost(best)) best = axis;
  }
  if (best == last) return;
  std::swap(kernel.outer[best], kernel.outer[last]);
  each_address(kernel,
               [&](Affine& address, bool) { std::swap(address.outer[best], address.outer[last]); });
  each_bound(kernel, false, [&](Bound& bound) {
    if (std::cmp_equal(bound.axis, best)) {
      bound.axis = static_cast<int>(last);
    } else if (std::cmp_equal(bound.axis, last)) {
      bound.axis = static_cast<int>(best);
    }
  });
}

std::vector<LoweredKernel> split_reduction(LoweredKernel lowered) {
  std::size_t loop = 0;
  std::size_t loops = 0;
  for (std::size_t i = 0; i < lowered.kernel.segments.size(); ++i) {
    if (!lowered.kernel.segments[i].loop) continue;
    loop = i;
    ++loops;
  }
  std::vector<LoweredKernel> out;
  // Only a sum at the end of its group is divided, not a row that is used again.
  const bool may_divide = loops == 1 && !is_bounded(lowered.kernel, true, 0);
  const std::int64_t parts = may_divide ? parts_of(lowered.kernel) : 1;
  if (parts == 1) {
    out.push_back(std::move(lowered));
    return out;
  }

  LoweredKernel first = lowered;
  LoweredKernel second = std::move(lowered);
  const std::int64_t results = outer_points(first.kernel);
  const std::int64_t part_size = first.kernel.inner.front() / parts;
  const std::vector<std::int64_t> outer_strides = [&] {
    std::vector<std::int64_t> strides(first.kernel.outer.size());
    std::int64_t stride = 1;
    for (std::size_t i = strides.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= first.kernel.outer[i];
    }
    return strides;
  }();

  // First: the same loop over one part, the part being a new outermost axis.
  Kernel& partial = first.kernel;
  partial.name += "_parts";
  partial.segments.resize(loop + 1);
  for (Segment& segment : partial.segments) {
    if (!segment.loop) segment.stores.clear();
  }
  each_address(partial, [&](Affine& address, bool in_loop) {
    address.outer.insert(address.outer.begin(), in_loop ? address.inner.front() * part_size : 0);
  });
  each_bound(partial, false, [](Bound& bound) { ++bound.axis; });
  partial.outer.insert(partial.outer.begin(), parts);
  partial.inner.front() = part_size;
  Segment write;
  // Second: a loop over the parts in their order.
  Segment read{.loop = true, .body = {}, .reductions = {}, .stores = {}};
  for (const Reduction& reduction : second.kernel.segments[loop].reductions) {
    Affine address{.offset = 0, .outer = outer_strides, .inner = {results}};
    read.body.push_back({.kind = Instruction::Kind::load,
                         .dtype = reduction.dtype,
                         .buffer = static_cast<int>(second.kernel.buffers.size()),
                         .address = address,
                         .result = second.kernel.value_count,
                         .type = reduction.dtype});
    read.reductions.push_back(reduction);
    read.reductions.back().value = second.kernel.value_count++;
    address.outer.insert(address.outer.begin(), results);
    address.inner.clear();
    write.stores.push_back({.buffer = static_cast<int>(partial.buffers.size()),
                            .address = address,
                            .value = reduction.result});
    const std::int64_t bytes = parts * results * size_of(reduction.dtype);
    partial.buffers.push_back({.dtype = reduction.dtype, .written = true});
    first.arguments.push_back({.value = {}, .scratch = bytes});
    second.kernel.buffers.push_back({.dtype = reduction.dtype, .written = false});
    second.arguments.push_back({.value = {}, .scratch = bytes});
  }
  partial.segments.push_back(std::move(write));
  second.kernel.inner = {parts};
  second.kernel.segments[loop] = std::move(read);
  second.kernel.vector_axis =
      second.kernel.outer.back() >= kLanes ? VectorAxis::outer : VectorAxis::inner;
  merge_axes(partial);
  out.push_back(std::move(first));
  out.push_back(std::move(second));
  for (LoweredKernel& part : out) drop_unused_buffers(part);
  return out;
}

void set_block(Kernel& kernel) {
  if (kernel.vector_axis == VectorAxis::inner) return;
  const std::int64_t most = kernel.inner.empty()     ? kMapBlock
                            : has_short_rows(kernel) ? kShortRowBlock
                                                     : kColumnBlock;
  const std::int64_t size = (kernel.outer.back() + kLanes - 1) / kLanes * kLanes;
  kernel.block = std::clamp<std::int64_t>(size, kLanes, most);
}

}  // namespace tutti::codegen

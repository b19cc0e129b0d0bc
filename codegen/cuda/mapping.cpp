#include <tutti/codegen/cuda/access.h>
#include <tutti/codegen/cuda/mapping.h>
#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/varying_axes.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

namespace tutti::codegen::cuda {

namespace {

constexpr int kPlainThreads = 256;   // of a block without a team
constexpr ValueId kManyValues = 48;  // of a kernel
constexpr int kMostLanes = 8;        // elements at once
constexpr std::int64_t kWide = 16;   // bytes of the widest access
// Blocks that fill a large device: a few for each of its multiprocessors.
constexpr std::int64_t kEnoughBlocks = 512;
constexpr std::int64_t kEnoughThreads = 1 << 18;
// Bytes of static shared memory; a device gives 48 KiB without being asked.
constexpr std::int64_t kSharedBytes = 47 << 10;
// Counters in front of the workspace, one for each block along x.
constexpr std::int64_t kCounters = 1024;
constexpr std::int64_t kMostParts = 512;

std::int64_t up_to_power(std::int64_t number) {
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}
std::int64_t down_to_power(std::int64_t number) {
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}
std::int64_t divided(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

bool has_loops(const Kernel& kernel) {
  return std::ranges::any_of(kernel.segments, [](const Segment& segment) { return segment.loop; });
}

std::span<const Term> terms_of(const Access& access) {
  return access.load == nullptr ? std::span<const Term>() : std::span(access.load->terms);
}

// Whether indices, and what they are multiplied and added to, leave 32 bits. Threads beyond the
// last point count as well.
bool needs_wide_indices(const Kernel& kernel) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - (1 << 20);
  const auto none = [](const std::vector<std::int64_t>& extents) {
    return std::ranges::find(extents, 0) != extents.end();
  };
  if (none(kernel.outer) || none(kernel.inner)) return false;
  if (outer_points(kernel) > kMost || inner_points(kernel) > kMost) return true;
  bool wide = false;
  for_each_access(kernel, [&](const Access& access) {
    double reach = std::abs(static_cast<double>(access.address->offset));
    const auto add = [&](const auto& strides, const auto& extents) {
      for (std::size_t i = 0; i < extents.size(); ++i) {
        reach += std::abs(static_cast<double>(strides[i])) * static_cast<double>(extents[i]);
      }
    };
    add(access.address->outer, kernel.outer);
    if (access.loop) add(access.address->inner, kernel.inner);
    for (const Term& term : terms_of(access)) {
      reach += std::abs(static_cast<double>(term.stride)) * static_cast<double>(term.most);
    }
    wide = wide || reach > static_cast<double>(kMost);
  });
  return wide;
}

// Whether the indices of a load are the same for all elements that are moved at once, and there
// before these are loaded: loads of their own.
bool has_common_indices(const Kernel& kernel, const std::vector<VaryingAxes>& values,
                        const Instruction& load, bool inner) {
  const std::size_t last = (inner ? kernel.inner : kernel.outer).size() - 1;
  const auto is_loaded = [&](ValueId id) {
    return std::ranges::any_of(kernel.segments, [&](const Segment& segment) {
      return std::ranges::any_of(segment.body, [&](const Instruction& instruction) {
        return instruction.result == id && instruction.kind == Instruction::Kind::load;
      });
    });
  };
  const std::span operands(load.operands.data(), load.terms.size());
  return !axes_of_terms(values, load).has(inner, last) && std::ranges::all_of(operands, is_loaded);
}

// How many consecutive elements of the last axis of a level every access may move at once: all of
// them are contiguous along it, and aligned, or do not depend on it.
int lanes_along(const Kernel& kernel, bool inner) {
  if (has_bounds(kernel) || has_starts(kernel)) return 1;
  std::int64_t lanes = kMostLanes;
  const std::vector<std::int64_t>& extents = inner ? kernel.inner : kernel.outer;
  if (extents.empty()) return 1;
  std::int64_t widest = 0;
  const std::vector<VaryingAxes> values = find_varying_axes(kernel);
  for_each_access(kernel, [&](const Access& access) {
    if (access.buffer < 0 || (inner && !access.loop)) return;
    const std::span<const Term> terms = terms_of(access);
    if (!terms.empty() && !has_common_indices(kernel, values, *access.load, inner)) lanes = 1;
    const auto& strides = inner ? access.address->inner : access.address->outer;
    if (strides.back() == 0) return;
    if (strides.back() != 1) lanes = 1;
    widest = std::max(widest, size_of(access.dtype));
    // The largest power of two that divides every place where a run may start.
    auto aligned = static_cast<std::uint64_t>(access.address->offset);
    const auto add = [&](const auto& list, const auto& sizes, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] > 1) aligned |= static_cast<std::uint64_t>(list[i]);
      }
    };
    add(access.address->outer, kernel.outer, kernel.outer.size() - (inner ? 0 : 1));
    if (inner) add(access.address->inner, kernel.inner, kernel.inner.size() - 1);
    for (const Term& term : terms) aligned |= static_cast<std::uint64_t>(term.stride);
    while (lanes > 1 && aligned % static_cast<std::uint64_t>(lanes) != 0) lanes /= 2;
  });
  if (widest == 0) return 1;
  lanes = std::min(lanes, std::max<std::int64_t>(kWide / widest, 1));
  return static_cast<int>(std::min(lanes, up_to_power(extents.back())));
}

// The bytes that loops access contiguously along the last axis of a level, but for what is the same
// in all of a loop, such as the index of a row.
std::int64_t contiguous_bytes(const Kernel& kernel, bool inner) {
  std::int64_t bytes = 0;
  for_each_access(kernel, [&](const Access& access) {
    if (access.buffer < 0 || !access.loop) return;
    const auto& along = access.address->inner;
    if (std::ranges::all_of(along, [](std::int64_t stride) { return stride == 0; })) return;
    const auto& strides = inner ? access.address->inner : access.address->outer;
    const auto& extents = inner ? kernel.inner : kernel.outer;
    if (!extents.empty() && extents.back() > 1 && strides.back() == 1) {
      bytes += size_of(access.dtype);
    }
  });
  return bytes;
}

// Whether loops may run their points in any order: no element is stored twice.
bool loops_may_be_divided(const Kernel& kernel) {
  std::vector<bool> stored(kernel.buffers.size(), false);
  for (const Segment& segment : kernel.segments) {
    for (const Store& store : segment.stores) {
      const auto buffer = static_cast<std::size_t>(store.buffer);
      if (stored[buffer]) return false;
      stored[buffer] = true;
      if (segment.loop && !is_injective(kernel, store.address)) return false;
    }
  }
  return true;
}

// Whether one loop's partial results may be passed on through memory: nothing but points follows
// it, and nothing before it is written.
bool loop_may_have_parts(const Kernel& kernel) {
  bool looped = false;
  for (const Segment& segment : kernel.segments) {
    if (segment.loop && looped) return false;
    looped = looped || segment.loop;
    if (!looped && !segment.stores.empty()) return false;
  }
  return looped;
}

// Bytes of shared memory of a block's combinations.
std::int64_t shared_bytes(const Kernel& kernel, std::int64_t values) {
  std::int64_t bytes = 0;
  for (const Segment& segment : kernel.segments) {
    for (const Reduction& reduction : segment.reductions)
      bytes += size_of(reduction.dtype) * values;
  }
  return bytes;
}

void divide_into_parts(const Kernel& kernel, Mapping& mapping, std::int64_t least_steps) {
  if (!loop_may_have_parts(kernel)) return;
  const std::int64_t blocks = divided(outer_points(kernel), mapping.points);
  const std::int64_t rounds = divided(inner_steps(kernel, mapping.lanes), mapping.team);
  if (blocks > kCounters) return;
  const std::int64_t parts =
      std::min({divided(kEnoughBlocks, blocks), rounds / least_steps, kMostParts});
  mapping.parts = std::max<std::int64_t>(parts, 1);
}

void map_rows(const Kernel& kernel, Mapping& mapping) {
  constexpr std::int64_t kStepsOfALane = 4;
  mapping.kind = Mapping::Kind::rows;
  mapping.lanes = lanes_along(kernel, true);
  const std::int64_t rows = outer_points(kernel);
  const std::int64_t steps = inner_steps(kernel, mapping.lanes);
  if (steps <= kWarp * kStepsOfALane) {
    mapping.team = static_cast<int>(std::min<std::int64_t>(up_to_power(steps), kWarp));
    const std::int64_t most = 4 * kWarp / mapping.team;
    // At least a warp, as lanes that do not exist take part in no shuffle.
    const std::int64_t least = kWarp / mapping.team;
    mapping.points = static_cast<int>(std::clamp(up_to_power(rows), least, most));
    return;
  }
  const bool few = rows < kEnoughBlocks;
  const std::int64_t team = up_to_power(few ? steps / 2 : steps / kStepsOfALane);
  mapping.team = static_cast<int>(std::clamp<std::int64_t>(team, 2 * kWarp, few ? 1024 : 512));
  if (few && loop_may_have_parts(kernel)) mapping.team = std::min(mapping.team, 512);
  divide_into_parts(kernel, mapping, 2);
}

void map_columns(const Kernel& kernel, Mapping& mapping) {
  constexpr std::int64_t kStepsOfAThread = 4;
  mapping.kind = Mapping::Kind::columns;
  const std::int64_t columns = outer_points(kernel);
  const std::int64_t steps = inner_points(kernel);
  std::int64_t height =
      std::min(down_to_power(steps / kStepsOfAThread), up_to_power(kEnoughThreads / columns));
  if (!loops_may_be_divided(kernel)) height = 1;
  if (height == 1) {
    mapping.points = static_cast<int>(std::clamp<std::int64_t>(up_to_power(columns), kWarp, 128));
    return;
  }
  mapping.points = static_cast<int>(std::min<std::int64_t>(up_to_power(columns), kWarp));
  // A block of many threads leaves each of them few registers.
  const std::int64_t threads = kernel.value_count > kManyValues ? kPlainThreads : 2 * kPlainThreads;
  height = std::min<std::int64_t>(height, threads / mapping.points);
  // At least a warp, if there is that much to do.
  while (height > 1 && shared_bytes(kernel, height * mapping.points) > kSharedBytes) height /= 2;
  mapping.team = static_cast<int>(height);
  divide_into_parts(kernel, mapping, kStepsOfAThread);
}

// Whether neighbours along `axis`, but not along the last one, are neighbours there.
bool turns(const Kernel& kernel, std::size_t axis, const Affine& address) {
  return std::abs(address.outer[axis]) == 1 && std::abs(address.outer[kernel.outer.size() - 1]) > 1;
}

// The axis along which most bytes are read across the last one; -1: none.
int choose_tile_axis(const Kernel& kernel) {
  if (has_bounds(kernel) || has_starts(kernel) || has_terms(kernel)) return -1;
  const std::size_t last = kernel.outer.size() - 1;
  if (kernel.outer[last] < kTileSide / 2) return -1;
  std::vector<std::int64_t> bytes(last + 1, 0);
  for_each_access(kernel, [&](const Access& access) {
    if (access.buffer < 0 || access.store) return;
    const auto& strides = access.address->outer;
    // Within a sector of 32 bytes neighbours are read anyway.
    if (std::abs(strides[last]) * size_of(access.dtype) < 32) return;
    for (std::size_t axis = 0; axis < last; ++axis) {
      if (kernel.outer[axis] >= kTileSide / 2 && std::abs(strides[axis]) == 1) {
        bytes[axis] += size_of(access.dtype);
      }
    }
  });
  const auto most = std::ranges::max_element(bytes);
  const auto axis = static_cast<std::size_t>(most - bytes.begin());
  std::int64_t tile_bytes = 0;
  for_each_access(kernel, [&](const Access& access) {
    if (access.buffer < 0 || access.store || !turns(kernel, axis, *access.address)) return;
    tile_bytes += kTileSide * tile_row(access.dtype) * size_of(access.dtype);
  });
  return *most == 0 || tile_bytes > kSharedBytes ? -1 : static_cast<int>(axis);
}

void map_points(const Kernel& kernel, Mapping& mapping) {
  mapping.tile_axis = choose_tile_axis(kernel);
  if (mapping.tile_axis >= 0) {
    mapping.kind = Mapping::Kind::tiles;
    return;
  }
  mapping.kind = Mapping::Kind::points;
  mapping.lanes = lanes_along(kernel, false);
  const std::int64_t groups =
      outer_points(kernel) / kernel.outer.back() * divided(kernel.outer.back(), mapping.lanes);
  mapping.points =
      static_cast<int>(std::clamp<std::int64_t>(up_to_power(groups), kWarp, kPlainThreads));
}

}  // namespace

std::int64_t inner_steps(const Kernel& kernel, int lanes) {
  const std::int64_t points = inner_points(kernel);
  if (points == 0 || kernel.inner.empty()) return points;
  return points / kernel.inner.back() * divided(kernel.inner.back(), lanes);
}

bool goes_through_tile(const Kernel& kernel, const Mapping& mapping, const Affine& address) {
  return mapping.kind == Mapping::Kind::tiles &&
         turns(kernel, static_cast<std::size_t>(mapping.tile_axis), address);
}

Mapping choose_mapping(const Kernel& kernel) {
  Mapping mapping;
  mapping.wide = needs_wide_indices(kernel);
  if (outer_points(kernel) == 0) return mapping;
  if (!has_loops(kernel)) {
    map_points(kernel, mapping);
    return mapping;
  }
  const std::int64_t along_inner = contiguous_bytes(kernel, true);
  const std::int64_t along_outer = contiguous_bytes(kernel, false);
  const bool prefers_rows = along_inner != along_outer ? along_inner > along_outer
                                                       : kernel.vector_axis == VectorAxis::inner;
  const bool rows = prefers_rows && loops_may_be_divided(kernel) && inner_points(kernel) > 1 &&
                    shared_bytes(kernel, kWarp) <= kSharedBytes;
  rows ? map_rows(kernel, mapping) : map_columns(kernel, mapping);
  return mapping;
}

std::string describe(const Kernel& kernel, const Mapping& mapping) {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  const std::string all = text(outer_points(kernel));
  const std::string at_once =
      mapping.lanes > 1 ? ", " + text(mapping.lanes) + " elements at once" : "";
  const std::string parts =
      mapping.parts > 1 ? ", loops divided into " + text(mapping.parts) + " parts" : "";
  switch (mapping.kind) {
    case Mapping::Kind::points:
      return "points: a thread for " +
             (mapping.lanes == 1 ? std::string("each") : "every " + text(mapping.lanes)) + " of " +
             all + " points, " + text(mapping.points) + " threads a block";
    case Mapping::Kind::tiles:
      return "tiles: a block for 32 x 32 of " + all + " points, along o" + text(mapping.tile_axis) +
             " and o" + text(static_cast<std::int64_t>(kernel.outer.size()) - 1);
    case Mapping::Kind::rows:
      return "rows: " + text(mapping.team) + " threads for each of " + all + " points, " +
             text(mapping.points) + " points a block" + at_once + parts;
    case Mapping::Kind::columns:
      return "columns: " + text(mapping.team) + " threads for each of " + all + " points, " +
             text(mapping.points) + " points a block side by side" + parts;
  }
  return "";
}

}  // namespace tutti::codegen::cuda

#include <tutti/codegen/schedule.h>
#include <tutti/codegen/stand_in_call.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/neutral.h>
#include <tutti/ir/support/hash.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::ScalarOp;
using runtime::CollectiveCall;
using runtime::CollectiveKind;
using runtime::TensorPart;

constexpr int kMostPieces = 64;  // each is a load of the kernel
// Of what all members gave of all parts, on one of them.
constexpr std::int64_t kMostBrought = std::int64_t{64} << 20;

// As the program has a part's result on a member.
AroundAxis result_around_axis(const CollectiveCall& call, const TensorPart& part, int members,
                              int position) {
  const std::int64_t elements = runtime::result_elements(call, part, members, position);
  AroundAxis out;
  out.outer = part.outer;
  out.inner = part.inner;
  const std::int64_t others = part.outer * part.inner;
  out.size = others == 0 ? 0 : elements / others;
  return out;
}

// What it stands for, so that calls that differ in that alone do not meet.
std::uint64_t agreement_of(const CollectiveCall& call) {
  Hasher hasher;
  hasher.add(call.agreement).add(static_cast<std::uint64_t>(call.kind));
  hasher.add(static_cast<std::uint64_t>(call.reduction));
  hasher.add(std::uint64_t{call.scan.exclusive}).add(std::uint64_t{call.scan.reverse});
  // The same on all members, unlike those of the all_to_all that stands in.
  if (call.kind != CollectiveKind::reduce_scatter) return hasher.finish().low;
  for (const TensorPart& part : call.parts) {
    for (const std::int64_t size : part.sizes) hasher.add(static_cast<std::uint64_t>(size));
  }
  return hasher.finish().low;
}

void put_axis_first(CollectiveCall& call) {
  if (!kernels::has_axis(call.kind)) return;
  for (TensorPart& part : call.parts) part.inner *= std::exchange(part.outer, 1);
}

// Makes of a call one that brings what the members gave to who needs it, a piece for each of them;
// false where that is too much.
bool bring_pieces(CollectiveCall& call, int members, int position) {
  if (members > kMostPieces) return false;
  call.reduction = runtime::Reduction::sum;
  call.scan = {};
  if (call.kind == CollectiveKind::reduce_scatter) {
    call.kind = CollectiveKind::all_to_all;
    for (TensorPart& part : call.parts) {
      if (part.sizes.empty()) continue;
      part.receive_sizes.assign(part.sizes.size(), part.sizes[static_cast<std::size_t>(position)]);
    }
    return true;
  }
  call.kind =
      call.kind == CollectiveKind::reduce ? CollectiveKind::gather : CollectiveKind::all_gather;
  std::int64_t left = kMostBrought / members / size_of(call.dtype);
  for (TensorPart& part : call.parts) {
    if (part.elements > left) return false;
    left -= part.elements;
    part.inner = part.elements;
  }
  return true;
}

Combination combination_for(const CollectiveCall& call, int members, int position) {
  Combination out{.reduction = call.reduction, .count = members};
  if (call.reduction == runtime::Reduction::mean) {
    out.reduction = runtime::Reduction::sum;
    out.divisor = members;
  }
  if (call.kind == CollectiveKind::reduce && position != call.root) {
    out.count = out.divisor = 1;  // zeros have come
  }
  if (call.kind == CollectiveKind::scan_ranks) {
    const int own = call.scan.exclusive ? 0 : 1;
    out.first = call.scan.reverse ? position + 1 - own : 0;
    out.count = call.scan.reverse ? members - out.first : position + own;
  }
  return out;
}

// Moves a dimension before all others, in each of a view's lists.
template <class List>
void put_first(List& list, int dimension) {
  std::rotate(list.begin(), list.begin() + dimension, list.begin() + dimension + 1);
}

}  // namespace

std::optional<StandIn> find_stand_in(const CollectiveCall& call,
                                     const runtime::TransportEntry& engine, int members,
                                     int position, bool in_order) {
  if (members < 2 || call.parts.empty()) return std::nullopt;
  const auto has = [&](const CollectiveCall& wanted) {
    return engine.serves == nullptr || engine.serves(wanted, members);
  };
  StandIn out{.call = call, .results = {}};
  for (const TensorPart& part : call.parts) {
    out.results.push_back(result_around_axis(call, part, members, position));
  }
  put_axis_first(out.call);
  out.call.agreement = agreement_of(call);
  if (!in_order && has(out.call)) return out;
  if (!kernels::reduces(call.kind)) return std::nullopt;
  // A sum of f16 may be infinite where their mean is not: that is divided before it is rounded.
  const bool fits_a_sum = call.dtype != DType::f16;
  if (!in_order && fits_a_sum && call.reduction == runtime::Reduction::mean) {
    out.call.reduction = runtime::Reduction::sum;
    out.combination = Combination{.divisor = members};
    if (has(out.call)) return out;
  }
  out.combination = combination_for(call, members, position);
  if (!bring_pieces(out.call, members, position) || !has(out.call)) return std::nullopt;
  return out;
}

Kernel combining_kernel(const Combination& combination, const AroundAxis& result, DType dtype) {
  const DType computed = ir::compute_dtype(dtype);
  const ScalarOp combine = ir::combination_of(name_of(combination.reduction));
  Kernel kernel;
  const bool divides = combination.count == 1 && combination.divisor != 1;
  kernel.name = divides ? "divide" : "combine_" + std::string(name_of(combination.reduction));
  kernel.outer = {result.outer, result.size, result.inner};
  // Also where nothing of it is read, so that it is in use for as long on all members.
  kernel.buffers = {{.dtype = dtype, .written = false}, {.dtype = dtype, .written = true}};
  Segment segment;
  const auto add = [&](Instruction instruction) {
    instruction.result = kernel.value_count++;
    segment.body.push_back(std::move(instruction));
    return kernel.value_count - 1;
  };
  const auto constant = [&](ir::Cell cell) {
    return add({.kind = Instruction::Kind::constant,
                .dtype = computed,
                .constant = cell,
                .type = computed});
  };
  // Of a piece, in which the axis comes first.
  const auto load = [&](int piece) {
    return add({.kind = Instruction::Kind::load,
                .dtype = dtype,
                .buffer = 0,
                .address = {.offset = piece * result.outer * result.size * result.inner,
                            .outer = {result.inner, result.outer * result.inner, 1},
                            .inner = {}},
                .type = computed});
  };
  const auto apply = [&](ScalarOp op, ValueId x, ValueId y) {
    return add({.kind = Instruction::Kind::scalar,
                .op = op,
                .operands = {x, y, -1},
                .dtype = computed,
                .type = computed});
  };
  ValueId value = -1;
  if (combination.count == 0) {
    value = constant(ir::load_cell(dtype, ir::empty_combination(combine, dtype).bytes().data()));
  } else {
    value = load(combination.first);
    for (int piece = 1; piece < combination.count; ++piece) {
      value = apply(combine, value, load(combination.first + piece));
    }
  }
  if (combination.divisor != 1) {
    value = apply(ScalarOp::div, value, constant(ir::cell_of(computed, combination.divisor)));
  }
  segment.stores.push_back({.buffer = 1,
                            .address = {.offset = 0,
                                        .outer = {result.size * result.inner, result.inner, 1},
                                        .inner = {}},
                            .value = value});
  kernel.segments.push_back(std::move(segment));
  merge_axes(kernel);
  set_block(kernel);
  check(kernel);
  return kernel;
}

View with_axis_first(View view, int axis) {
  std::vector<std::int64_t> sizes(view.shape.begin(), view.shape.end());
  put_first(sizes, axis);
  view.shape = Shape(sizes);
  put_first(view.strides, axis);
  put_first(view.inside, axis);
  return view;
}

View with_axis_back(ir::Value value, const ir::Type& type, int axis) {
  std::vector<std::int64_t> sizes(type.shape.begin(), type.shape.end());
  put_first(sizes, axis);
  View out{
      .base = value, .dtype = type.dtype, .shape = type.shape, .strides = Shape(sizes).strides()};
  // From the first place to that of the axis.
  std::rotate(out.strides.begin(), out.strides.begin() + 1, out.strides.begin() + axis + 1);
  return out;
}

}  // namespace tutti::codegen

#include <tutti/codegen/cuda/emit_kernel.h>
#include <tutti/codegen/cuda/kernel_printer.h>
#include <tutti/codegen/cuda/mapping.h>
#include <tutti/codegen/schedule.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

namespace tutti::codegen::cuda {

namespace {

// Values that nothing depends on would only be warnings of the compiler.
void drop_unused_values(Kernel& kernel) {
  std::vector<bool> used(static_cast<std::size_t>(kernel.value_count), false);
  const auto is_unused = [&](const auto& definition) {
    return !used[static_cast<std::size_t>(definition.result)];
  };
  const auto use = [&](ValueId id) {
    if (id >= 0) used[static_cast<std::size_t>(id)] = true;
  };
  for (Segment& segment : std::views::reverse(kernel.segments)) {
    for (const Store& store : segment.stores) use(store.value);
    std::erase_if(segment.reductions, is_unused);
    for (const Reduction& reduction : segment.reductions) use(reduction.value);
    for (const Instruction& instruction : std::views::reverse(segment.body)) {
      if (is_unused(instruction)) continue;
      for (const ValueId operand : instruction.operands) use(operand);
    }
    std::erase_if(segment.body, is_unused);
  }
  std::erase_if(kernel.segments, [](const Segment& segment) {
    return segment.body.empty() && segment.reductions.empty() && segment.stores.empty();
  });
}

// Loops that never run leave the neutral elements of their reductions.
void drop_empty_loops(Kernel& kernel) {
  if (std::ranges::find(kernel.inner, 0) == kernel.inner.end()) return;
  for (Segment& segment : kernel.segments) {
    if (!segment.loop) continue;
    Segment constants;
    for (const Reduction& reduction : segment.reductions) {
      constants.body.push_back({.kind = Instruction::Kind::constant,
                                .dtype = reduction.dtype,
                                .constant = neutral_element(reduction.combine, reduction.dtype),
                                .result = reduction.result,
                                .type = reduction.dtype});
    }
    segment = std::move(constants);
  }
  kernel.inner.clear();
  kernel.vector_axis = VectorAxis::outer;
}

}  // namespace

Kernel prepared(Kernel kernel) {
  drop_empty_loops(kernel);
  drop_unused_values(kernel);
  merge_axes(kernel);
  return kernel;
}

Source emit_kernel(const Kernel& kernel) {
  check(kernel);
  const Kernel merged = prepared(kernel);
  return KernelPrinter(merged, choose_mapping(merged), kernel).print();
}

}  // namespace tutti::codegen::cuda

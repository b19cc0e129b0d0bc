#include <tutti/codegen/attention_call.h>
#include <tutti/codegen/conv_call.h>
#include <tutti/codegen/count_work.h>
#include <tutti/codegen/kernel/repeated_values.h>
#include <tutti/codegen/kernel/varying_axes.h>
#include <tutti/ir/cumulative.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::ScalarOp;

// Per element.
std::int64_t flops_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::argument:
    case ScalarOp::constant:
    case ScalarOp::bit_not:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
    case ScalarOp::select:
    case ScalarOp::cast:
    case ScalarOp::bitcast:
      return 0;
    case ScalarOp::fma:
      return 2;
    default:
      return ir::is_comparison(op) ? 0 : 1;
  }
}

class Counter {
 public:
  Counter(const Kernel& kernel, std::span<const std::int64_t> buffer_bytes)
      : kernel_(kernel), buffer_bytes_(buffer_bytes), bytes_(kernel.buffers.size(), 0) {
    if (!has_terms(kernel)) return;
    values_ = find_varying_axes(kernel);
    repeated_ = find_repeated_values(kernel);
  }

  runtime::WorkCounts run() {
    for (const Segment& segment : kernel_.segments) count(segment);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      auto& total = kernel_.buffers[i].written ? counts_.bytes_written : counts_.bytes_read;
      total += std::min(bytes_[i], buffer_bytes_[i]);
    }
    return counts_;
  }

 private:
  void count(const Segment& segment) {
    const std::int64_t points = outer_points(kernel_) * (segment.loop ? inner_points(kernel_) : 1);
    for (const Instruction& instruction : segment.body) {
      if (instruction.kind == Instruction::Kind::scalar) {
        add_flops(instruction.dtype, points * flops_of(instruction.op));
      } else if (instruction.kind == Instruction::Kind::load) {
        add_access(segment, instruction.buffer, instruction.address, &instruction);
      }
    }
    for (const Reduction& reduction : segment.reductions) {
      add_flops(reduction.dtype, points * flops_of(reduction.combine));
    }
    for (const Store& store : segment.stores) add_access(segment, store.buffer, store.address);
  }

  void add_flops(DType dtype, std::int64_t flops) {
    if (dtype == DType::f64) {
      counts_.double_flops += flops;
    } else if (is_floating(dtype)) {
      counts_.flops += flops;
    }
  }

  // As many elements as there are points along the axes on which the address depends, or an index
  // that says more.
  void add_access(const Segment& segment, int buffer, const Affine& address,
                  const Instruction* load = nullptr) {
    const bool has_terms = load != nullptr && !load->terms.empty();
    const VaryingAxes terms = has_terms ? axes_of_terms(values_, *load) : VaryingAxes();
    Affine normal = address;
    if (!segment.loop) normal.inner.clear();
    normal.inner.resize(kernel_.inner.size(), 0);
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < kernel_.outer.size(); ++i) {
      if (normal.outer[i] != 0 || terms.has(false, i)) elements *= kernel_.outer[i];
    }
    for (std::size_t i = 0; i < kernel_.inner.size(); ++i) {
      if (normal.inner[i] != 0 || terms.has(true, i)) elements *= kernel_.inner[i];
    }
    const auto position = static_cast<std::size_t>(buffer);
    std::vector<std::tuple<ValueId, std::int64_t, std::int64_t>> places;
    for (std::size_t i = 0; has_terms && i < load->terms.size(); ++i) {
      const ValueId id = load->operands[i];
      const ValueId same = repeated_[static_cast<std::size_t>(id)];
      places.emplace_back(same >= 0 ? same : id, load->terms[i].most, load->terms[i].stride);
    }
    if (!seen_.insert({buffer, normal.offset, normal.outer, normal.inner, places}).second) return;
    bytes_[position] += elements * size_of(kernel_.buffers[position].dtype);
  }

  const Kernel& kernel_;
  const std::span<const std::int64_t> buffer_bytes_;
  std::vector<std::int64_t> bytes_;  // by buffer
  std::vector<VaryingAxes> values_;  // where loads have terms; so are those that are repeated
  std::vector<ValueId> repeated_;
  std::set<std::tuple<int, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>,
                      std::vector<std::tuple<ValueId, std::int64_t, std::int64_t>>>>
      seen_;
  runtime::WorkCounts counts_;
};

// Of the elements of a view that differ.
std::int64_t distinct_bytes(const View& view) {
  std::int64_t out = size_of(view.dtype);
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (view.strides[static_cast<std::size_t>(d)] != 0 || view.shape[d] == 0) out *= view.shape[d];
  }
  return out;
}

}  // namespace

runtime::WorkCounts count_work(const Kernel& kernel, std::span<const std::int64_t> buffer_bytes) {
  return Counter(kernel, buffer_bytes).run();
}

runtime::WorkCounts count_work(const ir::Graph& graph, ir::NodeId id,
                               const std::vector<View>& operands) {
  using ir::Op;
  const Op op = graph.node(id).op;
  const ir::Type& result = graph.type(graph.result(id));
  runtime::WorkCounts counts;
  for (std::uint32_t i = 0; i < graph.node(id).result_count; ++i) {
    counts.bytes_written += graph.type(graph.result(id, i)).bytes();
  }
  for (const View& view : operands) counts.bytes_read += distinct_bytes(view);
  std::int64_t flops = 0;
  if (op == Op::take || op == Op::take_along_axis) {
    // No more than is taken.
    const std::int64_t all = distinct_bytes(operands[0]);
    counts.bytes_read += std::min(all, result.bytes()) - all;
  } else if (op == Op::matmul) {
    const View& a = operands[0];
    flops = 2 * result.shape.elements() * a.shape[a.shape.rank() - 1];
  } else if (op == Op::attention || op == Op::attention_gradient) {
    flops = attention_flops(graph, id);
  } else if (op == Op::conv) {
    flops = conv_flops(graph, id);
  } else if (op == Op::scatter_add) {
    flops = operands[2].shape.elements();
  } else if (ir::running_combination(op)) {
    flops = result.shape.elements();
  } else if (op == Op::dynamic_slice) {
    // No more than the part.
    counts.bytes_read += result.bytes() - distinct_bytes(operands[0]);
  }
  if (is_floating(result.dtype)) {
    (result.dtype == DType::f64 ? counts.double_flops : counts.flops) = flops;
  }
  return counts;
}

runtime::WorkCounts count_copy(const View& view) {
  return {.bytes_read = distinct_bytes(view),
          .bytes_written = view.shape.elements() * size_of(view.dtype)};
}

}  // namespace tutti::codegen

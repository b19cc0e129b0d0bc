#include <tutti/codegen/driver/evaluate.h>
#include <tutti/codegen/kernel/folding.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::Cell;
using Index = std::vector<std::int64_t>;

std::int64_t place_at(const Affine& affine, const Index& outer, const Index& inner) {
  std::int64_t sum = affine.offset;
  for (std::size_t i = 0; i < outer.size(); ++i) sum += affine.outer[i] * outer[i];
  for (std::size_t i = 0; i < inner.size(); ++i) sum += affine.inner[i] * inner[i];
  return sum;
}

// Calls f for every index in row-major order.
void for_each_index(const std::vector<std::int64_t>& extents,
                    const std::function<void(const Index&)>& f) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  Index index(extents.size(), 0);
  while (true) {
    f(index);
    std::size_t axis = extents.size();
    while (axis > 0 && ++index[axis - 1] == extents[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

Cell combine(const Reduction& reduction, Cell a, Cell b) {
  return ir::evaluate(reduction.combine, reduction.dtype, {a, b, b});
}

// The chunks of a loop's points whose sums are made for themselves (folding.h).
class Chunks {
 public:
  Chunks(const Kernel& kernel, const Segment& segment) : folding_(folding_of(kernel, segment)) {
    if (!folding_) return;
    const bool has_lanes =
        kernel.vector_axis == VectorAxis::inner && folding_->axis + 1 == kernel.inner.size();
    const std::int64_t step = has_lanes ? kLanes : 1;
    size_ = folding_->rounds * step;
    whole_ = kernel.inner[folding_->axis] / step * step;
  }

  bool are_some() const { return folding_.has_value(); }
  // Whether a point is in one of them.
  bool has(const Index& inner) const { return folding_ && inner[folding_->axis] < whole_; }
  // Whether it is the first of one, or of what is behind the last.
  bool begins_at(const Index& inner) const {
    if (!folding_) return false;
    const auto behind = inner.begin() + static_cast<std::ptrdiff_t>(folding_->axis);
    const bool first =
        std::all_of(behind + 1, inner.end(), [](std::int64_t index) { return index == 0; });
    return first && (*behind < whole_ ? *behind % size_ == 0 : *behind == whole_);
  }

 private:
  const std::optional<Folding> folding_;
  std::int64_t size_ = 1;
  std::int64_t whole_ = 0;
};

// The run of one kernel on one thread.
class Run {
 public:
  Run(const Kernel& kernel, void* const* buffers)
      : kernel_(kernel),
        buffers_(buffers, buffers + kernel.buffers.size()),
        values_(static_cast<std::size_t>(kernel.value_count)),
        types_(types_of_values(kernel)) {
    for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
      for (const Start& start : kernel.buffers[i].starts) {
        buffers_[i] = element(static_cast<int>(i), start_of(start) * start.stride);
      }
    }
  }

  void tile(std::int64_t number) {
    Index outer(kernel_.outer.size(), 0);
    std::int64_t points = 1;
    for (std::size_t axis = outer.size(); axis-- > 0;) {
      const bool cut = kernel_.vector_axis == VectorAxis::outer && axis + 1 == outer.size();
      const std::int64_t extent = kernel_.outer[axis];
      const std::int64_t steps = cut ? (extent + kernel_.block - 1) / kernel_.block : extent;
      outer[axis] = number % steps;
      number /= steps;
      if (cut) {
        outer[axis] *= kernel_.block;
        points = std::min(kernel_.block, extent - outer[axis]);
      }
    }
    for (std::int64_t i = 0; i < points; ++i) {
      for (const Segment& segment : kernel_.segments) run(segment, outer);
      if (!outer.empty()) ++outer.back();
    }
  }

 private:
  // What a reduction has so far, a partial result for each lane; VectorAxis::outer needs only one.
  using Lanes = std::array<Cell, kLanes>;

  void run(const Segment& segment, const Index& outer) {
    if (!segment.loop) {
      run_body(segment, outer, {});
      return;
    }
    std::vector<Lanes> partial(segment.reductions.size());
    for (std::size_t i = 0; i < partial.size(); ++i) {
      const Reduction& reduction = segment.reductions[i];
      partial[i].fill(neutral_element(reduction.combine, reduction.dtype));
    }
    const bool lanes = kernel_.vector_axis == VectorAxis::inner;
    const std::vector<Lanes> none = partial;
    std::vector<Lanes> chunk = none;
    const Chunks chunks(kernel_, segment);
    const auto end_chunk = [&] {
      for (std::size_t i = 0; i < partial.size(); ++i) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          partial[i][lane] = combine(segment.reductions[i], partial[i][lane], chunk[i][lane]);
        }
      }
      chunk = none;
    };
    for_each_index(kernel_.inner, [&](const Index& inner) {
      run_body(segment, outer, inner);
      if (chunks.begins_at(inner)) end_chunk();
      std::vector<Lanes>& into = chunks.has(inner) ? chunk : partial;
      const auto lane = static_cast<std::size_t>(lanes ? inner.back() % kLanes : 0);
      for (std::size_t i = 0; i < partial.size(); ++i) {
        const Reduction& reduction = segment.reductions[i];
        into[i][lane] = combine(reduction, into[i][lane], value(reduction.value));
      }
    });
    if (chunks.are_some()) end_chunk();
    for (std::size_t i = 0; i < partial.size(); ++i) {
      const Reduction& reduction = segment.reductions[i];
      for (std::size_t half = kLanes / 2; lanes && half > 0; half /= 2) {
        for (std::size_t j = 0; j < half; ++j) {
          partial[i][j] = combine(reduction, partial[i][j], partial[i][j + half]);
        }
      }
      value(reduction.result) = partial[i][0];
    }
  }

  void run_body(const Segment& segment, const Index& outer, const Index& inner) {
    for (const Instruction& instruction : segment.body) {
      value(instruction.result) = evaluate(instruction, outer, inner);
    }
    for (const Store& store : segment.stores) {
      ir::store_cell(kernel_.buffers[static_cast<std::size_t>(store.buffer)].dtype,
                     value(store.value),
                     element(store.buffer, place_at(store.address, outer, inner)));
    }
  }

  Cell evaluate(const Instruction& instruction, const Index& outer, const Index& inner) {
    Cell result;
    switch (instruction.kind) {
      case Instruction::Kind::scalar: {
        std::array<Cell, 3> operands{};
        for (int i = 0; i < ir::operand_count(instruction.op); ++i) {
          operands[static_cast<std::size_t>(i)] =
              value(instruction.operands[static_cast<std::size_t>(i)]);
        }
        return ir::evaluate(instruction.op, instruction.dtype, operands, instruction.to);
      }
      case Instruction::Kind::constant:
        return instruction.constant;
      case Instruction::Kind::load:
        if (!is_inside(instruction.bounds, outer, inner)) return instruction.constant;
        return ir::load_cell(kernel_.buffers[static_cast<std::size_t>(instruction.buffer)].dtype,
                             element(instruction.buffer, place_of(instruction, outer, inner)));
      case Instruction::Kind::index:
        result.integer = place_at(instruction.address, outer, inner);
        return result;
      case Instruction::Kind::round: {
        std::uint16_t bits = 0;
        ir::store_cell(instruction.dtype, value(instruction.operands[0]), &bits);
        return ir::load_cell(instruction.dtype, &bits);
      }
    }
    return result;
  }

  static bool is_inside(const std::vector<Bound>& bounds, const Index& outer, const Index& inner) {
    return std::ranges::all_of(bounds, [&](const Bound& bound) {
      const std::int64_t index =
          (bound.inner ? inner : outer)[static_cast<std::size_t>(bound.axis)];
      return index >= bound.begin && index < bound.end;
    });
  }

  std::int64_t place_of(const Instruction& load, const Index& outer, const Index& inner) {
    std::int64_t out = place_at(load.address, outer, inner);
    for (std::size_t i = 0; i < load.terms.size(); ++i) {
      const ValueId id = load.operands[i];
      const DType dtype = types_[static_cast<std::size_t>(id)];
      out += load.terms[i].stride * clamped(dtype, value(id), load.terms[i].most);
    }
    return out;
  }

  // What a buffer is moved by, in strides.
  std::int64_t start_of(const Start& start) const {
    const DType dtype = kernel_.buffers[static_cast<std::size_t>(start.buffer)].dtype;
    return clamped(dtype, ir::load_cell(dtype, element(start.buffer, start.element)), start.most);
  }

  static std::int64_t clamped(DType dtype, Cell cell, std::int64_t most) {
    // One beyond the range of i64 is too large.
    if (dtype == DType::u64 && cell.integer < 0) return most;
    return std::clamp<std::int64_t>(cell.integer, 0, most);
  }

  Cell& value(ValueId id) { return values_[static_cast<std::size_t>(id)]; }

  std::byte* element(int buffer, std::int64_t number) const {
    const KernelBuffer& entry = kernel_.buffers[static_cast<std::size_t>(buffer)];
    return static_cast<std::byte*>(buffers_[static_cast<std::size_t>(buffer)]) +
           number * size_of(entry.dtype);
  }

  const Kernel& kernel_;
  std::vector<void*> buffers_;
  std::vector<Cell> values_;
  std::vector<DType> types_;  // of them
};

class Evaluator : public KernelCode {
 public:
  explicit Evaluator(Kernel kernel) : kernel_(std::move(kernel)) { check(kernel_); }

  void run(void* const* buffers, std::int64_t begin, std::int64_t end) const override {
    Run run(kernel_, buffers);
    for (std::int64_t tile = begin; tile < end; ++tile) run.tile(tile);
  }

 private:
  Kernel kernel_;
};

}  // namespace

std::shared_ptr<const KernelCode> make_evaluator(Kernel kernel) {
  return std::make_shared<Evaluator>(std::move(kernel));
}

}  // namespace tutti::codegen

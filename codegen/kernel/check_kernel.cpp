// The rules of kernel.h, checked one by one.

#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::ScalarOp;

bool takes(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::argument:
    case ScalarOp::constant:
      return false;
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::div:
    case ScalarOp::mod:
    case ScalarOp::minimum:
    case ScalarOp::maximum:
    case ScalarOp::fma:
      return dtype != DType::boolean;
    case ScalarOp::bit_not:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      return !is_floating(dtype);
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
      return is_integer(dtype);
    case ScalarOp::select:
    case ScalarOp::cast:
    case ScalarOp::bitcast:
      return true;
    default:
      return ir::is_comparison(op) || is_floating(dtype);
  }
}

bool combines(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul:
    case ScalarOp::minimum:
    case ScalarOp::maximum:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
      return takes(op, dtype);
    default:
      return false;
  }
}

class KernelChecker {
 public:
  explicit KernelChecker(const Kernel& kernel)
      : kernel_(kernel), values_(static_cast<std::size_t>(std::max(kernel.value_count, 0))) {}

  void run() {
    check_shape();
    for (const Segment& segment : kernel_.segments) check_segment(segment);
  }

 private:
  struct Definition {
    bool defined = false;
    bool visible = false;
    DType type = DType::f32;
  };

  void require(bool holds, const std::string& rule) const {
    if (!holds) throw InternalError("kernel " + kernel_.name + ": " + rule + "\n" + print(kernel_));
  }

  void check_shape() const {
    for (const auto& extents : {kernel_.outer, kernel_.inner}) {
      for (const std::int64_t extent : extents) require(extent >= 0, "a negative extent");
    }
    if (kernel_.vector_axis == VectorAxis::outer) {
      require(!kernel_.outer.empty(), "vectorised along outer axes, which it has not");
      require(kernel_.block > 0, "a block of " + std::to_string(kernel_.block));
      require(kernel_.block <= 1 << 20, "a block that is too long");
    } else {
      require(!kernel_.inner.empty(), "vectorised along inner axes, which it has not");
      require(kernel_.block == 1, "vectorised along inner axes with a block that is not 1");
    }
    require(kernel_.value_count >= 0, "a negative number of values");
    for (const KernelBuffer& buffer : kernel_.buffers) {
      require(!buffer.written || buffer.starts.empty(), "a written buffer has starts");
      for (const Start& start : buffer.starts) check_start(start);
    }
  }

  void check_start(const Start& start) const {
    check_access(start.buffer, false);
    const KernelBuffer& numbers = buffer(start.buffer);
    require(is_integer(numbers.dtype) && numbers.starts.empty(),
            "a start that is no element of a buffer of integers without starts");
    require(start.element >= 0 && start.most >= 0, "a start with a negative element or most");
  }

  // Whether a segment's body never runs: some axis has no points (and its strides say nothing).
  bool empty(bool loop) const {
    const auto none = [](const std::vector<std::int64_t>& extents) {
      return std::find(extents.begin(), extents.end(), 0) != extents.end();
    };
    return none(kernel_.outer) || (loop && none(kernel_.inner));
  }

  void check_segment(const Segment& segment) {
    for (const Instruction& instruction : segment.body) {
      check_instruction(instruction, segment.loop);
      define(instruction.result, instruction.type);
    }
    for (const Store& store : segment.stores) {
      check_access(store.buffer, true);
      check_affine(store.address, segment.loop);
      // Points run in any order and concurrently.
      for (std::size_t i = 0; i < kernel_.outer.size() && !empty(segment.loop); ++i) {
        require(store.address.outer[i] != 0 || kernel_.outer[i] <= 1,
                "points of an outer axis store to the same element");
      }
      require(type_of(store.value) == ir::compute_dtype(buffer(store.buffer).dtype),
              "a store of another dtype than its buffer's");
    }
    require(segment.loop || segment.reductions.empty(), "a reduction in a point segment");
    for (const Reduction& reduction : segment.reductions) {
      require(combines(reduction.combine, reduction.dtype),
              "no reduction with " + std::string(ir::name_of(reduction.combine)) + " of " +
                  std::string(name_of(reduction.dtype)));
      require(type_of(reduction.value) == reduction.dtype, "a reduction of another dtype");
    }
    if (segment.loop) {
      for (const Instruction& instruction : segment.body) {
        values_[static_cast<std::size_t>(instruction.result)].visible = false;
      }
    }
    for (const Reduction& reduction : segment.reductions) {
      define(reduction.result, reduction.dtype);
    }
  }

  void check_instruction(const Instruction& instruction, bool in_loop) const {
    require(instruction.type == ir::compute_dtype(instruction.type),
            "a value that is not of a compute dtype");
    require(instruction.kind == Instruction::Kind::load || instruction.terms.empty(),
            "terms of something that is no load");
    const auto gives = [&](DType type) {
      require(instruction.type == type, "%" + std::to_string(instruction.result) + " should be " +
                                            std::string(name_of(type)));
    };
    switch (instruction.kind) {
      case Instruction::Kind::scalar:
        gives(check_scalar(instruction));
        break;
      case Instruction::Kind::constant:
        gives(instruction.dtype);
        break;
      case Instruction::Kind::load:
        check_access(instruction.buffer, false);
        check_affine(instruction.address, in_loop);
        for (const Bound& bound : instruction.bounds) check_bound(bound, in_loop);
        check_terms(instruction);
        gives(ir::compute_dtype(buffer(instruction.buffer).dtype));
        break;
      case Instruction::Kind::index:
        check_affine(instruction.address, in_loop);
        gives(DType::i64);
        break;
      case Instruction::Kind::round:
        require(is_narrow_floating(instruction.dtype),
                "rounding to a dtype that is not a float of 8 or 16 bits");
        require(type_of(instruction.operands[0]) == DType::f32, "rounding of a value not f32");
        gives(DType::f32);
        break;
    }
  }

  void check_bound(const Bound& bound, bool in_loop) const {
    const std::vector<std::int64_t>& extents = bound.inner ? kernel_.inner : kernel_.outer;
    require(bound.axis >= 0 && bound.axis < std::ssize(extents) && (in_loop || !bound.inner),
            "a bound of an axis that is not there");
    require(bound.begin >= 0 && bound.begin <= bound.end &&
                bound.end <= extents[static_cast<std::size_t>(bound.axis)],
            "a bound that is no range of its axis");
  }

  void check_terms(const Instruction& load) const {
    require(load.terms.size() <= load.operands.size(), "a load with more terms than operands");
    for (std::size_t i = 0; i < load.operands.size(); ++i) {
      if (i >= load.terms.size()) {
        require(load.operands[i] < 0, "a load with an operand that no term is of");
        continue;
      }
      require(is_integer(type_of(load.operands[i])), "a term of a value that is no integer");
      require(load.terms[i].most >= 0 && load.terms[i].stride != 0,
              "a term with a negative most or without a stride");
    }
  }

  // The dtype of the result.
  DType check_scalar(const Instruction& instruction) const {
    const ScalarOp op = instruction.op;
    const std::string name(ir::name_of(op));
    const DType computed = ir::compute_dtype(instruction.dtype);
    require(takes(op, computed), "no " + name + " of " + std::string(name_of(computed)));
    require(op == ScalarOp::bitcast || computed == instruction.dtype,
            name + " computes in a storage dtype");
    for (int i = 0; i < ir::operand_count(op); ++i) {
      const bool condition = op == ScalarOp::select && i == 0;
      require(type_of(instruction.operands[static_cast<std::size_t>(i)]) ==
                  (condition ? DType::boolean : computed),
              "operand " + std::to_string(i) + " of " + name + " has another dtype");
    }
    if (op == ScalarOp::bitcast) {
      require(size_of(instruction.dtype) == size_of(instruction.to), "a bitcast changes the size");
    }
    if (op == ScalarOp::bitcast || op == ScalarOp::cast) return ir::compute_dtype(instruction.to);
    return ir::is_comparison(op) ? DType::boolean : computed;
  }

  void check_access(int number, bool written) const {
    require(number >= 0 && static_cast<std::size_t>(number) < kernel_.buffers.size(),
            "no buffer " + std::to_string(number));
    require(buffer(number).written == written,
            written ? "a store to a read buffer" : "a load from a written buffer");
  }

  void check_affine(const Affine& affine, bool in_loop) const {
    require(affine.outer.size() == kernel_.outer.size(), "not one stride for each outer axis");
    require(!in_loop || affine.inner.size() == kernel_.inner.size(),
            "not one stride for each inner axis");
  }

  void define(ValueId id, DType type) {
    require(id >= 0 && id < kernel_.value_count, "no value %" + std::to_string(id));
    Definition& value = values_[static_cast<std::size_t>(id)];
    require(!value.defined, "%" + std::to_string(id) + " is defined twice");
    value = {.defined = true, .visible = true, .type = type};
  }

  DType type_of(ValueId id) const {
    require(id >= 0 && id < kernel_.value_count && values_[static_cast<std::size_t>(id)].visible,
            "%" + std::to_string(id) + " is used where it is not visible");
    return values_[static_cast<std::size_t>(id)].type;
  }

  const KernelBuffer& buffer(int number) const {
    return kernel_.buffers[static_cast<std::size_t>(number)];
  }

  const Kernel& kernel_;
  std::vector<Definition> values_;
};

}  // namespace

void check(const Kernel& kernel) { KernelChecker(kernel).run(); }

}  // namespace tutti::codegen

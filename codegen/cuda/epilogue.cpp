#include <tutti/codegen/cuda/epilogue.h>

#include <cstdint>
#include <utility>

namespace tutti::codegen::cuda {

namespace {

using ir::ScalarOp;

// The values of a kernel of one segment as expressions. Casts that change nothing are looked
// through, and the roundings that every value of `dtype` has; not those to another, which the
// program asks for.
class Expressions {
 public:
  Expressions(const Segment& segment, DType dtype) : segment_(segment), dtype_(dtype) {}

  const Instruction* at(ValueId value) const {
    for (const Instruction* found = defining(value); found != nullptr;
         found = defining(found->operands[0])) {
      const bool same = (found->kind == Instruction::Kind::round && found->dtype == dtype_) ||
                        (is(*found, ScalarOp::cast) && found->dtype == found->to);
      if (!same) return found;
    }
    return nullptr;
  }

  // The operands of an operation, if the value is one.
  std::optional<std::pair<ValueId, ValueId>> operands(ValueId value, ScalarOp op) const {
    const Instruction* const found = at(value);
    if (found == nullptr || !is(*found, op)) return std::nullopt;
    return std::pair(found->operands[0], found->operands[1]);
  }
  // A constant of the kernel is the number rounded to f32, or to a dtype of 16 bits before that.
  bool is_constant(ValueId value, double constant) const {
    const Instruction* const found = at(value);
    if (found == nullptr || found->kind != Instruction::Kind::constant) return false;
    if (found->type != DType::f32) return false;
    const auto given = static_cast<double>(found->constant.single);
    if (given == constant || given == static_cast<double>(static_cast<float>(constant)))
      return true;
    for (const DType dtype : {DType::f16, DType::bf16}) {
      std::uint16_t bits = 0;
      ir::store_cell(dtype, ir::cell_of(DType::f32, constant), &bits);
      if (given == static_cast<double>(ir::load_cell(dtype, &bits).single)) return true;
    }
    return false;
  }
  bool same(ValueId a, ValueId b) const { return at(a) != nullptr && at(a) == at(b); }

  // The other operand of `value` = constant op other, in either order.
  std::optional<ValueId> beside_constant(ValueId value, ScalarOp op, double constant) const {
    const auto both = operands(value, op);
    if (!both) return std::nullopt;
    if (is_constant(both->first, constant)) return both->second;
    if (is_constant(both->second, constant)) return both->first;
    return std::nullopt;
  }
  // The other operand of `value` = known op other, in either order.
  std::optional<ValueId> beside(ValueId value, ScalarOp op, ValueId known) const {
    const auto both = operands(value, op);
    if (!both) return std::nullopt;
    if (same(both->first, known)) return both->second;
    if (same(both->second, known)) return both->first;
    return std::nullopt;
  }

 private:
  static bool is(const Instruction& instruction, ScalarOp op) {
    return instruction.kind == Instruction::Kind::scalar && instruction.op == op;
  }
  const Instruction* defining(ValueId value) const {
    for (const Instruction& instruction : segment_.body) {
      if (instruction.result == value) return &instruction;
    }
    return nullptr;
  }

  const Segment& segment_;
  const DType dtype_;
};

// x, if `value` = x * x * x.
bool is_cube(const Expressions& in, ValueId value, ValueId x) {
  const auto square = in.beside(value, ScalarOp::mul, x);
  if (!square) return false;
  const auto other = in.beside(*square, ScalarOp::mul, x);
  return other && in.same(*other, x);
}

// Whether `value` = 1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)).
bool is_gelu_gate(const Expressions& in, ValueId value, ValueId x) {
  const auto curve = in.beside_constant(value, ScalarOp::add, 1);
  if (!curve) return false;
  const Instruction* const tanh = in.at(*curve);
  if (tanh == nullptr || tanh->kind != Instruction::Kind::scalar || tanh->op != ScalarOp::tanh) {
    return false;
  }
  const auto inner = in.beside_constant(tanh->operands[0], ScalarOp::mul, 0.7978845608028654);
  if (!inner) return false;
  const auto scaled = in.beside(*inner, ScalarOp::add, x);
  if (!scaled) return false;
  const auto cube = in.beside_constant(*scaled, ScalarOp::mul, 0.044715);
  return cube && is_cube(in, *cube, x);
}

// x, if `value` = gelu(x) by tanh.
std::optional<ValueId> gelu_operand(const Expressions& in, ValueId value) {
  const auto both = in.operands(value, ScalarOp::mul);
  if (!both) return std::nullopt;
  for (const auto& [half, gate] : {*both, std::pair(both->second, both->first)}) {
    const auto x = in.beside_constant(half, ScalarOp::mul, 0.5);
    if (x && is_gelu_gate(in, gate, *x)) return x;
  }
  return std::nullopt;
}

// Whether an address is the next element for every next point.
bool is_dense(const Kernel& kernel, const Affine& address) {
  std::int64_t stride = 1;
  for (std::size_t axis = kernel.outer.size(); axis-- > 0; stride *= kernel.outer[axis]) {
    if (kernel.outer[axis] != 1 && address.outer[axis] != stride) return false;
  }
  return address.offset == 0;
}

// Whether it depends on the last axis alone, and is the next element for each step along it.
bool is_row(const Kernel& kernel, const Affine& address) {
  for (std::size_t axis = 0; axis + 1 < kernel.outer.size(); ++axis) {
    if (kernel.outer[axis] != 1 && address.outer[axis] != 0) return false;
  }
  return address.offset == 0 && address.outer.back() == 1;
}

}  // namespace

std::optional<Epilogue> recognise_epilogue(const Kernel& kernel, int product,
                                           std::int64_t columns) {
  // The library reads all of its operands, from where they begin.
  if (has_bounds(kernel) || has_starts(kernel) || has_terms(kernel)) return std::nullopt;
  if (kernel.segments.size() != 1 || kernel.segments[0].loop || kernel.outer.empty() ||
      kernel.outer.back() != columns || columns <= 1) {
    return std::nullopt;
  }
  const Segment& segment = kernel.segments[0];
  if (segment.stores.size() != 1 || !is_dense(kernel, segment.stores[0].address)) {
    return std::nullopt;
  }
  const auto dtype_of_buffer = [&](int buffer) {
    return kernel.buffers[static_cast<std::size_t>(buffer)].dtype;
  };
  const DType dtype = dtype_of_buffer(product);
  const Expressions in(segment, dtype);
  Epilogue epilogue{.kind = Epilogue::Kind::bias, .result = segment.stores[0].buffer};
  ValueId sum = segment.stores[0].value;
  if (const auto x = gelu_operand(in, sum)) {
    epilogue.kind = Epilogue::Kind::bias_gelu_tanh;
    sum = *x;
  } else if (const auto other = in.beside_constant(sum, ScalarOp::maximum, 0)) {
    epilogue.kind = Epilogue::Kind::bias_relu;
    sum = *other;
  }
  const auto both = in.operands(sum, ScalarOp::add);
  if (!both) return std::nullopt;
  const Instruction* x = in.at(both->first);
  const Instruction* bias = in.at(both->second);
  const auto reads = [&](const Instruction* instruction) {
    return instruction != nullptr && instruction->kind == Instruction::Kind::load;
  };
  if (!reads(x) || !reads(bias)) return std::nullopt;
  if (x->buffer != product) std::swap(x, bias);
  if (x->buffer != product || bias->buffer == product) return std::nullopt;
  if (!is_dense(kernel, x->address) || !is_row(kernel, bias->address)) return std::nullopt;
  epilogue.bias = bias->buffer;
  const bool known = dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
  if (!known || dtype_of_buffer(epilogue.bias) != dtype ||
      dtype_of_buffer(epilogue.result) != dtype) {
    return std::nullopt;
  }
  return epilogue;
}

}  // namespace tutti::codegen::cuda

// Loads at places that values say: what BodyEmitter does with terms.

#include <tutti/codegen/llvm/emit_body.h>
#include <tutti/codegen/llvm/emit_index.h>

#include <cmath>
#include <iterator>
#include <limits>

namespace tutti::codegen::native {

using llvm::Value;

BodyEmitter::LoadPlace BodyEmitter::place_of(const Instruction& load, bool in_loop,
                                             std::int64_t part) {
  if (load.terms.empty()) {
    return {.pointer = position_of(load.buffer, load.address, in_loop, part)};
  }
  llvm::Type* const element = memory_.element_type(load.buffer);
  const std::int64_t stride = lane_stride(kernel_, load.address, in_loop);
  LoadPlace out{.pointer = position_of(load.buffer, load.address, in_loop, 0)};
  bool steps_vary = false;
  double reach = static_cast<double>(kLanes) * std::abs(static_cast<double>(stride));
  for (std::size_t i = 0; i < load.terms.size(); ++i) {
    const ValueId id = load.operands[i];
    const Term& term = load.terms[i];
    if (varies(id)) {
      steps_vary = true;
      reach += static_cast<double>(term.most) * std::abs(static_cast<double>(term.stride));
    } else {
      out.pointer = ir_.CreateGEP(
          element, out.pointer,
          step_of(scalar(id), types_[static_cast<std::size_t>(id)], term, ir_.getInt64Ty()));
    }
  }
  if (part * stride != 0) {
    out.pointer = ir_.CreateConstGEP1_64(element, out.pointer,
                                         static_cast<std::uint64_t>(part * kLanes * stride));
  }
  if (!steps_vary) return out;
  // In half as many registers, where all fits.
  const bool narrow = reach <= std::numeric_limits<std::int32_t>::max();
  auto* const type =
      llvm::FixedVectorType::get(narrow ? ir_.getInt32Ty() : ir_.getInt64Ty(), kLanes);
  if (stride != 0) out.steps = ir_.CreateIntCast(lane_steps(stride), type, /*isSigned=*/true);
  for (std::size_t i = 0; i < load.terms.size(); ++i) {
    const ValueId id = load.operands[i];
    if (!varies(id)) continue;
    Value* const step =
        step_of(vector(id, part), types_[static_cast<std::size_t>(id)], load.terms[i], type);
    out.steps = out.steps == nullptr ? step : ir_.CreateAdd(out.steps, step);
  }
  return out;
}

Value* BodyEmitter::step_of(Value* value, DType dtype, const Term& term, llvm::Type* type) {
  const auto stride = static_cast<std::uint64_t>(term.stride);
  const auto make = [&] {
    Value* const index = emit_clamped_index(ir_, value, dtype, term.most, type);
    return term.stride == 1
               ? index
               : ir_.CreateMul(index, llvm::ConstantInt::get(type, stride, /*IsSigned=*/true));
  };
  if (llvm::isa<llvm::Constant>(value)) return make();
  Value*& known = steps_[{value, is_unsigned(dtype), term.most, term.stride, type}];
  if (known != nullptr) return known;
  llvm::IRBuilder<>::InsertPointGuard guard(ir_);
  go_behind(value);
  return known = make();
}

void BodyEmitter::go_behind(Value* value) {
  auto* const instruction = llvm::cast<llvm::Instruction>(value);
  llvm::BasicBlock* const block = instruction->getParent();
  ir_.SetInsertPoint(block, llvm::isa<llvm::PHINode>(instruction)
                                ? block->getFirstNonPHIIt()
                                : std::next(instruction->getIterator()));
}

}  // namespace tutti::codegen::native

#include <tutti/codegen/llvm/inline_math.h>
#include <tutti/codegen/llvm/libm.h>
#include <tutti/codegen/llvm/math.h>
#include <tutti/codegen/llvm/wide_math.h>
#include <tutti/codegen/llvm/widened_math.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <array>

#include <llvm/IR/MDBuilder.h>

namespace tutti::codegen::native {

using llvm::Value;

namespace {

// Those that look at nothing but the element: all that are inline but what may call a function.
bool stays_in_lane(ir::ScalarOp op, DType dtype, bool fuses) {
  using ir::ScalarOp;
  constexpr std::array kOfBoth = {ScalarOp::exp,   ScalarOp::exp2,  ScalarOp::expm1, ScalarOp::log,
                                  ScalarOp::log2,  ScalarOp::log1p, ScalarOp::tanh,  ScalarOp::cbrt,
                                  ScalarOp::atan2, ScalarOp::erf};
  constexpr std::array kOfSingles = {ScalarOp::maximum, ScalarOp::minimum, ScalarOp::pow};
  const auto has = [op](const auto& ops) { return std::ranges::find(ops, op) != ops.end(); };
  return has(kOfBoth) || (dtype == DType::f32 ? has(kOfSingles) : op == ScalarOp::pow && fuses);
}

}  // namespace

// Of a scalar, what is done to its bits would be done in the registers of integers, and going
// there and back takes longer than the work.
Value* MathEmitter::in_a_lane(ir::ScalarOp op, DType dtype, const std::vector<Value*>& operands) {
  const unsigned lanes = dtype == DType::f32 ? 4 : 2;
  std::vector<Value*> vectors;
  for (Value* const operand : operands) {
    auto* const type = llvm::FixedVectorType::get(operand->getType(), lanes);
    auto* const constant = llvm::dyn_cast<llvm::Constant>(operand);
    vectors.push_back(
        constant != nullptr
            ? llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), constant)
            : ir_.CreateInsertElement(llvm::PoisonValue::get(type), operand, std::uint64_t{0}));
  }
  return ir_.CreateExtractElement(apply(op, dtype, vectors), std::uint64_t{0});
}

Value* MathEmitter::apply(ir::ScalarOp op, DType dtype, const std::vector<Value*>& operands) {
  if (!operands[0]->getType()->isVectorTy() && stays_in_lane(op, dtype, jit_.has_fma())) {
    return in_a_lane(op, dtype, operands);
  }
  return dtype == DType::f32 ? of_singles(op, operands) : of_doubles(op, operands);
}

Value* MathEmitter::of_singles(ir::ScalarOp op, const std::vector<Value*>& operands) {
  using ir::ScalarOp;
  InlineMath math(ir_, jit_.has_fma(), jit_.has_avx512());
  WidenedMath widened(ir_, jit_.has_fma());
  Value* x = operands[0];
  const auto within = [&](Value* result) {
    return call_beyond(is_beyond(InlineMath::kTrigonometricLimit, x), op, DType::f32, operands,
                       result);
  };
  switch (op) {
    case ScalarOp::maximum:
      return math.maximum(x, operands[1]);
    case ScalarOp::minimum:
      return math.minimum(x, operands[1]);
    case ScalarOp::exp:
      return math.exp(x);
    case ScalarOp::exp2:
      return math.exp2(x);
    case ScalarOp::expm1:
      return math.expm1(x);
    case ScalarOp::log:
      return math.log(x);
    case ScalarOp::log2:
      return math.log2(x);
    case ScalarOp::log1p:
      return math.log1p(x);
    case ScalarOp::tanh:
      return math.tanh(x);
    case ScalarOp::erf:
      return math.erf(x);
    case ScalarOp::sin:
      return within(math.sin(x));
    case ScalarOp::cos:
      return within(math.cos(x));
    case ScalarOp::tan:
      return within(widened.tan(x));
    case ScalarOp::cbrt:
      return widened.cbrt(x);
    case ScalarOp::pow:
      return widened.pow(x, operands[1]);
    case ScalarOp::atan2:
      return widened.atan2(x, operands[1]);
    case ScalarOp::mod: {
      const auto [value, beyond] = widened.mod(x, operands[1]);
      return call_beyond(beyond, op, DType::f32, operands, value);
    }
    default:
      throw InternalError("no function of f32: " + std::string(ir::name_of(op)));
  }
}

Value* MathEmitter::of_doubles(ir::ScalarOp op, const std::vector<Value*>& operands) {
  using ir::ScalarOp;
  WideMath math(ir_, jit_.has_fma());
  Value* x = operands[0];
  const auto within = [&](Value* result) {
    return call_beyond(is_beyond(WideMath::kTrigonometricLimit, x), op, DType::f64, operands,
                       result);
  };
  switch (op) {
    case ScalarOp::maximum:
      return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, operands[1]);
    case ScalarOp::minimum:
      return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, operands[1]);
    case ScalarOp::exp:
      return math.exp(x);
    case ScalarOp::exp2:
      return math.exp2(x);
    case ScalarOp::expm1:
      return math.expm1(x);
    case ScalarOp::log:
      return math.log(x);
    case ScalarOp::log2:
      return math.log2(x);
    case ScalarOp::log1p:
      return math.log1p(x);
    case ScalarOp::tanh:
      return math.tanh(x);
    case ScalarOp::erf:
      return math.erf(x);
    case ScalarOp::cbrt:
      return math.cbrt(x);
    case ScalarOp::atan2:
      return math.atan2(x, operands[1]);
    case ScalarOp::pow:
      return jit_.has_fma() ? math.pow(x, operands[1]) : call(op, DType::f64, operands);
    case ScalarOp::sin:
      return jit_.has_fma() ? within(math.sin(x)) : call(op, DType::f64, operands);
    case ScalarOp::cos:
      return jit_.has_fma() ? within(math.cos(x)) : call(op, DType::f64, operands);
    case ScalarOp::tan:
      return jit_.has_fma() ? within(math.tan(x)) : call(op, DType::f64, operands);
    case ScalarOp::mod: {
      if (!jit_.has_fma()) return call(op, DType::f64, operands);
      const auto [value, beyond] = math.mod(x, operands[1]);
      return call_beyond(beyond, op, DType::f64, operands, value);
    }
    default:
      throw InternalError("no function of f64: " + std::string(ir::name_of(op)));
  }
}

Value* MathEmitter::is_beyond(double limit, Value* x) {
  Value* magnitude = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  return ir_.CreateFCmpOGT(magnitude, llvm::ConstantFP::get(x->getType(), limit));
}

Value* MathEmitter::call_beyond(Value* beyond, ir::ScalarOp op, DType dtype,
                                const std::vector<Value*>& operands, Value* inline_result) {
  llvm::Type* const type = inline_result->getType();
  Value* any = type->isVectorTy() ? ir_.CreateOrReduce(beyond) : beyond;

  llvm::BasicBlock* before = ir_.GetInsertBlock();
  auto& context = ir_.getContext();
  auto* calling = llvm::BasicBlock::Create(context, "beyond", before->getParent());
  auto* behind = llvm::BasicBlock::Create(context, "within", before->getParent());
  ir_.CreateCondBr(any, calling, behind, llvm::MDBuilder(context).createUnlikelyBranchWeights());
  ir_.SetInsertPoint(calling);
  // Lanes within keep the inline result: what an element gives must not depend on its neighbours.
  Value* called = ir_.CreateSelect(beyond, call(op, dtype, operands), inline_result);
  ir_.CreateBr(behind);
  ir_.SetInsertPoint(behind);
  auto* result = ir_.CreatePHI(type, 2);
  result->addIncoming(inline_result, before);
  result->addIncoming(called, calling);
  return result;
}

Value* MathEmitter::call(ir::ScalarOp op, DType dtype, const std::vector<Value*>& operands) {
  llvm::Type* type = operands[0]->getType();
  llvm::Type* scalar = type->getScalarType();
  const std::vector<llvm::Type*> scalars(operands.size(), scalar);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(
      libm_name(op, dtype), llvm::FunctionType::get(scalar, scalars, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  if (type->isVectorTy()) callee = lane_loop(callee, type, operands.size());
  return ir_.CreateCall(callee, operands);
}

llvm::Function* MathEmitter::lane_loop(llvm::FunctionCallee callee, llvm::Type* vector,
                                       std::size_t operands) {
  const std::string name = callee.getCallee()->getName().str() + "_lanes";
  if (llvm::Function* known = module_.getFunction(name)) return known;
  const std::vector<llvm::Type*> types(operands, vector);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(vector, types, false),
                                          llvm::Function::InternalLinkage, name, module_);
  jit_.set_target_attributes(*function);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotAccessMemory();

  auto& context = module_.getContext();
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "lane", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<> ir(entry);
  std::vector<Value*> arrays;
  for (auto& argument : function->args()) {
    arrays.push_back(ir.CreateAlloca(vector));
    ir.CreateStore(&argument, arrays.back());
  }
  ir.CreateBr(loop);

  ir.SetInsertPoint(loop);
  auto* lane = ir.CreatePHI(ir.getInt64Ty(), 2, "lane");
  llvm::Type* scalar = vector->getScalarType();
  std::vector<Value*> elements;
  for (Value* array : arrays) {
    elements.push_back(ir.CreateLoad(scalar, ir.CreateGEP(scalar, array, lane)));
  }
  // The results take the first operand's place.
  ir.CreateStore(ir.CreateCall(callee, elements), ir.CreateGEP(scalar, arrays[0], lane));
  Value* next = ir.CreateAdd(lane, ir.getInt64(1));
  lane->addIncoming(ir.getInt64(0), entry);
  lane->addIncoming(next, loop);
  const auto lanes = llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
  ir.CreateCondBr(ir.CreateICmpULT(next, ir.getInt64(lanes)), loop, done);

  ir.SetInsertPoint(done);
  ir.CreateRet(ir.CreateLoad(vector, arrays[0]));
  return function;
}

}  // namespace tutti::codegen::native

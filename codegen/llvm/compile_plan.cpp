#include <tutti/codegen/llvm/compile_plan.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

using llvm::Value;

Hash128 code_hash(const Plan& plan) {
  Hasher hasher;
  for (const Step& step : plan.steps) {
    hasher.add(step.index());
    std::visit([&](const auto& each) { each.hash(plan, hasher); }, step);
  }
  return hasher.finish();
}

// "plan_step_1f3a5c77": what profilers and debuggers show.
std::string plan_symbol(const Plan& plan) {
  return symbol_name("plan_" + plan.name, code_hash(plan));
}

// How many addresses a launch takes at most.
class AddressCount final : public NativeSteps {
 public:
  void call(const char* /*function*/, std::int32_t /*number*/) override {}
  void launch(const char* /*function*/, std::span<const BufferId> buffers) override {
    most_ = std::max(most_, buffers.size());
  }
  void control(const char* /*function*/) override {}
  std::uint64_t most() const { return most_; }

 private:
  std::size_t most_ = 1;
};

class PlanEmitter final : public NativeSteps {
 public:
  PlanEmitter(llvm::Module& module, const Jit& jit, const Plan& plan)
      : module_(module),
        jit_(jit),
        plan_(plan),
        ir_(module.getContext()),
        pointer_(ir_.getPtrTy()),
        integer_(ir_.getInt32Ty()) {}

  void run() {
    const std::string name = plan_symbol(plan_);
    const auto steps = static_cast<std::int32_t>(plan_.steps.size());
    if (steps <= kMostSteps) {
      add_function(name, llvm::Function::ExternalLinkage);
      emit_steps(steps);
      return;
    }
    std::vector<llvm::Function*> parts;
    while (step_ < steps) {
      add_function(name + "_" + std::to_string(parts.size()), llvm::Function::InternalLinkage);
      emit_steps(std::min(steps, step_ + kMostSteps));
      parts.push_back(function_);
    }
    add_function(name, llvm::Function::ExternalLinkage);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
    for (llvm::Function* const part : parts) {
      Value* failed = ir_.CreateCall(part, {function_->getArg(0), function_->getArg(1)});
      auto* next = llvm::BasicBlock::Create(module_.getContext(), "next", function_);
      auto* stop = llvm::BasicBlock::Create(module_.getContext(), "stop", function_);
      ir_.CreateCondBr(ir_.CreateICmpSLT(failed, number(0)), next, stop);
      ir_.SetInsertPoint(stop);
      ir_.CreateRet(failed);
      ir_.SetInsertPoint(next);
    }
    ir_.CreateRet(number(-1));
  }

  void call(const char* function, std::int32_t number) override { add_call(function, number, {}); }
  void control(const char* function) override { add_call(function, controls_++, {}); }
  void launch(const char* function, std::span<const BufferId> buffers) override {
    std::uint64_t position = 0;
    for (const BufferId id : buffers) {
      Value* const place = ir_.CreateConstGEP1_64(pointer_, arguments_, position++);
      ir_.CreateStore(address_of(id), place);
    }
    add_call(function, launches_++, {arguments_});
  }

 private:
  // Of a function: some of what LLVM does takes more than linear time in its length.
  static constexpr std::int32_t kMostSteps = 512;

  void add_function(const std::string& name, llvm::Function::LinkageTypes linkage) {
    auto* type = llvm::FunctionType::get(integer_, {pointer_, pointer_}, false);
    function_ = llvm::Function::Create(type, linkage, name, module_);
    jit_.set_target_attributes(*function_);
    // Straight code full of calls: there is nothing to gain, and it may be long.
    function_->addFnAttr(llvm::Attribute::OptimizeNone);
    function_->addFnAttr(llvm::Attribute::NoInline);
  }

  // The steps from here up to `end` as the body of the function.
  void emit_steps(std::int32_t end) {
    auto* entry = llvm::BasicBlock::Create(module_.getContext(), "entry", function_);
    failed_ = llvm::BasicBlock::Create(module_.getContext(), "failed", function_);
    ir_.SetInsertPoint(failed_);
    step_of_failure_ = ir_.CreatePHI(integer_, 0, "step");
    ir_.CreateRet(step_of_failure_);

    ir_.SetInsertPoint(entry);
    arguments_ =
        ir_.CreateAlloca(llvm::ArrayType::get(pointer_, most_addresses(end)), nullptr, "arguments");
    arena_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, arena), "arena");
    addresses_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, addresses), "addresses");
    for (; step_ < end; ++step_) {
      std::visit([this](const auto& step) { step.emit(*this); }, plan_.steps[at(step_)]);
    }
    ir_.CreateRet(number(-1));
    if (step_of_failure_->getNumIncomingValues() == 0) failed_->eraseFromParent();
  }

  llvm::ConstantInt* number(std::int32_t value) {
    return ir_.getInt32(static_cast<std::uint32_t>(value));
  }
  Value* load(Value* base, std::size_t offset, const char* name) {
    return ir_.CreateLoad(pointer_, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, offset), name);
  }

  // Of a launch up to `end`.
  std::uint64_t most_addresses(std::int32_t end) const {
    AddressCount count;
    for (std::int32_t step = step_; step < end; ++step) {
      std::visit([&](const auto& each) { each.emit(count); }, plan_.steps[at(step)]);
    }
    return count.most();
  }

  Value* address_of(BufferId id) {
    const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) {
      return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), arena_,
                                    static_cast<std::uint64_t>(buffer.offset));
    }
    return load(addresses_, static_cast<std::size_t>(id) * sizeof(void*), "b");
  }

  // Calls a function of runtime/abi.h; leaves with the step's number if it fails.
  void add_call(const char* name, std::int32_t what, std::initializer_list<Value*> more) {
    std::vector<Value*> operands = {function_->getArg(1), number(what)};
    operands.insert(operands.end(), more.begin(), more.end());
    std::vector<llvm::Type*> types;
    for (Value* operand : operands) types.push_back(operand->getType());
    const auto callee =
        module_.getOrInsertFunction(name, llvm::FunctionType::get(integer_, types, false));
    Value* status = ir_.CreateCall(callee, operands);
    auto* next = llvm::BasicBlock::Create(module_.getContext(), "next", function_);
    step_of_failure_->addIncoming(number(step_), ir_.GetInsertBlock());
    ir_.CreateCondBr(ir_.CreateICmpEQ(status, number(0)), next, failed_);
    ir_.SetInsertPoint(next);
  }

  llvm::Module& module_;
  const Jit& jit_;
  const Plan& plan_;
  llvm::IRBuilder<> ir_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* integer_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* failed_ = nullptr;
  llvm::PHINode* step_of_failure_ = nullptr;
  Value* arguments_ = nullptr;
  Value* arena_ = nullptr;
  Value* addresses_ = nullptr;
  std::int32_t step_ = 0;
  std::int32_t launches_ = 0;
  std::int32_t controls_ = 0;
};

void emit_plan(llvm::Module& module, const Jit& jit, const Plan& plan) {
  PlanEmitter(module, jit, plan).run();
#ifndef NDEBUG
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyModule(module, &stream)) {
    throw InternalError("malformed LLVM IR: " + complaint + "\nof " + print(plan));
  }
#endif
}

}  // namespace

PlanCode compile(const Plan& plan, runtime::DiskCache& cache) {
  Jit& jit = Jit::of({});
  const std::string name = plan_symbol(plan);
  const Jit::Functions functions = jit.load(
      {.key = code_hash(plan), .name = name, .symbols = {name}},
      [&](llvm::Module& module) { emit_plan(module, jit, plan); }, cache);
  return {functions.code, reinterpret_cast<runtime::PlanFunction>(functions.addresses[0])};
}

std::string llvm_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit_plan(*module, jit, plan);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit_plan(*module, jit, plan);
  return jit.assembly(*module);
}

}  // namespace tutti::codegen::native

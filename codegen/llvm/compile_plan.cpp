#include <tutti/codegen/llvm/compile_plan.h>
#include <tutti/codegen/llvm/jit.h>
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

// Adds all that PlanEmitter reads of a step: one function for each kind of step, so that a new kind
// doesn't compile before it is told apart here.
class StepHasher {
 public:
  explicit StepHasher(const Plan& plan) : plan_(plan) {}

  void operator()(const Allocate& allocate) { add(allocate.buffer); }
  void operator()(const Launch& launch) {
    for (const LaunchPart& part : launch.parts) {
      for (const BufferId id : part.buffers) {
        const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
        const bool local = buffer.kind == PlanBuffer::Kind::local;
        add(local ? 1 : 2);
        add(local ? buffer.offset : id);
      }
    }
    add(3);
  }
  void operator()(const Copy& copy) {
    add(copy.from);
    add(copy.to);
  }
  void operator()(const CollectiveStart& start) { add(start.work); }
  void operator()(const CollectiveWait& wait) { add(wait.work); }
  void operator()(const Free& free) { add(free.buffer); }
  void operator()(const Control& /*control*/) {}  // known by its place among them

  void add(std::int64_t value) { hasher_.add(static_cast<std::uint64_t>(value)); }
  Hash128 finish() { return hasher_.finish(); }

 private:
  const Plan& plan_;
  Hasher hasher_;
};

Hash128 code_hash(const Plan& plan) {
  StepHasher hasher(plan);
  for (const Step& step : plan.steps) {
    hasher.add(static_cast<std::int64_t>(step.index()));
    std::visit(hasher, step);
  }
  return hasher.finish();
}

// "plan_step_1f3a5c77": what profilers and debuggers show.
std::string plan_symbol(const Plan& plan) {
  return symbol_name("plan_" + plan.name, code_hash(plan));
}

class PlanEmitter {
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
        ir_.CreateAlloca(llvm::ArrayType::get(pointer_, most_arguments(end)), nullptr, "arguments");
    arena_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, arena), "arena");
    addresses_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, addresses), "addresses");
    for (; step_ < end; ++step_) {
      std::visit([this](const auto& step) { emit(step); },
                 plan_.steps[static_cast<std::size_t>(step_)]);
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
  std::uint64_t most_arguments(std::int32_t end) const {
    std::size_t most = 1;
    for (std::int32_t step = step_; step < end; ++step) {
      const auto* const launch = std::get_if<Launch>(&plan_.steps[static_cast<std::size_t>(step)]);
      if (launch == nullptr) continue;
      std::size_t count = 0;
      for (const LaunchPart& part : launch->parts) count += part.buffers.size();
      most = std::max(most, count);
    }
    return most;
  }

  void emit(const Allocate& allocate) { call("tutti_allocate", allocate.buffer, {}); }
  void emit(const CollectiveStart& start) { call("tutti_start", start.work, {}); }
  void emit(const CollectiveWait& wait) { call("tutti_wait", wait.work, {}); }
  void emit(const Free& free) { call("tutti_free", free.buffer, {}); }
  void emit(const Control& /*control*/) { call("tutti_control", controls_++, {}); }
  void emit(const Copy& /*copy*/) {
    throw InternalError("native code of a plan with steps for a GPU");
  }
  void emit(const Launch& launch) {
    std::uint64_t position = 0;
    for (const LaunchPart& part : launch.parts) {
      for (const BufferId id : part.buffers) {
        Value* place = ir_.CreateConstGEP1_64(pointer_, arguments_, position++);
        ir_.CreateStore(address_of(id), place);
      }
    }
    call("tutti_launch", launches_++, {arguments_});
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
  void call(const char* name, std::int32_t what, std::initializer_list<Value*> more) {
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

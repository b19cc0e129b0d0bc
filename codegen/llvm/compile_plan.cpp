#include <tutti/codegen/llvm/compile_plan.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

using llvm::Value;

// Of all that PlanEmitter reads.
Hash128 code_hash(const Plan& plan) {
  Hasher hasher;
  for (const Step& step : plan.steps) {
    hasher.add(step.index());
    if (const auto* allocate = std::get_if<Allocate>(&step)) {
      hasher.add(static_cast<std::uint64_t>(allocate->buffer));
    } else if (const auto* launch = std::get_if<Launch>(&step)) {
      for (const LaunchPart& part : launch->parts) {
        for (const BufferId id : part.buffers) {
          const PlanBuffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
          const bool local = buffer.kind == PlanBuffer::Kind::local;
          hasher.add(local ? 1 : 2).add(static_cast<std::uint64_t>(local ? buffer.offset : id));
        }
      }
      hasher.add(3);
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      hasher.add(static_cast<std::uint64_t>(start->work));
    } else if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
      hasher.add(static_cast<std::uint64_t>(wait->work));
    } else if (const auto* free = std::get_if<Free>(&step)) {
      hasher.add(static_cast<std::uint64_t>(free->buffer));
    }  // all else is told by its place
  }
  return hasher.finish();
}

// "plan_step_1f3a5c77": what profilers and debuggers show.
std::string symbol(const Plan& plan) { return symbol_name("plan_" + plan.name, code_hash(plan)); }

class PlanEmitter {
 public:
  PlanEmitter(llvm::Module& module, const Jit& jit, const Plan& plan)
      : module_(module),
        plan_(plan),
        ir_(module.getContext()),
        pointer_(ir_.getPtrTy()),
        integer_(ir_.getInt32Ty()) {
    auto* type = llvm::FunctionType::get(integer_, {pointer_, pointer_}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol(plan), module);
    jit.set_target_attributes(*function_);
    // Straight code full of calls: there is nothing to gain, and it may be long.
    function_->addFnAttr(llvm::Attribute::OptimizeNone);
    function_->addFnAttr(llvm::Attribute::NoInline);
  }

  void run() {
    auto* entry = llvm::BasicBlock::Create(module_.getContext(), "entry", function_);
    failed_ = llvm::BasicBlock::Create(module_.getContext(), "failed", function_);
    ir_.SetInsertPoint(failed_);
    step_of_failure_ = ir_.CreatePHI(integer_, 0, "step");
    ir_.CreateRet(step_of_failure_);

    ir_.SetInsertPoint(entry);
    arguments_ =
        ir_.CreateAlloca(llvm::ArrayType::get(pointer_, most_arguments()), nullptr, "arguments");
    arena_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, arena), "arena");
    addresses_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, addresses), "addresses");
    for (; step_ < static_cast<std::int32_t>(plan_.steps.size()); ++step_) {
      emit(plan_.steps[static_cast<std::size_t>(step_)]);
    }
    ir_.CreateRet(number(-1));
    if (step_of_failure_->getNumIncomingValues() == 0) failed_->eraseFromParent();
  }

 private:
  llvm::ConstantInt* number(std::int32_t value) {
    return ir_.getInt32(static_cast<std::uint32_t>(value));
  }
  Value* load(Value* base, std::size_t offset, const char* name) {
    return ir_.CreateLoad(pointer_, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, offset), name);
  }

  std::uint64_t most_arguments() const {
    std::size_t most = 1;
    for (const Step& step : plan_.steps) {
      const auto* const launch = std::get_if<Launch>(&step);
      if (launch == nullptr) continue;
      std::size_t count = 0;
      for (const LaunchPart& part : launch->parts) count += part.buffers.size();
      most = std::max(most, count);
    }
    return most;
  }

  void emit(const Step& step) {
    if (const auto* allocate = std::get_if<Allocate>(&step)) {
      call("tutti_allocate", allocate->buffer, {});
    } else if (const auto* launch = std::get_if<Launch>(&step)) {
      emit_launch(*launch);
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      call("tutti_start", start->work, {});
    } else if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
      call("tutti_wait", wait->work, {});
    } else if (const auto* free = std::get_if<Free>(&step)) {
      call("tutti_free", free->buffer, {});
    } else if (std::holds_alternative<Control>(step)) {
      call("tutti_control", controls_++, {});
    } else {
      throw InternalError("native code of a plan with steps for a GPU");
    }
  }

  void emit_launch(const Launch& launch) {
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

void emit(llvm::Module& module, const Jit& jit, const Plan& plan) {
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
  const std::string name = symbol(plan);
  const Jit::Functions functions = jit.load(
      {.key = code_hash(plan), .name = name, .symbols = {name}},
      [&](llvm::Module& module) { emit(module, jit, plan); }, cache);
  return {functions.code, reinterpret_cast<runtime::PlanFunction>(functions.addresses[0])};
}

std::string llvm_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit(*module, jit, plan);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string assembly_text(const Plan& plan) {
  llvm::LLVMContext context;
  Jit& jit = Jit::of({});
  const auto module = jit.make_module(context, "plan");
  emit(*module, jit, plan);
  return jit.assembly(*module);
}

}  // namespace tutti::codegen::native

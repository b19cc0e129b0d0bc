#include <tutti/codegen/llvm/emit_kernel.h>
#include <tutti/codegen/llvm/plan_emitter.h>
#include <tutti/runtime/run/plan_frame.h>

#include <algorithm>
#include <cstddef>
#include <variant>

namespace tutti::codegen::native {

namespace {

// Of a function, in steps and the addresses that they pass: some of what LLVM does takes more than
// linear time in its length.
constexpr std::uint64_t kMostLength = 1024;

// How many addresses launches take: at most, and all together.
class AddressCount final : public NativeSteps {
 public:
  explicit AddressCount(const Plan& plan) : plan_(plan) {}
  const Plan& plan() const override { return plan_; }
  void call(const char* /*function*/, std::int32_t /*number*/) override {}
  void launch(const char* /*function*/, std::span<const BufferId> buffers) override {
    most_ = std::max(most_, buffers.size());
    all_ += buffers.size();
  }
  void launch_direct(const char* function, std::span<const BufferId> buffers,
                     std::span<const DirectKernel> /*kernels*/) override {
    launch(function, buffers);
  }
  void control(const Control& /*control*/) override {}
  std::uint64_t most() const { return most_; }
  std::uint64_t all() const { return all_; }

 private:
  const Plan& plan_;
  std::size_t most_ = 1;
  std::size_t all_ = 0;
};

}  // namespace

PlanEmitter::PlanEmitter(llvm::Module& module, const Jit& jit, const Plan& plan,
                         const JoinedFunctions& joined)
    : module_(module),
      jit_(jit),
      plan_(plan),
      joined_(joined),
      ir_(module.getContext()),
      pointer_(ir_.getPtrTy()),
      integer_(ir_.getInt32Ty()) {}

std::vector<llvm::Function*> PlanEmitter::run(const std::string& name) {
  std::vector<llvm::Function*> joined;
  for (const Region& region : plan_.regions) {
    const std::string own = name + "_r" + std::to_string(regions_.size());
    regions_.push_back(emit_function(own, &region, region.first_step, region.end_step));
    if (is_joined() && !joined_.is_inlined(number_)) joined.push_back(regions_.back());
    ++number_;
  }
  llvm::Function* const program = emit_function(name, nullptr, plan_.main_step(),
                                                static_cast<std::int32_t>(plan_.steps.size()));
  if (is_joined()) joined.push_back(program);
  return joined;
}

llvm::Function* PlanEmitter::emit_function(const std::string& name, const Region* region,
                                           std::int32_t first, std::int32_t end) {
  const auto linkage =
      region == nullptr ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  if (is_joined() || end_of_part(first, end) == end) {
    llvm::Function* const out = add_function(name, region, linkage);
    emit_steps(first, end);
    return out;
  }
  std::vector<llvm::Function*> parts;
  for (std::int32_t step = first; step < end;) {
    const std::int32_t next = end_of_part(step, end);
    parts.push_back(add_function(name + "_" + std::to_string(parts.size()), region,
                                 llvm::GlobalValue::InternalLinkage));
    emit_steps(step, next);
    step = next;
  }
  llvm::Function* const out = add_function(name, region, linkage);
  ir_.SetInsertPoint(block("entry"));
  std::vector<Value> own;
  for (auto& parameter : function_->args()) own.push_back(&parameter);
  for (llvm::Function* const part : parts) {
    Value failed = ir_.CreateCall(part, own);
    Block next = block("next");
    Block stop = block("stop");
    ir_.CreateCondBr(ir_.CreateICmpSLT(failed, number(0)), next, stop);
    ir_.SetInsertPoint(stop);
    ir_.CreateRet(failed);
    ir_.SetInsertPoint(next);
  }
  ir_.CreateRet(number(-1));
  return out;
}

void PlanEmitter::call(const char* function, std::int32_t number) {
  add_call(function, number, {});
}

void PlanEmitter::launch(const char* function, std::span<const BufferId> buffers) {
  store_addresses(buffers);
  add_call(function, launches_++, {arguments_});
}

void PlanEmitter::launch_direct(const char* function, std::span<const BufferId> buffers,
                                std::span<const DirectKernel> kernels) {
  if (is_joined() && joined_.are_inlined(kernels)) {
    for (const DirectKernel& kernel : kernels) {
      const std::span<const BufferId> own = buffers.first(kernel.buffers);
      kernel.kernel == nullptr ? put_part(*kernel.update, own) : call_inlined(kernel, own);
      buffers = buffers.subspan(kernel.buffers);
    }
    // The frame has them in their order.
    direct_kernels_ += kernels.size();
    ++launches_;
    return;
  }
  store_addresses(buffers);
  Block direct = block("direct");
  Block launched = block("launched");
  Block done = block("done");
  const auto next_kernel = [this] {
    return load(kernels_, direct_kernels_++ * sizeof(runtime::KernelFunction), "kernel");
  };
  // The frame has all or none.
  Value kernel = next_kernel();
  ir_.CreateCondBr(ir_.CreateIsNull(kernel), launched, direct);
  ir_.SetInsertPoint(direct);
  auto* const type = llvm::FunctionType::get(ir_.getVoidTy(),
                                             {pointer_, ir_.getInt64Ty(), ir_.getInt64Ty()}, false);
  std::uint64_t first_buffer = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i > 0) kernel = next_kernel();
    Value own = ir_.CreateConstGEP1_64(pointer_, arguments_, first_buffer);
    ir_.CreateCall(type, kernel, {own, long_number(0), long_number(kernels[i].tiles)});
    first_buffer += kernels[i].buffers;
  }
  ir_.CreateBr(done);
  ir_.SetInsertPoint(launched);
  add_call(function, launches_++, {arguments_});
  ir_.CreateBr(done);
  ir_.SetInsertPoint(done);
}

void PlanEmitter::call_inlined(const DirectKernel& kernel, std::span<const BufferId> buffers) {
  std::vector<Value> addresses;
  std::vector<std::int64_t> rooms;
  for (const BufferId id : buffers) {
    addresses.push_back(address_of(id));
    rooms.push_back(joined_.room(id));
  }
  llvm::Function*& function = inlined_[{kernel.kernel, rooms}];
  if (function == nullptr) {
    const Kernel& code = *kernel.kernel;
    check(code);
    function = emit_inlined_kernel(module_, jit_, code, code.name, rooms);
  }
  ir_.CreateCall(function, addresses);
}

void PlanEmitter::store_addresses(std::span<const BufferId> buffers) {
  std::uint64_t position = 0;
  for (const BufferId id : buffers) {
    Value place = ir_.CreateConstGEP1_64(pointer_, arguments_, position++);
    ir_.CreateStore(address_of(id), place);
  }
}

llvm::Function* PlanEmitter::add_function(const std::string& name, const Region* region,
                                          llvm::GlobalValue::LinkageTypes linkage) {
  std::vector<llvm::Type*> types(2, pointer_);
  if (region != nullptr)
    types.resize(2 + region->parameters.size() + region->results.size(), pointer_);
  auto* type = llvm::FunctionType::get(integer_, types, false);
  function_ = llvm::Function::Create(type, linkage, name, module_);
  jit_.set_target_attributes(*function_);
  if (!is_joined()) {
    // Straight code full of calls: there is nothing to gain, and it may be long.
    function_->addFnAttr(llvm::Attribute::OptimizeNone);
    function_->addFnAttr(llvm::Attribute::NoInline);
  } else if (region != nullptr && joined_.is_inlined(number_)) {
    function_->addFnAttr(llvm::Attribute::AlwaysInline);
  }
  places_.clear();
  if (region == nullptr) return function_;
  unsigned next = 2;
  for (const BufferId id : region->parameters) places_[id] = function_->getArg(next++);
  // One that is a parameter, too, lies where that does.
  for (const PlanResult& result : region->results)
    places_[result.buffer] = function_->getArg(next++);
  return function_;
}

void PlanEmitter::emit_steps(std::int32_t first, std::int32_t end) {
  Block entry = block("entry");
  failed_ = block("failed");
  ir_.SetInsertPoint(failed_);
  step_of_failure_ = ir_.CreatePHI(integer_, 0, "step");
  ir_.CreateRet(step_of_failure_);

  ir_.SetInsertPoint(entry);
  auto* type = llvm::ArrayType::get(pointer_, most_addresses(first, end));
  arguments_ = ir_.CreateAlloca(type, nullptr, "arguments");
  arena_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, arena), "arena");
  addresses_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, addresses), "addresses");
  kernels_ = load(function_->getArg(0), offsetof(runtime::PlanMemory, kernels), "kernels");
  for (step_ = first; step_ < end; ++step_) {
    std::visit([this](const auto& step) { step.emit(*this); }, plan_.steps[at(step_)]);
  }
  ir_.CreateRet(number(-1));
  if (step_of_failure_->getNumIncomingValues() == 0) failed_->eraseFromParent();
}

std::int32_t PlanEmitter::end_of_part(std::int32_t first, std::int32_t end) const {
  AddressCount count(plan_);
  std::int32_t step = first;
  for (std::uint64_t steps = 0; step < end; ++step) {
    std::visit([&](const auto& each) { each.emit(count); }, plan_.steps[at(step)]);
    if (++steps + count.all() > kMostLength && step > first) return step;
  }
  return end;
}

std::uint64_t PlanEmitter::most_addresses(std::int32_t first, std::int32_t end) const {
  AddressCount count(plan_);
  for (std::int32_t step = first; step < end; ++step) {
    std::visit([&](const auto& each) { each.emit(count); }, plan_.steps[at(step)]);
  }
  return count.most();
}

PlanEmitter::Block PlanEmitter::block(const char* name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

llvm::ConstantInt* PlanEmitter::number(std::int32_t value) {
  return ir_.getInt32(static_cast<std::uint32_t>(value));
}

llvm::ConstantInt* PlanEmitter::long_number(std::int64_t value) {
  return ir_.getInt64(static_cast<std::uint64_t>(value));
}

PlanEmitter::Value PlanEmitter::load(Value base, std::size_t offset, const char* name) {
  return ir_.CreateLoad(pointer_, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, offset), name);
}

std::int64_t PlanEmitter::whole_bytes(std::int64_t bytes) {
  constexpr std::int64_t kUnit = runtime::kBufferAlignment;
  return (bytes + kUnit - 1) / kUnit * kUnit;
}

PlanEmitter::Value PlanEmitter::on_stack(std::int64_t bytes, const char* name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> begin(&entry, entry.begin());
  const auto whole = static_cast<std::uint64_t>(whole_bytes(bytes));
  auto* const out = begin.CreateAlloca(llvm::ArrayType::get(ir_.getInt8Ty(), whole), nullptr, name);
  out->setAlignment(llvm::Align(runtime::kBufferAlignment));
  return out;
}

PlanEmitter::Value PlanEmitter::behind(Value address, Value bytes) {
  return ir_.CreateGEP(ir_.getInt8Ty(), address, bytes);
}

PlanEmitter::Value PlanEmitter::address_of(BufferId id) {
  const PlanBuffer& buffer = plan_.buffers[at(id)];
  const auto known = places_.find(id);
  if (known != places_.end()) return known->second;
  if (joined_.lies_on_stack(id)) return places_[id] = on_stack(buffer.bytes, "local");
  if (buffer.kind == PlanBuffer::Kind::local) return behind(arena_, long_number(buffer.offset));
  return ir_.CreateLoad(pointer_, slot(id), "b");
}

PlanEmitter::Value PlanEmitter::slot(BufferId id) {
  return ir_.CreateConstGEP1_64(pointer_, addresses_, static_cast<std::uint64_t>(id));
}

void PlanEmitter::leave_unless(Value succeeded) {
  Block next = block("next");
  step_of_failure_->addIncoming(number(step_), ir_.GetInsertBlock());
  ir_.CreateCondBr(succeeded, next, failed_);
  ir_.SetInsertPoint(next);
}

void PlanEmitter::add_call(const char* name, std::int32_t what, std::initializer_list<Value> more) {
  std::vector<Value> operands = {function_->getArg(1), number(what)};
  operands.insert(operands.end(), more.begin(), more.end());
  std::vector<llvm::Type*> types;
  for (Value operand : operands) types.push_back(operand->getType());
  const auto callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(integer_, types, false));
  leave_unless(ir_.CreateICmpEQ(ir_.CreateCall(callee, operands), number(0)));
}

}  // namespace tutti::codegen::native

// Loops and branches as native code: what run_control.cpp does step by step.

#include <tutti/codegen/llvm/plan_emitter.h>

#include <utility>
#include <vector>

namespace tutti::codegen::native {

void PlanEmitter::control(const Control& control) {
  switch (control.kind) {
    case Control::Kind::scan:
      return scan(control);
    case Control::Kind::while_loop:
      return while_loop(control);
    case Control::Kind::conditional:
      return conditional(control);
  }
}

const Region& PlanEmitter::body_of(const Control& control) const {
  return plan_.regions[at(control.regions.back())];
}

// Whatever fails in there is a failure of this step.
void PlanEmitter::enter(int region, std::span<const Value> parameters,
                        std::span<const Value> results, Value iteration) {
  std::vector<Value> operands = {function_->getArg(0), function_->getArg(1)};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  operands.insert(operands.end(), results.begin(), results.end());
  Value failed = ir_.CreateCall(regions_[at(region)], operands);
  Value succeeded = ir_.CreateICmpSLT(failed, number(0));
  if (iteration == nullptr) return leave_unless(succeeded);
  Block next = block("next");
  Block inside = block("failed_inside");
  ir_.CreateCondBr(succeeded, next, inside);
  ir_.SetInsertPoint(inside);
  auto* const type =
      llvm::FunctionType::get(ir_.getVoidTy(), {pointer_, integer_, ir_.getInt64Ty()}, false);
  ir_.CreateCall(module_.getOrInsertFunction("tutti_failed_inside", type),
                 {function_->getArg(1), number(region), iteration});
  step_of_failure_->addIncoming(number(step_), inside);
  ir_.CreateBr(failed_);
  ir_.SetInsertPoint(next);
}

void PlanEmitter::move(Value to, Value from, std::int64_t bytes) {
  if (to == from) return;
  Block apart = block("apart");
  Block there = block("there");
  ir_.CreateCondBr(ir_.CreateICmpEQ(to, from), there, apart);
  ir_.SetInsertPoint(apart);
  constexpr std::int64_t kFew = 256;  // a function that is called would see what lies on the stack
  if (is_joined() && bytes <= kFew) {
    copy(to, from, bytes);
  } else {
    auto* const type =
        llvm::FunctionType::get(ir_.getVoidTy(), {pointer_, pointer_, ir_.getInt64Ty()}, false);
    ir_.CreateCall(module_.getOrInsertFunction("tutti_move", type), {to, from, long_number(bytes)});
  }
  ir_.CreateBr(there);
  ir_.SetInsertPoint(there);
}

void PlanEmitter::copy(Value to, Value from, std::int64_t bytes) {
  ir_.CreateMemCpy(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(),
                   static_cast<std::uint64_t>(bytes));
}

std::vector<PlanEmitter::Carry> PlanEmitter::begin_carries(const Control& control,
                                                           bool with_spare) {
  const Region& body = body_of(control);
  std::vector<Carry> out;
  for (std::size_t i = 0; std::cmp_less(i, control.carries); ++i) {
    const std::int64_t bytes = plan_.buffers[at(body.parameters[i])].bytes;
    const bool in_place = control.spares[i] < 0;
    Value result = address_of(control.results[i]);
    Value operand = address_of(control.operands[i]);
    if (joined_.keeps(control, i, number_)) {
      Value read = on_stack(bytes, "carry");
      Value written = in_place ? read : on_stack(bytes, "next_carry");
      copy(read, operand, bytes);
      out.push_back({.way = Carry::Way::kept, .read = read, .written = written});
    } else if (in_place) {
      move(result, operand, bytes);
      out.push_back({.way = Carry::Way::in_place, .read = result, .written = result});
    } else {
      Value first = with_spare ? address_of(control.spares[i]) : result;
      out.push_back({.way = Carry::Way::by_turns, .read = operand, .written = first});
    }
  }
  return out;
}

std::vector<PlanEmitter::Carry> PlanEmitter::enter_loop(const std::vector<Carry>& first,
                                                        Block before) {
  std::vector<Carry> out = first;
  for (Carry& carry : out) {
    if (carry.way != Carry::Way::by_turns) continue;
    for (Value* const place : {&carry.read, &carry.written}) {
      llvm::PHINode* const phi = ir_.CreatePHI(pointer_, 2, "carry");
      phi->addIncoming(*place, before);
      *place = phi;
    }
  }
  return out;
}

std::vector<PlanEmitter::Carry> PlanEmitter::next_carries(const Control& control,
                                                          const std::vector<Carry>& carries) {
  const Region& body = body_of(control);
  std::vector<Carry> out = carries;
  for (std::size_t i = 0; i < out.size(); ++i) {
    Carry& carry = out[i];
    if (carry.way == Carry::Way::kept && carry.read != carry.written) {
      copy(carry.read, carry.written, whole_bytes(plan_.buffers[at(body.parameters[i])].bytes));
    }
    if (carry.way != Carry::Way::by_turns) continue;
    Value result = address_of(control.results[i]);
    carry.read = carry.written;
    carry.written = ir_.CreateSelect(ir_.CreateICmpEQ(carry.read, result),
                                     address_of(control.spares[i]), result);
  }
  return out;
}

void PlanEmitter::close_loop(const std::vector<Carry>& carries, const std::vector<Carry>& next) {
  for (std::size_t i = 0; i < carries.size(); ++i) {
    if (carries[i].way != Carry::Way::by_turns) continue;
    llvm::cast<llvm::PHINode>(carries[i].read)->addIncoming(next[i].read, ir_.GetInsertBlock());
    llvm::cast<llvm::PHINode>(carries[i].written)
        ->addIncoming(next[i].written, ir_.GetInsertBlock());
  }
}

void PlanEmitter::end_carries(const Control& control, const std::vector<Carry>& carries) {
  const Region& body = body_of(control);
  for (std::size_t i = 0; i < carries.size(); ++i) {
    const std::int64_t bytes = plan_.buffers[at(body.parameters[i])].bytes;
    Value result = address_of(control.results[i]);
    if (carries[i].way == Carry::Way::kept) copy(result, carries[i].read, bytes);
    if (carries[i].way == Carry::Way::by_turns) move(result, carries[i].read, bytes);
  }
}

void PlanEmitter::scan(const Control& control) {
  const Region& body = body_of(control);
  const auto carries = static_cast<std::size_t>(control.carries);
  const auto sequences = static_cast<std::size_t>(control.sequences);
  const std::vector<Carry> first = begin_carries(control, begins_with_spare(control.length));
  if (control.length == 0) return end_carries(control, first);
  std::vector<Value> operands;
  for (const BufferId id : control.operands) operands.push_back(address_of(id));
  std::vector<Value> results;
  for (const BufferId id : control.results) results.push_back(address_of(id));
  Block before = ir_.GetInsertBlock();
  Block loop = block("loop");
  Block done = block("done");
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  llvm::PHINode* const step = ir_.CreatePHI(ir_.getInt64Ty(), 2, "step");
  step->addIncoming(long_number(0), before);
  const std::vector<Carry> carried = enter_loop(first, before);
  Value index = control.reverse ? ir_.CreateSub(long_number(control.length - 1), step) : step;
  const auto part_of = [&](BufferId part, Value whole) {
    return behind(whole, ir_.CreateMul(index, long_number(plan_.buffers[at(part)].bytes)));
  };
  for (std::size_t i = 0; i < carries; ++i) {
    operands[i] = carried[i].read;
    results[i] = carried[i].written;
  }
  for (std::size_t i = carries; i < carries + sequences; ++i) {
    operands[i] = part_of(body.parameters[i], operands[i]);
  }
  for (std::size_t i = carries; i < control.results.size(); ++i) {
    results[i] = part_of(body.results[i].buffer, results[i]);
  }
  enter(control.regions[0], operands, results, step);
  const std::vector<Carry> next_carried = next_carries(control, carried);
  close_loop(carried, next_carried);
  Value next = ir_.CreateAdd(step, long_number(1));
  step->addIncoming(next, ir_.GetInsertBlock());
  ir_.CreateCondBr(ir_.CreateICmpSLT(next, long_number(control.length)), loop, done);
  ir_.SetInsertPoint(done);
  // The number of steps has chosen where the last one writes, if not by copying.
  end_carries(control, next_carried);
}

void PlanEmitter::while_loop(const Control& control) {
  const auto carries = static_cast<std::size_t>(control.carries);
  const std::vector<Carry> first = begin_carries(control, false);
  std::vector<Value> operands;
  for (const BufferId id : control.operands) operands.push_back(address_of(id));
  std::vector<Value> results(carries);
  Block before = ir_.GetInsertBlock();
  Block loop = block("loop");
  Block step = block("step");
  Block done = block("done");
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  llvm::PHINode* const iteration = ir_.CreatePHI(ir_.getInt64Ty(), 2, "iteration");
  iteration->addIncoming(long_number(0), before);
  const std::vector<Carry> carried = enter_loop(first, before);
  for (std::size_t i = 0; i < carries; ++i) {
    operands[i] = carried[i].read;
    results[i] = carried[i].written;
  }
  enter(control.regions[0], operands, std::vector<Value>{address_of(control.condition)}, iteration);
  Value goes_on = ir_.CreateLoad(ir_.getInt8Ty(), address_of(control.condition), "goes_on");
  ir_.CreateCondBr(ir_.CreateICmpNE(goes_on, ir_.getInt8(0)), step, done);
  ir_.SetInsertPoint(step);
  enter(control.regions[1], operands, results, iteration);
  close_loop(carried, next_carries(control, carried));
  iteration->addIncoming(ir_.CreateAdd(iteration, long_number(1)), ir_.GetInsertBlock());
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(done);
  end_carries(control, carried);
}

// An index that is none of a branch's chooses the last one.
void PlanEmitter::conditional(const Control& control) {
  Value index = ir_.CreateLoad(integer_, address_of(control.operands[0]), "index");
  std::vector<Value> operands;
  for (const BufferId id : control.operands) operands.push_back(address_of(id));
  std::vector<Value> results;
  for (const BufferId id : control.results) results.push_back(address_of(id));
  Block done = block("done");
  Block last = block("branch");
  auto* const choice =
      ir_.CreateSwitch(index, last, static_cast<unsigned>(control.regions.size() - 1));
  for (std::size_t i = 0; i < control.regions.size(); ++i) {
    const bool is_last = i + 1 == control.regions.size();
    Block branch = is_last ? last : block("branch");
    if (!is_last) choice->addCase(number(static_cast<std::int32_t>(i)), branch);
    ir_.SetInsertPoint(branch);
    enter(control.regions[i], std::span(operands).subspan(1), results);
    ir_.CreateBr(done);
  }
  ir_.SetInsertPoint(done);
}

}  // namespace tutti::codegen::native

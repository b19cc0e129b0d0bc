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
void PlanEmitter::enter(int region, Value iteration) {
  Value failed = ir_.CreateCall(regions_[at(region)], {function_->getArg(0), function_->getArg(1)});
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
  auto* const type =
      llvm::FunctionType::get(ir_.getVoidTy(), {pointer_, pointer_, ir_.getInt64Ty()}, false);
  ir_.CreateCall(module_.getOrInsertFunction("tutti_move", type), {to, from, long_number(bytes)});
}

void PlanEmitter::begin_carries(const Control& control, bool with_spare) {
  const Region& body = body_of(control);
  for (std::size_t i = 0; std::cmp_less(i, control.carries); ++i) {
    const BufferId parameter = body.parameters[i];
    const BufferId given = body.results[i].buffer;
    Value result = address_of(control.results[i]);
    Value operand = address_of(control.operands[i]);
    if (control.spares[i] < 0) {
      move(result, operand, plan_.buffers[at(parameter)].bytes);
      place(parameter, result);
      place(given, result);
    } else {
      place(parameter, operand);
      place(given, with_spare ? address_of(control.spares[i]) : result);
    }
  }
}

void PlanEmitter::next_carries(const Control& control) {
  const Region& body = body_of(control);
  for (std::size_t i = 0; std::cmp_less(i, control.carries); ++i) {
    if (control.spares[i] < 0) continue;
    const BufferId given = body.results[i].buffer;
    Value written = address_of(given);
    Value result = address_of(control.results[i]);
    place(body.parameters[i], written);
    place(given, ir_.CreateSelect(ir_.CreateICmpEQ(written, result), address_of(control.spares[i]),
                                  result));
  }
}

void PlanEmitter::end_carries(const Control& control) {
  const Region& body = body_of(control);
  for (std::size_t i = 0; std::cmp_less(i, control.carries); ++i) {
    if (control.spares[i] < 0) continue;
    const BufferId parameter = body.parameters[i];
    move(address_of(control.results[i]), address_of(parameter), plan_.buffers[at(parameter)].bytes);
  }
}

void PlanEmitter::scan(const Control& control) {
  const Region& body = body_of(control);
  const auto carries = static_cast<std::size_t>(control.carries);
  const auto sequences = static_cast<std::size_t>(control.sequences);
  begin_carries(control, begins_with_spare(control.length));
  if (control.length == 0) return end_carries(control);
  for (std::size_t i = carries + sequences; i < control.operands.size(); ++i) {
    place(body.parameters[i], address_of(control.operands[i]));
  }
  Block before = ir_.GetInsertBlock();
  Block loop = block("loop");
  Block done = block("done");
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  llvm::PHINode* const step = ir_.CreatePHI(ir_.getInt64Ty(), 2, "step");
  step->addIncoming(long_number(0), before);
  Value index = control.reverse ? ir_.CreateSub(long_number(control.length - 1), step) : step;
  const auto place_part = [&](BufferId part, BufferId whole) {
    Value bytes = ir_.CreateMul(index, long_number(plan_.buffers[at(part)].bytes));
    place(part, behind(address_of(whole), bytes));
  };
  for (std::size_t i = carries; i < carries + sequences; ++i) {
    place_part(body.parameters[i], control.operands[i]);
  }
  for (std::size_t i = carries; i < control.results.size(); ++i) {
    place_part(body.results[i].buffer, control.results[i]);
  }
  enter(control.regions[0], step);
  next_carries(control);
  Value next = ir_.CreateAdd(step, long_number(1));
  step->addIncoming(next, ir_.GetInsertBlock());
  ir_.CreateCondBr(ir_.CreateICmpSLT(next, long_number(control.length)), loop, done);
  ir_.SetInsertPoint(done);
}

// Where its carries lie, and where they go next, is in variables of the function: see
// run_control.cpp.
void PlanEmitter::while_loop(const Control& control) {
  const Region& condition = plan_.regions[at(control.regions[0])];
  const Region& body = body_of(control);
  const auto carries = static_cast<std::size_t>(control.carries);
  const auto in_place = [&](std::size_t i) { return control.spares[i] < 0; };
  std::vector<Value> now(carries);
  std::vector<Value> next(carries);
  for (std::size_t i = 0; i < carries; ++i) {
    now[i] = variable("now");
    next[i] = variable("next");
    Value result = address_of(control.results[i]);
    Value operand = address_of(control.operands[i]);
    if (in_place(i)) move(result, operand, plan_.buffers[at(body.parameters[i])].bytes);
    ir_.CreateStore(in_place(i) ? result : operand, now[i]);
    ir_.CreateStore(result, next[i]);
  }
  const auto place_parameters = [&](const Region& region) {
    for (std::size_t i = 0; i < control.operands.size(); ++i) {
      place(region.parameters[i],
            i < carries ? ir_.CreateLoad(pointer_, now[i]) : address_of(control.operands[i]));
    }
  };
  Block before = ir_.GetInsertBlock();
  Block loop = block("loop");
  Block step = block("step");
  Block done = block("done");
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(loop);
  llvm::PHINode* const iteration = ir_.CreatePHI(ir_.getInt64Ty(), 2, "iteration");
  iteration->addIncoming(long_number(0), before);
  place_parameters(condition);
  place(condition.results[0].buffer, address_of(control.condition));
  enter(control.regions[0], iteration);
  Value goes_on = ir_.CreateLoad(ir_.getInt8Ty(), address_of(control.condition), "goes_on");
  ir_.CreateCondBr(ir_.CreateICmpNE(goes_on, ir_.getInt8(0)), step, done);
  ir_.SetInsertPoint(step);
  place_parameters(body);
  for (std::size_t i = 0; i < carries; ++i) {
    place(body.results[i].buffer, ir_.CreateLoad(pointer_, next[i]));
  }
  enter(control.regions[1], iteration);
  for (std::size_t i = 0; i < carries; ++i) {
    if (in_place(i)) continue;
    Value written = ir_.CreateLoad(pointer_, next[i]);
    Value result = address_of(control.results[i]);
    ir_.CreateStore(written, now[i]);
    ir_.CreateStore(
        ir_.CreateSelect(ir_.CreateICmpEQ(written, result), address_of(control.spares[i]), result),
        next[i]);
  }
  iteration->addIncoming(ir_.CreateAdd(iteration, long_number(1)), ir_.GetInsertBlock());
  ir_.CreateBr(loop);
  ir_.SetInsertPoint(done);
  for (std::size_t i = 0; i < carries; ++i) {
    if (in_place(i)) continue;
    move(address_of(control.results[i]), ir_.CreateLoad(pointer_, now[i]),
         plan_.buffers[at(body.parameters[i])].bytes);
  }
}

// An index that is none of a branch's chooses the last one.
void PlanEmitter::conditional(const Control& control) {
  Value index = ir_.CreateLoad(integer_, address_of(control.operands[0]), "index");
  Block done = block("done");
  Block last = block("branch");
  auto* const choice =
      ir_.CreateSwitch(index, last, static_cast<unsigned>(control.regions.size() - 1));
  for (std::size_t i = 0; i < control.regions.size(); ++i) {
    const bool is_last = i + 1 == control.regions.size();
    Block branch = is_last ? last : block("branch");
    if (!is_last) choice->addCase(number(static_cast<std::int32_t>(i)), branch);
    ir_.SetInsertPoint(branch);
    const Region& region = plan_.regions[at(control.regions[i])];
    for (std::size_t k = 0; k < region.parameters.size(); ++k) {
      place(region.parameters[k], address_of(control.operands[k + 1]));
    }
    for (std::size_t k = 0; k < region.results.size(); ++k) {
      place(region.results[k].buffer, address_of(control.results[k]));
    }
    enter(control.regions[i]);
    ir_.CreateBr(done);
  }
  ir_.SetInsertPoint(done);
}

}  // namespace tutti::codegen::native

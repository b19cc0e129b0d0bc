#pragma once

#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Emits the steps of a plan as functions of type PlanFunction (runtime/run/abi.h): one for each
// region, and one for the program, which goes by the given name.
class PlanEmitter final : public NativeSteps {
 public:
  PlanEmitter(llvm::Module& module, const Jit& jit, const Plan& plan);

  void run(const std::string& name);

  void call(const char* function, std::int32_t number) override;
  void launch(const char* function, std::span<const BufferId> buffers) override;
  void launch_direct(const char* function, std::span<const BufferId> buffers,
                     std::span<const DirectKernel> kernels) override;
  const Plan& plan() const override { return plan_; }
  void control(const Control& control) override;

 private:
  // A place where something is at run time, or the code that comes next.
  using Value = llvm::Value*;
  using Block = llvm::BasicBlock*;

  // emit_control.cpp: loops and branches.
  void scan(const Control& control);
  void while_loop(const Control& control);
  void conditional(const Control& control);
  void begin_carries(const Control& control, bool with_spare);
  void next_carries(const Control& control);
  void end_carries(const Control& control);
  const Region& body_of(const Control& control) const;
  // `iteration`: of the loop that it is entered by; null: by a branch.
  void enter(int region, Value iteration = nullptr);
  void move(Value to, Value from, std::int64_t bytes);

  // The steps from `first` up to `end`, in functions of at most so many steps that one calls.
  llvm::Function* emit_function(const std::string& name, std::int32_t first, std::int32_t end,
                                llvm::GlobalValue::LinkageTypes linkage);
  llvm::Function* add_function(const std::string& name, llvm::GlobalValue::LinkageTypes linkage);
  void emit_steps(std::int32_t first, std::int32_t end);
  // The step before which a function that begins at `first` ends, so that it isn't too long.
  std::int32_t end_of_part(std::int32_t first, std::int32_t end) const;
  std::uint64_t most_addresses(std::int32_t first, std::int32_t end) const;

  Block block(const char* name);
  llvm::ConstantInt* number(std::int32_t value);
  llvm::ConstantInt* long_number(std::int64_t value);
  Value load(Value base, std::size_t offset, const char* name);
  // A variable of the function, for an address.
  Value variable(const char* name);
  // Behind an address.
  Value behind(Value address, Value bytes);
  // Where a buffer lies; and where the frame says so of one outside the arena.
  Value address_of(BufferId id);
  Value slot(BufferId id);
  void place(BufferId id, Value address);
  void store_addresses(std::span<const BufferId> buffers);
  // Leaves with the step's number if what was called failed.
  void leave_unless(Value succeeded);
  // Calls a function of runtime/run/abi.h; leaves if it fails.
  void add_call(const char* name, std::int32_t what, std::initializer_list<Value> more);

  llvm::Module& module_;
  const Jit& jit_;
  const Plan& plan_;
  llvm::IRBuilder<> ir_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* integer_;
  std::vector<llvm::Function*> regions_;
  // Of the function at hand.
  llvm::Function* function_ = nullptr;
  Block failed_ = nullptr;
  llvm::PHINode* step_of_failure_ = nullptr;
  Value arguments_ = nullptr;
  Value arena_ = nullptr;
  Value addresses_ = nullptr;
  Value kernels_ = nullptr;
  std::int32_t step_ = 0;
  std::int32_t launches_ = 0;
  std::size_t direct_kernels_ = 0;
};

}  // namespace tutti::codegen::native

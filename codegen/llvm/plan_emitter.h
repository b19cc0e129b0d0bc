#pragma once

#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/llvm/joined_functions.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace tutti::codegen::native {

// Emits the steps of a plan as functions: one for each region, and one for the program, which goes
// by the given name and is a PlanFunction (runtime/run/abi.h). A region's has more parameters:
// where its own parameters and results lie.
class PlanEmitter final : public NativeSteps {
 public:
  PlanEmitter(llvm::Module& module, const Jit& jit, const Plan& plan,
              const JoinedFunctions& joined);

  // Gives those that are to be optimised.
  std::vector<llvm::Function*> run(const std::string& name);

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
  // Where a carry lies that a step of a loop reads, and where it is written.
  struct Carry {
    enum class Way : std::uint8_t {
      in_place,  // the result's place is both
      by_turns,  // the places change
      kept,      // on the stack; what is written is copied to what is read behind each step
    };
    Way way = Way::in_place;
    Value read = nullptr;
    Value written = nullptr;
  };
  std::vector<Carry> begin_carries(const Control& control, bool with_spare);
  // At the head of a loop's block; `before` is the one in front of it.
  std::vector<Carry> enter_loop(const std::vector<Carry>& first, Block before);
  // Behind a step that the loop's block, or one that it leads to, ends with.
  std::vector<Carry> next_carries(const Control& control, const std::vector<Carry>& carries);
  void close_loop(const std::vector<Carry>& carries, const std::vector<Carry>& next);
  void end_carries(const Control& control, const std::vector<Carry>& carries);
  const Region& body_of(const Control& control) const;
  // Where the parameters and results of a region lie. `iteration`: of the loop that it is entered
  // by; null: by a branch.
  void enter(int region, std::span<const Value> parameters, std::span<const Value> results,
             Value iteration = nullptr);
  // If they are not there already; and where it is known that they are not.
  void move(Value to, Value from, std::int64_t bytes);
  void copy(Value to, Value from, std::int64_t bytes);

  // The steps from `first` up to `end` of a region (null: of the program), in functions of at most
  // so many steps that one calls.
  llvm::Function* emit_function(const std::string& name, const Region* region, std::int32_t first,
                                std::int32_t end);
  llvm::Function* add_function(const std::string& name, const Region* region,
                               llvm::GlobalValue::LinkageTypes linkage);
  bool is_joined() const { return joined_.is_joined(number_); }
  void call_inlined(const DirectKernel& kernel, std::span<const BufferId> buffers);
  // emit_update.cpp: of a tensor, a part, where it begins, and the result.
  void put_part(const kernels::DynamicUpdateSlice& update, std::span<const BufferId> buffers);
  void emit_steps(std::int32_t first, std::int32_t end);
  // The step before which a function that begins at `first` ends, so that it isn't too long.
  std::int32_t end_of_part(std::int32_t first, std::int32_t end) const;
  std::uint64_t most_addresses(std::int32_t first, std::int32_t end) const;

  Block block(const char* name);
  llvm::ConstantInt* number(std::int32_t value);
  llvm::ConstantInt* long_number(std::int64_t value);
  Value load(Value base, std::size_t offset, const char* name);
  // With what is behind a value on the stack.
  static std::int64_t whole_bytes(std::int64_t bytes);
  // Room on the stack of the function.
  Value on_stack(std::int64_t bytes, const char* name);
  // Behind an address.
  Value behind(Value address, Value bytes);
  // Where a buffer lies; and where the frame says so of one outside the arena.
  Value address_of(BufferId id);
  Value slot(BufferId id);
  void store_addresses(std::span<const BufferId> buffers);
  // Leaves with the step's number if what was called failed.
  void leave_unless(Value succeeded);
  // Calls a function of runtime/run/abi.h; leaves if it fails.
  void add_call(const char* name, std::int32_t what, std::initializer_list<Value> more);

  llvm::Module& module_;
  const Jit& jit_;
  const Plan& plan_;
  const JoinedFunctions& joined_;
  llvm::IRBuilder<> ir_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* integer_;
  std::vector<llvm::Function*> regions_;
  // By kernel and its buffers' rooms.
  std::map<std::pair<const Kernel*, std::vector<std::int64_t>>, llvm::Function*> inlined_;
  // Of the function at hand.
  std::size_t number_ = 0;            // the region's
  std::map<BufferId, Value> places_;  // of what does not lie where the frame says
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

#pragma once

#include <tutti/codegen/llvm/compile_kernels.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace tutti::codegen::native {

// Code in memory. Unloads itself with its last holder.
class LoadedCode {
 public:
  LoadedCode(llvm::orc::ExecutionSession& session, llvm::orc::JITDylib& library)
      : session_(session), library_(library) {}
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();

 private:
  llvm::orc::ExecutionSession& session_;
  llvm::orc::JITDylib& library_;
};

// LLVM's just-in-time compiler for one target: modules in, function addresses out. One engine
// serves all threads of the process: machine code is immutable and holds no state of a rank.
// Modules are compiled by the calling thread, each in a context of its own; only loading is
// serialised.
class Jit {
 public:
  // The engine for a target, made at first use and kept until the process ends.
  static Jit& of(const Target& target);

  // An empty module set up for the target.
  std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, const std::string& name);
  // Attributes by which functions use all that the CPU has. To be given to every function.
  void set_target_attributes(llvm::Function& function) const;

  bool has_fma() const { return has_fma_; }
  bool has_avx512() const { return has_avx512_; }

  std::string assembly(llvm::Module& module);

  struct Functions {
    std::shared_ptr<LoadedCode> code;
    std::vector<void*> addresses;  // of the names, in order
  };
  // Compiles a module and loads it; it may call what libm.h lists and the C library.
  Functions load(llvm::Module& module, const std::vector<std::string>& names);

 private:
  explicit Jit(const Target& target);

  bool has_feature(const std::string& name) const;
  // Target machines are not thread-safe: each compilation borrows one.
  std::unique_ptr<llvm::TargetMachine> borrow_machine();
  void give_back(std::unique_ptr<llvm::TargetMachine> machine);
  llvm::SmallVector<char, 0> emit(llvm::Module& module, llvm::CodeGenFileType type);

  llvm::orc::JITTargetMachineBuilder builder_;
  std::unique_ptr<llvm::orc::LLJIT> engine_;
  bool has_fma_ = false;
  bool has_avx512_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_;
  std::uint64_t libraries_ = 0;
};

}  // namespace tutti::codegen::native

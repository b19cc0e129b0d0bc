#pragma once

#include <tutti/codegen/llvm/compile_kernels.h>
#include <tutti/ir/support/hash.h>
#include <tutti/runtime/cache/disk_cache.h>
#include <tutti/runtime/function_ref.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace tutti::codegen::native {

// Code in memory. Unloads itself with its last holder.
class LoadedCode {
 public:
  LoadedCode(llvm::orc::ExecutionSession& session, llvm::orc::JITDylib& library, bool stays)
      : session_(session), library_(library), stays_(stays) {}
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();

 private:
  llvm::orc::ExecutionSession& session_;
  llvm::orc::JITDylib& library_;
  bool stays_;
};

// Code to load. It may call what libm.h and runtime/run/abi.h list and the C library, all by name:
// code holds no addresses, so that what one process stored another can load.
struct CodeRequest {
  // Of all that determines the code, but for the target, LLVM's version and Tutti's sources, which
  // the engine knows.
  Hash128 key;
  std::string name;                  // for people: lists, profilers
  std::vector<std::string> symbols;  // the functions wanted, by their names in the module
};

// A name for a function: letters, digits and '_' of `name`, and the first digits of a hash.
std::string symbol_name(std::string_view name, const Hash128& hash);

// LLVM's just-in-time compiler for one processor: modules in, function addresses out. One engine
// serves all threads of the process: machine code is immutable and holds no state of a rank.
// Modules are compiled by the calling thread, each in a context of its own; only loading is
// serialised. Thread-safe.
class Jit {
 public:
  // The engine for a processor, made at first use and kept until the process ends.
  static Jit& of(const Processor& processor);

  // An empty module set up for the target.
  std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, const std::string& name);
  // Attributes by which functions use all that the CPU has. To be given to every function.
  void set_target_attributes(llvm::Function& function) const;

  // For people: what code is made by and for.
  const std::string& origin() const { return origin_; }
  bool has_fma() const { return has_fma_; }
  // With the parts that all processors with it have had since 2017: F, DQ and VL.
  bool has_avx512() const { return has_avx512_; }
  // AVX without that: vectors are made of registers of 256 bits, and masks are vectors, too.
  bool has_avx_alone() const { return has_avx_alone_; }

  std::string assembly(llvm::Module& module);

  struct Functions {
    std::shared_ptr<LoadedCode> code;
    std::vector<void*> addresses;  // of the symbols, in order
  };
  using Build = runtime::FunctionRef<void(llvm::Module&)>;

  // Gives code that is loaded already, or loads it from the cache, or else has its module built,
  // compiles and stores it. Of threads that want the same code at the same time one does so, and at
  // most as many of the process compile at a time as it has cores; so `build` must not load code
  // itself. What `build` throws is passed on.
  Functions load(const CodeRequest& request, Build build, runtime::DiskCache& cache);
  // The two halves of load(), for those who remember what is loaded themselves.
  std::optional<Functions> load_stored(const CodeRequest& request, runtime::DiskCache& cache);
  Functions compile(const CodeRequest& request, Build build, runtime::DiskCache& cache);

 private:
  struct Loaded {
    std::mutex mutex;  // held while the code is made
    std::weak_ptr<LoadedCode> code;
    std::vector<void*> addresses;
  };

  explicit Jit(const Processor& processor);

  std::shared_ptr<Loaded> loaded_under(const Hash128& key);
  bool has_feature(const std::string& name) const;
  // Target machines are not thread-safe: each compilation borrows one.
  std::unique_ptr<llvm::TargetMachine> borrow_machine();
  void give_back(std::unique_ptr<llvm::TargetMachine> machine);
  llvm::SmallVector<char, 0> emit(llvm::Module& module, llvm::CodeGenFileType type);
  Hash128 cache_key(const CodeRequest& request) const;
  Functions link(const CodeRequest& request, std::unique_ptr<llvm::MemoryBuffer> object);

  llvm::orc::JITTargetMachineBuilder builder_;
  std::unique_ptr<llvm::orc::LLJIT> engine_;
  std::string origin_;   // for people: what code is made by and for
  Hash128 origin_hash_;  // of all of that
  bool code_stays_ = false;
  bool has_fma_ = false;
  bool has_avx512_ = false;
  bool has_avx_alone_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> machines_;
  std::uint64_t libraries_ = 0;
  std::unordered_map<Hash128, std::shared_ptr<Loaded>, Hash128Hasher> loaded_;
  std::size_t loaded_limit_ = 64;  // at which those of code that is gone are dropped
};

}  // namespace tutti::codegen::native

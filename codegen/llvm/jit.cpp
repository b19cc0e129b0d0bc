#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/llvm/libm.h>
#include <tutti/ir/support/error.h>

#include <list>
#include <utility>

#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

namespace tutti::codegen::native {

namespace {

template <class T>
T unwrap(llvm::Expected<T> expected, const char* what) {
  if (expected) return static_cast<T&&>(*expected);
  throw InternalError(std::string(what) + ": " + llvm::toString(expected.takeError()));
}

void unwrap(llvm::Error error, const char* what) {
  if (error) throw InternalError(std::string(what) + ": " + llvm::toString(std::move(error)));
}

// Leaves out a pass that takes a fifth of the time and finds nothing to gain in loops that are
// emitted as they should be.
class PassGate : public llvm::OptPassGate {
 public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(llvm::StringRef name, llvm::StringRef) const override {
    return name != "Loop Strength Reduction";
  }
};

llvm::orc::JITTargetMachineBuilder machine_builder(const Target& target) {
  auto builder = unwrap(llvm::orc::JITTargetMachineBuilder::detectHost(), "LLVM, this machine");
  if (!target.cpu.empty()) {
    builder.setCPU(target.cpu);
    builder.getFeatures() = llvm::SubtargetFeatures();
  }
  std::vector<std::string> features;
  llvm::SubtargetFeatures::Split(features, target.features);
  builder.addFeatures(features);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  // As JITLink wants it; a module's code and constants are loaded close together.
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  return builder;
}

void define_libm(llvm::orc::LLJIT& engine) {
  llvm::orc::SymbolMap symbols;
  for (const LibmFunction& function : libm_functions()) {
    symbols[engine.mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  unwrap(engine.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))),
         "LLVM, the C library's functions");
}

}  // namespace

LoadedCode::~LoadedCode() {
  // Nothing refers to it any more, so that removal cannot fail in a way that matters here.
  llvm::consumeError(session_.removeJITDylib(library_));
}

Jit& Jit::of(const Target& target) {
  // Never destroyed: code may outlive every static object.
  static std::mutex mutex;
  static auto* engines = new std::list<std::pair<Target, Jit*>>();
  std::lock_guard lock(mutex);
  for (auto& [known, engine] : *engines) {
    if (known == target) return *engine;
  }
  engines->emplace_back(target, new Jit(target));
  return *engines->back().second;
}

Jit::Jit(const Target& target)
    : builder_([&] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return machine_builder(target);
      }()) {
  engine_ = unwrap(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder_).create(),
                   "LLVM, starting its engine");
  define_libm(*engine_);
  has_avx512_ = builder_.getTargetTriple().isX86() && has_feature("avx512f");
  has_fma_ = !builder_.getTargetTriple().isX86() || has_feature("fma");
}

bool Jit::has_feature(const std::string& name) const {
  auto machine = unwrap(llvm::orc::JITTargetMachineBuilder(builder_).createTargetMachine(),
                        "LLVM, the target machine");
  return machine->getMCSubtargetInfo()->checkFeatures("+" + name);
}

std::unique_ptr<llvm::TargetMachine> Jit::borrow_machine() {
  {
    std::lock_guard lock(mutex_);
    if (!machines_.empty()) {
      auto machine = std::move(machines_.back());
      machines_.pop_back();
      return machine;
    }
  }
  return unwrap(llvm::orc::JITTargetMachineBuilder(builder_).createTargetMachine(),
                "LLVM, the target machine");
}

void Jit::give_back(std::unique_ptr<llvm::TargetMachine> machine) {
  std::lock_guard lock(mutex_);
  machines_.push_back(std::move(machine));
}

std::unique_ptr<llvm::Module> Jit::make_module(llvm::LLVMContext& context,
                                               const std::string& name) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setDataLayout(engine_->getDataLayout());
  module->setTargetTriple(engine_->getTargetTriple());
  return module;
}

void Jit::set_target_attributes(llvm::Function& function) const {
  function.addFnAttr("target-cpu", builder_.getCPU());
  function.addFnAttr("target-features", builder_.getFeatures().getString());
  // CPUs on which LLVM would rather use half of a register are none on which halves are faster
  // for code that is vectorised throughout.
  function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr("min-legal-vector-width", "512");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

llvm::SmallVector<char, 0> Jit::emit(llvm::Module& module, llvm::CodeGenFileType type) {
  auto machine = borrow_machine();
  PassGate gate;
  module.getContext().setOptPassGate(gate);
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
      throw InternalError("LLVM cannot emit code for this machine");
    }
    passes.run(module);
  }
  give_back(std::move(machine));
  return bytes;
}

std::string Jit::assembly(llvm::Module& module) {
  const auto bytes = emit(module, llvm::CodeGenFileType::AssemblyFile);
  return {bytes.begin(), bytes.end()};
}

Jit::Functions Jit::load(llvm::Module& module, const std::vector<std::string>& names) {
  auto object = std::make_unique<llvm::SmallVectorMemoryBuffer>(
      emit(module, llvm::CodeGenFileType::ObjectFile), module.getName(), false);

  std::uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = libraries_++;
  }
  auto& session = engine_->getExecutionSession();
  auto& library =
      unwrap(engine_->createJITDylib("kernels" + std::to_string(number)), "LLVM, a new library");
  Functions functions;
  functions.code = std::make_shared<LoadedCode>(session, library);
  library.addToLinkOrder(engine_->getMainJITDylib());
  unwrap(engine_->addObjectFile(library, std::move(object)), "LLVM, loading code");

  llvm::orc::SymbolLookupSet wanted;
  for (const std::string& name : names) wanted.add(engine_->mangleAndIntern(name));
  const auto found =
      unwrap(session.lookup({{&library, llvm::orc::JITDylibLookupFlags::MatchExportedSymbolsOnly}},
                            std::move(wanted)),
             "LLVM, linking code");
  for (const std::string& name : names) {
    functions.addresses.push_back(
        found.at(engine_->mangleAndIntern(name)).getAddress().toPtr<void*>());
  }
  return functions;
}

}  // namespace tutti::codegen::native

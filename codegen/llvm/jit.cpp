#include <tutti/codegen/build_id.h>
#include <tutti/codegen/in_parallel.h>
#include <tutti/codegen/llvm/jit.h>
#include <tutti/codegen/llvm/jit_symbols.h>
#include <tutti/codegen/llvm/libm.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/runtime/run/abi.h>

#include <algorithm>
#include <list>
#include <span>
#include <string>
#include <utility>

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
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

// Of the library that makes the code, which may be newer than the headers.
std::string version_of_llvm() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
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

llvm::orc::JITTargetMachineBuilder machine_builder(const Processor& processor) {
  auto builder = unwrap(llvm::orc::JITTargetMachineBuilder::detectHost(), "LLVM, this machine");
  if (!processor.cpu.empty()) {
    builder.setCPU(processor.cpu);
    builder.getFeatures() = llvm::SubtargetFeatures();
  }
  std::vector<std::string> features;
  llvm::SubtargetFeatures::Split(features, processor.features);
  runtime::Settings::process();  // sets the limit
  if (processor.cpu.empty() && builder.getTargetTriple().isX86()) {
    // LLVM takes all away that needs it.
    using kernels::InstructionSet;
    const InstructionSet most = kernels::instruction_set_limit();
    if (most == InstructionSet::avx2) features.emplace_back("-avx512f");
    if (most == InstructionSet::baseline) features.emplace_back("-avx");
  }
  // Instructions for parts of 64 bits that have no form beside AVX: they stall where LLVM takes
  // them for masks (AMD's processors before AVX-512).
  if (builder.getTargetTriple().isX86()) features.emplace_back("-sse4a");
  builder.addFeatures(features);
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  // As JITLink wants it; a module's code and constants are loaded close together.
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  return builder;
}

// What code may call: the C library's functions, and the runtime's.
void define_functions(llvm::orc::LLJIT& engine) {
  llvm::orc::SymbolMap symbols;
  const auto define = [&](const std::string& name, const void* address) {
    symbols[engine.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  for (const LibmFunction& function : libm_functions()) define(function.name, function.address);
  for (const auto& function : runtime::abi_functions()) define(function.name, function.address);
  unwrap(engine.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))),
         "LLVM, the functions that code may call");
}

// A stored object, without a copy.
class EntryBuffer : public llvm::MemoryBuffer {
 public:
  explicit EntryBuffer(runtime::CacheEntry entry) : entry_(std::move(entry)) {
    const auto* const begin = reinterpret_cast<const char*>(entry_.data().data());
    init(begin, begin + entry_.data().size(), false);
  }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }
  llvm::StringRef getBufferIdentifier() const override { return entry_.name; }

 private:
  runtime::CacheEntry entry_;
};

}  // namespace

std::string symbol_name(std::string_view name, const Hash128& hash) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out + '_' + hash.text().substr(0, 8);
}

LoadedCode::~LoadedCode() {
  if (stays_) return;
  // Nothing refers to it any more, so that removal cannot fail in a way that matters here.
  llvm::consumeError(session_.removeJITDylib(library_));
}

Jit& Jit::of(const Processor& processor) {
  // Never destroyed: code may outlive every static object.
  static std::mutex mutex;
  static auto* engines = new std::list<std::pair<Processor, Jit*>>();
  std::lock_guard lock(mutex);
  for (auto& [known, engine] : *engines) {
    if (known == processor) return *engine;
  }
  engines->emplace_back(processor, new Jit(processor));
  return *engines->back().second;
}

Jit::Jit(const Processor& processor)
    : builder_([&] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        return machine_builder(processor);
      }()) {
  engine_ = unwrap(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder_).create(),
                   "LLVM, starting its engine");
  // Whoever asks for code gets the error; LLVM would print it as well.
  engine_->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  const JitSymbols symbols =
      read_jit_symbols(runtime::Settings([](const char* name) { return std::getenv(name); }));
  show_symbols(*engine_, symbols);
  code_stays_ = symbols.gdb;
  define_functions(*engine_);
  const std::string version = version_of_llvm();
  origin_ = "LLVM " + version + ", " + builder_.getCPU() + ", build " +
            std::string(build_id()).substr(0, 8);
  origin_hash_ = Hasher()
                     .add(version)
                     .add(LLVM_VERSION_STRING)
                     .add(builder_.getTargetTriple().str())
                     .add(builder_.getCPU())
                     .add(builder_.getFeatures().getString())
                     .add(engine_->getDataLayout().getStringRepresentation())
                     .add(build_id())
                     .finish();
  has_avx512_ = builder_.getTargetTriple().isX86() && has_feature("avx512f") &&
                has_feature("avx512dq") && has_feature("avx512vl");
  has_avx_alone_ =
      builder_.getTargetTriple().isX86() && has_feature("avx") && !has_feature("avx512f");
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

Jit::Functions Jit::load(const CodeRequest& request, Build build, runtime::DiskCache& cache) {
  const std::shared_ptr<Loaded> loaded = loaded_under(cache_key(request));
  std::lock_guard lock(loaded->mutex);
  if (auto code = loaded->code.lock()) return {std::move(code), loaded->addresses};
  auto stored = load_stored(request, cache);
  Functions functions = stored ? *std::move(stored) : compile(request, build, cache);
  loaded->code = functions.code;
  loaded->addresses = functions.addresses;
  return functions;
}

std::shared_ptr<Jit::Loaded> Jit::loaded_under(const Hash128& key) {
  std::lock_guard lock(mutex_);
  if (loaded_.size() >= loaded_limit_) {
    std::erase_if(loaded_, [](const auto& known) {
      return known.second.use_count() == 1 && known.second->code.expired();
    });
    loaded_limit_ = 2 * loaded_.size() + 64;
  }
  std::shared_ptr<Loaded>& loaded = loaded_[key];
  if (loaded == nullptr) loaded = std::make_shared<Loaded>();
  return loaded;
}

Hash128 Jit::cache_key(const CodeRequest& request) const {
  Hasher hasher;
  hasher.add(origin_hash_).add(request.key).add(request.name).add(request.symbols.size());
  for (const std::string& symbol : request.symbols) hasher.add(symbol);
  return hasher.finish();
}

std::optional<Jit::Functions> Jit::load_stored(const CodeRequest& request,
                                               runtime::DiskCache& cache) {
  auto entry = cache.get(cache_key(request));
  if (!entry) return {};
  try {
    return link(request, std::make_unique<EntryBuffer>(*std::move(entry)));
  } catch (const InternalError&) {
    return {};  // intact, but nothing that LLVM can link: what is compiled replaces it
  }
}

Jit::Functions Jit::compile(const CodeRequest& request, Build build, runtime::DiskCache& cache) {
  llvm::SmallVector<char, 0> object;
  {
    const CompileSlot slot;
    llvm::LLVMContext context;
    const auto module = make_module(context, request.name);
    build(*module);
    object = emit(*module, llvm::CodeGenFileType::ObjectFile);
  }
  cache.put(cache_key(request), request.name, origin_, std::as_bytes(std::span(object)));
  return link(request, std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object),
                                                                       request.name, false));
}

Jit::Functions Jit::link(const CodeRequest& request, std::unique_ptr<llvm::MemoryBuffer> object) {
  std::uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = libraries_++;
  }
  auto& session = engine_->getExecutionSession();
  // A bare one: what LLJIT adds for initialisers of C++ programs would stay when the library goes.
  auto& library = session.createBareJITDylib("code" + std::to_string(number));
  Functions functions;
  functions.code = std::make_shared<LoadedCode>(session, library, code_stays_);
  library.addToLinkOrder(engine_->getMainJITDylib());
  if (const auto process = engine_->getProcessSymbolsJITDylib()) library.addToLinkOrder(*process);
  unwrap(engine_->addObjectFile(library, std::move(object)), "LLVM, loading code");

  llvm::orc::SymbolLookupSet wanted;
  for (const std::string& name : request.symbols) wanted.add(engine_->mangleAndIntern(name));
  const auto found =
      unwrap(session.lookup({{&library, llvm::orc::JITDylibLookupFlags::MatchExportedSymbolsOnly}},
                            std::move(wanted)),
             "LLVM, linking code");
  for (const std::string& name : request.symbols) {
    functions.addresses.push_back(
        found.at(engine_->mangleAndIntern(name)).getAddress().toPtr<void*>());
  }
  return functions;
}

}  // namespace tutti::codegen::native

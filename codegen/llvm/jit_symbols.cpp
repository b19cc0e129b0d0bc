#include <tutti/codegen/llvm/jit_symbols.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/descriptor.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::codegen::native {

namespace {

// The file where perf looks for names; -1 if it can't be had. Anybody may make files in /tmp, or
// give this user's file that name: it has to be this user's, as perf demands, too, and have no
// other name.
int perf_map() {
  static const runtime::Descriptor file = [] {
    const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    runtime::Descriptor opened(open(path.c_str(), kFlags, S_IRUSR | S_IWUSR));
    struct stat status{};
    if (!opened.valid() || fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid() || status.st_nlink != 1 || ftruncate(opened.number(), 0) != 0) {
      return runtime::Descriptor();
    }
    return opened;
  }();
  return file.number();
}

// Adds a line for each function that is loaded: "ADDRESS SIZE NAME".
class PerfMap : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                        llvm::jitlink::PassConfiguration& passes) override {
    if (perf_map() < 0) return;
    passes.PostFixupPasses.emplace_back([](llvm::jitlink::LinkGraph& graph) {
      std::string lines;
      for (const auto* symbol : graph.defined_symbols()) {
        if (!symbol->hasName() || !symbol->isCallable()) continue;
        char numbers[64];
        std::snprintf(numbers, sizeof(numbers), "%" PRIx64 " %" PRIx64 " ",
                      symbol->getAddress().getValue(), std::uint64_t{symbol->getSize()});
        lines += numbers + std::string(*symbol->getName()) + "\n";
      }
      // One write, so that lines of several threads do not mix. A full disk costs names, no more.
      [[maybe_unused]] const auto written = write(perf_map(), lines.data(), lines.size());
      return llvm::Error::success();
    });
  }

  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}
};

}  // namespace

JitSymbols read_jit_symbols(const runtime::Settings& settings) {
  const std::vector<std::string>& tools = settings.words("TUTTI_JIT_SYMBOLS");
  const auto names = [&](const char* tool) {
    return std::ranges::find(tools, tool) != tools.end();
  };
  return {.gdb = names("gdb"), .perf = names("perf")};
}

void show_symbols(llvm::orc::LLJIT& engine, const JitSymbols& symbols) {
  if (symbols.gdb) {
    if (auto error = llvm::orc::enableDebuggerSupport(engine)) {
      throw EnvironmentError("TUTTI_JIT_SYMBOLS: gdb can't be told of code: " +
                             llvm::toString(std::move(error)));
    }
  }
  if (symbols.perf) {
    auto* const layer = llvm::dyn_cast<llvm::orc::ObjectLinkingLayer>(&engine.getObjLinkingLayer());
    if (layer != nullptr) layer->addPlugin(std::make_shared<PerfMap>());
  }
}

}  // namespace tutti::codegen::native

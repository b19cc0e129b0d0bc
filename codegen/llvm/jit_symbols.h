#pragma once

#include <tutti/runtime/settings.h>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

// Makes debuggers and profilers see the names of generated functions.
namespace tutti::codegen::native {

struct JitSymbols {
  bool gdb = false;   // through gdb's JIT interface, which lldb has too
  bool perf = false;  // in /tmp/perf-PID.map, which `perf report` reads
};

// What TUTTI_JIT_SYMBOLS asks for.
JitSymbols read_jit_symbols(const runtime::Settings& settings);

// From here on, what the engine loads is shown. Code that gdb was told of must stay loaded: LLVM
// does not tell gdb when it goes.
void show_symbols(llvm::orc::LLJIT& engine, const JitSymbols& symbols);

}  // namespace tutti::codegen::native

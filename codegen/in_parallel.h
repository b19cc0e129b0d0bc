#pragma once

#include <tutti/runtime/function_ref.h>

#include <cstddef>

// Compiling on more than one thread.
namespace tutti::codegen {

// How many threads of this process may compile at a time: one for each core it may use.
int compile_threads();

// One of these threads, of which a process has no more, however many ranks it has: held while
// something is compiled.
class CompileSlot {
 public:
  CompileSlot();
  CompileSlot(const CompileSlot&) = delete;
  CompileSlot& operator=(const CompileSlot&) = delete;
  ~CompileSlot();
};

// Calls work(0), ..., work(count - 1) on this thread and others. Throws what the first of them that
// fails throws; the rest is then left out.
void for_each_in_parallel(std::size_t count, runtime::FunctionRef<void(std::size_t)> work);

}  // namespace tutti::codegen

#pragma once

namespace tutti::kernels {

// Lets signals from outside wait, for code that needs it: some that oneDNN generates (gemm:jit of
// 2.6) keeps data below the stack pointer, further than the ABI has it, where a handler's frame
// would go. Those that a thread's own code causes (SIGSEGV and its like) never wait.
//
// From the first start() of any of a thread's on, signals wait until the outermost of them ends:
// two calls of the system for all that is inside of it, and none where nothing starts. Whoever
// hands out pieces of work has one around them all.
class NoSignals {
 public:
  NoSignals();
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals();

  void start();
};

}  // namespace tutti::kernels

#pragma once

#include <thread>

namespace tutti::runtime {

// How often a waiting thread looks before it gives its core away: some tens of microseconds, less
// than the system takes to wake a sleeper.
inline constexpr int kSpinPauses = 2000;

// Tells the processor that this is a spinning loop.
inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::this_thread::yield();
#endif
}

}  // namespace tutti::runtime

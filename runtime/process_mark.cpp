#include <tutti/ir/support/error.h>
#include <tutti/runtime/process_mark.h>

#include <pthread.h>

namespace tutti::runtime {

ProcessMark::ProcessMark() : own_(forks_.load(std::memory_order_relaxed)) {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1, std::memory_order_relaxed); });
  if (registered != 0) throw EnvironmentError("no memory for handlers of fork (pthread_atfork)");
}

}  // namespace tutti::runtime

#include <tutti/codegen/in_parallel.h>
#include <tutti/runtime/allowed_cores.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <semaphore>
#include <system_error>
#include <thread>
#include <vector>

namespace tutti::codegen {

namespace {

std::counting_semaphore<>& slots() {
  static std::counting_semaphore<> semaphore(compile_threads());
  return semaphore;
}

}  // namespace

int compile_threads() { return runtime::count_of_allowed_cores(); }

CompileSlot::CompileSlot() { slots().acquire(); }
CompileSlot::~CompileSlot() { slots().release(); }

void for_each_in_parallel(std::size_t count, runtime::FunctionRef<void(std::size_t)> work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (failure == nullptr) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t most = static_cast<std::size_t>(compile_threads());
    try {
      while (helpers.size() + 1 < std::min(most, count)) {
        helpers.emplace_back(take_turns);
      }
    } catch (const std::system_error&) {
      // Without more threads it takes longer.
    }
    take_turns();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace tutti::codegen

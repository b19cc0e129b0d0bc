#include <tutti/runtime/run/abi.h>

#include <array>
#include <cstring>

namespace {

using tutti::runtime::PlanFrame;

template <class Step>
std::int32_t guarded(PlanFrame* frame, Step&& step) noexcept {
  try {
    step();
    return 0;
  } catch (...) {
    frame->failure = std::current_exception();
    return 1;
  }
}

}  // namespace

std::int32_t tutti_allocate(PlanFrame* frame, std::int32_t buffer) {
  return guarded(frame, [&] { frame->allocate(buffer); });
}
std::int32_t tutti_acquire(PlanFrame* frame, std::int32_t buffer) {
  return guarded(frame, [&] { frame->acquire(buffer); });
}
std::int32_t tutti_free(PlanFrame* frame, std::int32_t buffer) {
  return guarded(frame, [&] { frame->free(buffer); });
}
std::int32_t tutti_launch(PlanFrame* frame, std::int32_t launch, void* const* arguments) {
  return guarded(frame, [&] { frame->launch(launch, arguments); });
}
std::int32_t tutti_start(PlanFrame* frame, std::int32_t work) {
  return guarded(frame, [&] { frame->start(work); });
}
std::int32_t tutti_wait(PlanFrame* frame, std::int32_t work) {
  return guarded(frame, [&] { frame->wait(work); });
}
std::int32_t tutti_finish(PlanFrame* frame, std::int32_t work) {
  return guarded(frame, [&] { frame->finish(work); });
}

void tutti_failed_inside(PlanFrame* frame, std::int32_t region, std::int64_t iteration) {
  frame->failed_inside(region, iteration);
}

void tutti_move(void* to, const void* from, std::int64_t bytes) {
  if (to != from && bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

namespace tutti::runtime {

namespace {

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

std::span<const AbiFunction> abi_functions() {
  static const std::array<AbiFunction, 9> functions = {{
      {"tutti_allocate", address(tutti_allocate)},
      {"tutti_acquire", address(tutti_acquire)},
      {"tutti_free", address(tutti_free)},
      {"tutti_launch", address(tutti_launch)},
      {"tutti_start", address(tutti_start)},
      {"tutti_wait", address(tutti_wait)},
      {"tutti_finish", address(tutti_finish)},
      {"tutti_failed_inside", address(tutti_failed_inside)},
      {"tutti_move", address(tutti_move)},
  }};
  return functions;
}

}  // namespace tutti::runtime

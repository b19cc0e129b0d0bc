// The context of the calling thread: a world's, which may close at any time and on any thread, or
// the thread's own, of one rank, that it has without a World.

#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/launch_environment.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/profile/trace_file.h>
#include <tutti/runtime/settings.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace tutti::detail {

namespace {

thread_local RankContext* current_pointer = nullptr;
thread_local std::uint64_t id_alone = 0;  // of the thread's context without a World
// The main thread's variables go before static ones, of which one may be a World.
thread_local bool thread_ends = false;

// Worlds may be closed in any order and on any thread, so nobody may be left with a dead pointer.
struct CurrentContext {
  CurrentContext() = default;
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    current_pointer = nullptr;
    thread_ends = true;
  }
  std::weak_ptr<RankContext> pointer;
};
thread_local CurrentContext current_context;

std::unique_ptr<RankContext> make_alone() {
  auto context = std::make_unique<RankContext>(
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0),
      static_cast<int>(runtime::Settings::process().number("TUTTI_THREADS").value_or(0)), nullptr);
  context->recorder().take();
  std::string trace = runtime::profile_file();
  if (!trace.empty()) {
    // A rank that does not join its job must not take the others' file.
    const runtime::LaunchEnvironment launched = runtime::read_launch_environment();
    if (launched.ranks > 1) trace = runtime::part_of_trace(trace, launched.rank);
    context->runtime().profile =
        runtime::make_profile(trace, launched.rank, context->runtime().pool);
  }
  return context;
}

}  // namespace

constinit thread_local std::uint64_t RankContext::current_id_ = 0;

RankContext& RankContext::current() {
  if (thread_ends) throw UsageError("the program ends: nothing can be recorded any more");
  // The first look has the thread's end noted, which then comes after that of `alone`.
  if (current_context.pointer.expired()) {
    // A program without a World is a world of one.
    thread_local const auto alone = [] {
      auto made = make_alone();
      current_id_ = id_alone = made->id();
      return made;
    }();
    return *alone;
  }
  if (!current_pointer->recorder_.is_mine()) Recorder::fail_not_mine();
  return *current_pointer;
}

std::shared_ptr<RankContext> RankContext::find_current() {
  return thread_ends ? nullptr : current_context.pointer.lock();
}

std::shared_ptr<RankContext> RankContext::exchange_current(std::shared_ptr<RankContext> context) {
  if (thread_ends) return nullptr;
  std::shared_ptr<RankContext> previous = current_context.pointer.lock();
  current_pointer = context.get();
  current_id_ = context == nullptr ? id_alone : context->id();
  current_context.pointer = context;
  return previous;
}

std::shared_ptr<RankContext> RankContext::attach(std::shared_ptr<RankContext> context) {
  context->recorder_.take();
  return exchange_current(std::move(context));
}

}  // namespace tutti::detail

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/start_thread.h>

#include <chrono>
#include <cstdlib>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace tutti::runtime {

namespace {

// The ends under way on threads of their own. NCCL and the driver are taken down when the process
// ends, and must not be at work then: first asked for after they were loaded, this waits before.
class Ends {
 public:
  // Never destroyed: threads may end communicators to the last.
  static Ends& process() {
    static Ends& ends = []() -> Ends& {
      std::atexit([] { process().wait(); });
      return *new Ends;
    }();
    return ends;
  }

  void add(std::shared_future<void> end) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(under_way_, [](const std::shared_future<void>& other) {
      return other.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    under_way_.push_back(std::move(end));
  }

 private:
  Ends() = default;

  void wait() {
    if (process_.is_copy()) return;
    const auto until = std::chrono::steady_clock::now() + NcclCommunicator::kLongestEnd;
    const auto ends = [this] {
      const std::scoped_lock lock(mutex_);
      return under_way_;
    }();
    for (const std::shared_future<void>& end : ends) end.wait_until(until);
  }

  const ProcessMark process_;  // that has the threads
  std::mutex mutex_;
  std::list<std::shared_future<void>> under_way_;
};

}  // namespace

// Who throws behind the other one is destroyed: the library may give a communicator with an error.
NcclCommunicator::NcclCommunicator(const Nccl& nccl, const nccl::UniqueId& id, int size,
                                   int position)
    : NcclCommunicator(nccl) {
  Ends::process();
  nccl::Config config;
  config.version = static_cast<unsigned>(nccl.version());
  constexpr const char* kFunction = "ncclCommInitRankConfig";
  nccl_.check(nccl_.ncclCommInitRankConfig(&handle_, size, id, position, &config), kFunction,
              handle_);
  if (handle_ == nullptr) throw CommError(std::string(kFunction) + " gave no communicator");
}

NcclCommunicator::~NcclCommunicator() {
  abort();
  if (end_.valid() && !process_.is_copy()) end_.wait_for(kLongestEnd);
}

void NcclCommunicator::require_open(const char* function) const {
  if (handle_ != nullptr) return;
  throw CommError(std::string(function) + ": the communicator was aborted");
}

bool NcclCommunicator::is_over() {
  const std::scoped_lock lock(mutex_);
  return over();
}

bool NcclCommunicator::over() {
  constexpr const char* kFunction = "ncclCommGetAsyncError";
  require_open(kFunction);
  nccl::Result state = nccl::Result::success;
  nccl_.check(nccl_.ncclCommGetAsyncError(handle_, &state), kFunction, handle_);
  nccl_.check(state, "what was begun", handle_);
  return state == nccl::Result::success;
}

void NcclCommunicator::launch(std::span<const Call> calls) {
  const std::scoped_lock lock(mutex_);
  require_open("ncclGroupStart");
  nccl_.check(nccl_.ncclGroupStart(), "ncclGroupStart", handle_);
  nccl::Result result = nccl::Result::success;
  const char* function = "ncclGroupEnd";
  for (const Call& call : calls) {
    result = call.run(nccl_, handle_);
    if (result == nccl::Result::success || result == nccl::Result::in_progress) continue;
    function = call.function;
    break;
  }
  // Whatever happened: the thread's next group would be a part of this one.
  const nccl::Result end = nccl_.ncclGroupEnd();
  nccl_.check(result, function, handle_);
  nccl_.check(end, "ncclGroupEnd", handle_);
}

void NcclCommunicator::run(const Call& call) {
  const std::scoped_lock lock(mutex_);
  require_open(call.function);
  nccl_.check(call.run(nccl_, handle_), call.function, handle_);
}

void NcclCommunicator::let_go(nccl::Result (*how)(nccl::Communicator*)) noexcept {
  nccl::Communicator* const handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  try {
    const auto done = std::make_shared<std::promise<void>>();
    end_ = done->get_future().share();
    Ends::process().add(end_);
    start_thread([how, handle, done] {
      how(handle);
      done->set_value();
    }).detach();
  } catch (const std::exception&) {
    how(handle);
  }
}

void NcclCommunicator::abort() noexcept {
  if (process_.is_copy()) return;
  const std::scoped_lock lock(mutex_);
  let_go(nccl_.ncclCommAbort);
}

bool NcclCommunicator::close() {
  const std::scoped_lock lock(mutex_);
  if (!finalizing_) {
    constexpr const char* kFunction = "ncclCommFinalize";
    require_open(kFunction);
    nccl_.check(nccl_.ncclCommFinalize(handle_), kFunction, handle_);
    finalizing_ = true;
  }
  if (handle_ != nullptr) {
    if (!over()) return false;
    let_go(nccl_.ncclCommDestroy);
  }
  return has_ended();
}

bool NcclCommunicator::is_gone() {
  const std::scoped_lock lock(mutex_);
  return handle_ == nullptr && has_ended();
}

bool NcclCommunicator::has_ended() const {
  return !end_.valid() || end_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace tutti::runtime

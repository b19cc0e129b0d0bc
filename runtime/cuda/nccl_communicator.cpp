#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/start_thread.h>

#include <string>
#include <utility>

namespace tutti::runtime {

NcclCommunicator::NcclCommunicator(const Nccl& nccl, const nccl::UniqueId& id, int size,
                                   int position)
    : nccl_(nccl) {
  nccl::Config config;
  config.version = static_cast<unsigned>(nccl.version());
  constexpr const char* kFunction = "ncclCommInitRankConfig";
  nccl_.check(nccl_.ncclCommInitRankConfig(&handle_, size, id, position, &config), kFunction,
              handle_);
  if (handle_ == nullptr) throw CommError(std::string(kFunction) + " gave no communicator");
}

void NcclCommunicator::require_open(const char* function) const {
  if (handle_ != nullptr) return;
  throw CommError(std::string(function) + ": the communicator was aborted");
}

bool NcclCommunicator::is_over() {
  constexpr const char* kFunction = "ncclCommGetAsyncError";
  const std::scoped_lock lock(mutex_);
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

void NcclCommunicator::let_go(nccl::Result (*how)(nccl::Communicator*)) noexcept {
  nccl::Communicator* const handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  try {
    start_thread([how, handle] { how(handle); }).detach();
  } catch (const std::exception&) {
    how(handle);
  }
}

void NcclCommunicator::abort() noexcept {
  const std::scoped_lock lock(mutex_);
  let_go(nccl_.ncclCommAbort);
}

bool NcclCommunicator::close() {
  if (!finalizing_) {
    constexpr const char* kFunction = "ncclCommFinalize";
    const std::scoped_lock lock(mutex_);
    require_open(kFunction);
    nccl_.check(nccl_.ncclCommFinalize(handle_), kFunction, handle_);
    finalizing_ = true;
  }
  if (!is_over()) return false;
  const std::scoped_lock lock(mutex_);
  let_go(nccl_.ncclCommDestroy);
  return true;
}

}  // namespace tutti::runtime

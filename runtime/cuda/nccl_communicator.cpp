#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/nccl_communicator.h>

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

void NcclCommunicator::abort() noexcept {
  const std::scoped_lock lock(mutex_);
  if (handle_ != nullptr) nccl_.ncclCommAbort(std::exchange(handle_, nullptr));
}

bool NcclCommunicator::close() {
  if (!finalizing_) {
    call("ncclCommFinalize", [](const Nccl& nccl, nccl::Communicator* handle) {
      return nccl.ncclCommFinalize(handle);
    });
    finalizing_ = true;
  }
  if (!is_over()) return false;
  const std::scoped_lock lock(mutex_);
  if (handle_ != nullptr) nccl_.ncclCommDestroy(std::exchange(handle_, nullptr));
  return true;
}

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/dylib/nccl.h>
#include <tutti/runtime/function_ref.h>

#include <mutex>

namespace tutti::runtime {

// One rank's end of a communicator of NCCL, which never blocks: whether what was begun is over, is
// asked. All but abort() and its end are called with the GPU's context entered, by the rank's
// thread.
class NcclCommunicator {
 public:
  // Begins to connect the members, which all call this with one id. Throws CommError.
  NcclCommunicator(const Nccl& nccl, const nccl::UniqueId& id, int size, int position);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  // Aborts, if it was not closed.
  ~NcclCommunicator() { abort(); }

  // Calls f(the library, the handle), which gives a result of the function of that name. Throws
  // CommError if that failed or after abort().
  template <class F>
  void call(const char* function, F&& f) {
    const std::scoped_lock lock(mutex_);
    require_open(function);
    nccl_.check(f(nccl_, handle_), function, handle_);
  }
  // Whether what was called last is over: put on its stream, or, of the connection, there. Throws
  // CommError if it or what is on the stream failed.
  bool is_over();

  // Ends whatever is under way, on this rank. From any thread; the second call is void.
  void abort() noexcept;
  // Nothing is under way. Asked again until it is true.
  bool close();

 private:
  void require_open(const char* function) const;

  const Nccl& nccl_;
  std::mutex mutex_;  // of what follows: aborts come from any thread
  nccl::Communicator* handle_ = nullptr;
  bool finalizing_ = false;
};

}  // namespace tutti::runtime

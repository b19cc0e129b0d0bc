#pragma once

#include <tutti/runtime/dylib/nccl.h>
#include <tutti/runtime/process_mark.h>

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <span>

namespace tutti::runtime {

// One rank's end of a communicator of NCCL, which never blocks: whether what was begun is over, is
// asked. All but abort() and its end are called with the GPU's context entered, by the rank's
// thread.
class NcclCommunicator {
 public:
  // What the library may take to end one.
  static constexpr std::chrono::seconds kLongestEnd{10};

  // Begins to connect the members, which all call this with one id. Throws CommError.
  NcclCommunicator(const Nccl& nccl, const nccl::UniqueId& id, int size, int position);
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;
  // Aborts, if it was not closed. Waits for the library's end of it, for a while: the GPU's context
  // may go next. In a process that was forked off it leaves the library alone, as abort() does.
  ~NcclCommunicator();

  // A call of a function of that name.
  struct Call {
    const char* function;
    std::function<nccl::Result(const Nccl& nccl, nccl::Communicator* handle)> run;
  };
  // Makes the calls as one group, which nobody aborts in the middle. Throws CommError if one
  // failed, and then none takes place, or after abort().
  void launch(std::span<const Call> calls);
  // One that can't be in a group. Throws alike.
  void run(const Call& call);
  // Whether what was called last is over: put on its stream, or, of the connection, there. Throws
  // CommError if it or what is on the stream failed.
  bool is_over();

  // Ends whatever is under way, on this rank, and does not wait for that: the library may, for
  // other ranks and for what else is on the GPU. From any thread; the second call is void.
  void abort() noexcept;
  // Behind abort(): whether the library is done with it.
  bool is_gone();
  // Nothing is under way. Asked again until it is true: then the library is done with it.
  bool close();

 private:
  explicit NcclCommunicator(const Nccl& nccl) : nccl_(nccl) {}
  void require_open(const char* function) const;
  bool over();  // is_over(), with the mutex held, as the next
  bool has_ended() const;
  // On a thread of its own.
  void let_go(nccl::Result (*how)(nccl::Communicator*)) noexcept;

  const Nccl& nccl_;
  const ProcessMark process_;  // that has the library's threads
  std::mutex mutex_;           // of what follows: aborts come from any thread
  nccl::Communicator* handle_ = nullptr;
  bool finalizing_ = false;
  std::shared_future<void> end_;  // of what let_go() began
};

}  // namespace tutti::runtime

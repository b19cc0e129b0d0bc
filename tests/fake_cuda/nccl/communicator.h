#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/fake_cuda/driver/api.h"
#include "tests/fake_cuda/driver/objects.h"
#include "tests/fake_cuda/nccl/api.h"
#include "tests/fake_cuda/nccl/board.h"
#include "tests/fake_cuda/nccl/order.h"
#include "tests/fake_cuda/nccl/persona.h"

namespace tutti::fake_cuda {

constexpr NcclPersona kPersona = nccl_persona(FAKE_NCCL_VERSION);

using NcclType = runtime::nccl::DataType;
using NcclOperation = runtime::nccl::Operation;
using NcclResult = runtime::nccl::Result;

// One call of the library.
struct NcclCall {
  enum class Kind : std::uint8_t {
    all_reduce,
    reduce,
    broadcast,
    all_gather,
    reduce_scatter,
    send,
    receive,
  };

  Kind kind = Kind::all_reduce;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;
  NcclType type = NcclType::u8;
  NcclOperation operation = NcclOperation::sum;
  int peer = 0;  // the root, or of a message the other one

  // What all ranks must say alike: "all_reduce 16 x type 7, operation 0, root 0", and where in
  // windows its places lie.
  std::string text() const;
  std::string windows = {};
  bool all_in_windows = false;
  std::size_t sent_bytes(int size, int rank) const;
  std::size_t received_bytes(int size, int rank) const;
};

bool is_message(const NcclCall& call);
void complain_of_nccl(const std::string& line);
// Complains of calls of a group that write what they read.
void check_places(const std::vector<NcclCall>& calls, int size, int rank);
// Whether the launch that is made now is to hang (fake_nccl_hang).
bool nccl_launch_hangs();

}  // namespace tutti::fake_cuda

// Memory that all members register together, or none; never deleted.
struct tutti::runtime::nccl::Window {
  tutti::fake_cuda::DeviceRange range;
  tutti::fake_cuda::DeviceRange mapped;  // that it lies in
  std::string name;
  bool open = true;
};

// What a handle points to. Never deleted, so that none is given twice.
struct tutti::runtime::nccl::Communicator {
  Communicator(const std::string& id, int ranks, int own, int device);
  // This rank is ready to be connected.
  void come();
  // Whether the process of some rank, of those that have made theirs, has died.
  bool has_lost_a_rank() const;
  // Whether two ranks have one GPU, and may not. All have come.
  bool shares_a_gpu() const;

  // Puts the calls on a stream, as one piece of work; one that hangs ends by an abort alone.
  CUresult launch(std::vector<tutti::fake_cuda::NcclCall> calls, CUstream stream);
  // Whether graphs hold what was called while their streams recorded.
  bool is_in_graphs() const;
  // Begins to register what lies there; `window` gets it when all have come to that, unless it is
  // to fail (fake_nccl_fail_window).
  void open_window(void* place, std::size_t bytes, Window** window);
  void close_window(Window* window);
  // Complains if another member has begun to register what this one has not: before it called that
  // collective, which this one is at.
  void check_openings(int member, std::uint64_t collective);
  // Nothing more will be registered.
  void check_openings();
  // Whether what was begun is over: to connect, or to register.
  bool is_connected();
  void end();

  const int size;
  const int rank;
  bool live = true;
  std::atomic<bool> aborted{false};
  // What made it useless; it can be aborted then.
  tutti::fake_cuda::NcclResult failure = tutti::fake_cuda::NcclResult::success;
  // It says that all is well, and is of as little use (fake_nccl_give_no_windows).
  bool refuses = false;
  int polls_until_over = 0;  // what was begun is in progress for so many looks
  std::chrono::steady_clock::time_point busy_until;  // likewise, before that
  std::atomic<int> under_way{0};
  std::atomic<int> in_windows{0};  // collectives that had all their places there
  int open_windows() const;

 private:
  struct Work;
  struct Opening {
    Window* window = nullptr;
    Window** result = nullptr;
    tutti::fake_cuda::NcclResult fault = tutti::fake_cuda::NcclResult::success;
    bool fails_late = false;
  };
  // "1+256": the number of the window that holds it, and where there; "-" if none does.
  std::string place_text(const void* place, std::size_t bytes) const;
  tutti::fake_cuda::Operation operation_of(std::vector<tutti::fake_cuda::NcclCall> calls,
                                           CUstream stream);
  CUresult record(std::vector<tutti::fake_cuda::NcclCall> calls, CUstream stream);
  void check_recorded() const;
  bool finish_opening();
  void fail_opening();
  bool is_ready(Work& work);
  void run(Work& work);
  void run_collective(const tutti::fake_cuda::NcclCall& call, std::uint64_t number);

  const std::string id_;
  const int device_;
  tutti::fake_cuda::LaunchOrder& order_;
  std::unique_ptr<tutti::fake_cuda::Board> board_;
  bool connected_ = false;
  std::uint64_t collectives_ = 0;
  // What was recorded: how often, what all ranks have to say of each time, and what graphs hold as
  // long as they are there.
  std::vector<std::string> recorded_;
  std::vector<std::weak_ptr<const void>> in_graphs_;
  std::vector<std::string> said_;      // of the last collectives
  std::vector<Window*> windows_;       // all that there were
  std::atomic<std::size_t> begun_{0};  // so many
  std::atomic<bool> has_missed_{false};
  Opening opening_;
  std::map<std::string, std::uint64_t> messages_;  // by sender and receiver
  std::atomic<CUstream> stream_{nullptr};
  std::atomic<bool> stops_{false};
  std::thread driver_;  // goes on with the stream while the host is elsewhere
};

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tests/fake_cuda/complaints.h"
#include "tests/fake_cuda/driver/enqueue.h"
#include "tests/fake_cuda/nccl/communicator.h"
#include "tests/fake_cuda/nccl/control.h"

using namespace tutti::fake_cuda;
using Kind = NcclCall::Kind;

namespace {

std::mutex g_mutex;  // of what follows
// Outlives the end of the process, as what is done then may be wrong.
Complaints& g_complaints = *new Complaints("fake NCCL");
std::string g_taken;
constexpr NcclResult kDies{-1};  // in place of a result
std::map<std::string, std::pair<int, NcclResult>> g_failures;
std::atomic<bool> g_notices_deaths{false};
std::atomic<bool> g_gives_no_windows{false};
// How many launches are still to come before the one that this is about; 0: none is.
std::atomic<int> g_launches_to_delay{0};
std::atomic<int> g_delay{0};  // in milliseconds
std::atomic<int> g_launches_to_hang{0};

// Whether this is the launch that was counted down to.
bool has_come(std::atomic<int>& launches) {
  int left = launches;
  while (left > 0 && !launches.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}
// Outlives the end of the process, as what it points to does.
std::vector<tutti::runtime::nccl::Communicator*>& g_communicators =
    *new std::vector<tutti::runtime::nccl::Communicator*>;

struct AtTheEndOfNccl {
  ~AtTheEndOfNccl() {
    const std::scoped_lock lock(g_mutex);
    g_complaints.tell_the_rest();
  }
} g_at_the_end;

// Ends take their time, as the real ones do, which break where the process ends meanwhile.
struct Ends {
  std::atomic<int> under_way = 0;
  ~Ends() {
    if (under_way == 0) return;
    std::fputs("double of NCCL: the process ends while a communicator does\n", stderr);
    std::abort();
  }
} g_ends;

struct End {
  End() {
    ++g_ends.under_way;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ~End() { --g_ends.under_way; }
};

// What a thread has called since the start of its group.
struct Group {
  int depth = 0;
  tutti::runtime::nccl::Communicator* communicator = nullptr;
  CUstream stream = nullptr;
  std::vector<NcclCall> calls;
  NcclResult failure = NcclResult::success;  // then the end launches nothing
};
thread_local Group g_group;

std::optional<NcclResult> injected(const char* function) {
  const std::scoped_lock lock(g_mutex);
  const auto found = g_failures.find(function);
  if (found == g_failures.end() || --found->second.first > 0) return std::nullopt;
  const NcclResult result = found->second.second;
  if (result == kDies) std::_Exit(7);
  g_failures.erase(found);
  return result;
}

// What NCCL does not do while a stream of the GPU records.
void check_not_recording(const char* function) {
  if (is_anything_recording()) complain_of_nccl(std::string(function) + " while a stream records");
}

// Whether a communicator may be used; else complains.
bool is_usable(const char* function, tutti::runtime::nccl::Communicator* communicator,
               bool in_progress_too = false) {
  if (communicator == nullptr || !communicator->live) {
    complain_of_nccl(std::string(function) + " of a communicator that is gone");
    return false;
  }
  const bool failed = communicator->failure != NcclResult::success || communicator->refuses;
  if (failed && !in_progress_too) {
    complain_of_nccl(std::string(function) + " of a communicator that has failed");
    return false;
  }
  const bool in_progress = !communicator->is_connected() || communicator->polls_until_over > 0 ||
                           std::chrono::steady_clock::now() < communicator->busy_until;
  if (!in_progress_too && in_progress) {
    complain_of_nccl(std::string(function) + " while the call before is in progress");
    return false;
  }
  return true;
}

// What the library reads of a config; for what is not there it has its own.
tutti::runtime::nccl::Config read_config(const tutti::runtime::nccl::Config& given) {
  std::vector<std::byte> bytes(std::min(given.size, kPersona.config_bytes));
  std::memcpy(bytes.data(), static_cast<const void*>(&given), bytes.size());
  tutti::runtime::nccl::Config out;
  out.blocking = 1;
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof(out)));
  return out;
}

NcclResult add(const char* function, NcclCall call,
               tutti::runtime::nccl::Communicator* communicator, CUstream stream) {
  if (const auto failure = injected(function)) return g_group.failure = *failure;
  if (!is_usable(function, communicator)) return NcclResult::invalid_argument;
  if (call.peer < 0 || call.peer >= communicator->size) return NcclResult::invalid_argument;
  if (g_group.depth == 0) {
    complain_of_nccl(std::string(function) + " outside of a group");
    return NcclResult::invalid_usage;
  }
  const bool other =
      !g_group.calls.empty() && (g_group.communicator != communicator || g_group.stream != stream);
  if (other) complain_of_nccl("a group of several communicators or streams");
  g_group.communicator = communicator;
  g_group.stream = stream;
  g_group.calls.push_back(call);
  return NcclResult::success;
}

}  // namespace

void tutti::fake_cuda::complain_of_nccl(const std::string& line) {
  const bool waits = keeps_log();
  const std::scoped_lock lock(g_mutex);
  g_complaints.add(line, waits);
}

bool tutti::fake_cuda::nccl_launch_hangs() { return has_come(g_launches_to_hang); }

const char* fake_nccl_complaints() {
  const std::scoped_lock lock(g_mutex);
  g_taken = g_complaints.take();
  return g_taken.c_str();
}

void fake_nccl_fail(const char* function, int nth, int result) {
  const std::scoped_lock lock(g_mutex);
  g_failures[function] = {nth, static_cast<NcclResult>(result)};
}

void fake_nccl_die(const char* function, int nth) {
  fake_nccl_fail(function, nth, static_cast<int>(kDies));
}

void fake_nccl_notice_deaths() { g_notices_deaths = true; }

void fake_nccl_delay(int nth, int milliseconds) {
  g_delay = milliseconds;
  g_launches_to_delay = nth;
}

void fake_nccl_hang(int nth) { g_launches_to_hang = nth; }

void fake_nccl_give_no_windows() { g_gives_no_windows = true; }

int fake_nccl_communicators() {
  const std::scoped_lock lock(g_mutex);
  int out = 0;
  for (const auto* const each : g_communicators) out += each->live ? 1 : 0;
  return out;
}

int fake_nccl_windows() {
  const std::scoped_lock lock(g_mutex);
  int out = 0;
  for (const auto* const each : g_communicators) out += each->open_windows();
  return out;
}

int fake_nccl_in_windows() {
  const std::scoped_lock lock(g_mutex);
  int out = 0;
  for (const auto* const each : g_communicators) out += each->in_windows;
  return out;
}

int fake_nccl_under_way() {
  const std::scoped_lock lock(g_mutex);
  int out = 0;
  for (const auto* const each : g_communicators) out += each->under_way;
  return out;
}

namespace tutti::runtime::nccl {

extern "C" {

Result ncclGetVersion(int* version) {
  *version = FAKE_NCCL_VERSION;
  return Result::success;
}

const char* ncclGetErrorString(Result result) {
  constexpr const char* kTexts[] = {"no error",
                                    "unhandled cuda error",
                                    "unhandled system error",
                                    "internal error",
                                    "invalid argument",
                                    "invalid usage",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress",
                                    "timeout"};
  const auto number = static_cast<std::size_t>(result);
  const std::size_t results = std::size(kTexts) - (kPersona.has_timeouts ? 0 : 1);
  return number < results ? kTexts[number] : "unknown result code";
}

const char* ncclGetLastError(Communicator*) { return "by the double of NCCL"; }

Result ncclGetUniqueId(UniqueId* id) {
  if (const auto failure = injected("ncclGetUniqueId")) return *failure;
  *id = {};
  const std::string text = Board::fresh_id();
  std::memcpy(id->bytes, text.data(), text.size());
  return Result::success;
}

Result ncclCommInitRankConfig(Communicator** communicator, int size, UniqueId id, int rank,
                              Config* given) {
  check_not_recording("ncclCommInitRankConfig");
  const Config config = read_config(*given);
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr) {
    return Result::unhandled_cuda_error;
  }
  if (config.blocking != 0) complain_of_nccl("a communicator that blocks");
  if (config.magic != 0xcafebeef || rank < 0 || rank >= size) return Result::invalid_argument;
  *communicator = new Communicator(std::string(id.bytes), size, rank, context->device);
  {
    const std::scoped_lock lock(g_mutex);
    g_communicators.push_back(*communicator);
  }
  const auto failure = injected("ncclCommInitRankConfig");
  (*communicator)->come();  // where it fails, too, as the library may
  return failure.value_or(Result::in_progress);
}

Result ncclCommGetAsyncError(Communicator* communicator, Result* state) {
  if (const auto failure = injected("ncclCommGetAsyncError")) {
    *state = *failure;
    return Result::success;
  }
  if (!is_usable("ncclCommGetAsyncError", communicator, true)) return Result::invalid_argument;
  const bool fails = g_notices_deaths && communicator->failure == Result::success &&
                     communicator->has_lost_a_rank();
  if (fails) communicator->failure = Result::remote_error;
  const bool over = communicator->is_connected() && communicator->polls_until_over == 0 &&
                    std::chrono::steady_clock::now() >= communicator->busy_until;
  if (communicator->polls_until_over > 0) --communicator->polls_until_over;
  *state = communicator->failure != Result::success ? communicator->failure
           : over                                   ? Result::success
                                                    : Result::in_progress;
  return Result::success;
}

Result ncclCommFinalize(Communicator* communicator) {
  if (!is_usable("ncclCommFinalize", communicator)) return Result::invalid_argument;
  if (communicator->under_way > 0) complain_of_nccl("finalized while something is under way");
  if (communicator->is_in_graphs())
    complain_of_nccl("finalized while graphs hold what it recorded");
  communicator->check_openings();
  communicator->polls_until_over = 2;
  return Result::in_progress;
}

Result ncclCommDestroy(Communicator* communicator) {
  if (!is_usable("ncclCommDestroy", communicator)) return Result::invalid_argument;
  const End end;
  communicator->end();
  return Result::success;
}

Result ncclCommAbort(Communicator* communicator) {
  if (const auto failure = injected("ncclCommAbort")) return *failure;
  if (!is_usable("ncclCommAbort", communicator, true)) return Result::invalid_argument;
  const End end;
  communicator->aborted = true;
  communicator->end();
  return Result::success;
}

#if FAKE_NCCL_VERSION >= 22700  // has_windows

Result ncclCommWindowRegister(Communicator* communicator, void* place, std::size_t bytes,
                              Window** window, int flags) {
  if (const auto failure = injected("ncclCommWindowRegister")) {
    communicator->failure = *failure;
    return *failure;
  }
  check_not_recording("ncclCommWindowRegister");
  if (!is_usable("ncclCommWindowRegister", communicator)) return Result::invalid_argument;
  if (flags != kWindowOfAllMembers) complain_of_nccl("a window that is not of all members");
  if (g_group.depth > 0) complain_of_nccl("memory is registered inside of a group");
  if (g_gives_no_windows) {
    if (kPersona.clears_windows) *window = nullptr;
    communicator->refuses = true;
    return Result::success;
  }
  communicator->open_window(place, bytes, window);
  return Result::in_progress;
}

Result ncclCommWindowDeregister(Communicator* communicator, Window* window) {
  if (!is_usable("ncclCommWindowDeregister", communicator)) return Result::invalid_argument;
  check_not_recording("ncclCommWindowDeregister");
  communicator->close_window(window);
  return Result::success;
}

#endif

Result ncclGroupStart() {
  ++g_group.depth;
  return Result::success;
}

Result ncclGroupEnd() {
  if (g_group.depth == 0) {
    complain_of_nccl("ncclGroupEnd without a start");
    return Result::invalid_usage;
  }
  if (--g_group.depth > 0) return Result::success;
  const Group group = std::exchange(g_group, {});
  if (const auto failure = injected("ncclGroupEnd")) return *failure;
  if (group.failure != Result::success) return group.failure;
  if (group.calls.empty()) return Result::success;
  if (group.communicator->launch(group.calls, group.stream) != CUDA_SUCCESS) {
    return Result::unhandled_cuda_error;
  }
  if (has_come(g_launches_to_delay)) {
    group.communicator->busy_until =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(g_delay);
  }
  group.communicator->polls_until_over = 2;
  return Result::in_progress;
}

Result ncclAllReduce(const void* from, void* to, std::size_t count, DataType type,
                     Operation operation, Communicator* communicator, CUstream stream) {
  return add("ncclAllReduce",
             {.kind = Kind::all_reduce,
              .from = from,
              .to = to,
              .count = count,
              .type = type,
              .operation = operation},
             communicator, stream);
}

Result ncclReduce(const void* from, void* to, std::size_t count, DataType type, Operation operation,
                  int root, Communicator* communicator, CUstream stream) {
  return add("ncclReduce",
             {.kind = Kind::reduce,
              .from = from,
              .to = to,
              .count = count,
              .type = type,
              .operation = operation,
              .peer = root},
             communicator, stream);
}

Result ncclBroadcast(const void* from, void* to, std::size_t count, DataType type, int root,
                     Communicator* communicator, CUstream stream) {
  return add(
      "ncclBroadcast",
      {.kind = Kind::broadcast, .from = from, .to = to, .count = count, .type = type, .peer = root},
      communicator, stream);
}

Result ncclAllGather(const void* from, void* to, std::size_t count, DataType type,
                     Communicator* communicator, CUstream stream) {
  return add("ncclAllGather",
             {.kind = Kind::all_gather, .from = from, .to = to, .count = count, .type = type},
             communicator, stream);
}

Result ncclReduceScatter(const void* from, void* to, std::size_t count, DataType type,
                         Operation operation, Communicator* communicator, CUstream stream) {
  return add("ncclReduceScatter",
             {.kind = Kind::reduce_scatter,
              .from = from,
              .to = to,
              .count = count,
              .type = type,
              .operation = operation},
             communicator, stream);
}

Result ncclSend(const void* from, std::size_t count, DataType type, int peer,
                Communicator* communicator, CUstream stream) {
  return add("ncclSend",
             {.kind = Kind::send, .from = from, .count = count, .type = type, .peer = peer},
             communicator, stream);
}

Result ncclRecv(void* to, std::size_t count, DataType type, int peer, Communicator* communicator,
                CUstream stream) {
  return add("ncclRecv",
             {.kind = Kind::receive, .to = to, .count = count, .type = type, .peer = peer},
             communicator, stream);
}

}  // extern "C"

}  // namespace tutti::runtime::nccl

#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/block_cache.h>
#include <tutti/runtime/buffer.h>
#include <tutti/runtime/comm/agreement.h>
#include <tutti/runtime/comm/algorithms.h>
#include <tutti/runtime/comm/collective.h>
#include <tutti/runtime/comm/symmetric_memory.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

struct BoundFollower;
struct BoundLeader;

// A collective under way on one rank. Dropping it is legal: the collective takes place all the same
// and its buffers live until every rank is done with them.
//
// Backend, Communicator and Work belong to one rank, whose thread alone calls them (one at a time);
// abort is the exception and may come from any thread.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  // Whether the result is in place. Never waits for a peer, but does work that is ready to be done
  // (this rank's earlier collectives first). Throws CommError like wait().
  virtual bool test() = 0;
  // Returns when the result is in place; completes this rank's earlier collectives first, over all
  // groups. Throws CommError on mismatch, abort, departure of a peer, or time-out; every time
  // again.
  virtual void wait() = 0;
  // The collective's number in its group, from 1. 0 in a group of one, which does not communicate.
  virtual std::uint64_t sequence() const = 0;
  // Of a part of a prepared call, or that was started without a place for its result: the memory
  // that holds it, once wait() has returned. Not to be written: other ranks may hold the same.
  virtual std::shared_ptr<Buffer> result(std::size_t part) const = 0;

  // What is to come right behind the result, up to the next one that is said, or null: whoever
  // carries the call out may do it with that, and says so there. Else it is the caller's.
  virtual void follow_with(BoundFollower* /*follower*/) {}

  // Of a call that was just started on a GPU: what makes its operand, which whoever carries the
  // call out does, at any time from here on. What that reads stays as it is until the call is over,
  // or until lead_now() has returned: from then on it may change in the order of the GPU's own
  // stream. A leader that can't be launched there is an error of the group. Throws InternalError of
  // a call that needs its operand when it is started.
  virtual void lead_with(std::shared_ptr<const BoundLeader> /*leader*/) {
    throw InternalError("nothing leads a call that has its operand when it is started");
  }
  virtual void lead_now() noexcept {}

  // When it ran on a GPU, of a call that was started to be timed and has been waited for: between
  // two moments, and put there at a time of the host's clock. Given once; without moments where
  // there is nothing to say.
  struct DeviceTimes {
    Device device = {};
    std::int64_t put = 0;
    std::unique_ptr<Accelerator::Moment> begin = nullptr;
    std::unique_ptr<Accelerator::Moment> end = nullptr;
  };
  virtual DeviceTimes take_device_times() { return {}; }

  // What of an engine that has several ways carried it out, once it has been waited for: on GPUs
  // "nccl", "windows" (the same, with operands and results where NCCL knows them), or the kind of
  // our own kernels, "one_shot", "two_shot" or "multimem". Empty: there is no choice, or nobody
  // says.
  virtual std::string_view way() const { return {}; }

  // Of a call that was started to be read (StartOptions::reads). The first returns when all members
  // have announced it: where their operands of part 0 lie, by member, up to finish(), which makes
  // the call complete. Between the two nothing else is waited for: this call would have to be over
  // first, and works on copies then. Throws like wait().
  virtual std::span<const void* const> arrive() = 0;
  virtual void finish() = 0;
  // Nobody will read it: it has a result like any other call then.
  virtual void stop_reading() = 0;
};

class CommKernels;
class Communicator;
class RecordedCalls;

// A call that one rank makes again and again over one group, checked and described once. Immutable;
// made by Communicator::prepare.
class PreparedCall {
 public:
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;
  virtual ~PreparedCall() = default;

  // With a description, and without places.
  const CollectiveCall& call() const { return call_; }

 protected:
  explicit PreparedCall(CollectiveCall call) : call_(std::move(call)) {}

 private:
  CollectiveCall call_;
};

// Where a result that all members have in common lies.
struct CommonPlace {
  bool planned = false;                      // in the memory of the member that the plan says,
  std::shared_ptr<Buffer> memory = nullptr;  // which has it
};

// What may differ from start to start of a prepared call.
struct StartOptions {
  Location location = {};                // where unknown: the call's
  std::uint32_t site = 0;                // 0: the call's
  std::chrono::milliseconds timeout{0};  // zero: the call's
  Agreement agreement = {};
  // By part: memory for its result that peers can reach; null, or none at all: where there is room.
  // None for a result that all members have in common (common_result).
  std::span<const std::shared_ptr<Buffer>> results = {};
  // By part, or none at all: of results in common those whose places are the caller's plan's, which
  // completes the call, and is done with such a result, before it announces the next one there.
  // Where not all ranks make the same call of one plan (Placement), each has its own result
  // instead.
  std::span<const CommonPlace> common = {};
  // The caller computes the result of an all_reduce of one tensor himself, from where the operands
  // lie (Work::arrive), whether or not peers do so. Over the host's own memory, in a group of
  // several.
  bool reads = false;
  // The GPU that operands and results lie on, for a transport that moves such (Transport); null:
  // the host.
  Accelerator* accelerator = nullptr;
  bool timed = false;  // it is to say when it ran there (Work::take_device_times)
  // Who makes kernels for it that carry out calls there; null: nobody.
  const CommKernels* comm_kernels = nullptr;
  // What the call may be recorded in, and which of those it is.
  std::shared_ptr<RecordedCalls> recorded = nullptr;
  std::size_t number_in_recording = 0;
};

// One rank's end of one group.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  // Checks a call for start(), once; the places of its parts are not looked at. Throws TypeError
  // for a call that has no meaning. The prepared call is this communicator's alone.
  virtual std::shared_ptr<const PreparedCall> prepare(CollectiveCall call) = 0;

  // Announces this rank's next collective: its operands are ready, peers may read them from now on.
  // `operands` are the parts' in order, null where this rank gives none; they are held until every
  // rank is done with them, and copied where peers can't reach them or their owner would not hear
  // that peers are done (Buffer::is_borrowed). Where the results lie, the work says (Work::result);
  // the same bytes may serve all ranks, or be the operand's in a group of one. Once warm it
  // allocates nothing.
  //
  // Waits only if very many are unfinished (over a thousand). Throws TypeError if an operand is
  // missing or too small, UsageError for another communicator's call, CommError if the group was
  // poisoned by an earlier failure, EnvironmentError if there is no room for what peers read or
  // write. What throws has announced nothing, and its number is free: the caller tries again, or
  // calls abandon() before anything else can take the number. What fails after the announcement
  // poisons the group.
  virtual std::shared_ptr<Work> start(const std::shared_ptr<const PreparedCall>& call,
                                      std::span<const std::shared_ptr<Buffer>> operands,
                                      const StartOptions& options = {}) = 0;

  // The same for a call that is made once, with operands and results where the call says.
  // `keep_alive` holds the buffers behind them until every rank is done with them. A part without a
  // place for its result gets one; all ranks leave results that they have in common (common_result)
  // without places, or none does. Throws TypeError as prepare() does, too.
  virtual std::shared_ptr<Work> start(CollectiveCall call,
                                      std::vector<std::shared_ptr<Buffer>> keep_alive = {}) = 0;

  // Whether every rank is done reading and writing the buffers of collective `sequence` (which its
  // completion on this rank does not say); and the same as a wait. What must not be overwritten
  // while a peer reads it, and no plan proves it, asks here.
  virtual bool released(std::uint64_t sequence) = 0;
  virtual void wait_released(std::uint64_t sequence, const Location& where = {}) = 0;

  // This rank's part of the memory that programs place the group's operands in: the same for all
  // that need about so many bytes, as long as one of them is there. On a GPU for a transport that
  // moves such, else on the host (null). Throws EnvironmentError if there is no room.
  virtual std::shared_ptr<SymmetricMemory> symmetric_memory(std::size_t bytes, Accelerator* on) = 0;
  // The same for what all have in common and lies with this member. It is there until all have left
  // the group: nobody says when he has read it. Null if there is no room.
  virtual std::shared_ptr<SymmetricMemory> common_memory(std::size_t bytes) = 0;

  // Calls of this communicator's that are to be recorded on a GPU (recorded_calls.h). Null where
  // its transport moves nothing there, or can't record.
  virtual std::shared_ptr<RecordedCalls> record_calls(
      std::vector<std::shared_ptr<const PreparedCall>> calls, Accelerator& on) = 0;

  // Frees every rank that is stuck in this group, with CommError("... aborted: reason"), and
  // poisons the group: every later use says why. From any thread.
  virtual void abort(const std::string& reason) = 0;

  // Says that this rank will not start what it should have next, nor anything after it: it fails
  // for all members, who would take a later one of this rank for it. Earlier ones go on; from then
  // on start() throws a CommError with the reason.
  virtual void abandon(const std::string& reason) = 0;

  // Completes what this rank has started in this group and says that it will start nothing more: a
  // peer that waits for what it did not start gets a CommError. Later use throws UsageError. Throws
  // what completing throws; the second call is void.
  virtual void close() = 0;

  // For this rank's waits in this group.
  virtual void set_timeout(std::chrono::milliseconds timeout) = 0;

  virtual const std::string& tag() const = 0;
  // The ranks of the group in its order, which is the order of addition and of concatenation.
  virtual const std::vector<std::int64_t>& members() const = 0;
  // This rank's place among the members.
  virtual int position() const = 0;
  int size() const { return static_cast<int>(members().size()); }
};

// One rank's access to its peers.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;
  virtual std::int64_t rank() const = 0;
  // How many ranks there are in all.
  virtual std::int64_t ranks() const = 0;

  // This rank's end of the group; the same object for the same members, tag and engine ("shm", or
  // one of EngineRegistry). Does not communicate. Throws UsageError if this rank is not a member or
  // has closed the group, EnvironmentError for an engine that is not in this version.
  virtual std::shared_ptr<Communicator> communicator(std::vector<std::int64_t> members,
                                                     std::string tag,
                                                     const std::string& engine = "shm") = 0;
  // The same for the messages from one member of a group to another; when the group is aborted, so
  // are they. They go through the group's engine where that carries messages, and else are the
  // runtime's own, with which sending waits for nobody.
  virtual std::shared_ptr<Communicator> messages(std::vector<std::int64_t> pair, std::string tag,
                                                 const Communicator& group) = 0;

  // Closes this rank's end of a group, of its messages too, whatever their engine, and destroys
  // them; nobody can use the group again. What closing throws, after all are closed.
  virtual void close(const std::vector<std::int64_t>& members, const std::string& tag) = 0;

  // How collectives are carried out between its ranks.
  virtual const AlgorithmTable& algorithms() const { return AlgorithmTable::process(); }

  // Where large tensors may lie so that collectives need not copy them: memory that peers can
  // reach, as much of it as they can spare. Null where there is no such thing, or no need.
  virtual std::unique_ptr<BlockSource> large_blocks() { return nullptr; }
  // Memory that peers can reach: operands that lie in it are not copied. Thread-safe; the buffers
  // may outlive the backend. Throws OutOfMemoryError if there is no room.
  virtual std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {}) = 0;
  // What counts this rank's memory of the host, with that of its collectives.
  virtual std::shared_ptr<MemoryUse> memory_use() const = 0;

  // This rank uses a GPU for which that number stands in all processes of the host. Gives another
  // rank, of another process, that uses the same, once for all ranks; -1: there is none, or
  // somebody was told.
  virtual std::int64_t other_user_of_gpu(std::uint64_t /*gpu*/) { return -1; }

  // Whether some peer waits for this rank right now. One relaxed load: asked at every traced op.
  virtual bool peer_waits() const = 0;

  // Completes every collective this rank has started. Throws the first failure, after trying all.
  virtual void finish() = 0;

  // Says that this rank will start nothing more: a peer that waits for what it did not start gets
  // CommError("rank 1 left: message") at once. Never blocks, never throws; the second call is void.
  virtual void leave(const std::string& message) noexcept = 0;

  // Communicator::abort for a group, whether or not this rank has used it; without waiting for the
  // rank's own thread. From any thread.
  virtual void abort(const std::vector<std::int64_t>& members, const std::string& tag,
                     const std::string& reason) = 0;
  // The same for all groups of all ranks, present and future. From any thread.
  virtual void abort(const std::string& reason) = 0;
};

}  // namespace tutti::runtime

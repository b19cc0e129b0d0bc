#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/comm/comm_kernels.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::runtime {

// Calls that a plan makes over one group in each of its runs, in one order, on one GPU: the members
// record them together and launch the recording instead, all of them or none. Which way a run goes
// follows from what the members say in the record of the first call, which all of them read, and
// not from anything that one knows alone.
//
// A run either makes its calls one by one (Communicator::start, with StartOptions::recorded), or
// begin()s, which says how it goes on:
// - one_by_one: it makes them so after all, the first by supply();
// - recorded: likewise, and each is recorded besides; then end();
// - replayed: none is made; replay().
// Whoever breaks off calls give_up().
//
// Belongs to one rank, whose thread alone calls it.
class RecordedCalls {
 public:
  enum class Way : std::uint8_t { one_by_one, recorded, replayed };
  // By part, where operands and results lie in all runs: in the group's memory. Null: elsewhere in
  // each run; the recording has a place of its own for it then.
  struct Places {
    std::vector<std::shared_ptr<Buffer>> operands;
    std::vector<std::shared_ptr<Buffer>> results;
  };

  RecordedCalls() = default;
  RecordedCalls(const RecordedCalls&) = delete;
  RecordedCalls& operator=(const RecordedCalls&) = delete;
  virtual ~RecordedCalls() = default;

  // Whether the last run has made all of them as a recording would, members do not differ again and
  // again, and they know the memory of these places: what is done to it at first can't be done
  // while a stream records.
  virtual bool is_warm(std::span<const Places> places) const = 0;
  // Gets ready to record. Whatever may fail on one rank alone fails here, before the others hear of
  // it. Throws EnvironmentError.
  virtual void get_ready(std::span<const Places> places) = 0;

  // Whether there is a recording, with operands and results at these places.
  virtual bool is_recorded(std::span<const Places> places) const = 0;
  // Of the recording: a call, and where it has an operand or result; as long as it is there.
  virtual std::shared_ptr<const Accelerator::Part> part(std::size_t call) const = 0;
  // Which companions of a call (Work::lead_with, follow_with) the run that was recorded made by one
  // kernel with it. Where it did any, part() has nothing, and the other one makes a part for what
  // they take now (beside operand and result, a leader's first), by this rank alone. That throws
  // EnvironmentError.
  virtual Companions fused(std::size_t /*call*/) const { return {}; }
  virtual std::shared_ptr<const Accelerator::Part> fused_part(
      std::size_t /*call*/, const FusedCommKernels& /*kernels*/,
      std::span<void* const> /*arguments*/) const {
    return nullptr;
  }
  virtual void* operand(std::size_t call, std::size_t part) const = 0;
  virtual void* result(std::size_t call, std::size_t part) const = 0;
  // All that a run does, of which the calls are parts: goes with the recording, which may have to
  // go before its owner does.
  virtual std::unique_ptr<Accelerator::JoinedRecording>& joined() = 0;
  virtual void drop() noexcept = 0;

  // Announces the first call, whose operands are not there yet, and returns when all members have
  // announced it. `content` is of what has to be alike on all members, beside the calls. Throws
  // like Work::wait().
  virtual Way begin(std::uint64_t content, const StartOptions& options) = 0;
  // The first call that begin() announced; null where it announced none.
  virtual std::shared_ptr<Work> supply(std::span<const std::shared_ptr<Buffer>> operands) = 0;
  // Puts joined() on the GPU. Throws like Work::wait().
  virtual void replay() = 0;
  // All calls are made. Throws EnvironmentError where this rank could not record them.
  virtual void end() = 0;
  // What was begun fails for all members.
  virtual void give_up() noexcept = 0;
};

}  // namespace tutti::runtime

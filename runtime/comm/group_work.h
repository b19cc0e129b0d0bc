#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/group_call.h>
#include <tutti/runtime/comm/order.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

class GroupCommunicator;

// What waits: for messages, and how long.
struct Waiting {
  std::string_view description;
  Location location;
  std::chrono::milliseconds timeout;  // zero: what the group says
};

// Where a part's tensors lie on this rank.
struct PartAddresses {
  const void* operand = nullptr;
  void* result = nullptr;  // null: where the transport chooses
  // Of the operand: once this rank is done its owner may change it, whatever peers still read.
  bool borrowed = false;
};

// A collective under way in a GroupCommunicator. Transports derive theirs from it.
class GroupWork : public OrderedWork {
 public:
  std::uint64_t sequence() const final { return sequence_; }
  std::shared_ptr<Buffer> result(std::size_t part) const final { return results.at(part); }
  std::span<const void* const> arrive() final;
  void finish() final;
  void stop_reading() final;
  void follow_with(BoundFollower* with) final { follower = with; }
  void lead_now() noexcept final;
  const std::shared_ptr<const GroupCall>& prepared() const { return call_; }
  const GroupCall& call() const { return *call_; }
  const Waiting& waiting() const { return waiting_; }
  const Agreement& agreement() const { return agreement_; }
  std::uint32_t site() const { return site_; }
  // Of memory that is for it.
  MemoryLabel label() const {
    return {.what = name_of(call_->call().kind).data(), .where = waiting_.location};
  }

  std::vector<PartAddresses> parts;
  // By part: memory of the transport's choice that holds the result, null where the caller's own
  // does or (until it is complete) where a peer provides it.
  std::vector<std::shared_ptr<Buffer>> results;
  // By part, or none at all: see StartOptions.
  std::vector<CommonPlace> common;
  // What the record is to say, which a transport may add to.
  std::uint64_t fingerprint = 0;
  // Whether the caller reads the operands himself, and where they lie then, by member.
  bool reads = false;
  std::vector<const void*> operands;
  Accelerator* accelerator = nullptr;  // see StartOptions, as the next
  bool timed = false;
  const CommKernels* comm_kernels = nullptr;
  BoundFollower* follower = nullptr;  // see follow_with()
  std::shared_ptr<RecordedCalls> recorded = nullptr;
  std::size_t number_in_recording = 0;
  // Of one that RecordedCalls began: what its record says, and how it goes on.
  std::uint32_t recording_word = 0;
  enum class Begun : std::uint8_t { no, waits, supplied, replayed, given_up };
  Begun begun = Begun::no;
  std::string why_given_up;  // empty: for a reason that is not the call's

 protected:
  // When nobody holds it any more. The call stays: the next one is likely to be the same.
  void let_go() noexcept {
    forget_failure();
    results.clear();
    common.clear();
    copies_.clear();
    communicator_.reset();
  }

 private:
  friend class GroupAgreement;
  friend class GroupCommunicator;
  bool attempt(bool may_wait) final;
  std::shared_ptr<kernels::Signal> signal() const final;

  std::shared_ptr<GroupCommunicator> communicator_;
  // Of one that is read: in arrive() just now; all have announced it; the reading is over.
  bool arriving_ = false;
  bool arrived_ = false;
  bool read_ = false;
  bool given_up_ = false;                       // and its result is wanted
  std::vector<std::vector<std::byte>> copies_;  // of operands, where it had to be over sooner
  std::uint64_t sequence_ = 0;
  std::uint64_t recorded_ = 0;  // in the flight recorder
  std::shared_ptr<const GroupCall> call_;
  Waiting waiting_;
  Agreement agreement_;
  std::uint32_t site_ = 0;
  kernels::PartPlace place_{};  // what its record will say
};

}  // namespace tutti::runtime

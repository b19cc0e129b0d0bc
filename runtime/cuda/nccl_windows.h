#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/comm/symmetric_memory.h>
#include <tutti/runtime/cuda/accelerator.h>
#include <tutti/runtime/cuda/nccl_communicator.h>
#include <tutti/runtime/cuda/peer_memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::runtime {

// The memory on one rank's GPU that compiled programs place a group's operands and results in. Each
// piece of it, a slab, becomes a window of NCCL's where that has such: memory that the members'
// GPUs reach directly. NCCL takes other ways with what lies in windows, so that of one call the
// same places have to lie there on all members, or none. Members see that in the call's records:
// each says where its own places are, and what it knows of the slab. Kernels of our own reach what
// the others have at such places, too, where the members have given each other their slabs.
//
// Belongs to the rank's thread, which has entered (CudaStream::enter).
class NcclWindows {
 public:
  // Whether this rank could have windows, for the others to know; the reason if not.
  static std::string why_not(const Nccl& nccl, const CudaAccelerator& gpu);

  // What all members know since they are connected: why there are no windows; empty: there may be.
  void set_refusal(std::string refusal) { refusal_ = std::move(refusal); }
  // The same of slabs that the members' kernels reach.
  void set_peer_refusal(std::string refusal) { peer_refusal_ = std::move(refusal); }

  // Memory for all programs that need at most so many bytes, and for more that need as many.
  std::shared_ptr<SymmetricMemory> take(std::size_t bytes, CudaAccelerator& gpu);

  // What the record of a call says: which slab its places lie in, where there, and whether the slab
  // is a window.
  // The upper half of the first word is GroupWork::recording_word.
  kernels::PartPlace place_of(const GroupWork& work) const;
  static std::uint32_t recording_word(std::uint64_t said) {
    return static_cast<std::uint32_t>(said >> 32);
  }
  // Whether a place lies in a slab.
  bool has(const void* place) const { return slab_at(place) != nullptr; }
  // Whether it lies in one that the members have not come to yet.
  bool is_fresh(const void* place) const {
    const Slab* const slab = slab_at(place);
    return slab != nullptr && slab->state == State::fresh;
  }
  // Whether some of a call's operands or results do.
  bool have_fresh(const GroupWork& work) const;
  // Whether some of a call's operands and results lie in slabs and others do not.
  bool have_some(const GroupWork& work) const;

  struct Settled {
    // Whether NCCL may have the call's places as they are; else what lies in slabs is to be brought
    // elsewhere for it.
    bool in_place = true;
    // Whether that is so on all members: their places are alike, or none has any.
    bool alike = true;
    // All members' slabs, where the same places of the call lie in all of them, and all members
    // reach them; else null. The same on all members.
    std::shared_ptr<PeerMemory> peers = nullptr;
    // Whether they have it as multicast memory, too; the same on all members.
    bool multicast = false;
    // Whether the slab is a window of NCCL's, which knows it then.
    bool is_window = false;
  };
  // What the members do about a slab that all have come to, in the middle of a call.
  class Opening {
   public:
    Opening() = default;
    Opening(const Opening&) = delete;
    Opening& operator=(const Opening&) = delete;
    virtual ~Opening() = default;

    // That the members have now.
    virtual NcclCommunicator& communicator() = 0;
    // Returns when it is done with what was begun, and the GPU with what is on its lane.
    virtual void wait() = 0;
    // The same while it registers memory; false where a member declined, for which it may wait in
    // vain.
    virtual bool wait_for_window() = 0;
    // This member can't register it.
    virtual void decline() = 0;
    // What each member says, by position.
    virtual std::vector<std::string> tell(const std::string& own) = 0;
    // All make another communicator; the former one is gone then.
    virtual void connect_again() = 0;
    // "rank 3"
    virtual std::string name_of(std::size_t member) const = 0;
    // For the user, by one member.
    virtual void warn(const std::string& text) const = 0;
    // Gives the slab to the others, and gets theirs; null, if this member does not.
    virtual std::shared_ptr<PeerMemory> share(std::uint64_t number, Buffer& slab,
                                              std::size_t bytes) = 0;
  };
  // What the members' records of a call say, by position; called by all in the order of the calls.
  Settled settle(std::span<const kernels::PartPlace> said, int own, Opening& opening);

  // The communicator is about to end in peace: gives its windows up.
  void give_up(NcclCommunicator& communicator);
  // The rank has left, or the group is closed: lets go of the others' memory.
  void leave() noexcept;

 private:
  // In the order in which a slab goes through them; it may stay out of windows for good.
  enum class State : std::uint8_t { fresh, window, plain };
  struct Slab {
    std::uint64_t number = 0;  // from 1
    std::shared_ptr<Buffer> buffer;
    std::shared_ptr<SymmetricMemory> memory;
    const std::byte* begin = nullptr;
    std::size_t bytes = 0;  // that were asked for, the same on all members; there may be more
    bool mapped = false;    // as windows have to be
    State state = State::fresh;
    nccl::Window* window = nullptr;  // written by the library, maybe later
    bool is_given = false;           // to the library, which may not be done with it
    std::shared_ptr<PeerMemory> peers = nullptr;
  };
  struct Said;

  const Slab* slab_at(const void* place) const;
  void open(Slab& slab, Opening& opening, bool can_be_shared);
  void open_window(Slab& slab, Opening& opening);
  // What this member tells the others: why it has no window; empty: it has one.
  static std::string register_window(Slab& slab, Opening& opening);
  void lose_windows(const std::string& why, Opening& opening);
  void drop(Slab& slab, NcclCommunicator& communicator);
  void say(const std::string& text) const;

  std::string refusal_ = "the members are not connected";
  std::string peer_refusal_ = refusal_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::uint64_t next_ = 1;
};

}  // namespace tutti::runtime

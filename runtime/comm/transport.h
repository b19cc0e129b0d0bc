#pragma once

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/group_work.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/comm/symmetric_memory.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime {

// What has to live until every member is done with a collective.
using Keeping = std::vector<std::shared_ptr<Buffer>>;

class GroupAgreement;
class GroupCommunicator;

// How the data of one rank's end of a group moves, once its members agree about a call. The rank's
// thread alone calls it, or in its turn (OrderTurn) its ProgressThread; but for fail().
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  virtual std::shared_ptr<GroupWork> new_work() = 0;

  // The two steps before a call is announced; what they throw has announced nothing. The first
  // brings operands to where peers reach them and makes room for results. The second is the last
  // thing that may fail: the call is announced when it returns, with the places that it gives. It
  // adds one buffer to `keeping` at most.
  virtual void prepare(GroupWork& work, Keeping& keeping) = 0;
  virtual kernels::PartPlace begin(GroupWork& work, Keeping& keeping) = 0;

  // Brings the results of a call that all members have announced, the group's first that is not
  // complete, to their places and returns true; false if a peer is not ready and `may_wait` does
  // not allow to wait for it. Throws where the collective failed.
  virtual bool move(GroupWork& work, bool may_wait) = 0;
  // Whether the progress thread may do that, and what follows for calls whose operands are read.
  virtual bool moves_in_background() const { return false; }

  // Whether its callers may read what the members gave to an all_reduce (StartOptions::reads): they
  // are told where it lies, this rank moves nothing; or, where nobody read it after all, it
  // computes its own result. The last two only where it says so.
  virtual bool is_readable() const { return false; }
  virtual void find_operands(GroupWork& /*work*/) {}
  virtual void compute_result(GroupWork& /*work*/) {}

  // Of one that can record calls: see Communicator. What RecordedCalls began goes on in one of two
  // ways: its operands are there now, with what `keeping` is of begin(); or it is replayed.
  virtual std::shared_ptr<RecordedCalls> record_calls(
      const std::shared_ptr<GroupCommunicator>& /*group*/,
      std::vector<std::shared_ptr<const PreparedCall>> /*calls*/, Accelerator& /*on*/) {
    return nullptr;
  }
  virtual void supply(GroupWork& /*work*/, Keeping& /*keeping*/) {}
  virtual void replay(GroupWork& /*work*/) {}

  // Of one that moves what lies on GPUs: see Work::lead_now().
  virtual void lead_now(GroupWork& /*work*/) noexcept {}
  // Likewise: see Communicator. Other groups' values never lie there.
  virtual std::shared_ptr<SymmetricMemory> symmetric_memory(std::size_t /*bytes*/,
                                                            Accelerator& /*on*/) {
    throw InternalError("memory of a GPU for a transport of the host's");
  }

  // Whether it moves messages between two of the group's members, and how; `pair` is what these two
  // agree about. Where not, they go through the host's memory.
  virtual bool carries_messages() const { return false; }
  virtual std::unique_ptr<Transport> for_messages(GroupAgreement& /*pair*/) {
    throw InternalError("messages for a transport that carries none");
  }

  // The group failed, for that reason: what is under way comes to its end. From any thread.
  virtual void fail(const std::string& /*reason*/) noexcept {}
  // Behind fail(), for a call that began: its caller is about to hear of it, and may then free what
  // it works on.
  virtual void give_up(GroupWork& /*work*/) noexcept {}
  // Nothing is under way any more, and nothing will be.
  virtual void close() {}
  // The rank has left: what this has of other libraries goes, whoever holds this, as programs do
  // that outlive their world.
  virtual void leave() noexcept {}
};

}  // namespace tutti::runtime

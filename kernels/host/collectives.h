#pragma once

#include <tutti/kernels/host/flight_recorder.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// The control page of a group: what its ranks tell each other, in plain memory without pointers, so
// that threads of one process and processes that map one segment use the same code. Places of
// tensors are offsets from a base that everybody adds for himself (threads: the address itself).
//
// The ordering rules (the protocol's proof rests on them; a model in tests/model checks them):
//
// 1. Collectives of a group are numbered from 1, in the same order on every rank. Collective s uses
//    slot s % kRingSlots of the ring. A rank publishes s only when done_through of every member is
//    at least s - kRingSlots: so nobody reads what publishing overwrites.
// 2. Publishing: operands are in place (sfence if a store was non-temporal); the call is written to
//    the rank's flight recorder, and the record's plain fields; if the rank is member 0, the slot's
//    chunk counters are reset; then the epoch is stored (release). Whoever acquires the epoch may
//    read all of it.
// 3. A reader compares the fingerprint with its own before it reads an operand, and completes s
//    only when all members' records of s match: a rank never computes with what another meant
//    otherwise.
// 4. One-shot (small): each rank computes its own result and writes nobody else's. Chunks (large):
//    a rank that has seen all records of s claims chunks by fetch_add and writes them to every
//    rank's result, then counts them done (release); s is complete for whoever acquires the full
//    count. No rank waits for a rank that has published, only for one that holds a chunk.
// 5. done_through = s (release) says that this rank reads and writes nothing of collective s or
//    earlier ones any more; it advances in order. A buffer of s may be reused or freed by its owner
//    once it has acquired done_through >= s from every member; the owner's own completion does not
//    say so. A rank that leaves stores kLeft.
// 6. A large result that is the same for all (all_reduce, all_gather, broadcast) lies once, in a
//    block of member s % n: its record announces it, with as many holders counted as there are
//    members. Whoever completed s holds it until it drops the value, and counts itself off
//    (release); its owner reuses the block once it has acquired a count of zero. Where the owner
//    had no room, each rank computes its own result from the operands.
//    Or it lies where a compiled program has planned it (kPlanned), with the member that the
//    program says, and is nobody's to hold: who reads it is done with it before he announces
//    another collective whose result lies there, and nobody writes that before all have announced
//    it (rule 3). Only where all make the same call of one program, each is done by its plan with
//    what lay there: where records differ in their skeletons, which say both, planned places don't
//    count. Of several places the first one counts, from member s % n on; without one, each rank
//    computes its own.
// 7. Words that a sleeper may wait for (epoch, done counts, done_through, left, the failure) are
//    stored seq_cst, then the number of sleepers is loaded seq_cst; a sleeper counts itself
//    seq_cst, then looks at the words seq_cst, then sleeps at most 10 ms: a wake that is lost all
//    the same costs time, never a hang.
//
// Every word has one writer, except the claimed and done chunks, the holders, the sleepers, the
// wakes, the failure and waiting_peers. A rank that died is seen by its peers as soon as they wait
// for it; they store its kLeft, as they do where it closed the group that this page belongs to and
// never came here. How far it had come is stored first (left_after): a rank that died with its part
// of a collective done is not missed there. They store that it died (presence), too, and clear its
// bits in `asked`. So done_through, left_after, presence and `asked` have several writers, one of
// them while the rank lives.
namespace tutti::kernels {

inline constexpr std::uint64_t kRingSlots = 64;
inline constexpr std::uint64_t kLeft = ~std::uint64_t{0};
inline constexpr std::uint64_t kMostRanks = 1 << 16;  // of a host: more than any has

// What a rank says when it starts a collective. For a list of several tensors `operand` is the
// place of a table of PartPlace, one a tensor, and `result` is unused; so it is for an uneven
// all_to_all, whose table goes on with the numbers that the rank sends and receives of each part.
struct alignas(64) ArrivalRecord {
  std::atomic<std::uint32_t> epoch{0};  // low half of the sequence number; written last
  std::uint32_t site = 0;               // where the program calls it: runtime/comm/site.h
  std::uint64_t fingerprint = 0;
  std::uint64_t operand = 0;
  std::uint64_t result = 0;    // 0: the rank leaves it to others where the result lies (rule 6)
  std::uint64_t recorded = 0;  // the number in the rank's flight recorder
  std::uint64_t numbers = 0;   // of the program, that ranks must agree on: runtime/comm/agreement.h
  std::uint32_t program_set = 0;  // of the compiled program: runtime/comm/program_calls.h
  std::uint32_t program_order = 0;
  std::uint32_t skeleton = 0;  // likewise: runtime/comm/placement.h
  std::uint32_t layout = 0;
};
static_assert(sizeof(ArrivalRecord) == 64);

struct PartPlace {
  std::uint64_t operand;
  std::uint64_t result;
};

// Beside the place of a result, which it is no part of: rule 6.
inline constexpr std::uint64_t kPlanned = 1;

// What publish() writes into a record.
struct Arrival {
  std::uint64_t fingerprint = 0;
  PartPlace place = {};
  std::uint64_t recorded = 0;
  std::uint64_t numbers = 0;
  std::uint32_t site = 0;
  std::uint32_t program_set = 0;
  std::uint32_t program_order = 0;
  std::uint32_t skeleton = 0;
  std::uint32_t layout = 0;
};

// Before a result that several ranks hold. The bytes follow.
struct alignas(64) SharedBlock {
  std::atomic<std::uint32_t> holders{0};
};

// How far a member is. `done_through` is not in the arrival record, since it moves between
// arrivals.
struct alignas(64) MemberProgress {
  std::atomic<std::uint64_t> done_through{0};
  // What it was before it became kLeft; whoever stores that stores this first, all the same number.
  std::atomic<std::uint64_t> left_after{0};
  // The last collective for which it could not get ready for what its transport wanted beside the
  // call, so that all do without that; who waits for it there looks here.
  std::atomic<std::uint64_t> declined{0};
};

// The chunks of one large collective.
struct ChunkCounters {
  alignas(64) std::atomic<std::int64_t> claimed{0};
  alignas(64) std::atomic<std::int64_t> done{0};
};

// Where ranks that wait in a group sleep.
struct alignas(64) Signal {
  std::atomic<std::uint32_t> wakes{0};  // the futex word
  std::atomic<std::uint32_t> sleepers{0};
};

// Why the group can't be used any more. The first reason stays; collectives from number `from` on
// fail, those before it still complete.
struct alignas(64) Failure {
  enum State : std::uint32_t { kNone, kBeingWritten, kWritten };
  static constexpr std::uint32_t being_written_by(std::int64_t rank) {
    return kBeingWritten | static_cast<std::uint32_t>(rank) << 2;
  }
  std::atomic<std::uint32_t> state{kNone};  // with the rank that writes it, while one does
  std::atomic<std::uint64_t> from{~std::uint64_t{0}};
  std::array<char, 1008> text{};
};

// Makes `failure` say that collectives from `from` on fail with `text`; if it speaks already, its
// text stays. From any thread or process; `by` is the rank that says so.
void fail(Failure& failure, std::uint64_t from, std::string_view text, std::int64_t by);

// What a rank has found out about NCCL, which all of a host have to have alike to use it.
struct NcclOfRank {
  std::int32_t version = 0;          // 22809 is 2.28.9; 0: it has none
  std::uint64_t visible_gpus = 0;    // a hash of what says which it sees
  std::array<char, 200> why_none{};  // text; empty if it has one
};

// What a rank tells everybody, whatever the group.
struct RankPage {
  enum Presence : std::uint32_t { kPresent, kGone, kDied };

  // How many peers wait for this rank. Written by them, polled by the rank at every traced op.
  alignas(64) std::atomic<std::uint32_t> waiting_peers{0};
  // kGone when the rank will start nothing more (the message is written before); kDied is stored by
  // a peer that saw its process end without that.
  alignas(64) std::atomic<std::uint32_t> presence{kPresent};
  std::atomic<std::int32_t> process{0};  // its process id, once it has joined; 0 for a thread
  // Of the program that the rank runs, written before it joins; 0: not known.
  std::atomic<std::uint64_t> build{0};
  NcclOfRank nccl;  // likewise
  std::array<char, 492> message{};
  // A number for the first GPU that it has used, the same in all processes; 0: none.
  std::atomic<std::uint64_t> gpu{0};
  // Of rank 0's: somebody has said that two ranks use one GPU.
  std::atomic<bool> sharing_is_told{false};
  // A bit for each rank whose waiting_peers counts this one, for whoever sees that it died.
  std::array<std::atomic<std::uint64_t>, kMostRanks / 64> asked{};
  FlightRecorder recorder;
};

// Counts the rank of the first page among those who wait for a peer, and no longer. It says so
// itself, from one thread at a time. A rank counts once: ask() returns false, having done nothing,
// where it does already, and who was told so does not stop it. If it is killed in the middle of
// either, it may stay counted.
[[nodiscard]] bool ask(RankPage& own, RankPage& peer, std::int64_t peer_rank);
void stop_asking(RankPage& own, RankPage& peer, std::int64_t peer_rank);

// What the members share.
struct GroupHeader {
  Signal signal;
  Failure failure;
  std::array<ChunkCounters, kRingSlots> chunks;  // by slot
};

// What one member writes and the others read.
struct MemberPage {
  MemberProgress progress;
  std::array<ArrivalRecord, kRingSlots> records;  // by slot
};

// A view of a group's control page: the header, then a MemberPage for each member.
class GroupPage {
 public:
  // `memory` has bytes(members) bytes, 64-byte aligned, and was initialised once by initialise().
  GroupPage(void* memory, int members);
  static std::size_t bytes(int members);
  static void initialise(void* memory, int members);

  int members() const { return members_; }
  Signal& signal() const { return header_->signal; }
  MemberProgress& progress(int member) const { return pages_[member].progress; }
  ChunkCounters& chunks(std::uint64_t sequence) const {
    return header_->chunks[sequence % kRingSlots];
  }
  ArrivalRecord& record(int member, std::uint64_t sequence) const {
    return pages_[member].records[sequence % kRingSlots];
  }

  // Rule 2, for the calling rank's own record; rule 1 is the caller's.
  void publish(int member, std::uint64_t sequence, const Arrival& arrival) const;
  bool arrived(int member, std::uint64_t sequence) const {
    return record(member, sequence).epoch.load() == static_cast<std::uint32_t>(sequence);
  }

  // The lowest done_through of all members.
  std::uint64_t done_by_all() const;
  // The last collective that the member has completed, also of one that left or died since.
  std::uint64_t completed_by(int member) const;
  // Stores kLeft for a member that completes no more here. By several at once, maybe.
  void leave(int member) const;

  // Makes collectives from `from` on fail with `text`, or with the first failure's text if there is
  // one. From any thread; the caller wakes the sleepers. `by` is the rank that says so.
  void fail(std::uint64_t from, std::string_view text, std::int64_t by) const {
    kernels::fail(header_->failure, from, text, by);
  }
  bool failed(std::uint64_t sequence) const {
    const Failure& failure = header_->failure;
    return failure.state.load() == Failure::kWritten && failure.from.load() <= sequence;
  }
  // The rank that is writing the failure down, which one that dies never ends; -1 if none is.
  std::int64_t failing_rank(std::uint64_t sequence) const {
    const Failure& failure = header_->failure;
    const std::uint32_t state = failure.state.load();
    const bool is_written =
        (state & 3) == Failure::kBeingWritten && failure.from.load() <= sequence;
    return is_written ? std::int64_t{state >> 2} : -1;
  }
  std::string failure_text() const { return read_text(header_->failure.text); }

 private:
  GroupHeader* header_;
  MemberPage* pages_;
  int members_;
};

static_assert(alignof(GroupHeader) == 64 && sizeof(GroupHeader) % 64 == 0);
static_assert(alignof(MemberPage) == 64);

}  // namespace tutti::kernels

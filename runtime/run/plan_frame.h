#pragma once

#include <tutti/runtime/comm/comm_kernels.h>
#include <tutti/runtime/comm/recorded_calls.h>
#include <tutti/runtime/kernel_function.h>
#include <tutti/runtime/profile/plan_profile.h>
#include <tutti/runtime/run/context.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

// A kernel bound to a launch.
struct BoundKernel {
  // Computes tiles [begin, end); `code` is the second member.
  void (*run)(const void* code, void* const* arguments, std::int64_t begin, std::int64_t end);
  const void* code;
  std::int64_t tiles;
  // How many there are when its last argument is its first; -1: as many.
  std::int64_t tiles_in_place;
  std::size_t arguments;  // how many addresses it takes
};

// One parallel loop over the tiles of several kernels.
struct BoundLaunch {
  std::vector<BoundKernel> kernels;
  std::int64_t tiles = 0;                      // of all
  bool is_shared = true;                       // between threads; else the caller's runs it
  std::size_t arguments = 0;                   // of all
  std::shared_ptr<const void> held = nullptr;  // what code of the rank's own lies in
};

// A kernel on a GPU that goes with a collective (Companions), maybe within the kernel that carries
// that out.
struct BoundCompanion {
  struct Argument {
    std::int32_t buffer = -1;
    std::int64_t offset = -1;  // in the arena; -1: not there
    bool allocates = false;    // memory of its own, which comes with the collective's start
    bool is_shared = false;    // with the collective: its operand, or its result
  };
  std::shared_ptr<const DeviceCode> code = nullptr;  // the kernel's, where it is launched alone
  std::shared_ptr<const FusedCommKernels> fused = nullptr;
  std::vector<Argument> arguments;
  Device device = {};
  std::int32_t launch = -1;  // its number among the plan's launches
  // Launched on its own, and waited for, so that an error names it.
  bool blocks = false;
  std::string name = {};
  Location location = {};
};

// A collective bound to a rank. Operands and results are numbers of buffers, one a part.
struct BoundCollective {
  std::shared_ptr<Communicator> communicator;
  std::shared_ptr<const PreparedCall> call;
  std::vector<std::int32_t> operands;
  std::vector<std::int32_t> results;
  std::int32_t area = -1;       // that operands lie in
  bool places_results = false;  // some lie in the group's memory, too
  // The plan reads the members' operands, which lie where the results would.
  bool reads = false;
  Device device = {};                                        // where operands and results lie
  std::shared_ptr<const BoundCompanion> leader = nullptr;    // null: its operand is there
  std::shared_ptr<const BoundCompanion> follower = nullptr;  // null: nothing goes over its result
  // What it may be recorded in, and which of those calls it is; null: nothing.
  std::shared_ptr<RecordedCalls> recorded = nullptr;
  std::size_t number_in_recording = 0;
};

// Memory that the plan's runs use at the same place each time, as all members of the group do.
struct BoundArea {
  std::shared_ptr<Communicator> communicator;
  std::size_t bytes = 0;
  int member = -1;     // who has it, for results that all have in common; -1: each its own
  Device device = {};  // where it lies
  std::shared_ptr<SymmetricMemory> memory = nullptr;  // from the first run on
  // Of the host, that a GPU's values are brought to.
  std::optional<Device> source = std::nullopt;  // which GPU's, once a run has done that
  bool may_register = true;
  std::shared_ptr<const void> registered = nullptr;  // lets that write there itself
  std::uint64_t user = 0;                            // the plan, as the memory knows it
  std::uint64_t others = 0;  // the last collective of other plans that reads it
};

// A buffer that lies in an area.
struct BoundPlace {
  std::int32_t buffer = -1;
  std::size_t area = 0;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  // Collectives, by work: who reads what lies there when it is acquired, one of them last.
  std::vector<std::int32_t> readers;
  Location where;  // the user's line, for errors
  std::shared_ptr<Buffer> memory = nullptr;
};

// What the native code of a plan reads of a frame; its layout is part of the interface.
struct PlanMemory {
  std::byte* arena = nullptr;
  // By buffer, of those outside the arena; null when not there. Who enters a region says where its
  // parameters and results lie.
  void** addresses = nullptr;
  // Of launches that do no more than to call kernels, one after another: the kernels' functions.
  const KernelFunction* kernels = nullptr;
};

// The state of one plan on one rank: its buffers, its collectives under way, and the functions that
// its steps are made of. Made once, used for run after run by one thread; a run allocates nothing
// but what the allocators have ready. Buffers are numbered as in the plan.
class PlanFrame {
 public:
  // A buffer that the plan allocates itself.
  struct Allocation {
    std::size_t bytes = 0;
    bool shared = false;  // peers read it
    Device device = {};
    MemoryLabel label = {};
    std::int32_t place = -1;  // of one that lies in an area
  };

  PlanFrame(Context& context, std::size_t buffers, std::size_t works, std::size_t arena_bytes);
  PlanFrame(const PlanFrame&) = delete;
  PlanFrame& operator=(const PlanFrame&) = delete;

  // ---- Set once.
  std::vector<BoundLaunch> launches;
  std::vector<KernelFunction> kernels;       // see PlanMemory
  std::vector<BoundCollective> collectives;  // by work
  std::vector<Allocation> allocations;       // by buffer
  std::vector<BoundArea> areas;
  void add_place(BoundPlace place);
  bool scribbles = false;                     // over what lay at a place that is acquired
  const CommKernels* comm_kernels = nullptr;  // see StartOptions
  ArenaContents arena_contents;
  // What each GPU's arena needs.
  struct DeviceArena {
    Device device;
    std::size_t bytes = 0;
    ArenaContents contents;
  };
  std::vector<DeviceArena> device_arenas;
  std::unique_ptr<PlanProfile> profile;  // says what is recorded; null: nothing

  // ---- A run.
  // Gets the arena and the areas ready. Throws OutOfMemoryError if there is no room.
  void begin();
  // The run did not get to its end: what it started may still be asked for its results.
  void break_off();
  // Gives a buffer its memory.
  void bind(std::int32_t buffer, std::shared_ptr<Buffer> memory);
  // Says where a buffer lies whose memory is somebody else's.
  void place(std::int32_t buffer, void* address) { addresses_[at(buffer)] = address; }
  const std::shared_ptr<Buffer>& held(std::int32_t buffer) const { return held_[at(buffer)]; }
  const std::shared_ptr<Work>& work(std::int32_t number) const { return works_[at(number)]; }
  const PlanMemory& memory() const { return memory_; }
  // A GPU's arena.
  std::byte* arena(Device device) const;
  // Lets go of everything; the frame is ready for the next run.
  void end();

  // From here on bind() may be undone, and no memory is let go. Ended by one of the others.
  void begin_trial() { trial_ = true; }
  void undo_trial();
  void keep_trial();

  // ---- Steps. They throw what goes wrong.
  // Gives a buffer new memory, unless it is bound.
  void allocate(std::int32_t buffer);
  // Waits until a buffer of an area may be written.
  void acquire(std::int32_t buffer);
  void free(std::int32_t buffer) {
    bind(buffer, nullptr);
    if (profile != nullptr) [[unlikely]]
      profile->count_memory(context_.allocator);
  }
  // Runs a launch; `arguments` are the addresses of all its kernels, one kernel after another.
  void launch(std::int32_t number, void* const* arguments);
  // The same on a GPU; returns before the work is done.
  void launch_on(Accelerator& accelerator, std::int32_t number, const DeviceCode& code,
                 void* const* arguments);
  // Brings what one buffer holds to another, of another device; `source` and `target` are their
  // addresses. On the host it may be there only when finish_copies() has returned.
  void copy(std::int32_t from, const void* source, std::int32_t to, void* target);
  // Called before any step that may read what lies on the host.
  void finish_copies() {
    if (!copying_.empty()) [[unlikely]]
      wait_for_copies();
  }
  // Announces the collective of a work, whose operands are bound, or are its leader's.
  void start(std::int32_t work);
  // Announces the first of the calls that are recorded together (RecordedCalls::begin), and says
  // which way they go. `works` are all of them, whose numbers ranks must agree on.
  RecordedCalls::Way begin(std::span<const std::int32_t> works);
  // Waits for it, and binds its results, to which its follower has been, or is launched.
  void wait(std::int32_t work);
  // Memory for what a companion writes; and its arguments, where what it shares with the collective
  // lies there: null, and they are without that.
  void allocate_for(const BoundCompanion& companion);
  std::vector<void*> arguments_of(const BoundCompanion& companion, void* shared) const;
  // Of one that is read: says that the reading is over. There is no work then.
  void finish(std::int32_t work) {
    works_[at(work)]->finish();
    works_[at(work)] = nullptr;
  }

  // The user's lines of the collectives, by work, where they differ from those of the calls.
  std::span<const Location> lines;
  std::span<const std::uint32_t> sites;  // likewise
  // What else the ranks must agree on in this run, by work; empty: nothing.
  std::span<const Agreement> agreements;
  // What a step threw when native code ran it (see abi.h).
  std::exception_ptr failure;
  // In which iterations of which regions the step failed that did, the innermost first.
  struct Iteration {
    std::int32_t region;
    std::int64_t number;
  };
  std::span<const Iteration> failed_iterations() const { return failed_iterations_; }
  // Needs no memory: of loops nested deeper than kMostLevels only the inner ones are kept.
  void failed_inside(std::int32_t region, std::int64_t iteration) noexcept;

 private:
  void launch_recorded(std::int32_t number, void* const* arguments);
  StartOptions options_of(std::int32_t work);
  // Whether a companion may be a part of its collective's kernel in this run.
  bool may_fuse(const BoundCompanion& companion) const {
    return companion.fused != nullptr && profile == nullptr && !companion.blocks;
  }
  std::vector<std::shared_ptr<Buffer>> held_by(const BoundCompanion& companion) const;
  // What is to come with the work; null: it is launched.
  std::shared_ptr<const BoundLeader> begin_leader(const BoundCompanion& leader);
  // Waits for one on a GPU with what goes over its result; whether that is done.
  bool wait_with_follower(Work& pending, const BoundCompanion& follower);
  void launch_alone(const BoundCompanion& companion, void* shared);
  void wait_for_copies();
  void copy_out(const void* source, std::int32_t to, void* target, Device from);
  void begin_areas();
  void place_in(const BoundArea& area);
  void find_placed_results(const BoundCollective& collective);

  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

  Context& context_;
  const std::size_t arena_bytes_;
  PlanMemory memory_;
  std::vector<void*> addresses_;
  std::vector<std::shared_ptr<Buffer>> held_;
  std::vector<std::shared_ptr<Work>> works_;
  std::vector<std::uint64_t> sequences_;  // by work, of its last start
  std::vector<BoundPlace> places_;
  std::vector<Device> copying_;                    // GPUs that copies out are under way on
  std::vector<std::shared_ptr<Buffer>> operands_;  // scratch, as the next
  std::vector<std::shared_ptr<Buffer>> placed_results_;
  std::vector<CommonPlace> common_places_;
  bool trial_ = false;
  std::vector<bool> tried_;  // by buffer
  std::vector<std::pair<std::int32_t, std::shared_ptr<Buffer>>> before_trial_;
  std::vector<std::shared_ptr<Buffer>> of_trial_;  // what was bound in it, and is no more
  static constexpr std::size_t kMostLevels = 8;
  std::vector<Iteration> failed_iterations_;
};

}  // namespace tutti::runtime

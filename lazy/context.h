#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/support/hash.h>
#include <tutti/lazy/apart_from_gradients.h>
#include <tutti/lazy/direct_collectives.h>
#include <tutti/lazy/raised_flag.h>
#include <tutti/lazy/recent_programs.h>
#include <tutti/lazy/recorder.h>
#include <tutti/lazy/trace.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

// What a part of a rank's lazy trace became.
struct EvaluatedProgram {
  std::unique_ptr<codegen::Executable> executable;
  ir::Graph program;  // kept in debug builds, where a hit of the hash is compared
};

// The state of one rank: its trace, its runtime, its compiled programs.
class RankContext {
 public:
  // Without a default device it is what TUTTI_DEVICE says. `local_rank` counts the ranks of this
  // host.
  RankContext(std::unique_ptr<runtime::Backend> backend, int threads,
              std::shared_ptr<const ir::Mesh> mesh,
              std::optional<Device> default_device = std::nullopt, std::int64_t local_rank = 0);
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;
  ~RankContext();

  // The context of the calling thread: its world's, or one of a single rank made on first use.
  static RankContext& current();
  // The context of the calling thread's world; null if it has none.
  static std::shared_ptr<RankContext> find_current();
  // Makes this the context of the calling thread; null for none. Returns the previous one, if it
  // still lives. Who records for it stays as it is, see recorder().
  static std::shared_ptr<RankContext> exchange_current(std::shared_ptr<RankContext> context);
  // The same, and makes the calling thread the one that records for it. Throws UsageError like
  // Recorder::take(), and nothing has changed then.
  static std::shared_ptr<RankContext> attach(std::shared_ptr<RankContext> context);
  // Which thread records. Whatever touches the trace holds a claim; whatever records is a
  // Recording.
  Recorder& recorder() { return recorder_; }
  // Whether the calling thread's context is the one of that id.
  static bool is_current(std::uint64_t id) noexcept { return id == current_id_; }
  // Takes over a state of a trace that the calling thread lets go of though it does not record for
  // its rank: that one's thread will. False if this need not be.
  static bool drop_elsewhere(TensorState& state);

  std::uint64_t id() const { return id_; }
  // A number for one pass over tensors that marks those it has seen.
  std::uint64_t next_look() { return ++looks_; }
  runtime::Context& runtime() { return runtime_; }
  const runtime::Context& runtime() const { return runtime_; }
  const std::shared_ptr<const ir::Mesh>& mesh() const { return mesh_; }
  // The program's mesh instead of the world's own. Throws UsageError if it is too late for one.
  void set_mesh(std::shared_ptr<const ir::Mesh> mesh, Location where);

  // Where new tensors lie.
  Device default_device() const { return default_device_; }
  std::int64_t local_rank() const { return local_rank_; }
  void set_default_device(Device device, Location where);

  // The trace that ops record into: the innermost function being compiled, or the lazy one.
  Trace& trace() { return compiling_.empty() ? *lazy_ : *compiling_.back(); }
  bool compiling() const { return !compiling_.empty(); }
  // Whether it is for a compiled function, which keeps what was recorded once. Those called inside
  // of what is recorded are part of it, so it is the outermost.
  bool records_compiled_function() const {
    return compiling() && compiling_.front()->kind() == Trace::Kind::compiled;
  }
  // How many functions that are being recorded are inside each other.
  std::size_t depth() const { return compiling_.size(); }
  void push_trace(Trace* trace) { compiling_.push_back(trace); }
  void pop_trace() { compiling_.pop_back(); }

  // Throws UsageError unless a collective's group lies in the world and includes this rank: peers
  // would wait in vain. Other ops pass.
  void check_group(ir::Op op, const std::vector<ir::Attribute>& attributes, Location where) const;
  // Records an op and gives handles to its results.
  std::vector<StatePtr> record(ir::Op op, std::span<const StatePtr> operands,
                               std::vector<ir::Attribute> attributes, Location where);
  // A local op with one result, on values of trace(): the way of most ops.
  StatePtr record_local(ir::Op op, std::span<const ir::Value> operands,
                        std::vector<ir::Attribute> attributes, Location where);

  // Puts a tensor that was just made from numbers on the default device, if that is not the one of
  // the trace.
  StatePtr on_default_device(StatePtr made, Location where);
  // Throws TypeError with both lines if two operands lie on different devices; numbers adapt.
  void check_devices(ir::Op op, std::span<const ir::Value> operands, Location where);

  // Handles to data on a device: a new leaf, or a constant of the function being compiled.
  StatePtr data(const Array& array, Device device, Location where);
  StatePtr data(const Array& array, Location where) { return data(array, default_device_, where); }
  // Copies the data of a state that is ready to the host.
  void read(const TensorState& state, std::span<std::byte> to);
  // A leaf over a buffer.
  StatePtr leaf(const ir::Type& type, std::shared_ptr<runtime::Buffer> buffer, Location where);

  // Computes the states, all collectives recorded so far, and live values met on the way; then
  // callbacks that are due.
  void flush(std::span<const StatePtr> targets);
  // The same without callbacks, which may do anything: for whoever is in the middle of something.
  void compute(std::span<const StatePtr> targets);
  // Flush of all collectives alone.
  void flush() { flush({}); }
  // The recorded program that computes the targets.
  ir::Graph extract(std::span<const StatePtr> targets);

  // Calls f when a collective's result is complete, or failed; see AsyncTensor::on_ready.
  void call_when_ready(StatePtr async, std::function<void()> f) {
    callbacks_.push_back({std::move(async), std::move(f)});
  }
  // Calls those that are due.
  void run_callbacks() {
    const bool may = !compiling() && keep_recording == 0 && !in_callback_ && !running_;
    if (!callbacks_.empty() && may) run_due_callbacks();
  }

  // After a failure: starts the collectives that are recorded, one by one. Of those that fail again
  // the peers are told.
  void start_one_by_one() noexcept;
  // The same for those of a program that was to run otherwise than by being recorded, and failed:
  // `executable` before it came to its end, or nullptr before it ran at all. `inputs` are what its
  // parameters stand for.
  void start_rest_of(const ir::Graph& program, std::span<const StatePtr> inputs,
                     const codegen::Executable* executable, const std::exception& error) noexcept;

  // Waits until a state's data may be read. Throws like check_waiter().
  void make_ready(TensorState& state, Location where);

  // Says that collectives were recorded otherwise than by record().
  void notice_collectives() { pending_collectives_ = pending_collectives_ || !compiling(); }

  // While it lives, a program of the rank runs, or gives its results to the trace. Code of the
  // user's may be called then, which releases memory: evaluations in it would use what the program
  // uses, and what it recorded would be lost, or torn.
  class Running {
   public:
    explicit Running(RankContext& context) : flag_(context.running_) {}

   private:
    const RaisedFlag flag_;
  };
  // Throws UsageError if a program runs.
  void check_idle(Location where) const {
    if (running_) [[unlikely]]
      fail_running(where);
  }
  // The calling thread records an op of that line while it lives. Throws UsageError like a claim,
  // and if a program runs.
  class Recording {
   public:
    Recording(RankContext& context, Location where) : claim_(context.recorder_) {
      context.check_idle(where);
    }

   private:
    const Recorder::Claim claim_;
  };

  // Lets go of the programs that use a group.
  void forget_programs_of(const ir::Group& group);

  // Throws UsageError if a state belongs to another rank.
  void check_owner(const TensorState& state, Location where) const;
  // Throws UsageError if a state's collective is under way and another thread's to wait for.
  void check_waiter(const TensorState& state, Location where) const;

  // Evaluate after every op.
  bool eager;
  // Above 0 nothing is evaluated: the function around it is being differentiated.
  int keep_recording = 0;
  // The same of functions that the lazy trace has parts of, which bodies of loops are no part of:
  // then it is not evaluated for these either.
  int keep_lazy_trace = 0;
  // The gradients that what is recorded now is straight inside of, the innermost last, each with
  // the messages that were.
  std::vector<std::vector<ir::NodeId>*> gradients_around;
  codegen::CompileOptions compile_options;
  // How many calls of compiled functions are inside each other and become part of what is recorded.
  int inlined_calls = 0;
  // The line of the composite that is being recorded, see composite.h.
  Location line_of_composite;
  // The line that what is recorded for `given` stands on.
  Location line_of(Location given) const {
    return line_of_composite.known() ? line_of_composite : given;
  }
  // Where a tensor was first known to be the same on several ranks.
  Location replication_noted;
  void note_replication(const ir::Type& type, Location where) {
    if (type.replication.dimensions != 0 && !replication_noted.known()) replication_noted = where;
  }
  // Of all ranks.
  const ir::GroupPtr& world_group() const { return world_group_; }
  // Those that this rank has closed: the tag, and the members of its own group.
  std::set<std::pair<std::string, std::vector<std::int64_t>>> closed_groups;
  // Collectives that are launched and not recorded.
  DirectCollectives direct_collectives;
  // The groups whose in-place collectives are being noted, see Coalesce: which may outlive this.
  std::shared_ptr<std::vector<CoalescedCalls*>> coalescing =
      std::make_shared<std::vector<CoalescedCalls*>>();
  // How often World::split was called, for the groups' tags: two groups of the same ranks are two.
  std::size_t splits = 0;
  // A function that was compiled for the first time became a program of that hash. Warns once of a
  // line that makes the same one again and again.
  void note_compiled(Location where, const Hash128& program);
  // How many programs of the lazy trace are known.
  std::size_t compiled_programs() const { return executables_.size(); }

 private:
  [[noreturn]] static void fail_running(Location where);

  static constinit thread_local std::uint64_t current_id_;  // 0: none yet

  friend class Flush;

  void record_rest_of(const ir::Graph& program, std::span<const StatePtr> inputs,
                      std::span<const codegen::Executable::Started> started);
  void run_due_callbacks();
  void take_dropped();
  // Forgets recorded nodes that nobody needs, if it is all of them or they may hold much: they hold
  // data, which a program believes to have let go of.
  void drop_unused_nodes();
  // Evaluates what was just recorded, or more, if one of the rules above says so.
  void compute_if_due(std::span<const StatePtr> recorded);
  // Computes all that somebody holds; what fails stays recorded.
  void compute_all();

  const std::uint64_t id_;
  runtime::Context runtime_;
  std::shared_ptr<const ir::Mesh> mesh_;
  ir::GroupPtr world_group_;
  Location mesh_made_;  // by the program; unknown: the world's own
  std::unique_ptr<Trace> lazy_;
  std::vector<Trace*> compiling_;
  // Above so many recorded nodes the lazy trace is computed, asked for or not; above more once that
  // has failed.
  static constexpr std::size_t kPendingNodes = 10000;
  std::size_t most_nodes_ = kPendingNodes;
  // Above so many inputs of it nodes that nobody needs are dropped; then it is set anew, so that
  // what is dropped pays for what is looked at.
  static constexpr std::size_t kFewInputs = 8;
  std::size_t most_inputs_ = kFewInputs;
  // By their structural hash.
  RecentPrograms<Hash128, EvaluatedProgram, Hash128Hasher> executables_{kept_programs()};
  Device default_device_;
  const std::int64_t local_rank_;
  bool pending_collectives_ = false;
  struct Callback {
    StatePtr async;
    std::function<void()> call;
  };
  std::vector<Callback> callbacks_;
  bool in_callback_ = false;
  bool running_ = false;
  struct CompiledAt {
    Location where;
    Hash128 program;
    int times = 0;
  };
  std::vector<CompiledAt> compiled_at_;
  std::uint64_t looks_ = 0;
  Recorder recorder_;
  // Handles that other threads let go of.
  std::vector<TensorState*> dropped_;  // under the lock of LiveContexts
  std::atomic<bool> has_dropped_ = false;
};

// While it lives, a rank records into a trace of its own, and what is noted outside of it (see
// Coalesce) stays there.
class Tracing {
 public:
  Tracing(RankContext& context, Trace& trace)
      : claim_(context.recorder()), context_(context), apart_(context) {
    context_.push_trace(&trace);
    outside_.swap(*context_.coalescing);
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  ~Tracing() {
    outside_.swap(*context_.coalescing);
    context_.pop_trace();
  }

 private:
  const Recorder::Claim claim_;
  RankContext& context_;
  const ApartFromGradients apart_;
  std::vector<CoalescedCalls*> outside_;
};

// While it lives, a rank records into the trace that is inside of `depth` others, or fewer.
class Outside {
 public:
  Outside(RankContext& context, std::size_t depth) : context_(context) {
    for (; context_.depth() > depth; context_.pop_trace()) inner_.push_back(&context_.trace());
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside() {
    for (; !inner_.empty(); inner_.pop_back()) context_.push_trace(inner_.back());
  }

 private:
  RankContext& context_;
  std::vector<Trace*> inner_;
};

// Records an op with one result on the current rank.
StatePtr record(ir::Op op, std::span<const StatePtr> operands,
                std::vector<ir::Attribute> attributes, Location where);
inline StatePtr record(ir::Op op, std::initializer_list<StatePtr> operands,
                       std::vector<ir::Attribute> attributes, Location where) {
  return record(op, std::span(operands.begin(), operands.size()), std::move(attributes), where);
}

}  // namespace tutti::detail

#pragma once

#include <tutti/codegen/compile.h>
#include <tutti/ir/builder.h>
#include <tutti/runtime/context.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// How the front end records. Not for users' programs.
namespace tutti::detail {

class Trace;
class RankContext;
struct TensorState;
using StatePtr = std::shared_ptr<TensorState>;
using ir::Array;

// A value that somebody holds: a node of a trace that is not computed yet, or data.
struct TensorState : std::enable_shared_from_this<TensorState> {
  ir::Type type;
  Location where;
  std::uint64_t context = 0;  // the RankContext it belongs to

  Trace* trace = nullptr;  // while it is recorded there; null once it is data
  ir::Value value;

  std::shared_ptr<runtime::Buffer> buffer;  // data
  std::shared_ptr<runtime::Work> work;      // of a collective that may still be writing the data

  StatePtr waited;     // of an async value: the tensor that wait() gave
  std::string origin;  // of an async value: "all_reduce over world"
  std::string lost;    // why it has no value: what went wrong when it was computed

  TensorState() = default;
  TensorState(const TensorState&) = delete;
  TensorState& operator=(const TensorState&) = delete;
  ~TensorState();

  bool is_data() const { return buffer != nullptr; }
};

// A program under construction: the rank's lazy trace, or the body of a function being compiled.
class Trace {
 public:
  enum class Kind : std::uint8_t { lazy, compiled };

  Trace(Kind kind, std::uint64_t context, std::shared_ptr<const ir::Mesh> mesh);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  Kind kind() const { return kind_; }
  ir::Graph& graph() { return graph_; }
  ir::Builder& builder() { return builder_; }

  // The value of a state in this trace. Data becomes a parameter; in a compiled trace that is an
  // error naming the line (unless it was let in with add_argument or constant()).
  ir::Value value_of(const TensorState& state, Location where);
  // Data as a parameter of this trace.
  ir::Value add_input(StatePtr state, std::string name);
  // A handle to a value of this trace.
  StatePtr handle(ir::Value value, Location where);
  // An argument of the function under compilation, without data.
  ir::Value add_formal(std::string name, const ir::Type& type, Location where);
  // A rank-0 constant that is passed at run time instead of being part of the program.
  ir::Value runtime_scalar(Array scalar);
  bool is_runtime_scalar(ir::Value value) const { return runtime_scalars_.count(value.id) != 0; }
  // The formal arguments that C++ floating-point arguments became, by their number.
  std::vector<ir::Value> scalar_arguments;
  // Set when C++ arithmetic was done on such an argument while tracing.
  bool scalar_tampered = false;

  // The data behind the graph's parameters, in their order (null for formal arguments).
  const std::vector<StatePtr>& inputs() const { return inputs_; }
  // The live handles of this trace, by value.
  const std::unordered_map<std::uint32_t, TensorState*>& handles() const { return handles_; }
  // Makes a state that another trace held one of this trace's.
  void adopt(TensorState& state, ir::Value value);
  void forget(const TensorState& state) { handles_.erase(state.value.id); }

 private:
  friend struct TensorState;
  const Kind kind_;
  const std::uint64_t context_;
  ir::Graph graph_;
  ir::Builder builder_;
  std::vector<StatePtr> inputs_;
  std::unordered_map<const TensorState*, ir::Value> input_values_;
  std::unordered_map<std::uint32_t, TensorState*> handles_;
  std::unordered_set<std::uint32_t> runtime_scalars_;
};

// What a floating-point argument of a function under compilation looks like: a negative signalling
// NaN with the argument's number in its payload. Arithmetic on it in C++ makes it quiet and changes
// of its sign make it positive, which is noticed.
struct ScalarTag {
  static float of_float(int argument);
  static double of_double(int argument);
  // The argument a number stands for; nothing for an ordinary number. `tampered` is set if C++
  // arithmetic was done on one.
  static std::optional<int> argument_of(std::uint64_t bits, bool single, bool& tampered);
};

// The state of one rank: its trace, its runtime, its compiled programs.
class RankContext {
 public:
  RankContext(std::unique_ptr<runtime::Backend> backend, int threads,
              std::shared_ptr<const ir::Mesh> mesh);
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;
  ~RankContext();

  // The context of the calling thread: its world's, or one of a single rank made on first use.
  static RankContext& current();
  // Makes this the context of the calling thread, and the calling thread the one that records for
  // it; null for none. Returns the previous one, if it still lives.
  static std::shared_ptr<RankContext> exchange_current(std::shared_ptr<RankContext> context);

  std::uint64_t id() const { return id_; }
  runtime::Context& runtime() { return runtime_; }
  const std::shared_ptr<const ir::Mesh>& mesh() const { return mesh_; }

  // The trace that ops record into: the innermost function being compiled, or the lazy one.
  Trace& trace() { return compiling_.empty() ? *lazy_ : *compiling_.back(); }
  bool compiling() const { return !compiling_.empty(); }
  void push_trace(Trace* trace) { compiling_.push_back(trace); }
  void pop_trace() { compiling_.pop_back(); }

  // Records an op and gives handles to its results.
  std::vector<StatePtr> record(ir::Op op, std::span<const StatePtr> operands,
                               std::vector<ir::Attribute> attributes, Location where);

  // Handles to data: a new leaf, or a constant of the function being compiled.
  StatePtr data(const Array& array, Location where);
  // A leaf over a buffer.
  StatePtr leaf(const ir::Type& type, std::shared_ptr<runtime::Buffer> buffer, Location where);

  // Computes the states, all collectives recorded so far, and live values met on the way.
  void flush(std::span<const StatePtr> targets);
  // Flush of all collectives alone.
  void flush() { flush({}); }
  // The recorded program that computes the targets.
  ir::Graph extract(std::span<const StatePtr> targets);

  // Waits until a state's data may be read.
  void make_ready(TensorState& state);

  // Says that collectives were recorded otherwise than by record().
  void notice_collectives() { pending_collectives_ = pending_collectives_ || !compiling(); }

  // Throws UsageError if a state belongs to another rank.
  void check_owner(const TensorState& state, Location where) const;

  // Evaluate after every op.
  bool eager = false;
  // Above 0 nothing is evaluated: the function around it is being differentiated.
  int keep_recording = 0;
  codegen::CompileOptions compile_options;
  // How many programs the lazy trace has compiled so far.
  std::size_t compiled_programs() const { return executables_.size(); }

 private:
  friend class Flush;

  const std::uint64_t id_;
  runtime::Context runtime_;
  std::shared_ptr<const ir::Mesh> mesh_;
  std::unique_ptr<Trace> lazy_;
  std::vector<Trace*> compiling_;
  struct CompiledProgram {
    std::unique_ptr<codegen::Executable> executable;
    ir::Graph program;  // kept in debug builds, where a hit of the hash is compared
  };
  std::unordered_map<Hash128, CompiledProgram, Hash128Hasher> executables_;
  bool pending_collectives_ = false;
  std::thread::id owner_;  // the thread that records
};

// Throws UsageError, naming the line, if a state has no value any more or is not known yet because
// the function around it is being compiled.
void check_readable(const TensorState& state, Location where);

// Records an op with one result on the current rank.
StatePtr record(ir::Op op, std::vector<StatePtr> operands, std::vector<ir::Attribute> attributes,
                Location where);

}  // namespace tutti::detail

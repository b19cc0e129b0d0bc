#pragma once

#include <tutti/lazy/recent_programs.h>
#include <tutti/lazy/tensor.h>
#include <tutti/lazy/tree_walk.h>
#include <tutti/lazy/varying_size.h>
#include <tutti/runtime/function_ref.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

namespace codegen {
struct Plan;
}

namespace runtime {
class Buffer;
}

namespace detail {

class RankContext;
class SizeMarks;

// What a compiled function does that does not depend on its type: signatures, tracing, replay.
class CompiledFunction {
 public:
  // What a call is made with. Kept from call to call, so that a call allocates nothing.
  struct Arguments {
    struct Scalar {
      double value;
      bool single;  // float; else double
      friend bool operator==(const Scalar&, const Scalar&) = default;
    };
    std::vector<StatePtr> tensors;
    std::vector<Scalar> scalars;     // floating-point numbers: run-time parameters
    std::vector<std::uint64_t> key;  // all that must be equal to run the same program again

    void clear();
  };
  // What errors and explanations call them; only made when somebody asks.
  struct Names {
    std::vector<std::string> tensors;
    std::vector<std::string> scalars;
    std::vector<std::string> statics;  // "3.name = 7": part of the program
  };
  using Describe = runtime::FunctionRef<Names()>;
  // Runs the user's function on formal arguments; `tagged`: floating-point arguments are
  // placeholders.
  using Body = runtime::FunctionRef<std::vector<StatePtr>(const std::vector<StatePtr>& tensors,
                                                          bool tagged)>;

  // The arguments as the user's function takes them, of a type that has that number.
  struct FormalArguments {
    TreeRef tree;
    std::uint64_t type;
    Location where = {};  // the line of the call, if that is known
  };
  struct OwnedTree {
    std::shared_ptr<void> owner;
    TreeRef tree;
  };
  // Runs the user's function on the formal arguments.
  using UserFunction = runtime::FunctionRef<OwnedTree()>;

  // Throws UsageError for sizes that make no sense.
  CompiledFunction(Location where, const std::vector<VaryingSize>& sizes);
  ~CompiledFunction();

  // It is for a rank, before the first call.
  void give_to(const RankContext& context);
  // Whether it is for that rank.
  bool belongs_to(const RankContext& context) const;
  // Throws UsageError on another rank than that, or the first call's.
  void check_owner(const RankContext& context, Location called_at);
  // Moves the tensors out of the formal arguments and notes all else that counts.
  void take(const FormalArguments& formal);
  // Makes the program for what was taken, which needs no data; it can only be looked at.
  void lower(const FormalArguments& formal, UserFunction f);
  // Runs the program for the arguments, made with `f` if there is none yet, and gives the form of
  // its result: a tree without tensors, a copy of which goes to fill(). Arguments that nobody else
  // holds are given up: their memory may become the results'.
  TreeRef call(const FormalArguments& formal, UserFunction f);
  // Moves what the call gave into the result.
  void fill(TreeRef result);
  // Whether the calling rank is tracing already, so that the body is just called.
  static bool inlined();
  // Such a call, while it lives. Throws UsageError where too many are inside each other: a function
  // that calls itself.
  class InlinedCall {
   public:
    explicit InlinedCall(Location where);
    InlinedCall(const InlinedCall&) = delete;
    InlinedCall& operator=(const InlinedCall&) = delete;
    ~InlinedCall();

   private:
    RankContext& context_;
  };

  // What Compiled offers under the same names; in inspect.cpp.
  std::string ir() const;
  std::string ir(std::string_view pass) const;
  std::string plan() const;
  std::string kernels() const;
  std::string llvm() const;
  std::string assembly() const;
  std::string cuda() const;
  std::string ptx() const;
  std::string explain() const;
  std::string sizes() const;
  std::int64_t calls() const { return calls_; }
  std::size_t programs() const;
  // Forgets all programs. Throws UsageError in a call.
  void clear();

 private:
  struct Program;
  struct KeyHasher {
    std::size_t operator()(const std::vector<std::uint64_t>& key) const;
  };
  // A program's result with empty leaves, which argument each number in it is (-1: none), and of
  // each AsyncTensor the views of what leaves the program under way, if it is one.
  struct ResultForm {
    OwnedTree tree;
    std::vector<int> numbers;
    std::vector<std::shared_ptr<Deferred>> views;
  };
  // What a result's leaf is to a program; `views`, where given, gets what its caller does with it.
  StatePtr state_of(const AsyncTensor& leaf, std::vector<std::shared_ptr<Deferred>>* views) const;
  void set(TreeRef formal, const std::vector<StatePtr>& tensors, bool tagged) const;
  // Takes the result's tensors, and notes its form.
  std::vector<StatePtr> take_result(OwnedTree result, bool tagged);
  // Where sizes vary, what a result holds beside tensors is the same for all of them.
  void check_statics(TreeRef result);
  void run_program(RankContext& context, Describe describe, Body body);
  // Of the program that ran last. Throw UsageError, naming what was asked, if there is none.
  const std::string& last_traced(std::string_view asked) const;
  const codegen::Plan& last_plan(std::string_view asked) const;
  void log_recompile() const;
  void check_arguments(const RankContext& context, Describe describe);
  Program& find_or_trace(RankContext& context, Describe describe, Body body);
  // Records the body; the program is in making_.
  void trace(const Names& names, Body body, bool tagged);
  // `count`: how many of its parameters are numbers.
  void make_ready_to_run(Program& made, const Names& names, std::size_t count);
  struct Recording;
  // The body's program for these values of the sizes that vary. Nothing if C++ arithmetic on
  // numbers showed up while they were tagged.
  std::optional<Recording> record(const Names& names, Body body, bool tagged,
                                  std::span<const std::int64_t> sizes);
  // The one for all sizes, if some vary.
  std::optional<Recording> record_all(const Names& names, Body body, bool tagged,
                                      std::vector<std::string>& reasons);
  void call_without_arguments(Describe describe, Body body, const std::exception& error);
  // Throws TypeError if a number of the call does not fit a tensor's dtype that it meets.
  void check_numbers(const Program& program) const;
  void run(RankContext& context, Program& program);
  void run_program(RankContext& context, Program& program);
  // What a call that failed owes the peers. `ran`: its executable did, and failed.
  void start_rest(Program& program, bool ran, const std::exception& error) noexcept;
  std::vector<StatePtr> inputs_of(Program& program, bool ran) const;
  // The values of the sizes that vary, of a call.
  std::vector<std::int64_t> sizes_of(Program& program) const;

  const Location where_;
  Location called_at_;                     // what errors of a call name
  std::atomic<std::uint64_t> context_{0};  // of the rank that called it first
  std::int64_t calls_ = 0;
  bool busy_ = false;  // in a call, which memory is released in, too
  RecentPrograms<std::vector<std::uint64_t>, std::unique_ptr<Program>, KeyHasher> programs_;
  std::unique_ptr<Program> making_;    // recorded, and not ready to run yet
  Program* last_ = nullptr;            // the one that ran last
  std::size_t compiled_ = 0;           // how many were made, ever
  std::vector<std::string> made_for_;  // the signature of the one made last
  std::string why_ = "it was never called";
  bool static_scalars_ = false;
  Location static_since_;   // the line that used what C++ made of one, if that is known
  std::size_t sample_ = 0;  // where sizes vary, how often the function was traced before
  ResultForm form_;         // of the last trace
  std::vector<std::uint64_t> statics_;      // of the last trace's result
  const std::unique_ptr<SizeMarks> marks_;  // null: all sizes are fixed
  // Scratch.
  Arguments arguments_;
  bool running_ = false;  // the executable of the program
  std::vector<StatePtr> results_;
  std::vector<std::shared_ptr<runtime::Buffer>> buffers_;
};

}  // namespace detail

}  // namespace tutti

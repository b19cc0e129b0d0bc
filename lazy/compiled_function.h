#pragma once

#include <tutti/lazy/tensor.h>
#include <tutti/lazy/varying_size.h>
#include <tutti/runtime/function_ref.h>

#include <atomic>
#include <cstdint>
#include <deque>
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
  using Body = runtime::FunctionRef<std::vector<StatePtr>(
      std::size_t program, const std::vector<StatePtr>& tensors, bool tagged)>;

  // Throws UsageError for sizes that make no sense.
  CompiledFunction(Location where, const std::vector<VaryingSize>& sizes);
  ~CompiledFunction();

  // Begins a call: the arguments, to be filled. Throws UsageError on another rank than the first
  // call's.
  Arguments& begin();
  // Makes the program for the arguments, which need no data; it can only be looked at.
  void lower(Describe describe, Body body);
  // Runs the program for the arguments, made with `body` if there is none yet, and gives its
  // number. Arguments that nobody else holds are given up: their memory may become the results'.
  std::size_t call(Describe describe, Body body);
  // What the call gave; to be taken out.
  std::vector<StatePtr>& results() { return results_; }
  // Where sizes vary the body is traced several times: how often it was before.
  std::size_t sample() const { return sample_; }
  // Throws UsageError: that part of the result differs from trace to trace.
  [[noreturn]] void fail_static(const std::string& name) const;
  // Whether the calling rank is tracing already, so that the body is just called.
  static bool inlined();

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

 private:
  struct Program;
  // Of the program that ran last. Throw UsageError, naming what was asked, if there is none.
  const std::string& last_traced(std::string_view asked) const;
  const codegen::Plan& last_plan(std::string_view asked) const;
  void log_recompile() const;
  void check_arguments(Describe describe);
  std::size_t find_or_trace(Describe describe, Body body);
  void trace(const Names& names, Body body, bool tagged, std::size_t index);
  struct Recording;
  // The body's program for these values of the sizes that vary. Nothing if C++ arithmetic on
  // numbers showed up while they were tagged.
  std::optional<Recording> record(const Names& names, Body body, bool tagged, std::size_t index,
                                  std::span<const std::int64_t> sizes);
  // The one for all sizes, if some vary.
  std::optional<Recording> record_all(const Names& names, Body body, bool tagged, std::size_t index,
                                      std::vector<std::string>& reasons);
  void run(Program& program);
  // The values of the sizes that vary, of a call.
  std::vector<std::int64_t> sizes_of(Program& program) const;

  Location where_;
  std::atomic<std::uint64_t> context_{0};  // of the rank that called it first
  std::int64_t calls_ = 0;
  std::deque<std::unique_ptr<Program>> programs_;
  std::size_t last_ = 0;
  std::string why_ = "it was never called";
  bool static_scalars_ = false;
  std::size_t sample_ = 0;
  const std::unique_ptr<SizeMarks> marks_;  // null: all sizes are fixed
  // Scratch.
  Arguments arguments_;
  std::vector<StatePtr> results_;
  std::vector<std::shared_ptr<runtime::Buffer>> buffers_;
};

}  // namespace detail

}  // namespace tutti

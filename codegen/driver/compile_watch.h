#pragma once

#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/codegen/time_text.h>
#include <tutti/ir/support/error.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

class ExecutableDump;

// How long the parts of a compilation took, in their order.
using CompileTimes = std::vector<std::pair<std::string, std::chrono::nanoseconds>>;

// One compilation as those see it who look on: the caller's hook, the dump, the log, and who has to
// find a bug. Costs next to nothing when nobody does.
class CompileWatch {
 public:
  CompileWatch(const ir::Graph& traced, std::int64_t rank, const CompileOptions& options);
  CompileWatch(const CompileWatch&) = delete;
  CompileWatch& operator=(const CompileWatch&) = delete;
  ~CompileWatch();

  void traced();
  // For ir::PassOptions; empty if nobody looks.
  std::function<void(const ir::PassReport&)> after_pass();
  void planned(const Plan& plan);
  void compiled(const Plan& plan);

  void failed(const std::string& what);
  // The error's text without its line, and how to see the error again.
  std::string failed_by_a_bug(const Error& error);

 private:
  bool timed() const { return dump_ != nullptr || logs_; }
  void time(const std::string& part);

  const ir::Graph& traced_;
  const std::int64_t rank_;
  const CompileOptions& options_;
  const bool logs_;
  std::unique_ptr<ExecutableDump> dump_;
  CompileTimes times_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace tutti::codegen

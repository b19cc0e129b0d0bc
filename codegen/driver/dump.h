#pragma once

#include <tutti/codegen/driver/compile_watch.h>
#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/graph.h>
#include <tutti/ir/passes/passes.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen {

// A folder with the stages of everything that is compiled (TUTTI_DUMP):
//
//   index.html                                links all executables
//   rank0/0001-compiled-train.cpp-41/         the first one of rank 0
//     index.html                              all its stages on one page
//     00-trace.tutti, 01-decompose.tutti ...  what `tutti run` and the parser read
//     constants/                              the large ones of these texts
//     plan.txt, plan.ll, plan.s
//     kernels/00-add_mul.kernel, .ll, .s and, for GPUs, gpu-00-add_mul.cu, .ptx
//
// Many threads and processes may write to one folder at a time, and a later run adds to it: a
// folder is made by one of them alone, and pages only grow at their end, each time by a whole
// piece. So whatever happens, what is there can be read. What can't be written is warned of once,
// and then left.
class ExecutableDump;
class Dump : public std::enable_shared_from_this<Dump> {
 public:
  // The stages are words of TUTTI_DUMP. Makes nothing yet.
  Dump(std::filesystem::path folder, std::vector<std::string> stages);

  const std::filesystem::path& folder() const { return folder_; }
  bool has(std::string_view stage) const;

  // Begins with a traced program; `line` is the one that the pages name.
  std::unique_ptr<ExecutableDump> begin(const ir::Graph& traced, std::int64_t rank, Location line);

 private:
  friend class ExecutableDump;
  // The first error is warned of; afterwards nothing is written.
  void give_up(const std::string& why);
  bool works() const { return works_; }

  const std::filesystem::path folder_;
  const std::vector<std::string> stages_;
  std::atomic<bool> works_ = true;
};

// The stages of one executable, written as they come.
class ExecutableDump {
 public:
  ExecutableDump(std::shared_ptr<Dump> dump, const ir::Graph& traced, std::int64_t rank,
                 Location line);

  void after_pass(const ir::PassReport& report);
  void planned(const Plan& plan);
  void compiled(const Plan& plan, const CompileTimes& times);
  void failed(const std::string& what);

  // Empty if it could not be made.
  std::string folder() const { return folder_.string(); }

 private:
  void write(const std::string& file, std::string_view text);
  void append(const std::filesystem::path& page, const std::string& piece);
  void add_stage(const std::string& name, const std::string& note, const std::string& file,
                 const std::string& text);
  void add_kernels(const Plan& plan);
  // The text of a graph or plan; large constants are in files beside it.
  template <class Program>
  std::string text(const Program& program);
  std::string device_kernels(const Plan& plan);

  const std::shared_ptr<Dump> dump_;
  std::filesystem::path folder_;
  std::string link_;        // from the index
  std::size_t stages_ = 0;  // graphs written so far
  std::size_t nodes_ = 0;   // after the last pass
};

}  // namespace tutti::codegen

#include "tools/execute.h"

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/function.h>
#include <tutti/ir/interpret/interpret.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/symbolic_sizes.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/profile/trace_file.h>
#include <tutti/runtime/run/context.h>
#include <tutti/runtime/start_thread.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "tools/gpu_placement.h"

namespace tutti::tools {

namespace {

// Every rank is a thread of this process, with its own function.
std::vector<RankResult> run_compiled(std::span<const ir::Graph* const> functions,
                                     std::span<const std::vector<ir::Array>> inputs,
                                     const codegen::CompileOptions& options, int timed_runs,
                                     int gpus) {
  const auto ranks = static_cast<std::int64_t>(inputs.size());
  const auto fabric = std::make_shared<runtime::LocalFabric>(ranks);
  std::vector<RankResult> outputs(inputs.size());
  std::mutex mutex;
  std::exception_ptr failure;  // the first in time; it causes the others
  const std::string trace = runtime::profile_file();
  if (!trace.empty()) runtime::check_trace_file(trace);
  std::vector<std::shared_ptr<runtime::Profile>> profiles(inputs.size());
  const auto note = [&] {
    const std::scoped_lock lock(mutex);
    if (failure == nullptr) failure = std::current_exception();
  };
  const auto run = [&](int rank) {
    try {
      runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank),
                               ranks == 1 ? 0 : 1);
      try {
        const auto at = static_cast<std::size_t>(rank);
        context.profile = runtime::make_profile(trace, rank, context.pool, false);
        profiles[at] = context.profile;
        outputs[at] = run_rank(for_rank(*functions[at], rank, gpus), inputs[at], options, context,
                               timed_runs);
        context.backend->leave("it came to the end of the function");
      } catch (const std::exception& error) {
        // Before the context goes, which would say that the rank left without a reason.
        note();
        context.backend->leave(error.what());
      }
    } catch (const std::exception& error) {  // there is no context
      note();
      fabric->leave(rank, error.what());
    }
  };
  runtime::run_threads(static_cast<int>(ranks), run, [&](int rank, const std::string& why) {
    fabric->leave(rank, "it was not started: " + why);
  });
  runtime::save_together(trace, profiles);
  if (failure != nullptr) std::rethrow_exception(failure);
  return outputs;
}

void check_inputs(const ir::Graph& function, const std::vector<ir::Array>& arrays) {
  std::vector<Shape> shapes;
  for (const ir::Array& array : arrays) shapes.push_back(array.shape());
  const std::vector<std::int64_t> sizes = ir::solve_sizes(function, shapes);
  for (std::size_t i = 0; i < function.parameters().size() && i < arrays.size(); ++i) {
    const ir::Parameter& parameter = function.parameters()[i];
    const ir::Type& wanted = function.type(parameter.value);
    const ir::Type given{.dtype = arrays[i].dtype(), .shape = arrays[i].shape()};
    if (given.dtype != wanted.dtype ||
        given.shape != ir::shape_at(function, parameter.value, sizes)) {
      throw TypeError("argument %" + parameter.name + " of @" + function.name + " is " +
                      given.text() + ", not " + ir::symbolic_text(function, parameter.value));
    }
  }
  if (arrays.size() != function.parameters().size()) {
    throw TypeError("@" + function.name + " takes " + std::to_string(function.parameters().size()) +
                    " arguments, not " + std::to_string(arrays.size()));
  }
}

std::vector<RankResult> run_checked(std::span<const ir::Graph* const> functions,
                                    std::span<const std::vector<ir::Array>> inputs,
                                    const codegen::CompileOptions& options, int timed_runs,
                                    int gpus) {
  for (std::size_t rank = 0; rank < functions.size(); ++rank) {
    check_inputs(*functions[rank], inputs[rank]);
    if (rank != 0 && functions[rank] == functions[rank - 1]) continue;
    check_ranks(*functions[rank], static_cast<std::int64_t>(inputs.size()));
  }
  return run_compiled(functions, inputs, options, timed_runs, gpus);
}

}  // namespace

void check_ranks(const ir::Graph& function, std::int64_t ranks) {
  for (ir::NodeId id = 0; id < function.node_count(); ++id) {
    for (const ir::GroupPtr& group : ir::groups_met_in(function, id)) {
      for (const std::int64_t rank : group->ranks) {
        if (rank < ranks) continue;
        throw TypeError("group \"" + group->tag + "\" names rank " + std::to_string(rank) + " of " +
                            std::to_string(ranks) + " ranks; give more with --ranks",
                        function.node(id).location);
      }
    }
  }
}

std::vector<RankResult> run_timed(const ir::Graph& function,
                                  std::span<const std::vector<ir::Array>> inputs,
                                  const codegen::CompileOptions& options, int timed_runs,
                                  int gpus) {
  const std::vector<const ir::Graph*> functions(inputs.size(), &function);
  return run_checked(functions, inputs, options, timed_runs, gpus);
}

std::vector<std::vector<ir::Array>> execute(const ir::Graph& function,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            RunMode mode, const codegen::CompileOptions& options) {
  if (mode == RunMode::interpreter) return ir::interpret(function, inputs);
  const std::vector<const ir::Graph*> functions(inputs.size(), &function);
  return execute(functions, inputs, options);
}

std::vector<std::vector<ir::Array>> execute(std::span<const ir::Graph* const> functions,
                                            std::span<const std::vector<ir::Array>> inputs,
                                            const codegen::CompileOptions& options) {
  std::vector<std::vector<ir::Array>> out;
  for (RankResult& rank : run_checked(functions, inputs, options, 0, 0)) {
    out.push_back(std::move(rank.arrays));
  }
  return out;
}

void compile_only(const ir::Graph& function, std::int64_t ranks,
                  const codegen::CompileOptions& options, int gpus) {
  const auto fabric = std::make_shared<runtime::LocalFabric>(ranks);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    runtime::Context context(std::make_unique<runtime::HostBackend>(fabric, rank), 1);
    codegen::compile(for_rank(function, rank, gpus), context, options);
  }
}

}  // namespace tutti::tools

#pragma once

#include <tutti/codegen/driver/varying_sizes.h>
#include <tutti/lazy/compiled_function.h>
#include <tutti/lazy/literal_inputs.h>
#include <tutti/lazy/trace.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::detail {

// What a compiled function became for one signature.
struct CompiledFunction::Program {
  std::vector<std::uint64_t> key;
  std::string traced;
  ResultForm form;
  std::vector<StatePtr> inputs;  // of the graph's parameters: null for arguments
  // Of a program that communicates: what is done where a run fails.
  ir::Graph graph;
  std::unique_ptr<codegen::Executable> executable;
  std::vector<std::string> origins;  // of results that are still under way
  std::vector<bool> positions;       // of results; passes may make constants of them
  LiteralPlan literals;
  std::vector<Trace::NarrowedArgument> narrowed_arguments;
  std::optional<codegen::VaryingSizes> sizes;         // if some vary
  std::vector<std::string> reasons;                   // why these are not smaller
  std::vector<codegen::Executable::Pending> pending;  // scratch, as the next
  std::vector<codegen::Executable::Result> results;
};

}  // namespace tutti::detail

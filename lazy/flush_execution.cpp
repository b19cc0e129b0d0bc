// How the program that a flush takes out is run: as what it was compiled to when it came first,
// with the lines, the sites and the numbers of this time.

#include <tutti/codegen/driver/compile.h>
#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/lazy/flush.h>
#include <tutti/runtime/comm/site.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::detail {

using ir::NodeId;

namespace {

// The calls inside of a loop or branch keep the sites of their lines.
std::uint32_t site_of_call(const ir::Graph& program, NodeId id) {
  if (ir::is_control(program.node(id).op)) return 0;
  return runtime::site_of(program.node(id).location, program.attributes(id).group("group")->name);
}

// Of the first result.
Location first_line(const ir::Graph& program) {
  return program.results().empty() ? Location()
                                   : program.node(program.producer(program.results()[0])).location;
}

bool has_line(const ir::Graph& program, const Location& line) {
  if (!line.known()) return true;
  for (NodeId id = 0; id < program.node_count(); ++id) {
    if (program.node(id).location == line) return true;
  }
  return false;
}

// By call: f(its node).
template <class F>
auto by_call(const ir::Graph& program, F&& f) {
  std::vector<decltype(f(NodeId{}))> out(program.call_count());
  for (NodeId id = 0; id < program.node_count(); ++id) {
    for (const ir::CallId call : program.calls(id)) out[call] = f(id);
  }
  return out;
}

// What is compiled once: with the lines of what says them, which are all where each op is looked
// at. (Functions have those of their observations in their hashes.)
Hash128 hash_with_lines(const ir::Graph& program, bool looks_at_all) {
  const Hash128 structure = ir::structural_hash(program);
  std::optional<Hasher> lines;
  const auto add_lines = [&](const ir::Graph& graph) {
    for (NodeId id = 0; id < graph.node_count(); ++id) {
      if (!looks_at_all && graph.node(id).op != ir::Op::observe) continue;
      if (!lines) lines.emplace().add(structure);
      lines->add(id).add(graph.node(id).location.text());
    }
  };
  add_lines(program);
  if (looks_at_all) {
    for (const ir::FunctionPtr& function : ir::all_functions(program)) add_lines(function->graph());
  }
  return lines ? lines->finish() : structure;
}

}  // namespace

std::vector<codegen::Executable::Result> Flush::execute(const ir::Graph& program) {
  const Hash128 hash = hash_with_lines(program, context_.compile_options.no_nans);
  EvaluatedProgram* known = context_.executables_.find(hash);
  const bool was_known = known != nullptr;
  log_evaluation(program, was_known);
  if (!was_known) {
    EvaluatedProgram made;
    made.executable = codegen::compile(program, context_.runtime_, context_.compile_options);
#ifndef NDEBUG
    made.program = program;
#endif
    known = &context_.executables_.add(hash, std::move(made));
  }
#ifndef NDEBUG
  if (!ir::structurally_equal(program, known->program)) {
    throw InternalError("two programs have one structural hash");
  }
#endif
  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
  for (const Input& input : inputs_) {
    if (input.state != nullptr) {
      context_.make_ready(*input.state, input.state->where);
      buffers.push_back(input.state->buffer);
    } else {
      const auto bytes = input.scalar->bytes();
      buffers.push_back(
          context_.runtime_.allocator.allocate(bytes.size(), {.what = "number", .where = {}}));
      std::copy(bytes.begin(), bytes.end(), buffers.back()->data());
    }
  }
  // The plan may come from an equal program traced elsewhere: errors name the lines of this one.
  const std::vector<Location> lines =
      by_call(program, [&](NodeId id) { return program.node(id).location; });
  const std::vector<std::uint32_t> sites =
      by_call(program, [&](NodeId id) { return site_of_call(program, id); });
  const std::vector<runtime::Agreement> agreed = agreements(program);
  running_ = known;
  try {
    return known->executable->run(
        buffers, {.lines = lines, .sites = sites, .agreements = agreed, .abandon = false});
  } catch (const OutOfMemoryError& error) {
    if (!was_known || has_line(program, error.where())) throw;
    throw OutOfMemoryError(
        error.message() + "; the same program was recorded first at " + error.where().text(),
        first_line(program));
  }
}

// What the numbers in it mean for each collective, and for its results.
std::vector<runtime::Agreement> Flush::agreements(const ir::Graph& program) {
  if (program.mesh == nullptr || program.mesh->ranks() == 1) return {};
  LiteralInputs inputs;
  for (const Input& input : inputs_) {
    inputs.add(
        input.state == nullptr ? std::span<const ir::LiteralUse>() : input.state->literal_uses,
        input.scalar == nullptr ? std::span<const std::byte>() : input.scalar->bytes());
  }
  return inputs.agreements(program, &result_uses_);
}

void Flush::log_evaluation(const ir::Graph& program, bool known) const {
  const runtime::Log* const log = context_.compile_options.log;
  if (log == nullptr || !log->takes(runtime::LogTopic::evaluate)) return;
  const Location line = first_line(program);
  log->write(runtime::LogTopic::evaluate, context_.runtime_.rank(),
             ir::counted(program.node_count() - program.parameters().size(), "node") + " for " +
                 ir::counted(program.results().size(), "result") +
                 (line.known() ? ", the first of " + line.text() : "") +
                 (known ? "; the program is known" : "; the program is new"));
}

}  // namespace tutti::detail

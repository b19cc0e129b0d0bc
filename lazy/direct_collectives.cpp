#include <tutti/codegen/driver/abandon.h>
#include <tutti/ir/builder.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/direct_collectives.h>
#include <tutti/lazy/literal_inputs.h>
#include <tutti/lazy/signature.h>
#include <tutti/runtime/comm/site.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace tutti::detail {

DirectCollectives::Program DirectCollectives::make(RankContext& context, ir::Op op,
                                                   std::span<const StatePtr> operands,
                                                   const std::vector<ir::Attribute>& attributes,
                                                   Location where) {
  Program program;
  ir::Graph& graph = program.graph;
  graph.name = "launch";
  graph.mesh = context.mesh();
  graph.default_device = context.default_device();
  std::vector<ir::Value> values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    values.push_back(
        graph.add_parameter("x" + std::to_string(i), formal_type(*operands[i]), false, where));
  }
  ir::Builder builder(graph);
  builder.at(where);
  const ir::NodeId node = builder.node(op, values, attributes);
  std::vector<ir::Value> results;
  for (std::uint32_t i = 0; i < graph.node(node).result_count; ++i) {
    results.push_back(graph.result(node, i));
    program.types.push_back(graph.type(results.back()));
    program.types.back().device = graph.device(results.back());
    program.types.back().async = false;
  }
  graph.set_results(std::move(results));
  return program;
}

DirectCollectives::Program& DirectCollectives::find(RankContext& context, ir::Op op,
                                                    std::span<const StatePtr> operands,
                                                    const std::vector<ir::Attribute>& attributes,
                                                    Location where) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(op));
  for (const ir::Attribute& attribute : attributes) ir::hash_attribute(hasher, attribute);
  types_.clear();
  for (const StatePtr& operand : operands) add_type(*operand, types_);
  for (const std::uint64_t word : types_) hasher.add(word);
  const Hash128 key = hasher.finish();
  if (Program* const known = programs_.find(key)) return *known;

  Program program = make(context, op, operands, attributes, where);
  codegen::CompileOptions options = context.compile_options;
  options.where = where;
  program.executable = codegen::compile(program.graph, context.runtime(), options);
  // Here and not at each start: the first says it for all.
  for (const ir::Type& type : program.types) context.note_replication(type, where);
  return programs_.add(key, std::move(program));
}

std::vector<StatePtr> DirectCollectives::start(RankContext& context, ir::Op op,
                                               std::span<const StatePtr> operands,
                                               const std::vector<ir::Attribute>& attributes,
                                               Location where) {
  const Recorder::Claim claim(context.recorder());
  context.check_idle(where);
  if (busy_) {
    throw UsageError(
        "a collective is launched by code that releases memory while another one is; keep what it "
        "needs and launch it later",
        where);
  }
  const RaisedFlag busy(busy_);
  bool ran = false;  // then peers were told
  try {
    std::exception_ptr pending;  // what fails of all that is pending need not concern this call
    try {
      context.compute(operands);
    } catch (const std::exception&) {
      pending = std::current_exception();
      context.compute(operands);
    }
    Program& program = find(context, op, operands, attributes, where);
    for (const StatePtr& operand : operands) context.make_ready(*operand, where);
    std::vector<StatePtr> results = run(context, program, operands, where, ran);
    if (pending != nullptr) std::rethrow_exception(pending);
    return results;
  } catch (const std::exception& error) {
    if (!ran) {
      const Program program = make(context, op, operands, attributes, where);
      codegen::abandon_collectives(program.graph, context.runtime(),
                                   context.compile_options.algorithm, error.what());
    }
    throw;
  }
}

std::vector<StatePtr> DirectCollectives::run(RankContext& context, Program& program,
                                             std::span<const StatePtr> operands, Location where,
                                             bool& ran) {
  struct End {
    DirectCollectives& programs;
    ~End() {
      programs.buffers_.clear();
      programs.results_.clear();
    }
  } const end{*this};
  bool numbers = false;
  for (const StatePtr& operand : operands) {
    buffers_.push_back(operand->buffer);
    numbers = numbers || !operand->literal_uses.empty();
  }
  std::vector<runtime::Agreement> agreements;
  LiteralInputs::ResultUses uses;
  if (numbers) {
    LiteralInputs inputs;
    for (const StatePtr& operand : operands) inputs.add(operand->literal_uses, {});
    agreements = inputs.agreements(program.graph, &uses);
  }
  const std::array<Location, 1> lines = {where};
  const ir::NodeId call = program.graph.producer(program.graph.results()[0]);
  const std::array<std::uint32_t, 1> sites = {
      runtime::site_of(where, program.graph.attributes(call).group("group")->name)};
  ran = true;
  {
    const RankContext::Running running(context);
    program.executable->run(buffers_, {.lines = lines, .sites = sites, .agreements = agreements},
                            results_);
  }
  std::vector<StatePtr> out;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    StatePtr state = context.leaf(program.types[i], std::move(results_[i].buffer), where);
    state->work = std::move(results_[i].work);
    state->part = results_[i].part;
    if (const auto found = uses.find(program.graph.results()[i].id); found != uses.end()) {
      state->literal_uses = found->second;
    }
    out.push_back(std::move(state));
  }
  return out;
}

void DirectCollectives::forget_programs_of(const ir::Group& group) {
  programs_.erase_if([&](const Program& program) {
    return codegen::uses_group(program.executable->plan(), group);
  });
}

}  // namespace tutti::detail

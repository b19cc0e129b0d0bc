// How a compiled function's programs are made.

#include <tutti/ir/passes/observe_nans.h>
#include <tutti/ir/sizes/complete_sizes.h>
#include <tutti/ir/sizes/merge_samples.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/lazy/compiled_program.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/signature.h>
#include <tutti/lazy/size_marks.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <cfenv>

namespace tutti::detail {

namespace {

// "all_reduce sum f32[4] over world": what a result still under way comes from.
std::string origin_of(const codegen::Plan& plan, int work) {
  for (const codegen::Step& step : plan.steps) {
    const codegen::CollectiveStart* const start = codegen::start_of(step);
    if (start != nullptr && start->work == work) {
      return start->call.description + " over " + start->group->tag;
    }
  }
  return {};
}

}  // namespace

struct CompiledFunction::Recording {
  ir::Graph graph;
  std::vector<StatePtr> inputs;  // of the graph's parameters: null for arguments
  std::size_t numbers = 0;       // parameters behind the tensors that are numbers
  std::vector<Trace::NarrowedArgument> narrowed_arguments;
};

std::optional<CompiledFunction::Recording> CompiledFunction::record(
    const Names& names, Body body, bool tagged, std::span<const std::int64_t> sizes) {
  RankContext& context = RankContext::current();
  Trace trace(Trace::Kind::compiled, context.id(), context.mesh(), context.default_device());
  trace.graph().name = "compiled";
  std::vector<StatePtr> formals;
  for (std::size_t i = 0; i < names.tensors.size(); ++i) {
    const TensorState& state = *arguments_.tensors[i];
    ir::Type type = formal_type(state);
    if (marks_ != nullptr) type.shape = marks_->shape_for(i, type.shape, sizes);
    formals.push_back(
        trace.handle(trace.add_formal("a" + names.tensors[i], type, state.where), state.where));
  }
  // Numbers are literals: the same on every rank, or an error when the ranks' programs meet.
  for (std::size_t i = 0; tagged && i < names.scalars.size(); ++i) {
    const ir::Type type{.dtype = arguments_.scalars[i].single ? DType::f32 : DType::f64,
                        .shape = {},
                        .replication = {.dimensions = 0, .literal = true},
                        .async = false,
                        .device = Device::any()};
    trace.scalar_arguments.push_back(
        trace.number(trace.add_formal("a" + names.scalars[i], type, where_)));
  }
  std::vector<StatePtr> results;
  {
    const Tracing tracing(context, trace);
    std::feclearexcept(FE_INVALID);
    try {
      results = body(formals, tagged);
    } catch (...) {
      // A placeholder that went through C++ arithmetic may cause any error; the plain values
      // decide.
      if (!tagged || arguments_.scalars.empty() || std::fetestexcept(FE_INVALID) == 0) throw;
      trace.scalar_tampered = true;
    }
    const bool touched = trace.scalar_tampered || std::fetestexcept(FE_INVALID) != 0;
    if (tagged && !arguments_.scalars.empty() && touched) {
      static_scalars_ = true;
      static_since_ = trace.scalar_tampered_at;
    } else {
      std::vector<ir::Value> values;
      for (const StatePtr& state : results) values.push_back(trace.value_of(*state, where_));
      trace.graph().set_results(std::move(values));
    }
  }
  if (tagged && static_scalars_) return std::nullopt;
  // Constants that were let in while tracing are parameters, too.
  return Recording{trace.program(), trace.inputs(), trace.scalar_arguments.size(),
                   trace.narrowed_arguments};
}

std::optional<CompiledFunction::Recording> CompiledFunction::record_all(
    const Names& names, Body body, bool tagged, std::vector<std::string>& reasons) {
  sample_ = 0;
  if (marks_ == nullptr) return record(names, body, tagged, {});
  const std::vector<ir::SizeSymbol>& symbols = marks_->symbols();
  std::vector<ir::Sample> samples;
  std::optional<Recording> first;
  // Says false if C++ arithmetic on numbers showed up.
  const auto take = [&](std::vector<std::int64_t> values) {
    std::optional<Recording> one = record(names, body, tagged, values);
    if (!one) return false;
    ++sample_;
    if (RankContext::current().compile_options.no_nans) ir::observe_nans(one->graph);
    samples.push_back({std::move(values), std::move(one->graph)});
    if (!first) {
      first = std::move(one);
    } else if (first->inputs != one->inputs) {
      throw UsageError("the function captures other tensors for " +
                           ir::values_text(symbols, samples.back().values) + " than for " +
                           ir::values_text(symbols, samples[0].values),
                       where_);
    }
    return true;
  };
  for (std::vector<std::int64_t>& values : ir::corners(symbols)) {
    if (!take(std::move(values))) return std::nullopt;
  }
  std::vector<std::int64_t> middle;
  for (const ir::SizeSymbol& symbol : symbols) {
    middle.push_back(symbol.least + (symbol.most - symbol.least + 1) / 2);
  }
  if (!take(std::move(middle))) return std::nullopt;
  // Each size small, as far as the program goes. Sizes of 1 and 0 are left out: what is dropped for
  // them, such as a broadcast, is no difference that counts.
  ir::Graph graph = ir::merge_samples(symbols, samples);
  ir::raise_lower_bounds(graph);
  for (std::size_t i = 0; graph.sizes != nullptr && i < graph.sizes->symbols.size(); ++i) {
    std::vector<std::int64_t> small = samples[0].values;
    small[i] = std::clamp<std::int64_t>(2, graph.sizes->symbols[i].least, small[i]);
    if (!take(std::move(small))) return std::nullopt;
  }
  first->graph = ir::merge_samples(symbols, samples);
  for (std::size_t i = 0; i < first->inputs.size(); ++i) {
    const ir::Parameter& parameter = first->graph.parameters()[i];
    if (first->inputs[i] == nullptr || !ir::size_varies(first->graph, parameter.value)) continue;
    throw UsageError("a captured tensor cannot vary in size: " + parameter.name + " is " +
                         ir::symbolic_text(first->graph, parameter.value),
                     where_);
  }
  reasons = ir::raise_lower_bounds(first->graph);
  if (first->graph.sizes != nullptr) {
    // That its sizes are so for others than those that were tried, too.
    ir::Graph again = first->graph;
    ir::complete_sizes(again);
  }
  first->graph = marks_->narrowed(std::move(first->graph));
  return first;
}

void CompiledFunction::trace(const Names& names, Body body, bool tagged) {
  RankContext& context = RankContext::current();
  const runtime::ProfileSlice slice(context.runtime().profile.get(), "compile", "trace and compile",
                                    where_);
  making_ = nullptr;
  auto program = std::make_unique<Program>();
  std::optional<Recording> recording = record_all(names, body, tagged, program->reasons);
  if (!recording) recording = record_all(names, body, false, program->reasons);
  program->graph = std::move(recording->graph);
  program->inputs = std::move(recording->inputs);
  program->narrowed_arguments = std::move(recording->narrowed_arguments);
  // From here on the call counts: what fails is no reason for peers to wait.
  making_ = std::move(program);
  make_ready_to_run(*making_, names, recording->numbers);
}

void CompiledFunction::make_ready_to_run(Program& made, const Names& names, std::size_t count) {
  RankContext& context = RankContext::current();
  Program* const program = &made;
  const ir::Graph& graph = made.graph;
  program->traced = ir::print(graph);
  codegen::CompileOptions options = context.compile_options;
  options.where = where_;
  options.one_program = names.tensors.size() + count;
  if (graph.sizes != nullptr) program->sizes.emplace(graph);
  program->executable = codegen::compile(graph, context.runtime(), options);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(names.tensors.size() + i);
  program->literals = LiteralPlan(graph, numbers);
  const codegen::Plan& plan = program->executable->plan();
  for (const codegen::PlanResult& result : plan.results) {
    program->origins.push_back(origin_of(plan, result.work));
  }
  for (const ir::Value result : graph.results()) {
    program->positions.push_back(graph.type(result).replication.positions);
  }
}

}  // namespace tutti::detail

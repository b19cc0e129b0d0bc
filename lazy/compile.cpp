#include <tutti/ir/print.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/literal_inputs.h>
#include <tutti/lazy/scalar_tag.h>
#include <tutti/lazy/signature.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cstring>

namespace tutti::detail {

namespace {

// So many signatures of one function are probably a mistake: said once.
constexpr std::size_t kManyPrograms = 64;

// "all_reduce sum f32[4] over world": what a result still under way comes from.
std::string origin_of(const codegen::Plan& plan, int work) {
  for (const codegen::Step& step : plan.steps) {
    const auto* const start = std::get_if<codegen::CollectiveStart>(&step);
    if (start != nullptr && start->work == work) {
      return start->call.description + " over " + start->group->tag;
    }
  }
  return {};
}

}  // namespace

struct CompiledFunction::Program {
  std::vector<std::uint64_t> key;
  std::vector<std::string> signature;
  std::string traced;
  std::vector<StatePtr> inputs;  // of the graph's parameters: null for arguments
  std::unique_ptr<codegen::Executable> executable;
  std::vector<std::string> origins;  // of results that are still under way
  LiteralPlan literals;
  std::vector<codegen::Executable::Result> results;  // scratch
};

void CompiledFunction::Arguments::clear() {
  tensors.clear();
  scalars.clear();
  key.clear();
}

float scalar_placeholder(float, int number) { return ScalarTag::of_float(number); }
double scalar_placeholder(double, int number) { return ScalarTag::of_double(number); }

int placeholder_number(float value) {
  bool& tampered = RankContext::current().trace().root().scalar_tampered;
  return ScalarTag::argument_of(std::bit_cast<std::uint32_t>(value), true, tampered).value_or(-1);
}

int placeholder_number(double value) {
  bool& tampered = RankContext::current().trace().root().scalar_tampered;
  return ScalarTag::argument_of(std::bit_cast<std::uint64_t>(value), false, tampered).value_or(-1);
}

CompiledFunction::CompiledFunction(Location where) : where_(where) {}
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::inlined() {
  const RankContext& context = RankContext::current();
  return context.compiling() || context.keep_recording > 0;
}

CompiledFunction::Arguments& CompiledFunction::begin() {
  // Ranks may be threads: whoever calls first has it.
  const std::uint64_t own = RankContext::current().id();
  std::uint64_t owner = 0;
  if (!context_.compare_exchange_strong(owner, own) && owner != own) {
    throw UsageError(
        "this compiled function belongs to another rank or World; compile it again there", where_);
  }
  arguments_.clear();
  return arguments_;
}

std::size_t CompiledFunction::call(Describe describe, Body body) {
  // Whatever happens, no handles are kept; the numbers are for the caller.
  struct End {
    CompiledFunction& function;
    ~End() {
      function.arguments_.tensors.clear();
      function.buffers_.clear();
    }
  } const end{*this};
  results_.clear();
  check_arguments(describe);
  const runtime::ProfileSlice slice(RankContext::current().runtime().profile.get(), "call",
                                    "compiled function", where_);
  RankContext::current().compute(arguments_.tensors);
  last_ = find_or_trace(describe, body);
  ++calls_;
  run(*programs_[last_]);
  return last_;
}

void CompiledFunction::lower(Describe describe, Body body) {
  struct End {
    CompiledFunction& function;
    ~End() { function.arguments_.tensors.clear(); }
  } const end{*this};
  last_ = find_or_trace(describe, body);
}

void CompiledFunction::check_arguments(Describe describe) {
  const RankContext& context = RankContext::current();
  for (std::size_t i = 0; i < arguments_.tensors.size(); ++i) {
    const TensorState& state = *arguments_.tensors[i];
    check_readable(state, where_);
    if (state.context == context.id()) continue;
    throw UsageError("argument " + describe().tensors[i] + " (made at " + state.where.text() +
                         ") belongs to another rank or thread",
                     where_);
  }
}

std::size_t CompiledFunction::find_or_trace(Describe describe, Body body) {
  const std::size_t statics = arguments_.key.size();
  add_signature(arguments_, static_scalars_);
  if (last_ < programs_.size() && programs_[last_]->key == arguments_.key) return last_;
  const auto known = std::ranges::find(programs_, arguments_.key,
                                       [](const auto& program) { return program->key; });
  if (known != programs_.end()) return static_cast<std::size_t>(known - programs_.begin());

  const Names names = describe();
  const std::size_t index = programs_.size();
  why_ = programs_.empty() ? "the first call"
                           : difference(programs_.back()->signature,
                                        signature_of(arguments_, names, static_scalars_));
  log_recompile();
  trace(names, body, !static_scalars_, index);
  if (programs_.size() == kManyPrograms) {
    runtime::warn("the function compiled at " + where_.text() + " has " +
                  std::to_string(kManyPrograms) + " programs by now; the last was made because " +
                  why_);
  }
  // C++ arithmetic on a floating-point argument makes its values part of the signature.
  arguments_.key.resize(statics);
  add_signature(arguments_, static_scalars_);
  programs_[index]->key = arguments_.key;
  programs_[index]->signature = signature_of(arguments_, names, static_scalars_);
  return index;
}

void CompiledFunction::run(Program& program) {
  RankContext& context = RankContext::current();
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  for (const StatePtr& input : program.inputs) {
    if (input != nullptr) {
      context.make_ready(*input);
      buffers_.push_back(input->buffer);
    } else if (tensor < arguments_.tensors.size()) {
      StatePtr state = std::move(arguments_.tensors[tensor++]);
      context.make_ready(*state);
      // Nobody else has the handle: then nobody else reads the data through it.
      if (state.use_count() == 1) {
        buffers_.push_back(std::move(state->buffer));
      } else {
        buffers_.push_back(state->buffer);
      }
    } else {
      const Arguments::Scalar& number = arguments_.scalars[scalar++];
      buffers_.push_back(context.runtime().allocator.allocate(number.single ? 4 : 8));
      const auto single = static_cast<float>(number.value);
      std::memcpy(buffers_.back()->data(),
                  number.single ? static_cast<const void*>(&single)
                                : static_cast<const void*>(&number.value),
                  buffers_.back()->bytes());
    }
  }
  program.executable->run(buffers_,
                          {.collective_lines = {},
                           .agreements = program.literals.agreements(arguments_.scalars),
                           .donate = true},
                          program.results);
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    codegen::Executable::Result& result = program.results[i];
    StatePtr state = context.leaf(result.type, std::move(result.buffer), where_);
    state->work = std::move(result.work);
    state->part = result.part;
    if (result.type.async) state->origin = program.origins[i];
    results_.push_back(std::move(state));
  }
  program.results.clear();
}

void CompiledFunction::trace(const Names& names, Body body, bool tagged, std::size_t index) {
  RankContext& context = RankContext::current();
  Trace trace(Trace::Kind::compiled, context.id(), context.mesh(), context.default_device());
  trace.graph().name = "compiled";
  const runtime::ProfileSlice slice(context.runtime().profile.get(), "compile", "trace and compile",
                                    where_);
  std::vector<StatePtr> formals;
  for (std::size_t i = 0; i < names.tensors.size(); ++i) {
    const TensorState& state = *arguments_.tensors[i];
    formals.push_back(trace.handle(
        trace.add_formal("a" + names.tensors[i], formal_type(state), state.where), state.where));
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
      results = body(index, formals, tagged);
    } catch (...) {
      // A placeholder that went through C++ arithmetic may cause any error; the plain values
      // decide.
      if (!tagged || arguments_.scalars.empty() || std::fetestexcept(FE_INVALID) == 0) throw;
      trace.scalar_tampered = true;
    }
    const bool touched = trace.scalar_tampered || std::fetestexcept(FE_INVALID) != 0;
    if (tagged && !arguments_.scalars.empty() && touched) {
      static_scalars_ = true;
    } else {
      std::vector<ir::Value> values;
      for (const StatePtr& state : results) values.push_back(trace.value_of(*state, where_));
      trace.graph().set_results(std::move(values));
    }
  }
  if (tagged && static_scalars_) return this->trace(names, body, false, index);

  auto program = std::make_unique<Program>();
  // Constants that were let in while tracing are parameters, too.
  const ir::Graph graph = trace.program();
  program->traced = ir::print(graph);
  program->inputs = trace.inputs();
  codegen::CompileOptions options = context.compile_options;
  options.where = where_;
  program->executable = codegen::compile(graph, context.runtime(), options);
  std::vector<std::size_t> numbers;  // parameters behind the tensors
  for (std::size_t i = 0; i < trace.scalar_arguments.size(); ++i) {
    numbers.push_back(names.tensors.size() + i);
  }
  program->literals = LiteralPlan(graph, codegen::collectives_kept(graph, options), numbers);
  const codegen::Plan& plan = program->executable->plan();
  for (const codegen::PlanResult& result : plan.results) {
    program->origins.push_back(origin_of(plan, result.work));
  }
  programs_.push_back(std::move(program));
}

std::size_t CompiledFunction::programs() const { return programs_.size(); }

const std::string& CompiledFunction::last_traced(std::string_view asked) const {
  if (!programs_.empty()) return programs_[last_]->traced;
  throw UsageError(std::string(asked) + ": the function was not called yet", where_);
}

const codegen::Plan& CompiledFunction::last_plan(std::string_view asked) const {
  if (!programs_.empty()) return programs_[last_]->executable->plan();
  throw UsageError(std::string(asked) + ": the function was not called yet", where_);
}

}  // namespace tutti::detail

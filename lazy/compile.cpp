#include <tutti/ir/print.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/trace.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <charconv>
#include <iostream>

namespace tutti::detail {

namespace {

// So many signatures of one function are probably a mistake: said once.
constexpr std::size_t kManyPrograms = 64;

// Records into a trace of its own while it lives.
class Tracing {
 public:
  Tracing(RankContext& context, Trace& trace) : context_(context) { context_.push_trace(&trace); }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;
  ~Tracing() { context_.pop_trace(); }

 private:
  RankContext& context_;
};

std::string replication_text(const ir::Replication& replication) {
  if (replication.literal) return " literal";
  return replication.dimensions == 0
             ? ""
             : " replicated over dimensions " + std::to_string(replication.dimensions);
}

// An argument's type inside the function: whoever runs the program waits for what is in flight, and
// with one rank replication says nothing, so that it is no reason for another program.
ir::Type formal_type(const TensorState& state) {
  ir::Type type = state.type;
  type.async = false;
  const auto& mesh = RankContext::current().mesh();
  if (mesh == nullptr || mesh->ranks() == 1) type.replication = {};
  return type;
}

// Constants that were let in while tracing are parameters too, and those come first.
ir::Graph with_parameters_first(const ir::Graph& graph) {
  std::vector<ir::NodeId> order;
  for (const bool parameters : {true, false}) {
    for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
      if ((graph.node(id).op == ir::Op::parameter) == parameters) order.push_back(id);
    }
  }
  return ir::reordered(graph, order);
}

// Enough digits to tell any two numbers apart.
std::string exact_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// What a call must share with another to run the same program, a line per fact.
std::vector<std::string> signature_of(const CompiledFunction::Arguments& arguments,
                                      bool scalar_values) {
  std::vector<std::string> out;
  std::unordered_map<const TensorState*, std::string> seen;
  for (const auto& [name, state] : arguments.tensors) {
    const ir::Type type = formal_type(*state);
    std::string line = name + ": " + type.text() + replication_text(type.replication);
    const auto [found, inserted] = seen.try_emplace(state.get(), name);
    if (!inserted) line += " (the same tensor as " + found->second + ")";
    out.push_back(std::move(line));
  }
  for (const auto& scalar : arguments.scalars) {
    out.push_back(scalar.name + (scalar.single ? ": float" : ": double") +
                  (scalar_values ? " = " + exact_text(scalar.value) : ""));
  }
  out.insert(out.end(), arguments.statics.begin(), arguments.statics.end());
  return out;
}

// The first fact in which two signatures differ.
std::string difference(const std::vector<std::string>& before,
                       const std::vector<std::string>& now) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i >= before.size()) return "new argument " + now[i];
    if (before[i] != now[i]) return before[i] + " became " + now[i];
  }
  return "it has fewer arguments";
}

Array scalar_array(const CompiledFunction::ScalarArgument& scalar) {
  return scalar.single ? Array::scalar(static_cast<float>(scalar.value))
                       : Array::scalar(scalar.value);
}

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
  std::vector<std::string> signature;
  std::string traced;
  std::vector<StatePtr> inputs;  // of the graph's parameters: null for arguments
  std::unique_ptr<codegen::Executable> executable;
};

float scalar_placeholder(float, int number) { return ScalarTag::of_float(number); }
double scalar_placeholder(double, int number) { return ScalarTag::of_double(number); }

int placeholder_number(float value) {
  bool& tampered = RankContext::current().trace().scalar_tampered;
  return ScalarTag::argument_of(std::bit_cast<std::uint32_t>(value), true, tampered).value_or(-1);
}

int placeholder_number(double value) {
  bool& tampered = RankContext::current().trace().scalar_tampered;
  return ScalarTag::argument_of(std::bit_cast<std::uint64_t>(value), false, tampered).value_or(-1);
}

CompiledFunction::CompiledFunction(Location where) : where_(where) {}
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::inlined() {
  const RankContext& context = RankContext::current();
  return context.compiling() || context.keep_recording > 0;
}

CompiledFunction::Results CompiledFunction::call(const Arguments& arguments, const Body& body) {
  RankContext& context = RankContext::current();
  std::vector<StatePtr> states;
  for (const auto& argument : arguments.tensors) {
    check_readable(*argument.state, where_);
    if (argument.state->context != context.id()) {
      throw UsageError("argument " + argument.name + " (made at " + argument.state->where.text() +
                           ") belongs to another rank or thread",
                       where_);
    }
    states.push_back(argument.state);
  }
  if (context_ != 0 && context_ != context.id()) {
    throw UsageError(
        "this compiled function belongs to another rank or World; compile it again there", where_);
  }
  context_ = context.id();
  context.flush(states);

  std::vector<std::string> signature = signature_of(arguments, static_scalars_);
  std::size_t index = 0;
  while (index < programs_.size() && programs_[index]->signature != signature) ++index;
  if (index == programs_.size()) {
    why_ =
        programs_.empty() ? "the first call" : difference(programs_.back()->signature, signature);
    trace(arguments, body, !static_scalars_, index);
    if (programs_.size() == kManyPrograms) {
      std::cerr << "tutti: warning: the function compiled at " << where_.text() << " has "
                << kManyPrograms << " programs by now; the last was made because " << why_ << "\n";
    }
    // C++ arithmetic on a floating-point argument makes its values part of the signature.
    programs_[index]->signature = signature_of(arguments, static_scalars_);
  }
  Program& program = *programs_[index];
  last_ = index;
  ++calls_;

  std::vector<std::shared_ptr<runtime::Buffer>> buffers;
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  for (const StatePtr& input : program.inputs) {
    if (input != nullptr) {
      context.make_ready(*input);
      buffers.push_back(input->buffer);
    } else if (tensor < states.size()) {
      context.make_ready(*states[tensor]);
      buffers.push_back(states[tensor++]->buffer);
    } else {
      const Array array = scalar_array(arguments.scalars[scalar++]);
      buffers.push_back(context.runtime().allocator.allocate(array.bytes().size()));
      std::ranges::copy(array.bytes(), buffers.back()->data());
    }
  }
  Results out{.program = index, .states = {}};
  for (const codegen::Executable::Result& result : program.executable->run(buffers)) {
    StatePtr state = context.leaf(result.type, result.buffer, where_);
    state->work = result.work;
    if (result.type.async) {
      const int work = program.executable->plan().results[out.states.size()].work;
      state->origin = origin_of(program.executable->plan(), work);
    }
    out.states.push_back(std::move(state));
  }
  return out;
}

CompiledFunction::Program& CompiledFunction::trace(const Arguments& arguments, const Body& body,
                                                   bool tagged, std::size_t index) {
  RankContext& context = RankContext::current();
  Trace trace(Trace::Kind::compiled, context.id(), context.mesh());
  trace.graph().name = "compiled";
  std::vector<StatePtr> formals;
  for (const auto& [name, state] : arguments.tensors) {
    formals.push_back(trace.handle(trace.add_formal("a" + name, formal_type(*state), state->where),
                                   state->where));
  }
  // Numbers are literals: the same on every rank, or an error when the ranks' programs meet.
  for (const auto& scalar : arguments.scalars) {
    const ir::Type type{.dtype = scalar.single ? DType::f32 : DType::f64,
                        .shape = {},
                        .replication = {.dimensions = 0, .literal = true}};
    if (tagged) trace.scalar_arguments.push_back(trace.add_formal("a" + scalar.name, type, where_));
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
      if (!tagged || arguments.scalars.empty() || std::fetestexcept(FE_INVALID) == 0) throw;
      trace.scalar_tampered = true;
    }
    const bool touched = trace.scalar_tampered || std::fetestexcept(FE_INVALID) != 0;
    if (tagged && !arguments.scalars.empty() && touched) {
      static_scalars_ = true;
    } else {
      std::vector<ir::Value> values;
      for (const StatePtr& state : results) values.push_back(trace.value_of(*state, where_));
      trace.graph().set_results(std::move(values));
    }
  }
  if (tagged && static_scalars_) return this->trace(arguments, body, false, index);

  auto program = std::make_unique<Program>();
  const ir::Graph graph = with_parameters_first(trace.graph());
  program->traced = ir::print(graph);
  program->inputs = trace.inputs();
  program->executable = codegen::compile(graph, context.runtime(), context.compile_options);
  programs_.push_back(std::move(program));
  return *programs_.back();
}

std::size_t CompiledFunction::programs() const { return programs_.size(); }

std::string CompiledFunction::ir() const {
  if (programs_.empty()) throw UsageError("ir(): the function was not called yet", where_);
  return programs_[last_]->traced;
}

std::string CompiledFunction::plan() const {
  if (programs_.empty()) throw UsageError("plan(): the function was not called yet", where_);
  return codegen::print(programs_[last_]->executable->plan());
}

std::string CompiledFunction::explain() const {
  return "compiled " + std::to_string(programs_.size()) + " times, last because: " + why_;
}

}  // namespace tutti::detail

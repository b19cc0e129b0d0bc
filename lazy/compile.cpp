#include <tutti/codegen/driver/abandon.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/compiled_program.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/failed_work.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/scalar_tag.h>
#include <tutti/lazy/signature.h>
#include <tutti/lazy/size_marks.h>
#include <tutti/runtime/profile/profile.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tutti::detail {

namespace {

// So many signatures of one function are probably a mistake: said once.
constexpr std::size_t kManyPrograms = 64;

}  // namespace

void CompiledFunction::Arguments::clear() {
  tensors.clear();
  scalars.clear();
  key.clear();
}

std::size_t CompiledFunction::KeyHasher::operator()(const std::vector<std::uint64_t>& key) const {
  Hasher hasher;
  for (const std::uint64_t word : key) hasher.add(word);
  return hasher.finish().low;
}

CompiledFunction::CompiledFunction(Location where, const std::vector<VaryingSize>& sizes)
    : where_(where),
      programs_(kept_programs()),
      marks_(sizes.empty() ? nullptr : std::make_unique<SizeMarks>(sizes, where)) {}
CompiledFunction::~CompiledFunction() = default;

bool CompiledFunction::inlined() {
  const RankContext& context = RankContext::current();
  return context.compiling() || context.keep_recording > 0;
}

CompiledFunction::InlinedCall::InlinedCall(Location where) : context_(RankContext::current()) {
  constexpr int kMost = 200;
  if (context_.inlined_calls >= kMost) {
    throw UsageError("a compiled function calls itself: " + std::to_string(kMost) +
                         " calls are inside each other; a loop of the program is a for_loop, a "
                         "while_loop or a scan",
                     where);
  }
  ++context_.inlined_calls;
}

CompiledFunction::InlinedCall::~InlinedCall() { --context_.inlined_calls; }

void CompiledFunction::give_to(const RankContext& context) { context_.store(context.id()); }

bool CompiledFunction::belongs_to(const RankContext& context) const {
  return context_.load() == context.id();
}

void CompiledFunction::check_owner(const RankContext& context, Location called_at) {
  // Ranks may be threads: whoever calls first has it.
  const std::uint64_t own = context.id();
  std::uint64_t owner = 0;
  if (!context_.compare_exchange_strong(owner, own) && owner != own) {
    throw UsageError(
        "this compiled function belongs to another rank or World; f.on(world) is the function for "
        "the rank of `world`, which a thread gets from init() or simulate()",
        called_at);
  }
}

void CompiledFunction::run_program(RankContext& context, Describe describe, Body body) {
  // Whatever happens, no handles are kept; the numbers are for the caller.
  struct End {
    CompiledFunction& function;
    ~End() {
      function.arguments_.tensors.clear();
      function.buffers_.clear();
    }
  } const end{*this};
  const Recorder::Claim claim(context.recorder());
  results_.clear();
  check_arguments(context, describe);
  const runtime::ProfileSlice slice(context.runtime().profile.get(), "call", "compiled function",
                                    where_);
  making_ = nullptr;
  try {
    context.compute(arguments_.tensors);
  } catch (const std::exception& error) {
    if (context.keep_recording == 0) call_without_arguments(describe, body, error);
    throw;
  }
  try {
    last_ = &find_or_trace(context, describe, body);
  } catch (const std::exception& error) {
    if (making_ != nullptr) start_rest(*making_, false, error);
    throw;
  }
  ++calls_;
  run(context, *last_);
}

// With regard to the peers the call takes place, whatever became of the arguments.
void CompiledFunction::call_without_arguments(Describe describe, Body body,
                                              const std::exception& error) {
  making_ = nullptr;
  try {
    start_rest(find_or_trace(RankContext::current(), describe, body), false, error);
  } catch (const std::exception&) {
    if (making_ != nullptr) start_rest(*making_, false, error);
  }
}

void CompiledFunction::check_arguments(const RankContext& context, Describe describe) {
  for (std::size_t i = 0; i < arguments_.tensors.size(); ++i) {
    const TensorState& state = *arguments_.tensors[i];
    check_readable(state, called_at_);
    if (state.context == context.id()) continue;
    throw UsageError("argument " + describe().tensors[i] + " (made at " + state.where.text() +
                         ") belongs to another rank or thread; share(tree).on(world) is the same "
                         "data for the rank of `world`",
                     called_at_);
  }
}

CompiledFunction::Program& CompiledFunction::find_or_trace(RankContext& context, Describe describe,
                                                           Body body) {
  const std::size_t statics = arguments_.key.size();
  static_scalars_ = static_scalars_ || arguments_.scalars.size() > ScalarTag::kMost;
  if (marks_ != nullptr) {
    marks_->find(arguments_, describe);
    marks_->choose(arguments_);
  }
  add_signature(context, arguments_, static_scalars_, marks_.get());
  if (last_ != nullptr && last_->key == arguments_.key) return *last_;
  if (const auto* const known = programs_.find(arguments_.key)) return **known;

  const Names names = describe();
  why_ =
      compiled_ == 0
          ? "the first call"
          : difference(made_for_, signature_of(arguments_, names, static_scalars_, marks_.get()));
  log_recompile();
  trace(names, body, !static_scalars_);
  if (++compiled_ == kManyPrograms) {
    runtime::warn("the function compiled at " + where_.text() + " has " +
                  std::to_string(kManyPrograms) + " programs by now; the last was made because " +
                  why_);
  }
  // C++ arithmetic on a floating-point argument makes its values part of the signature.
  arguments_.key.resize(statics);
  add_signature(context, arguments_, static_scalars_, marks_.get());
  if (compiled_ == 1) context.note_compiled(where_, ir::structural_hash(making_->graph));
  making_->key = arguments_.key;
  making_->form = std::move(form_);
  made_for_ = signature_of(arguments_, names, static_scalars_, marks_.get());
  if (!making_->graph.has_calls()) making_->graph = ir::Graph();
  last_ = nullptr;  // it may be forgotten now
  return *programs_.add(arguments_.key, std::move(making_));
}

std::vector<std::int64_t> CompiledFunction::sizes_of(Program& program) const {
  std::vector<Shape> out;  // of the program's parameters, as the call has them
  std::size_t tensor = 0;
  for (const StatePtr& input : program.inputs) {
    const bool is_tensor = input == nullptr && tensor < arguments_.tensors.size();
    if (input != nullptr) {
      out.push_back(input->type.shape);
    } else {
      out.push_back(is_tensor ? arguments_.tensors[tensor++]->type.shape : Shape());
    }
  }
  try {
    return program.sizes->solve(out);
  } catch (const TypeError& error) {
    // The program's parameters are the arguments, with an "a" in front.
    std::string text = error.message();
    for (std::size_t at = 0; (at = text.find("argument %a", at)) != std::string::npos;) {
      text.erase(at + std::string_view("argument ").size(), 2);
    }
    throw TypeError(text, called_at_);
  }
}

void CompiledFunction::check_numbers(const Program& program) const {
  for (const Trace::NarrowedArgument& each : program.narrowed_arguments) {
    const double number = arguments_.scalars[each.number].value;
    if (is_kept(number, Array::scalar_of(each.dtype, number).at(0))) continue;
    throw TypeError("the number " + number_text(number) + " meets a tensor of " +
                        std::string(name_of(each.dtype)) + " at " + each.where.text() +
                        ", where it does not fit; cast the tensor, or pass another number",
                    called_at_);
  }
}

void CompiledFunction::run(RankContext& context, Program& program) {
  try {
    check_numbers(program);
  } catch (const TypeError& error) {
    // The narrowed number would only be tried once more, and not fail.
    codegen::abandon_collectives(program.graph, context.runtime(),
                                 context.compile_options.algorithm, error.what());
    throw;
  }
  running_ = false;
  try {
    run_program(context, program);
    program.pending.clear();
  } catch (const std::exception& error) {
    // What fails behind the run has nothing to do with its collectives.
    if (!running_ || program.results.empty()) start_rest(program, running_, error);
    program.results.clear();
    program.pending.clear();
    throw;
  }
}

// A call that failed counts all the same for the peers: what does not need what failed is started.
void CompiledFunction::start_rest(Program& program, bool ran,
                                  const std::exception& error) noexcept {
  RankContext& context = RankContext::current();
  if (!program.graph.has_calls()) return;
  if (program.sizes || program.graph.sizes != nullptr) {
    if (ran) return;  // it said so itself
    return codegen::abandon_collectives(program.graph, context.runtime(),
                                        context.compile_options.algorithm, error.what());
  }
  try {
    const std::vector<StatePtr> inputs = inputs_of(program, ran);
    context.start_rest_of(program.graph, inputs, ran ? program.executable.get() : nullptr, error);
  } catch (const std::exception&) {
    codegen::abandon_collectives(program.graph, context.runtime(),
                                 context.compile_options.algorithm, error.what());
  }
}

// What the parameters of a call that failed stand for.
std::vector<StatePtr> CompiledFunction::inputs_of(Program& program, bool ran) const {
  RankContext& context = RankContext::current();
  const std::exception_ptr failure = std::current_exception();
  std::vector<StatePtr> inputs;
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i] != nullptr) {
      inputs.push_back(program.inputs[i]);
    } else if (tensor < arguments_.tensors.size()) {
      const StatePtr& argument = arguments_.tensors[tensor++];
      if (argument != nullptr) {
        inputs.push_back(argument);
        continue;
      }
      // It was moved into the call. Where the run may have written over it, it is gone.
      const ir::Type& type = program.graph.type(program.graph.parameters()[i].value);
      const bool gone = i >= buffers_.size() || (ran && program.executable->has_taken_over(i));
      inputs.push_back(context.leaf(type, gone ? nullptr : buffers_[i], where_));
      if (gone) inputs.back()->work = std::make_shared<FailedWork>(failure);
    } else {
      const Arguments::Scalar& number = arguments_.scalars[scalar++];
      Trace& trace = context.trace();
      const Array value = number.single ? Array::scalar(static_cast<float>(number.value))
                                        : Array::scalar(number.value);
      inputs.push_back(trace.handle(trace.number(trace.runtime_scalar(value)), where_));
    }
  }
  return inputs;
}

void CompiledFunction::run_program(RankContext& context, Program& program) {
  std::vector<std::int64_t> values;
  if (program.sizes) values = sizes_of(program);
  std::size_t tensor = 0;
  std::size_t scalar = 0;
  // What is under way is waited for where the program needs it, unless it is to be moved first.
  const bool may_wait = !program.sizes && program.executable->plan().devices.empty();
  program.literals.begin();
  for (const StatePtr& input : program.inputs) {
    if (input != nullptr) {
      context.make_ready(*input, where_);
      program.literals.bring(buffers_.size(), *input);
      buffers_.push_back(input->buffer);
    } else if (tensor < arguments_.tensors.size()) {
      StatePtr& argument = arguments_.tensors[tensor++];
      if (may_wait && argument->work != nullptr && !argument->work->test()) {
        program.pending.resize(program.inputs.size());
        program.pending[buffers_.size()] = {argument->work, argument->part};
        program.literals.bring(buffers_.size(), *argument);
        buffers_.push_back(nullptr);
        continue;
      }
      StatePtr state = std::move(argument);
      context.make_ready(*state, where_);
      program.literals.bring(buffers_.size(), *state);
      // Nobody else has the handle: then nobody else reads the data through it.
      if (state.use_count() == 1) {
        buffers_.push_back(std::move(state->buffer));
      } else {
        buffers_.push_back(state->buffer);
      }
    } else {
      const Arguments::Scalar& number = arguments_.scalars[scalar++];
      buffers_.push_back(context.runtime().allocator.allocate(number.single ? 4 : 8,
                                                              {.what = "number", .where = where_}));
      const auto single = static_cast<float>(number.value);
      std::memcpy(buffers_.back()->data(),
                  number.single ? static_cast<const void*>(&single)
                                : static_cast<const void*>(&number.value),
                  buffers_.back()->bytes());
    }
  }
  if (program.sizes) {
    program.sizes->enlarge(context.runtime(), values,
                           codegen::devices_of_inputs(program.executable->plan()), buffers_);
  }
  std::span<const runtime::Agreement> agreements = program.literals.agreements(arguments_.scalars);
  std::vector<runtime::Agreement> with_sizes;
  if (program.sizes) agreements = with_sizes = program.sizes->agreements(values, agreements);
  running_ = true;
  {
    const RankContext::Running running(context);
    program.executable->run(buffers_,
                            {.agreements = agreements,
                             .donate = true,
                             .pending = program.pending,
                             .abandon = program.sizes.has_value()},
                            program.results);
  }
  if (program.sizes) {
    program.sizes->cut(context.runtime(), values,
                       codegen::devices_of_results(program.executable->plan()), program.results);
  }
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    codegen::Executable::Result& result = program.results[i];
    ir::Replication& replication = result.type.replication;
    if (replication.literal) replication.positions = program.positions[i];
    StatePtr state = context.leaf(result.type, std::move(result.buffer), where_);
    state->work = std::move(result.work);
    state->part = result.part;
    if (result.type.async) state->origin = program.origins[i];
    results_.push_back(std::move(state));
  }
  program.results.clear();
}

std::size_t CompiledFunction::programs() const { return programs_.size(); }

void CompiledFunction::clear() {
  if (busy_) {
    throw UsageError(
        "clear: a call of the compiled function is under way, whose body, or code that releases "
        "memory in it, can't forget what it runs",
        where_);
  }
  last_ = nullptr;
  programs_.clear();
}

const std::string& CompiledFunction::last_traced(std::string_view asked) const {
  if (last_ != nullptr) return last_->traced;
  throw UsageError(std::string(asked) + ": the function was not called yet, or not since clear()",
                   where_);
}

const codegen::Plan& CompiledFunction::last_plan(std::string_view asked) const {
  if (last_ != nullptr) return last_->executable->plan();
  throw UsageError(std::string(asked) + ": the function was not called yet, or not since clear()",
                   where_);
}

}  // namespace tutti::detail

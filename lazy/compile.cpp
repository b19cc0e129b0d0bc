#include <tutti/ir/support/error.h>
#include <tutti/lazy/compile.h>
#include <tutti/lazy/compiled_program.h>
#include <tutti/lazy/context.h>
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

CompiledFunction::CompiledFunction(Location where, const std::vector<VaryingSize>& sizes)
    : where_(where), marks_(sizes.empty() ? nullptr : std::make_unique<SizeMarks>(sizes, where)) {}
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
  if (marks_ != nullptr) marks_->find(arguments_, describe);
  add_signature(arguments_, static_scalars_, marks_.get());
  if (last_ < programs_.size() && programs_[last_]->key == arguments_.key) return last_;
  const auto known = std::ranges::find(programs_, arguments_.key,
                                       [](const auto& program) { return program->key; });
  if (known != programs_.end()) return static_cast<std::size_t>(known - programs_.begin());

  const Names names = describe();
  const std::size_t index = programs_.size();
  why_ = programs_.empty()
             ? "the first call"
             : difference(programs_.back()->signature,
                          signature_of(arguments_, names, static_scalars_, marks_.get()));
  log_recompile();
  trace(names, body, !static_scalars_, index);
  if (programs_.size() == kManyPrograms) {
    runtime::warn("the function compiled at " + where_.text() + " has " +
                  std::to_string(kManyPrograms) + " programs by now; the last was made because " +
                  why_);
  }
  // C++ arithmetic on a floating-point argument makes its values part of the signature.
  arguments_.key.resize(statics);
  add_signature(arguments_, static_scalars_, marks_.get());
  programs_[index]->key = arguments_.key;
  programs_[index]->signature = signature_of(arguments_, names, static_scalars_, marks_.get());
  return index;
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
    throw TypeError(error.what(), where_);
  }
}

void CompiledFunction::run(Program& program) {
  RankContext& context = RankContext::current();
  std::vector<std::int64_t> values;
  if (program.sizes) values = sizes_of(program);
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
  if (program.sizes) {
    program.sizes->enlarge(context.runtime(), values,
                           codegen::devices_of_inputs(program.executable->plan()), buffers_);
  }
  std::span<const runtime::Agreement> agreements = program.literals.agreements(arguments_.scalars);
  std::vector<runtime::Agreement> with_sizes;
  if (program.sizes) agreements = with_sizes = program.sizes->agreements(values, agreements);
  program.executable->run(buffers_,
                          {.collective_lines = {}, .agreements = agreements, .donate = true},
                          program.results);
  if (program.sizes) {
    program.sizes->cut(context.runtime(), values,
                       codegen::devices_of_results(program.executable->plan()), program.results);
  }
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

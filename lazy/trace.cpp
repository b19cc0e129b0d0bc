#include <tutti/ir/support/error.h>
#include <tutti/lazy/trace.h>

#include <bit>
#include <cstring>

namespace tutti::detail {

TensorState::~TensorState() {
  if (trace != nullptr) trace->handles_.erase(value.id);
}

Trace::Trace(Kind kind, std::uint64_t context, std::shared_ptr<const ir::Mesh> mesh)
    : kind_(kind), context_(context), builder_(graph_) {
  graph_.mesh = std::move(mesh);
}

Trace::~Trace() {
  for (const auto& [id, state] : handles_) state->trace = nullptr;
}

ir::Value Trace::value_of(const TensorState& state, Location where) {
  if (state.trace == this) return state.value;
  if (state.context != context_) {
    throw UsageError(
        "this tensor (made at " + state.where.text() +
            ") belongs to another rank or thread; one thread traces for a rank at a time: "
            "call world.attach() on this thread first",
        where);
  }
  if (kind_ == Kind::compiled) {
    throw UsageError("the function being compiled captures a tensor made at " + state.where.text() +
                         "; pass it as an argument, or say constant(t) if it is meant",
                     where);
  }
  if (!state.is_data()) {
    check_readable(state, where);
    throw UsageError(
        "this tensor (made at " + state.where.text() +
            ") has no value: it was made inside a function that was being compiled, or "
            "its World was closed before it was computed",
        where);
  }
  if (const auto found = input_values_.find(&state); found != input_values_.end()) {
    return found->second;
  }
  return add_input(std::const_pointer_cast<TensorState>(state.shared_from_this()),
                   "x" + std::to_string(inputs_.size()));
}

ir::Value Trace::add_input(StatePtr state, std::string name) {
  ir::Type type = state->type;
  type.async = false;  // whoever runs the program waits for its inputs first
  const ir::Value value = graph_.add_parameter(std::move(name), type, false, state->where);
  input_values_[state.get()] = value;
  inputs_.push_back(std::move(state));
  return value;
}

ir::Value Trace::add_formal(std::string name, const ir::Type& type, Location where) {
  inputs_.push_back(nullptr);
  return graph_.add_parameter(std::move(name), type, false, where);
}

StatePtr Trace::handle(ir::Value value, Location where) {
  if (const auto found = handles_.find(value.id); found != handles_.end()) {
    return found->second->shared_from_this();
  }
  auto state = std::make_shared<TensorState>();
  state->type = graph_.type(value);
  state->where = where;
  state->context = context_;
  adopt(*state, value);
  return state;
}

void Trace::adopt(TensorState& state, ir::Value value) {
  state.trace = this;
  state.value = value;
  handles_[value.id] = &state;
}

ir::Value Trace::runtime_scalar(Array scalar) {
  const ir::Value value = builder_.constant(std::move(scalar));
  if (kind_ == Kind::lazy) runtime_scalars_.insert(value.id);
  return value;
}

namespace {

// Twelve bits that say "an argument", ten that count it; the quiet bit of the NaN is clear.
constexpr std::uint32_t kFloatTag = 0x7F800000U | 0x00298000U;
constexpr std::uint32_t kFloatNumber = 0x00003FFFU;
constexpr std::uint32_t kFloatQuiet = 0x00400000U;
constexpr int kWidening = 29;  // a float's payload moves up so many bits when it becomes a double
constexpr std::uint64_t kDoubleTag = 0x7FF0000000000000ULL | std::uint64_t{0x00298000U}
                                                                 << kWidening;
constexpr std::uint64_t kDoubleNumber = std::uint64_t{kFloatNumber} << kWidening;
constexpr std::uint64_t kDoubleQuiet = std::uint64_t{kFloatQuiet} << kWidening;

}  // namespace

float ScalarTag::of_float(int argument) {
  return std::bit_cast<float>(0x80000000U | kFloatTag | (static_cast<std::uint32_t>(argument) + 1));
}

double ScalarTag::of_double(int argument) {
  return std::bit_cast<double>(0x8000000000000000ULL | kDoubleTag |
                               (static_cast<std::uint64_t>(argument) + 1) << kWidening);
}

std::optional<int> ScalarTag::argument_of(std::uint64_t bits, bool single, bool& tampered) {
  const std::uint64_t tag = single ? kFloatTag : kDoubleTag;
  const std::uint64_t number = single ? kFloatNumber : kDoubleNumber;
  const std::uint64_t quiet = single ? kFloatQuiet : kDoubleQuiet;
  const std::uint64_t sign = single ? 0x80000000ULL : 0x8000000000000000ULL;
  if ((bits & ~(number | quiet | sign)) != tag || (bits & number) == 0) return std::nullopt;
  if ((bits & quiet) != 0 || (bits & sign) == 0) tampered = true;
  return static_cast<int>((bits & number) >> (single ? 0 : kWidening)) - 1;
}

}  // namespace tutti::detail

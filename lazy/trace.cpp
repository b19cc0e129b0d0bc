#include <tutti/ir/rewrite.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/trace.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace tutti::detail {

Trace::Trace(Kind kind, std::uint64_t context, std::shared_ptr<const ir::Mesh> mesh,
             Device default_device)
    : kind_(kind), context_(context), builder_(graph_) {
  graph_.mesh = std::move(mesh);
  graph_.default_device = default_device;
}

Trace::Trace(Trace& outer, Captures captures)
    : kind_(Kind::function),
      root_(outer.kind_ == Kind::lazy ? nullptr : &outer.root()),
      outer_(outer.kind_ == Kind::function ? &outer : nullptr),
      captures_(std::move(captures)),
      context_(outer.context_),
      builder_(graph_) {
  graph_.mesh = outer.graph_.mesh;
  graph_.default_device = outer.graph_.default_device;
}

Trace::~Trace() { forget_all(); }

void Trace::forget_all() noexcept {
  for (TensorState*& handle : handles_) {
    TensorState* const state = std::exchange(handle, nullptr);
    if (state == nullptr) continue;
    // The last touch: a thread that sees it may delete the state.
    std::atomic_ref(state->trace).store(nullptr, std::memory_order_release);
  }
  live_handles_ = 0;
}

ir::Value Trace::value_of(TensorState& state, Location where) {
  if (state.trace == this) return state.value;
  check_launched(state, where);
  if (state.abstract) check_readable(state, where);
  if (state.context != context_) fail_of_another_rank(state, where);
  if (kind_ == Kind::trial) {
    if (const auto found = input_values_.find(&state); found != input_values_.end()) {
      return found->second;
    }
    ir::Type type = state.type;
    type.async = false;
    return input_values_[&state] =
               add_formal("x" + std::to_string(inputs_.size()), type, state.where);
  }
  if (kind_ == Kind::function) return capture(state);
  if (kind_ == Kind::compiled) {
    throw UsageError("the function being compiled captures a tensor made at " + state.where.text() +
                         "; pass it as an argument, or say constant(t) if it is meant",
                     where);
  }
  if (!state.is_data()) {
    check_readable(state, where);
    fail_without_data(state, where);
  }
  if (const auto found = input_values_.find(&state); found != input_values_.end()) {
    return found->second;
  }
  return add_input(StatePtr(&state), "x" + std::to_string(inputs_.size()));
}

ir::Value Trace::capture(TensorState& state) {
  const auto [found, inserted] = input_values_.try_emplace(&state);
  if (inserted) {
    ir::Replication own = ir::known_replication(state.type.replication, captures_.numbers);
    if (captured_.size() < captures_.lost.size()) {
      own.dimensions =
          static_cast<std::uint8_t>(own.dimensions & ~captures_.lost[captured_.size()]);
    }
    const bool is_number = state.trace != nullptr && state.trace->is_number(state.value);
    const ir::Type type{.dtype = state.type.dtype,
                        .shape = state.type.shape,
                        .replication = captures_.all.value_or(own),
                        .async = false,
                        .device = is_number ? captures_.device : state.type.device};
    captured_.emplace_back(&state);
    found->second =
        add_formal("captured" + std::to_string(captured_.size() - 1), type, state.where);
  }
  return found->second;
}

void Trace::tell_apart() {
  told_apart_ = true;
  if (outer_ != nullptr) outer_->tell_apart();
}

void Trace::differentiate() {
  differentiated_ = true;
  if (outer_ != nullptr) outer_->differentiate();
}

ir::Graph Trace::program() const {
  std::vector<ir::NodeId> order;
  for (const bool parameters : {true, false}) {
    for (ir::NodeId id = 0; id < graph_.node_count(); ++id) {
      if ((graph_.node(id).op == ir::Op::parameter) == parameters) order.push_back(id);
    }
  }
  return ir::reordered(graph_, order);
}

std::string Trace::origin_of(ir::Value value) const {
  const ir::NodeId node = graph_.producer(value);
  const ir::Definition& entry = ir::definition(graph_.node(node).op);
  if (entry.kind != ir::OpClass::collective) return {};
  return std::string(entry.name) + " over " + graph_.attributes(node).group("group")->tag;
}

// So that there are as many as parameters, whatever throws.
void Trace::make_room_for_input() {
  if (inputs_.size() == inputs_.capacity()) inputs_.reserve(2 * inputs_.size() + 4);
}

ir::Value Trace::add_input(StatePtr state, std::string name) {
  ir::Type type = state->type;
  type.async = false;  // whoever runs the program waits for its inputs first
  make_room_for_input();
  const ir::Value value = graph_.add_parameter(std::move(name), type, false, state->where);
  inputs_.push_back(state);
  input_values_[state.get()] = value;
  return value;
}

StatePtr Trace::constant(const StatePtr& state, Location where) {
  const auto found = input_values_.find(state.get());
  const ir::Value value = found != input_values_.end()
                              ? found->second
                              : add_input(state, "constant" + std::to_string(inputs_.size()));
  return handle(value, where);
}

ir::Value Trace::add_formal(std::string name, const ir::Type& type, Location where) {
  make_room_for_input();
  const ir::Value value = graph_.add_parameter(std::move(name), type, false, where);
  inputs_.emplace_back(nullptr);
  return value;
}

StatePtr Trace::input_of(ir::Value value) const {
  if (graph_.op(value) != ir::Op::parameter) return nullptr;
  const auto& parameters = graph_.parameters();
  const auto found = std::ranges::lower_bound(
      parameters, value, {}, [](const ir::Parameter& parameter) { return parameter.value; });
  return inputs_[static_cast<std::size_t>(found - parameters.begin())];
}

StatePtr Trace::handle(ir::Value value, Location where) {
  if (TensorState* const state = find_handle(value)) return StatePtr(state);
  StatePtr state = StatePtr::make();
  state->type = graph_.type(value);
  state->type.device = graph_.device(value);
  state->where = where;
  state->context = context_;
  adopt(*state, value);
  return state;
}

void Trace::adopt(TensorState& state, ir::Value value) {
  if (handles_.size() <= value.id) handles_.resize(2 * handles_.size() + value.id + 1);
  state.trace = this;
  state.value = value;
  handles_[value.id] = &state;
  ++live_handles_;
}

std::vector<TensorState*> Trace::handles() const {
  std::vector<TensorState*> live;
  std::ranges::copy_if(handles_, std::back_inserter(live),
                       [](const TensorState* state) { return state != nullptr; });
  return live;
}

namespace {

// Whether it computes elements from those of its operands.
bool computes(ir::Op op, ir::OpClass kind) {
  switch (kind) {
    case ir::OpClass::elementwise:
      return op != ir::Op::cast;
    case ir::OpClass::reduce:
    case ir::OpClass::opaque:
    case ir::OpClass::composite:
      return op != ir::Op::to_device;
    default:
      return false;
  }
}

}  // namespace

ir::NodeId Trace::node(ir::Op op, std::span<const ir::Value> operands,
                       std::vector<ir::Attribute>&& attributes) {
  const auto is_literal = [&](ir::Value value) { return graph_.type(value).replication.literal; };
  const auto is_position = [&](ir::Value value) {
    return graph_.type(value).replication.positions;
  };
  if (graph_.mesh != nullptr && !operands.empty() && std::ranges::all_of(operands, is_literal)) {
    const ir::OpClass kind = ir::definition(op).kind;
    const bool by_position =
        kind == ir::OpClass::elementwise && std::ranges::all_of(operands, is_position);
    if (!by_position && computes(op, kind)) {
      std::vector<ir::Value> varied(operands.begin(), operands.end());
      varied[0] = builder_.vary(varied[0], ir::all_dimensions(*graph_.mesh));
      return builder_.node(op, varied, std::move(attributes));
    }
  }
  return builder_.node(op, operands, std::move(attributes));
}

ir::Value Trace::number(ir::Value value) {
  if (numbers_.size() <= value.id) numbers_.resize(2 * numbers_.size() + value.id + 1);
  numbers_[value.id] = true;
  return value;
}

ir::Value Trace::runtime_scalar(ir::Array scalar) {
  const ir::Value value = builder_.constant(std::move(scalar));
  if (kind_ == Kind::lazy) {
    runtime_scalars_.resize(value.id + std::size_t{1});
    runtime_scalars_[value.id] = true;
  }
  return value;
}

}  // namespace tutti::detail

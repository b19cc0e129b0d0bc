#include <tutti/ir/support/error.h>
#include <tutti/lazy/trace.h>
#include <tutti/runtime/comm/local.h>

#include <atomic>
#include <cstring>

namespace tutti::detail {

namespace {

// Above so many recorded nodes a trace is computed, asked for or not.
constexpr std::size_t kPendingNodes = 10000;

std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

thread_local RankContext* current_context = nullptr;

}  // namespace

RankContext::RankContext(std::unique_ptr<runtime::Backend> backend, int threads,
                         std::shared_ptr<const ir::Mesh> mesh)
    : id_(next_context_id()),
      runtime_(std::move(backend), threads),
      mesh_(std::move(mesh)),
      lazy_(std::make_unique<Trace>(Trace::Kind::lazy, id_, mesh_)) {}

RankContext::~RankContext() = default;

RankContext& RankContext::current() {
  if (current_context == nullptr) {
    // A program without a World is a world of one.
    thread_local const auto alone = std::make_unique<RankContext>(
        std::make_unique<runtime::LocalBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 0,
        nullptr);
    return *alone;
  }
  return *current_context;
}

RankContext* RankContext::exchange_current(RankContext* context) {
  return std::exchange(current_context, context);
}

StatePtr RankContext::data(const Array& array, Location where) {
  if (compiling()) {
    trace().builder().at(where);
    return trace().handle(trace().builder().constant(array), where);
  }
  auto buffer = runtime_.allocator.allocate(array.bytes().size());
  std::memcpy(buffer->data(), array.bytes().data(), array.bytes().size());
  return leaf({.dtype = array.dtype(), .shape = array.shape()}, std::move(buffer), where);
}

StatePtr RankContext::leaf(const ir::Type& type, std::shared_ptr<runtime::Buffer> buffer,
                           Location where) {
  auto state = std::make_shared<TensorState>();
  state->type = type;
  state->where = where;
  state->context = id_;
  state->buffer = std::move(buffer);
  return state;
}

std::vector<StatePtr> RankContext::record(ir::Op op, std::span<const StatePtr> operands,
                                          std::vector<ir::Attribute> attributes, Location where) {
  if (op == ir::Op::wait && operands[0]->is_data()) {
    // Its collective is under way or done; the tensor shares the data, and whoever reads it waits.
    StatePtr state = leaf(operands[0]->type, operands[0]->buffer, where);
    state->type.async = false;
    state->work = operands[0]->work;
    return {state};
  }
  Trace& into = trace();
  std::vector<ir::Value> values;
  values.reserve(operands.size());
  for (const StatePtr& operand : operands) values.push_back(into.value_of(*operand, where));
  into.builder().at(where);
  const ir::NodeId node = into.builder().node(op, values, std::move(attributes));
  std::vector<StatePtr> results;
  for (std::uint32_t i = 0; i < into.graph().node(node).result_count; ++i) {
    results.push_back(into.handle(into.graph().result(node, i), where));
  }
  if (compiling()) return results;
  if (ir::definition(op).kind == ir::OpClass::collective) pending_collectives_ = true;
  if (keep_recording > 0) return results;
  if (eager || into.graph().node_count() > kPendingNodes) {
    std::vector<StatePtr> live;
    if (eager) {
      live = results;
    } else {
      for (const auto& [id, state] : into.handles()) live.push_back(state->shared_from_this());
    }
    flush(live);
  } else if (pending_collectives_ && runtime_.backend->peer_waits()) {
    flush();
  }
  return results;
}

void RankContext::make_ready(TensorState& state) {
  if (state.work == nullptr) return;
  state.work->wait();
  state.work = nullptr;
}

void check_readable(const TensorState& state, Location where) {
  if (state.is_data()) return;
  if (state.trace == nullptr) {
    throw UsageError(
        "this tensor (made at " + state.where.text() +
            ") has no value: it was made inside a function that was being compiled, or "
            "its World was closed before it was computed",
        where);
  }
  if (state.trace->kind() == Trace::Kind::compiled) {
    throw UsageError(
        "there is no data to read while the function around it is being compiled; return "
        "the tensor and read it outside",
        where);
  }
}

StatePtr record(ir::Op op, std::vector<StatePtr> operands, std::vector<ir::Attribute> attributes,
                Location where) {
  return RankContext::current().record(op, operands, std::move(attributes), where)[0];
}

}  // namespace tutti::detail

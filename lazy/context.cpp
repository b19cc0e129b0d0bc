#include <tutti/ir/support/error.h>
#include <tutti/lazy/trace.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
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

// Worlds may be closed in any order and on any thread, so nobody may be left with a dead pointer.
thread_local std::weak_ptr<RankContext> current_context;
thread_local RankContext* current_pointer = nullptr;

// An argument of the function being compiled that was copied into data is no run-time parameter.
void note_placeholders(const Array& array, bool& tampered) {
  const auto scan = [&]<class T>(std::span<const T> elements) {
    for (const T element : elements) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &element, sizeof(T));
      if (ScalarTag::argument_of(bits, sizeof(T) == 4, tampered)) tampered = true;
    }
  };
  if (array.dtype() == DType::f32) scan(array.data<float>());
  if (array.dtype() == DType::f64) scan(array.data<double>());
}

std::string origin_of(const ir::Definition& entry, const std::vector<ir::Attribute>& attributes) {
  if (entry.kind != ir::OpClass::collective) return {};
  return std::string(entry.name) + " over " +
         ir::Attributes(entry.attributes, attributes).group("group")->tag;
}

// A collective's group must lie in the world and include this rank, or peers would wait in vain.
void check_group_of(const ir::Definition& entry, const std::vector<ir::Attribute>& attributes,
                    const runtime::Context& runtime, Location where) {
  if (entry.kind != ir::OpClass::collective) return;
  const ir::Group& group = *ir::Attributes(entry.attributes, attributes).group("group");
  const std::string name = std::string(entry.name) + ": group \"" + group.tag + "\"";
  for (const std::int64_t rank : group.ranks) {
    if (rank < runtime.ranks()) continue;
    throw UsageError(name + " names rank " + std::to_string(rank) + ", but there are " +
                         std::to_string(runtime.ranks()) + " ranks",
                     where);
  }
  if (group.position_of(runtime.rank()) < 0) {
    throw UsageError(name + " does not include this rank, " + std::to_string(runtime.rank()),
                     where);
  }
}

}  // namespace

RankContext::RankContext(std::unique_ptr<runtime::Backend> backend, int threads,
                         std::shared_ptr<const ir::Mesh> mesh)
    : id_(next_context_id()),
      runtime_(std::move(backend), threads),
      mesh_(std::move(mesh)),
      lazy_(std::make_unique<Trace>(Trace::Kind::lazy, id_, mesh_)) {}

RankContext::~RankContext() = default;

RankContext& RankContext::current() {
  if (current_pointer == nullptr || current_context.expired()) {
    // A program without a World is a world of one.
    thread_local const auto alone = std::make_unique<RankContext>(
        std::make_unique<runtime::LocalBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 0,
        nullptr);
    return *alone;
  }
  if (current_pointer->owner_ != std::this_thread::get_id()) {
    throw UsageError(
        "another thread records for this rank now; one thread traces for a rank at a time: call "
        "world.attach() on this thread first");
  }
  return *current_pointer;
}

std::shared_ptr<RankContext> RankContext::exchange_current(std::shared_ptr<RankContext> context) {
  std::shared_ptr<RankContext> previous = current_context.lock();
  if (context != nullptr) context->owner_ = std::this_thread::get_id();
  current_pointer = context.get();
  current_context = context;
  return previous;
}

void RankContext::check_owner(const TensorState& state, Location where) const {
  if (state.context == id_) return;
  throw UsageError("this tensor (made at " + state.where.text() +
                       ") belongs to another rank or thread; call world.attach() on this thread",
                   where);
}

StatePtr RankContext::data(const Array& array, Location where) {
  if (compiling()) {
    note_placeholders(array, trace().scalar_tampered);
    trace().builder().at(where);
    return trace().handle(trace().builder().constant(array), where);
  }
  auto buffer = runtime_.allocator.allocate(array.bytes().size());
  std::ranges::copy(array.bytes(), buffer->data());
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
  check_group_of(ir::definition(op), attributes, runtime_, where);
  const std::string origin = origin_of(ir::definition(op), attributes);
  Trace& into = trace();
  std::vector<ir::Value> values;
  values.reserve(operands.size());
  for (const StatePtr& operand : operands) values.push_back(into.value_of(*operand, where));
  into.builder().at(where);
  const ir::NodeId node = into.builder().node(op, values, std::move(attributes));
  std::vector<StatePtr> results;
  for (std::uint32_t i = 0; i < into.graph().node(node).result_count; ++i) {
    results.push_back(into.handle(into.graph().result(node, i), where));
    results.back()->origin = origin;
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
  if (!state.lost.empty()) {
    throw CommError("this tensor (made at " + state.where.text() +
                        ") was lost when its evaluation failed: " + state.lost,
                    where);
  }
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

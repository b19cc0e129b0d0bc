#include <tutti/codegen/plan/plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/support/leaf_mutex.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/scalar_tag.h>
#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/log.h>
#include <tutti/runtime/profile/profile.h>
#include <tutti/runtime/run/gpus.h>
#include <tutti/runtime/settings.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::detail {

namespace {

std::uint64_t next_context_id() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

// The contexts that live, by number. Never destroyed: contexts may go while the process ends.
class LiveContexts {
 public:
  static LiveContexts& process() {
    static auto* const contexts = new LiveContexts;
    return *contexts;
  }
  void add(std::uint64_t id, RankContext& context) {
    const std::scoped_lock lock(mutex_);
    contexts_.emplace(id, &context);
  }
  // Whoever finds it gone sees what f() has done. It takes no lock, like the next.
  template <class F>
  void remove(std::uint64_t id, F&& f) {
    const std::scoped_lock lock(mutex_);
    contexts_.erase(id);
    f();
  }
  bool contains(std::uint64_t id) {
    const std::scoped_lock lock(mutex_);
    return contexts_.contains(id);
  }
  // f(context) while it can't go, null if it has gone.
  template <class F>
  auto with(std::uint64_t id, F&& f) {
    const std::scoped_lock lock(mutex_);
    const auto found = contexts_.find(id);
    return f(found == contexts_.end() ? nullptr : found->second);
  }

 private:
  LeafMutex mutex_;
  std::unordered_map<std::uint64_t, RankContext*> contexts_;
};

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
  if (!is_narrow_floating(array.dtype())) return;
  visit_dtype(array.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (is_narrow_float<T>) {
      for (const T element : array.data<T>()) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(element));
        if (ScalarTag::is_negative_nan(bits, true)) tampered = true;
      }
    }
  });
}

// The device that TUTTI_DEVICE names.
Device device_of_environment(std::int64_t local_rank) {
  const std::string& text = runtime::Settings::process().text("TUTTI_DEVICE");
  if (text == "cuda") return runtime::own_gpu(local_rank);
  const std::optional<Device> device = Device::from_text(text);
  if (!device) {
    throw EnvironmentError("TUTTI_DEVICE=" + text + " is no device; write cpu, cuda or cuda:1");
  }
  return *device;
}

}  // namespace

RankContext::RankContext(std::unique_ptr<runtime::Backend> backend, int threads,
                         std::shared_ptr<const ir::Mesh> mesh, std::optional<Device> default_device,
                         std::int64_t local_rank)
    : eager(runtime::Settings::process().flag("eager")),
      compile_options(codegen::compile_options(runtime::Settings::process())),
      id_(next_context_id()),
      runtime_(std::move(backend), threads),
      mesh_(std::move(mesh)),
      default_device_(default_device ? *default_device : device_of_environment(local_rank)),
      local_rank_(local_rank) {
  if (default_device_.is_any()) throw UsageError("the default device of a rank is a certain one");
  ir::Group world{.tag = "world", .ranks = {}, .stride = runtime_.ranks()};
  for (std::int64_t rank = 0; rank < runtime_.ranks(); ++rank) world.ranks.push_back(rank);
  world_group_ = std::make_shared<const ir::Group>(std::move(world));
  lazy_ = std::make_unique<Trace>(Trace::Kind::lazy, id_, mesh_, default_device_);
  LiveContexts::process().add(id_, *this);
}

RankContext::~RankContext() {
  try {
    runtime_.synchronize();  // from now on anybody may read what was computed on GPUs
  } catch (const Error&) {
    // Whoever reads it gets the error.
  }
  // Other threads may let go of its tensors meanwhile.
  LiveContexts::process().remove(id_, [this] { lazy_->forget_all(); });
  take_dropped();
  if (runtime_.profile != nullptr) runtime_.profile->save();
}

bool RankContext::drop_elsewhere(TensorState& state) {
  return LiveContexts::process().with(state.context, [&](RankContext* context) {
    if (context == nullptr || context->recorder_.is_mine()) return false;
    context->dropped_.push_back(&state);
    context->has_dropped_.store(true, std::memory_order_release);
    return true;
  });
}

void RankContext::take_dropped() {
  std::vector<TensorState*> dropped;
  LiveContexts::process().with(id_, [&](RankContext*) {
    dropped.swap(dropped_);
    has_dropped_.store(false, std::memory_order_relaxed);
  });
  for (TensorState* const state : dropped) release(*state);
}

void RankContext::check_owner(const TensorState& state, Location where) const {
  if (state.context != id_) fail_of_another_rank(state, where);
}

void RankContext::check_waiter(const TensorState& state, Location where) const {
  if (state.work == nullptr || state.context == id_) return;
  // What a rank that has gone has left, and another rank of this thread, nobody else waits for.
  const bool is_elsewhere = LiveContexts::process().with(
      state.context,
      [](const RankContext* owner) { return owner != nullptr && !owner->recorder_.is_mine(); });
  if (is_elsewhere) fail_of_another_rank(state, where);
}

void RankContext::fail_running(Location where) {
  throw UsageError(
      "something is recorded or evaluated, or a compiled function called, while a program runs, by "
      "code that releases memory of the program's; keep what it needs and do it later",
      where);
}

void RankContext::set_default_device(Device device, Location where) {
  if (device.is_any()) throw UsageError("set_default_device: cpu or a GPU", where);
  default_device_ = device;
  // What is recorded already stays where it is.
  if (lazy_->graph().node_count() == 0) lazy_->graph().default_device = device;
}

void RankContext::set_mesh(std::shared_ptr<const ir::Mesh> mesh, Location where) {
  if (mesh_ != nullptr && *mesh == *mesh_) return;
  if (mesh_made_.known()) {
    throw UsageError("the program has a mesh already, made at " + mesh_made_.text() +
                         "; one for groups alone is made without the World",
                     where);
  }
  if (compiling() || lazy_->graph().node_count() > 0) flush();
  if (compiling() || replication_noted.known()) {
    throw UsageError(
        "too late for a mesh: tensors are known to be the same on all ranks already" +
            (replication_noted.known() ? ", the first since " + replication_noted.text()
                                       : std::string()) +
            "; make it right after the World",
        where);
  }
  mesh_ = std::move(mesh);
  mesh_made_ = where;
  lazy_->graph().mesh = mesh_;
}

StatePtr RankContext::on_default_device(StatePtr made, Location where) {
  if (made->type.device == default_device_) return made;
  return record(ir::Op::to_device, std::span(&made, 1), {default_device_.text()}, where)[0];
}

StatePtr RankContext::data(const Array& array, Device device, Location given) {
  const Recorder::Claim claim(recorder_);
  const Location where = line_of(given);
  if (compiling()) {
    check_idle(where);
    note_placeholders(array, trace().root().scalar_tampered);
    trace().builder().at(where);
    StatePtr made = trace().handle(trace().builder().constant(array), where);
    if (made->type.device == device) return made;
    return record(ir::Op::to_device, std::span(&made, 1), {device.text()}, where)[0];
  }
  const auto bytes = array.bytes();
  const runtime::MemoryLabel label = {.what = "data", .where = where};
  std::shared_ptr<runtime::Buffer> buffer;
  if (device.is_cpu()) {
    buffer = runtime_.allocator.allocate(bytes.size(), label);
    std::ranges::copy(bytes, buffer->data());
  } else {
    runtime::Accelerator& accelerator = runtime_.accelerator(device);
    buffer = accelerator.memory().allocate(bytes.size(), label);
    accelerator.copy_in(buffer->data(), bytes.data(), bytes.size());
  }
  ir::Type type{.dtype = array.dtype(), .shape = array.shape()};
  type.device = device;
  return leaf(type, std::move(buffer), where);
}

void RankContext::read(const TensorState& state, std::span<std::byte> to) {
  if (state.type.device.is_cpu()) {
    std::copy_n(state.buffer->data(), to.size(), to.begin());
  } else {
    runtime::Accelerator& accelerator = runtime_.accelerator(state.type.device);
    // The work of a context that lives may be under way, on a stream that this one knows nothing
    // of.
    if (state.context != id_ && LiveContexts::process().contains(state.context)) {
      throw UsageError("this tensor (made at " + state.where.text() + ") lies on " +
                       state.type.device.text() +
                       ", where another rank or thread computes; read it there, or call "
                       "world.attach() on this thread");
    }
    accelerator.copy_out(to.data(), state.buffer->data(), to.size());
  }
}

StatePtr RankContext::leaf(const ir::Type& type, std::shared_ptr<runtime::Buffer> buffer,
                           Location where) {
  StatePtr state = StatePtr::make();
  state->type = type;
  state->where = where;
  state->context = id_;
  state->buffer = std::move(buffer);
  return state;
}

void RankContext::note_compiled(Location where, const Hash128& program) {
  constexpr int kOften = 8;
  const auto known = std::ranges::find(compiled_at_, where, &CompiledAt::where);
  if (known == compiled_at_.end()) {
    compiled_at_.push_back({where, program, 1});
  } else if (known->program != program) {
    *known = {where, program, 1};
  } else if (++known->times == kOften) {
    runtime::warn("the function compiled at " + where.text() +
                  " was made anew and compiled to the same program " + std::to_string(kOften) +
                  " times; call compile() once, outside of the loop, and keep what it gives");
  }
}

void RankContext::forget_programs_of(const ir::Group& group) {
  executables_.erase_if([&](const EvaluatedProgram& known) {
    return codegen::uses_group(known.executable->plan(), group);
  });
  direct_collectives.forget_programs_of(group);
}

void RankContext::make_ready(TensorState& state, Location where) {
  if (state.work == nullptr) return;
  check_waiter(state, where);
  const Recorder::Claim claim(recorder_);
  runtime::wait_for(*state.work, runtime_.profile.get());
  if (state.buffer == nullptr) state.buffer = state.work->result(state.part);
  state.work = nullptr;
}

void RankContext::run_due_callbacks() {
  std::vector<Callback> due;
  std::erase_if(callbacks_, [&](Callback& callback) {
    const TensorState& state = *callback.async;
    if (state.trace != nullptr) return false;
    bool ready = true;
    try {
      ready = state.work == nullptr || state.work->test();
    } catch (const CommError&) {
      // Whoever reads the tensor gets the error.
    }
    if (ready) due.push_back(std::move(callback));
    return ready;
  });
  while (!due.empty()) {
    const Callback next = std::move(due.front());
    due.erase(due.begin());
    in_callback_ = true;
    try {
      next.call();
      in_callback_ = false;
    } catch (...) {
      in_callback_ = false;
      std::ranges::move(due, std::back_inserter(callbacks_));
      throw;
    }
  }
}

}  // namespace tutti::detail

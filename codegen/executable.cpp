#include <tutti/codegen/abandon.h>
#include <tutti/codegen/executable.h>
#include <tutti/codegen/run_control.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <atomic>
#include <ranges>
#include <utility>

#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_plan.h>
#endif

namespace tutti::codegen {

namespace {

using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace

Executable::Executable(Plan plan, runtime::Context& context, const Options& options,
                       std::int64_t arena_offset, const ByPlan* functions)
    : plan_(std::move(plan)),
      context_(context),
      options_(options),
      frame_(context, plan_.buffers.size(), at(plan_.works),
             static_cast<std::size_t>(functions == nullptr ? arena_with_functions(plan_)
                                                           : plan_.arena_bytes),
             static_cast<std::size_t>(arena_offset)),
      binding_(plan_, context, frame_, options.record,
               [this](const Control& control) { return bind_control(control); }),
      constants_(plan_.buffers.size()),
      inputs_(plan_.inputs.size(), -1) {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    frame_.allocations[i] = {.bytes = static_cast<std::size_t>(buffer.bytes),
                             .shared = buffer.kind == PlanBuffer::Kind::comm,
                             .device = buffer.device};
    if (buffer.kind == PlanBuffer::Kind::input) inputs_[at(buffer.index)] = static_cast<int>(i);
  }
  for (const PlanDevice& used : plan_.devices) {
    frame_.device_arenas.emplace_back(used.device, static_cast<std::size_t>(used.arena_bytes));
  }
  // Native code knows the host's steps alone.
  if (!plan_.devices.empty()) options_.engine = PlanEngine::walk;
  bind_constants();
  const ByPlan made = functions == nullptr ? make_functions() : ByPlan();
  for (const std::shared_ptr<Plan>& function : plan_.functions) {
    functions_.push_back((functions == nullptr ? made : *functions).at(function.get()));
  }
  frame_.profile = make_profile();
  binding_.bind();
  started_.reserve(at(plan_.works));  // what fails must not need memory to say so
}

// The steps add what a profile says of them.
std::unique_ptr<runtime::PlanProfile> Executable::make_profile() const {
  const std::shared_ptr<runtime::Profile>& profile = context_.profile;
  if (profile == nullptr) return nullptr;
  auto out = std::make_unique<runtime::PlanProfile>();
  out->works.resize(at(plan_.works));
  out->run =
      profile->add_source({.name = "run " + plan_.name, .category = "run", .plan = plan_.name});
  out->memory = profile->counter_source("buffers in use", "bytes");
  out->arena = profile->counter_source("arena", "bytes");
  out->arena_bytes = plan_.arena_bytes;
  out->profile = profile;
  return out;
}

// One for every function that this plan runs, directly or not. Functions don't run themselves, so
// that each has a place in the arena that is free whoever runs it.
Executable::ByPlan Executable::make_functions() {
  const std::vector<Plan*> plans = nested_plans(plan_);
  std::unordered_map<const Plan*, std::int64_t> offsets;
  const auto place_functions = [&](const Plan& plan, std::int64_t offset) {
    for (const std::shared_ptr<Plan>& function : plan.functions) {
      std::int64_t& place = offsets[function.get()];
      place = std::max(place, offset + plan.arena_bytes);
    }
  };
  place_functions(plan_, 0);
  for (const Plan* const plan : std::views::reverse(plans))
    place_functions(*plan, offsets.at(plan));
  ByPlan made;
  for (const Plan* const plan : plans) {
    nested_.push_back(std::unique_ptr<Executable>(
        new Executable(*plan, context_, options_, offsets.at(plan), &made)));
    made.emplace(plan, nested_.back().get());
  }
  return made;
}

void Executable::bind_constants() {
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    if (buffer.kind != PlanBuffer::Kind::constant) continue;
    const std::span<const std::byte> bytes = plan_.constants[at(buffer.index)]->bytes();
    if (buffer.device.is_cpu()) {
      constants_[i] = context_.allocator.allocate(bytes.size());
      std::ranges::copy(bytes, constants_[i]->data());
    } else {
      runtime::Accelerator& accelerator = context_.accelerator(buffer.device);
      constants_[i] = accelerator.memory().allocate(bytes.size());
      accelerator.copy_in(constants_[i]->data(), bytes.data(), bytes.size());
    }
  }
}

std::function<void()> Executable::bind_control(const Control& control) {
  std::vector<Executable*> functions;
  for (const int number : control.functions) functions.push_back(functions_[at(number)]);
  auto run =
      std::make_shared<ControlRun>(control, std::move(functions), context_, frame_, plan_.buffers);
  return [run = std::move(run)] { run->run(); };
}

void Executable::run(std::span<const BufferPtr> inputs, const RunOptions& options,
                     std::vector<Result>& results) {
  // Whatever happens, the frame lets go of everything.
  struct End {
    runtime::PlanFrame& frame;
    ~End() { frame.end(); }
  } const end{frame_};
  results.clear();
  started_.clear();
  binding_.set_step(0);
  runtime::RunRecord record(frame_.profile.get(), context_.allocator);
  try {
    bind_options(options);
    bind_inputs(inputs, options.donate);
    frame_.begin();
    if (options.pending.empty()) {
      run_steps();
    } else {
      run_steps_behind(options.pending);
    }
    take_results(options.pending, results);
  } catch (const std::exception& error) {
    if (options.abandon) {
      abandon_from(binding_.step(), error.what());
    } else {
      note_started();
    }
    record.failed();
    throw;
  }
}

void Executable::bind_options(const RunOptions& options) {
  if (binding_.starts().empty()) return;
  // What each start says, from what its call says.
  const auto by_start = [&](const auto& by_call, auto& out) {
    out.clear();
    if (by_call.empty()) return;
    out.resize(at(plan_.works));
    for (const BoundStart& start : binding_.starts()) {
      const bool known = !start.calls.empty() && start.calls[0] < by_call.size();
      if (known) out[at(start.work)] = by_call[start.calls[0]];
    }
  };
  by_start(options.lines, lines_);
  by_start(options.sites, sites_);
  by_start(options.agreements, agreements_);
  frame_.agreements = agreements_;
  frame_.lines = lines_;
  frame_.sites = sites_;
}

void Executable::bind_inputs(std::span<const BufferPtr> inputs, bool donate) {
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i] != nullptr) frame_.bind(static_cast<int>(i), constants_[i]);
  }
  if (donate) {
    // Binding it is a second hold, so that no argument is taken over twice.
    for (const Donation& donation : plan_.donations) {
      const BufferPtr& input = inputs[at(donation.input)];
      if (input == nullptr || input.use_count() != 1 || !input->is_private()) continue;
      if (frame_.held(donation.buffer) == nullptr) frame_.bind(donation.buffer, input);
    }
    // Whoever let go of the memory last, maybe on another thread, is done with it.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] >= 0 && inputs[i] != nullptr) frame_.bind(inputs_[i], inputs[i]);
  }
}

void Executable::run_steps() {
#if TUTTI_HAS_LLVM
  if (options_.engine == PlanEngine::native && function_ == nullptr && runs_ == 1) {
    const runtime::ProfileSlice slice(context_.profile.get(), "compile", "native code of the plan");
    const native::PlanCode made = native::compile(plan_);
    code_ = made.code;
    function_ = made.function;
  }
#endif
  ++runs_;
  if (function_ == nullptr) return binding_.walk();
  const std::int32_t failed = function_(&frame_.memory(), &frame_);
  binding_.set_step(failed < 0 ? binding_.steps() : at(failed));
  if (failed < 0) return;
  std::rethrow_exception(std::exchange(frame_.failure, nullptr));
}

// Native code does not stop on the way, so these runs walk.
void Executable::run_steps_behind(std::span<const Pending> pending) {
  const auto input_of = [&](BufferId id) -> const Pending* {
    const PlanBuffer& buffer = plan_.buffers[at(id)];
    if (buffer.kind != PlanBuffer::Kind::input) return nullptr;
    const Pending& input = pending[at(buffer.index)];
    return input.work != nullptr && frame_.held(id) == nullptr ? &input : nullptr;
  };
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    binding_.set_step(i);
    for_each_access(plan_, plan_.steps[i], [&](BufferId id, bool /*written*/) {
      const Pending* const input = input_of(id);
      if (input == nullptr) return;
      runtime::wait_for(*input->work, context_.profile.get());
      frame_.bind(id, input->work->result(input->part));
    });
    binding_.run_step();
  }
  binding_.set_step(binding_.steps());
}

void Executable::take_results(std::span<const Pending> pending, std::vector<Result>& results) {
  for (const PlanResult& result : plan_.results) {
    Result& out = results.emplace_back();
    out.type = result.type;
    if (result.work < 0) {
      out.buffer = frame_.held(result.buffer);
      if (out.buffer != nullptr || pending.empty()) continue;
      const Pending& input = pending[at(plan_.buffers[at(result.buffer)].index)];
      out.work = input.work;
      out.part = input.part;
      continue;
    }
    const std::vector<BufferId>& parts = frame_.collectives[at(result.work)].results;
    out.work = frame_.work(result.work);
    out.part = static_cast<std::size_t>(std::ranges::find(parts, result.buffer) - parts.begin());
  }
}

// What this rank was to start and won't, its peers may start or have started.
void Executable::abandon_from(std::size_t step, const std::string& why) noexcept {
  for (const BoundStart& start : binding_.starts()) {
    if (start.step < step) continue;
    const runtime::BoundCollective& collective = frame_.collectives[at(start.work)];
    try {
      collective.communicator->abandon(not_started(context_, collective.call->call().description,
                                                   collective.communicator->tag(), why));
    } catch (const std::exception&) {
      try {
        collective.communicator->abandon("a peer failed");  // short: without an allocation
      } catch (const std::exception&) {
        // What can't be said now, peers find out by waiting.
      }
    }
  }
}

bool Executable::has_taken_over(std::size_t input) const {
  return std::ranges::any_of(plan_.donations, [&](const Donation& donation) {
    const PlanBuffer& buffer = plan_.buffers[at(donation.buffer)];
    return at(donation.input) == input &&
           std::cmp_greater_equal(binding_.step(), buffer.defined_at);
  });
}

void Executable::note_started() noexcept {
  for (const BoundStart& start : binding_.starts()) {
    if (start.step >= binding_.step()) return;
    started_.push_back({start.calls, frame_.work(start.work)});
  }
}

}  // namespace tutti::codegen

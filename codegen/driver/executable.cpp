#include <tutti/codegen/driver/abandon.h>
#include <tutti/codegen/driver/executable.h>
#include <tutti/codegen/driver/plan_code.h>
#include <tutti/codegen/plan/communicator_of.h>
#include <tutti/codegen/plan/memory_labels.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/support/interned.h>
#include <tutti/runtime/profile/timeline_range.h>

#include <algorithm>
#include <atomic>
#include <utility>

#if TUTTI_HAS_LLVM
#include <tutti/codegen/llvm/compile_plan.h>
#endif

namespace tutti::codegen {

namespace {

using runtime::Buffer;
using BufferPtr = std::shared_ptr<Buffer>;

#if TUTTI_HAS_LLVM
// Whether a loop, with those that it is in, has so many steps that walking them takes longer than
// compiling the plan. How many a while loop has nobody knows: it may be any number.
bool has_long_loop(const Plan& plan) {
  constexpr std::int64_t kLong = 1000;
  std::vector<std::int64_t> entered(plan.regions.size());  // how often a region is, at most
  std::size_t function = plan.regions.size();
  for (std::size_t step = plan.steps.size(); step-- > 0;) {
    while (function > 0 && std::cmp_less(step, plan.regions[function - 1].end_step)) --function;
    const Control* const control = control_of(plan.steps[step]);
    if (control == nullptr) continue;
    if (control->kind == Control::Kind::while_loop) return true;
    const std::int64_t times = function == plan.regions.size() ? 1 : entered[function];
    const bool is_scan = control->kind == Control::Kind::scan;
    for (const int region : control->regions) {
      std::int64_t& all = entered[at(region)];
      all = std::max(all, is_scan ? times * std::min(control->length, kLong) : times);
      if (all >= kLong) return true;
    }
  }
  return false;
}

// Whether all kernels of the host are machine code.
bool has_machine_code(const Plan& plan) {
  bool out = true;
  for_each_part(plan, [&](Device device, const LaunchPart& part) {
    const bool is_kernel = device.is_cpu() && part.kernel >= 0;
    if (is_kernel && (part.code == nullptr || part.code->function() == nullptr)) out = false;
  });
  return out;
}
#endif

// Whether a launch takes so many addresses, as of a concat of many tensors, that they should not
// lie on a thread's stack, where native code has them.
bool has_many_addresses(const Plan& plan) {
  constexpr std::size_t kMany = 8192;
  return std::ranges::any_of(plan.steps, [](const Step& step) {
    const Launch* const launch = launch_of(step);
    if (launch == nullptr) return false;
    std::size_t addresses = 0;
    for (const LaunchPart& part : launch->parts) addresses += part.buffers.size();
    return addresses > kMany;
  });
}

// What carries out the collectives whose operands and results lie in an area.
std::string engine_in(const Plan& plan, std::size_t area) {
  const auto lies_there = [&](BufferId id) {
    const PlanBuffer& buffer = plan.buffers[at(id)];
    return buffer.kind == PlanBuffer::Kind::symmetric && at(buffer.index) == area;
  };
  for (const Step& step : plan.steps) {
    const CollectiveStart* const start = start_of(step);
    if (start == nullptr) continue;
    if (std::ranges::any_of(start->operands, lies_there)) return start->engine;
    if (std::ranges::any_of(start->results, lies_there)) return start->engine;
  }
  return "shm";
}

// Loops may share a region: its calls are to agree on what goes into all of them.
void add_agreement(runtime::Agreement& to, const runtime::Agreement& more) {
  if (more.structure == 0) return;
  constexpr std::uint32_t kPrime = 16777619;
  if (to.structure == 0) {
    to = more;
  } else if (more.word() != to.word()) {
    to.structure = (to.structure * kPrime ^ more.structure) | 1U;
    to.values = to.values * kPrime ^ more.values;
  }
}

}  // namespace

Executable::Executable(Plan plan, runtime::Context& context, const Options& options)
    : plan_(std::move(plan)),
      context_(context),
      options_(options),
      frame_(context, plan_.buffers.size(), at(plan_.works),
             static_cast<std::size_t>(plan_.arena_bytes)),
      binding_(plan_, context, frame_, options.on_devices),
      constants_(plan_.buffers.size()),
      inputs_(plan_.inputs.size(), -1) {
  const std::vector<runtime::MemoryLabel> labels = memory_labels(plan_);
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    frame_.allocations[i] = {.bytes = static_cast<std::size_t>(buffer.bytes),
                             .shared = buffer.kind == PlanBuffer::Kind::comm,
                             .device = buffer.device,
                             .label = labels[i]};
    if (buffer.kind == PlanBuffer::Kind::input) inputs_[at(buffer.index)] = static_cast<int>(i);
  }
  frame_.arena_contents = arena_contents(plan_, labels, Device::cpu());
  for (const PlanDevice& used : plan_.devices) {
    frame_.device_arenas.push_back({.device = used.device,
                                    .bytes = static_cast<std::size_t>(used.arena_bytes),
                                    .contents = arena_contents(plan_, labels, used.device)});
  }
  frame_.scribbles = options.scribble;
  frame_.comm_kernels = find_comm_kernels();
  for (std::size_t i = 0; i < plan_.areas.size(); ++i) {
    const PlanArea& area = plan_.areas[i];
    const std::string engine = engine_in(plan_, i);
    frame_.areas.push_back({.communicator = communicator_of(context, *area.group, nullptr, engine),
                            .bytes = static_cast<std::size_t>(area.bytes),
                            .member = area.member,
                            .device = area.device});
  }
  if (runtime::timeline_listens()) range_name_ = plan_.name.c_str();
  // Native code knows the host's steps alone, and says nothing of them.
  if (!plan_.devices.empty() || range_name_ != nullptr || has_many_addresses(plan_)) {
    options_.mode = PlanMode::walk;
  }
  bind_constants();
  frame_.profile = make_profile();
  binding_.bind();
  started_.reserve(binding_.starts().size());  // what fails must not need memory to say so
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

void Executable::bind_constants() {
  const runtime::MemoryLabel label = {.what = interned("constants of @" + plan_.name), .where = {}};
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan_.buffers[i];
    if (buffer.kind != PlanBuffer::Kind::constant) continue;
    const std::span<const std::byte> bytes = plan_.constants[at(buffer.index)]->bytes();
    if (buffer.device.is_cpu()) {
      constants_[i] = context_.allocator.allocate(bytes.size(), label);
      std::ranges::copy(bytes, constants_[i]->data());
    } else {
      runtime::Accelerator& accelerator = context_.accelerator(buffer.device);
      constants_[i] = accelerator.memory().allocate(bytes.size(), label);
      accelerator.copy_in(constants_[i]->data(), bytes.data(), bytes.size());
    }
  }
}

void Executable::run(std::span<const BufferPtr> inputs, const RunOptions& options,
                     std::vector<Result>& results) {
  // Whatever happens, the frame lets go of everything.
  struct End {
    runtime::PlanFrame& frame;
    ~End() { frame.end(); }
  } const end{frame_};
  const runtime::TimelineRange range(range_name_);
  results.clear();
  started_.clear();
  binding_.set_step(binding_.first_step());
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
    frame_.break_off();
    if (options.abandon) {
      abandon_from(binding_.step(), error.what());
    } else {
      note_started();
      if (const BoundStart* const loop = failed_loop()) abandon(*loop, error.what());
    }
    record.failed();
    if (frame_.failed_iterations().empty()) throw;
    if (const auto* const of_communication = dynamic_cast<const CommError*>(&error)) {
      throw CommError(in_iterations(*of_communication), of_communication->where());
    }
    if (const auto* const of_values = dynamic_cast<const NumericError*>(&error)) {
      throw NumericError(in_iterations(*of_values), of_values->where());
    }
    throw;
  }
}

std::string Executable::in_iterations(const Error& error) const {
  std::string text = error.message();
  for (const runtime::PlanFrame::Iteration& inside : frame_.failed_iterations()) {
    text += std::string(&inside == frame_.failed_iterations().data() ? "; in iteration "
                                                                     : ", of iteration ") +
            std::to_string(inside.number) + " of @" + plan_.regions[at(inside.region)].name;
  }
  return text;
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
      if (known && !start.loops) out[at(start.works[0])] = by_call[start.calls[0]];
    }
  };
  by_start(options.lines, lines_);
  by_start(options.sites, sites_);
  by_start(options.agreements, agreements_);
  // What loops call keeps the lines of the program that it was compiled from.
  for (const BoundStart& start : binding_.starts()) {
    if (!start.loops) continue;
    for (const int work : start.works) {
      const runtime::CollectiveCall& call = frame_.collectives[at(work)].call->call();
      if (!lines_.empty()) lines_[at(work)] = call.location;
      if (!sites_.empty()) sites_[at(work)] = call.site;
      const bool agrees = !start.calls.empty() && start.calls[0] < options.agreements.size();
      if (agrees) add_agreement(agreements_[at(work)], options.agreements[start.calls[0]]);
    }
  }
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
  const bool often = runs_ == 1 || (runs_ == 0 && has_long_loop(plan_));
  if (options_.mode == PlanMode::native && function_ == nullptr && often) {
    const runtime::ProfileSlice slice(context_.profile.get(), "compile", "native code of the plan");
    // What is profiled is told kernel by kernel.
    const bool joins = frame_.profile == nullptr && has_machine_code(plan_);
    const native::PlanCode made = native::compile(plan_, runtime::DiskCache::shared(), joins);
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
  for (std::size_t i = binding_.first_step(); i < plan_.steps.size(); ++i) {
    binding_.set_step(i);
    for_each_access(plan_, plan_.steps[i], [&](BufferId id, bool /*written*/) {
      const Pending* const input = input_of(id);
      if (input == nullptr) return;
      runtime::wait_for(*input->work, context_.profile.get());
      frame_.bind(id, input->work->result(input->part));
    });
    binding_.run_step();
  }
  frame_.finish_copies();
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
    if (start.step >= step) abandon(start, why);
  }
}

// A loop that failed, in the middle of its calls maybe.
const BoundStart* Executable::failed_loop() const noexcept {
  const auto found = std::ranges::find(binding_.starts(), binding_.step(), &BoundStart::step);
  return found == binding_.starts().end() || !found->loops ? nullptr : &*found;
}

void Executable::abandon(const BoundStart& start, const std::string& why) noexcept {
  for (const int work : start.works) {
    const runtime::BoundCollective& collective = frame_.collectives[at(work)];
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
           // What a GPU is given to do is several steps of the plan at once.
           (!plan_.devices.empty() || std::cmp_greater_equal(binding_.step(), buffer.defined_at));
  });
}

void Executable::note_started() noexcept {
  for (const BoundStart& start : binding_.starts()) {
    const bool entered = start.loops && start.step == binding_.step();
    if (start.step >= binding_.step() && !entered) return;
    const bool lost = start.loops || start.overwritten_at < binding_.step();
    started_.push_back({start.calls, lost ? nullptr : frame_.work(start.works[0])});
  }
}

}  // namespace tutti::codegen

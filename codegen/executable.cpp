#include <tutti/codegen/abandon.h>
#include <tutti/codegen/control_step.h>
#include <tutti/codegen/executable.h>
#include <tutti/codegen/profile_plan.h>
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

void run_code(const void* code, void* const* arguments, std::int64_t begin, std::int64_t end) {
  static_cast<const KernelCode*>(code)->run(arguments, begin, end);
}

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
  frame_.profile = profile_plan(plan_, context.profile);
  bind_steps();
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

void Executable::bind_steps() {
  using Kind = Instruction::Kind;
  // Allocations between two launches on a GPU are steps of the same region.
  DeviceRegion* region = nullptr;
  for (const Step& step : plan_.steps) {
    const auto* const launch = std::get_if<Launch>(&step);
    if (launch != nullptr && !launch->device.is_cpu()) {
      if (region == nullptr || region->device() != launch->device) {
        region = &bind_region(launch->device);
      }
      const auto number = static_cast<std::int32_t>(frame_.launches.size());
      frame_.launches.emplace_back();
      region->add(plan_, launch->parts[0], number);
      continue;
    }
    if (region != nullptr && std::holds_alternative<Allocate>(step)) {
      region->add(std::get<Allocate>(step));
      continue;
    }
    if (region != nullptr && std::holds_alternative<Free>(step)) {
      region->add(std::get<Free>(step));
      continue;
    }
    region = nullptr;
    if (const auto* allocate = std::get_if<Allocate>(&step)) {
      instructions_.push_back({Kind::allocate, allocate->buffer});
    } else if (launch != nullptr) {
      bind_launch(*launch);
    } else if (const auto* copy = std::get_if<Copy>(&step)) {
      instructions_.push_back({Kind::copy, 0, static_cast<std::uint32_t>(buffers_.size())});
      buffers_.insert(buffers_.end(), {copy->from, copy->to});
    } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
      instructions_.push_back({Kind::start, start->work});
      bind_collective(*start);
    } else if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
      instructions_.push_back({Kind::wait, wait->work});
    } else if (const auto* control = std::get_if<Control>(&step)) {
      instructions_.push_back({Kind::control, static_cast<std::int32_t>(frame_.controls.size())});
      bind_control(*control);
    } else {
      instructions_.push_back({Kind::free, std::get<Free>(step).buffer});
    }
  }
}

DeviceRegion& Executable::bind_region(Device device) {
  instructions_.push_back({Instruction::Kind::device, static_cast<std::int32_t>(regions_.size())});
  return regions_.emplace_back(device, options_.record);
}

void Executable::bind_launch(const Launch& launch) {
  instructions_.push_back({Instruction::Kind::launch,
                           static_cast<std::int32_t>(frame_.launches.size()),
                           static_cast<std::uint32_t>(buffers_.size())});
  runtime::BoundLaunch& bound = frame_.launches.emplace_back();
  for (const LaunchPart& part : launch.parts) {
    if (part.code == nullptr) {
      throw UsageError("plan @" + plan_.name + ": " + part.name +
                       " has no code; a plan that was read from text has its calls by name alone");
    }
    bound.kernels.push_back({.run = run_code,
                             .code = part.code.get(),
                             .tiles = part.tiles,
                             .tiles_in_place = part.tiles_in_place,
                             .arguments = part.buffers.size()});
    bound.tiles += part.tiles;
    bound.arguments += part.buffers.size();
    buffers_.insert(buffers_.end(), part.buffers.begin(), part.buffers.end());
  }
  arguments_.resize(std::max(arguments_.size(), bound.arguments));
}

void Executable::bind_collective(const CollectiveStart& start) {
  runtime::BoundCollective& bound = frame_.collectives[at(start.work)];
  bound.operands = start.operands;
  bound.results = start.results;
  bound.communicator = communicator_of(context_, *start.group, start.parent.get(), start.engine);
  started_.reserve(at(plan_.works));  // what fails must not need memory to say so
  runtime::CollectiveCall call = start.call;
  call.timeout = std::chrono::milliseconds(start.group->timeout);
  call.programs_differ = call.programs_differ || context_.programs_differ;
  bound.call = bound.communicator->prepare(std::move(call));
}

void Executable::bind_control(const Control& control) {
  std::vector<Executable*> functions;
  for (const int number : control.functions) functions.push_back(functions_[at(number)]);
  auto run =
      std::make_shared<ControlRun>(control, std::move(functions), context_, frame_, plan_.buffers);
  frame_.controls.emplace_back([run = std::move(run)] { run->run(); });
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
  step_ = 0;
  runtime::RunRecord record(frame_.profile.get(), context_.allocator);
  try {
    lines_.clear();
    sites_.clear();
    agreements_.clear();
    if (!options.agreements.empty()) {
      agreements_.resize(at(plan_.works));
      for (const Step& step : plan_.steps) {
        const auto* const start = std::get_if<CollectiveStart>(&step);
        if (start != nullptr)
          agreements_[at(start->work)] = options.agreements[at(start->collective)];
      }
    }
    frame_.agreements = agreements_;
    if (!options.collective_lines.empty()) {
      lines_.resize(at(plan_.works));
      sites_.resize(at(plan_.works));
      for (const Step& step : plan_.steps) {
        const auto* const start = std::get_if<CollectiveStart>(&step);
        if (start == nullptr) continue;
        lines_[at(start->work)] = options.collective_lines[at(start->collective)];
        sites_[at(start->work)] =
            options.collective_sites.empty() ? 0 : options.collective_sites[at(start->collective)];
      }
    }
    frame_.lines = lines_;
    frame_.sites = sites_;
    bind_inputs(inputs, options.donate);
    frame_.begin();
    run_steps();
    take_results(results);
  } catch (const std::exception& error) {
    if (options.abandon) {
      abandon_from(step_, error.what());
    } else {
      note_started();
    }
    record.failed();
    throw;
  }
}

void Executable::bind_inputs(std::span<const BufferPtr> inputs, bool donate) {
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i] != nullptr) frame_.bind(static_cast<int>(i), constants_[i]);
  }
  if (donate) {
    // Binding it is a second hold, so that no argument is taken over twice.
    for (const Donation& donation : plan_.donations) {
      const BufferPtr& input = inputs[at(donation.input)];
      if (input.use_count() != 1 || !input->is_private()) continue;
      if (frame_.held(donation.buffer) == nullptr) frame_.bind(donation.buffer, input);
    }
    // Whoever let go of the memory last, maybe on another thread, is done with it.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] >= 0) frame_.bind(inputs_[i], inputs[i]);
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
  if (function_ == nullptr) return walk();
  const std::int32_t failed = function_(&frame_.memory(), &frame_);
  if (failed < 0) {
    step_ = instructions_.size();
    return;
  }
  step_ = at(failed);
  std::rethrow_exception(std::exchange(frame_.failure, nullptr));
}

void* Executable::address_of(BufferId id) {
  const PlanBuffer& buffer = plan_.buffers[at(id)];
  if (buffer.kind != PlanBuffer::Kind::local) return frame_.memory().addresses[id];
  std::byte* const arena =
      buffer.device.is_cpu() ? frame_.memory().arena : frame_.arena(buffer.device);
  return arena + buffer.offset;
}

void Executable::walk() {
  using Kind = Instruction::Kind;
  for (step_ = 0; step_ < instructions_.size(); ++step_) {
    const Instruction& instruction = instructions_[step_];
    switch (instruction.kind) {
      case Kind::allocate:
        frame_.allocate(instruction.number);
        break;
      case Kind::launch: {
        const runtime::BoundLaunch& launch = frame_.launches[at(instruction.number)];
        for (std::size_t i = 0; i < launch.arguments; ++i) {
          arguments_[i] = address_of(buffers_[instruction.first_buffer + i]);
        }
        frame_.launch(instruction.number, arguments_.data());
        break;
      }
      case Kind::start:
        frame_.start(instruction.number);
        break;
      case Kind::wait:
        frame_.wait(instruction.number);
        break;
      case Kind::free:
        frame_.free(instruction.number);
        break;
      case Kind::copy: {
        const BufferId from = buffers_[instruction.first_buffer];
        const BufferId to = buffers_[instruction.first_buffer + 1];
        frame_.copy(from, address_of(from), to, address_of(to));
        break;
      }
      case Kind::control:
        frame_.control(instruction.number);
        break;
      case Kind::device:
        regions_[at(instruction.number)].run(context_, frame_);
        break;
    }
  }
}

void Executable::take_results(std::vector<Result>& results) {
  for (const PlanResult& result : plan_.results) {
    Result& out = results.emplace_back();
    out.type = result.type;
    if (result.work < 0) {
      out.buffer = frame_.held(result.buffer);
      continue;
    }
    const std::vector<BufferId>& parts = frame_.collectives[at(result.work)].results;
    out.work = frame_.work(result.work);
    out.part = static_cast<std::size_t>(std::ranges::find(parts, result.buffer) - parts.begin());
  }
}

// What this rank was to start and won't, its peers may start or have started.
void Executable::abandon_from(std::size_t step, const std::string& why) noexcept {
  for (std::size_t i = step; i < instructions_.size(); ++i) {
    if (instructions_[i].kind != Instruction::Kind::start) continue;
    const runtime::BoundCollective& collective = frame_.collectives[at(instructions_[i].number)];
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

void Executable::note_started() noexcept {
  std::size_t step = 0;
  for (const Step& each : plan_.steps) {
    const auto* const start = std::get_if<CollectiveStart>(&each);
    if (start == nullptr) continue;
    while (instructions_[step].kind != Instruction::Kind::start) ++step;
    if (step++ >= step_) return;
    started_.push_back({static_cast<std::size_t>(start->collective), frame_.work(start->work)});
  }
}

}  // namespace tutti::codegen

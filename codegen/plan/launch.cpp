#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/launch_sources.h>
#include <tutti/codegen/plan/launch_text.h>
#include <tutti/codegen/plan/launch_time.h>
#include <tutti/codegen/plan/native_steps.h>
#include <tutti/codegen/plan/plan_checker.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/support/error.h>

#include <algorithm>
#include <utility>

namespace tutti::codegen {

bool writes(const Plan& plan, const LaunchPart& part, std::size_t i) {
  if (part.kernel >= 0) return plan.kernels[at(part.kernel)].buffers[i].written;
  const std::size_t own = call_buffers(plan, part);
  if (i < own) return i + static_cast<std::size_t>(part.results) >= own;
  return plan.kernels[at(part.epilogue)].buffers[i - own].written;
}

std::string full_name(const Plan& plan, const LaunchPart& part) {
  if (part.epilogue < 0) return part.name;
  return part.name + " then " + plan.kernels[at(part.epilogue)].name;
}

std::size_t call_buffers(const Plan& plan, const LaunchPart& part) {
  if (part.epilogue < 0) return part.buffers.size();
  return part.buffers.size() - plan.kernels[at(part.epilogue)].buffers.size();
}

namespace {

void run_code(const void* code, void* const* arguments, std::int64_t begin, std::int64_t end) {
  static_cast<const KernelCode*>(code)->run(arguments, begin, end);
}

// What a part computes, if that is a generated kernel or may be put into other code.
NativeSteps::DirectKernel direct_kernel(const Plan& plan, const LaunchPart& part) {
  NativeSteps::DirectKernel out = {.tiles = part.tiles, .buffers = part.buffers.size()};
  if (part.epilogue >= 0) return out;
  if (part.kernel >= 0) {
    out.kernel = &plan.kernels[at(part.kernel)];
  } else if (part.code != nullptr) {
    out.kernel = part.code->kernel();
    out.update = part.code->update();
  }
  return out;
}

// Of one that is such parts alone, which one thread runs: these; else none.
std::vector<NativeSteps::DirectKernel> direct_kernels(const Plan& plan, const Launch& launch) {
  std::vector<NativeSteps::DirectKernel> out;
  if (!launch.device.is_cpu()) return out;
  for (const LaunchPart& part : launch.parts) {
    out.push_back(direct_kernel(plan, part));
    if (out.back().kernel == nullptr && out.back().update == nullptr) return {};
  }
  const bool is_one_tile = out.size() == 1 && out[0].tiles == 1;
  if (!is_one_tile && !is_for_one_thread(plan, launch)) out.clear();
  return out;
}

// The kernels' functions; null ones if one of them has none.
std::vector<runtime::KernelFunction> functions_of(const Launch& launch) {
  std::vector<runtime::KernelFunction> out;
  for (const LaunchPart& part : launch.parts) out.push_back(part.code->function());
  if (std::ranges::find(out, nullptr) != out.end()) std::ranges::fill(out, nullptr);
  return out;
}

}  // namespace

Launch Launch::parse(StepParser& parser) {
  ir::Lexer& lexer = parser.lexer();
  Launch out;
  std::vector<NamedBuffers> named;
  if (!lexer.accept("together")) {
    out.parts.push_back(parse_part(parser, out.device, named.emplace_back()));
  } else {
    while (lexer.peek().is_word("launch") || lexer.peek().is_word("call")) {
      const std::size_t offset = lexer.peek().offset;
      Device device;
      out.parts.push_back(parse_part(parser, device, named.emplace_back()));
      if (out.parts.size() > 1 && device != out.device) {
        lexer.fail(offset, "what is launched together runs on one device");
      }
      out.device = device;
    }
    if (out.parts.size() < 2) lexer.fail_expected("two launches or calls after 'together'");
  }
  parser.when_finished([&parser, step = parser.plan().steps.size(), named = std::move(named)] {
    std::vector<LaunchPart>& parts = launch_of(parser.plan().steps[step])->parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      complete(parser, parser.lexer(), parts[i], named[i]);
    }
  });
  return out;
}

void Launch::print(StepPrinter& printer) const {
  if (parts.size() == 1) return print_part(parts[0], device, printer);
  printer.add("together");
  printer.end_line();
  for (const LaunchPart& part : parts) {
    printer.begin_line("     ");
    print_part(part, device, printer);
  }
}

bool Launch::same(const Launch& other) const {
  return device == other.device && std::ranges::equal(parts, other.parts, same_launch_part);
}

void Launch::shift(const Shift& by) {
  for (LaunchPart& part : parts) {
    if (part.kernel >= 0) part.kernel += by.kernels;
    if (part.epilogue >= 0) part.epilogue += by.kernels;
    for (BufferId& id : part.buffers) id += by.buffers;
  }
}

void Launch::for_each_access(const Plan& plan, const OnAccess& f) const {
  for (const bool written : {false, true}) {
    for (const LaunchPart& part : parts) {
      for (std::size_t i = 0; i < part.buffers.size(); ++i) {
        if (writes(plan, part, i) != written) continue;
        // What an epilogue reads of its own call is no read of what was there before.
        const bool own = !written && part.epilogue >= 0 &&
                         part.buffers[i] == part.buffers[call_buffers(plan, part) - 1];
        if (!own) f(part.buffers[i], written);
      }
    }
  }
}

// Work reads and writes what lies where it runs.
void Launch::check(PlanChecker& checker) const {
  if (!device.is_cpu() && parts.size() != 1) checker.fail("groups launches on a GPU");
  for (const LaunchPart& part : parts) {
    if (part.tiles_in_place < 0) continue;
    const bool call = part.kernel < 0 && part.epilogue < 0 && part.results == 1;
    if (!call || part.tiles_in_place > part.tiles || part.buffers.size() < 2) {
      checker.fail(part.name + " can't run in place in " + std::to_string(part.tiles_in_place) +
                   " tiles: only a call of one result can, in no more tiles than it has");
    }
  }
  for_each_access(checker.plan(), [&](BufferId id, bool written) {
    checker.require(checker.buffer(id).device == device, " lies on another device", id);
    written ? checker.write(id) : checker.read(id);
  });
}

void Launch::bind(Binding& binding) const {
  const Plan& plan = binding.plan();
  runtime::PlanFrame& frame = binding.frame();
  const auto number = static_cast<std::int32_t>(frame.launches.size());
  runtime::BoundLaunch& bound = frame.launches.emplace_back();
  if (frame.profile != nullptr) {
    frame.profile->launches.push_back(launch_sources(plan, parts, *frame.profile->profile));
  }
  if (!device.is_cpu()) return binding.region(device).add(plan, parts[0], number);
  std::vector<BufferId> buffers;
  for (const LaunchPart& part : parts) {
    if (part.code == nullptr) {
      throw UsageError("plan @" + plan.name + ": " + part.name +
                       " has no code; a plan that was read from text has its calls by name alone");
    }
    bound.kernels.push_back({.run = run_code,
                             .code = part.code.get(),
                             .tiles = part.tiles,
                             .tiles_in_place = part.tiles_in_place,
                             .arguments = part.buffers.size()});
    bound.tiles += part.tiles;
    buffers.insert(buffers.end(), part.buffers.begin(), part.buffers.end());
  }
  bound.arguments = buffers.size();
  bound.is_shared = !is_for_one_thread(plan, *this);
  if (!direct_kernels(plan, *this).empty()) {
    // What is profiled goes through the frame.
    const std::vector<runtime::KernelFunction> functions =
        frame.profile == nullptr ? functions_of(*this)
                                 : std::vector<runtime::KernelFunction>(parts.size(), nullptr);
    frame.kernels.insert(frame.kernels.end(), functions.begin(), functions.end());
  }
  const auto run = [](Binding& with, const BoundStep& self) {
    runtime::PlanFrame& of = with.frame();
    const std::size_t count = of.launches[at(self.number)].arguments;
    of.launch(self.number, with.addresses(self.first_buffer, count));
  };
  binding.add({.run = run, .number = number, .first_buffer = binding.add_buffers(buffers)});
}

void Launch::emit(NativeSteps& native) const {
  std::vector<BufferId> buffers;
  for (const LaunchPart& part : parts) {
    buffers.insert(buffers.end(), part.buffers.begin(), part.buffers.end());
  }
  constexpr const char* kFunction = "tutti_launch";
  const std::vector<NativeSteps::DirectKernel> direct = direct_kernels(native.plan(), *this);
  direct.empty() ? native.launch(kFunction, buffers)
                 : native.launch_direct(kFunction, buffers, direct);
}

void Launch::hash(const Plan& plan, Hasher& hasher) const {
  for (const LaunchPart& part : parts) {
    for (const BufferId id : part.buffers) add_place(plan, id, hasher);
  }
  const std::vector<NativeSteps::DirectKernel> direct = direct_kernels(plan, *this);
  hasher.add(3).add(parts.size()).add(direct.size());
  for (const NativeSteps::DirectKernel& kernel : direct) {
    hasher.add(hashed(kernel.tiles)).add(kernel.buffers).add(kernel.update != nullptr);
  }
}

}  // namespace tutti::codegen

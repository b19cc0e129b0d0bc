#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/companions.h>
#include <tutti/codegen/plan/launch_sources.h>
#include <tutti/codegen/plan/launch_text.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/support/error.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using Companion = std::optional<LaunchPart>;

// The buffers of a companion, but for the one that it shares with its collective.
std::vector<BufferId> other_buffers(const Plan& plan, const Companion& companion,
                                    const std::vector<BufferId>& shared, bool written) {
  std::vector<BufferId> out;
  for (std::size_t i = 0; companion && i < companion->buffers.size(); ++i) {
    const BufferId id = companion->buffers[i];
    if (id != shared[0] && writes(plan, *companion, i) == written) out.push_back(id);
  }
  return out;
}

// Its buffers as the text names them are put in order when the kernels are there.
NamedBuffers parse_companion(StepParser& parser, CollectiveStart& start,
                             Companion CollectiveStart::* companion,
                             const std::vector<BufferId>& shared, const std::string& what) {
  ir::Lexer& lexer = parser.lexer();
  if (!lexer.peek().is_word("launch")) lexer.fail_expected("the launch of a kernel");
  Device device;
  NamedBuffers named;
  start.*companion = parse_part(parser, device, named);
  if (shared.empty() || device != parser.plan().buffers[at(shared[0])].device) {
    lexer.fail(named.offset, what);
  }
  parser.when_finished([&parser, companion, named, step = parser.plan().steps.size()] {
    complete(parser, parser.lexer(), *(start_of(parser.plan().steps[step])->*companion), named);
  });
  return named;
}

void print_companion(const LaunchPart& companion, BufferId shared, const char* when,
                     StepPrinter& printer) {
  printer.begin_line(when);
  print_part(companion, printer.plan().buffers[at(shared)].device, printer);
}

std::shared_ptr<const runtime::BoundCompanion> bind_companion(const CollectiveStart& start,
                                                              const LaunchPart& part,
                                                              BufferId shared, Binding& binding) {
  const Plan& plan = binding.plan();
  runtime::PlanFrame& frame = binding.frame();
  if (part.device_code == nullptr) throw InternalError(part.name + " was not compiled");
  auto out = std::make_shared<runtime::BoundCompanion>();
  out->code = part.device_code;
  out->fused = start.fused;
  out->device = plan.buffers[at(shared)].device;
  out->launch = static_cast<std::int32_t>(frame.launches.size());
  out->blocks = binding.on_devices().launch_blocking;
  out->name = part.name;
  out->location = part.location;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    const BufferId id = part.buffers[i];
    const PlanBuffer& buffer = plan.buffers[at(id)];
    const bool in_arena = buffer.kind == PlanBuffer::Kind::local;
    out->arguments.push_back({.buffer = id,
                              .offset = in_arena ? buffer.offset : -1,
                              .allocates = buffer.is_allocated() && writes(plan, part, i),
                              .is_shared = id == shared});
  }
  frame.launches.emplace_back();
  if (frame.profile != nullptr) {
    frame.profile->launches.push_back(
        launch_sources(plan, std::span(&part, 1), *frame.profile->profile));
  }
  return out;
}

}  // namespace

std::vector<BufferId> CollectiveStart::leader_reads(const Plan& plan) const {
  return other_buffers(plan, leader, operands, false);
}

std::vector<BufferId> CollectiveStart::follower_buffers(const Plan& plan, bool written) const {
  return other_buffers(plan, follower, results, written);
}

void parse_companions(StepParser& parser, CollectiveStart& start, CollectiveWait& wait) {
  if (parser.lexer().accept("first")) {
    const NamedBuffers named =
        parse_companion(parser, start, &CollectiveStart::leader, start.operands,
                        "what leads a collective runs where its operand lies");
    wait.leader_reads = named.read;
  }
  if (!parser.lexer().accept("then")) return;
  const NamedBuffers named =
      parse_companion(parser, start, &CollectiveStart::follower, start.results,
                      "what follows a collective runs where its result lies");
  for (const BufferId id : named.read) {
    if (id != start.results[0]) wait.follower_reads.push_back(id);
  }
  wait.follower_writes = named.written;
}

void print_companions(const CollectiveStart& start, StepPrinter& printer) {
  if (start.leader) print_companion(*start.leader, start.operands[0], "   first ", printer);
  if (start.follower) print_companion(*start.follower, start.results[0], "   then ", printer);
}

void bind_companions(const CollectiveStart& start, Binding& binding,
                     runtime::BoundCollective& collective) {
  if (start.leader) {
    collective.leader = bind_companion(start, *start.leader, start.operands[0], binding);
  }
  if (start.follower) {
    collective.follower = bind_companion(start, *start.follower, start.results[0], binding);
  }
}

}  // namespace tutti::codegen

#include <tutti/codegen/plan/binding.h>
#include <tutti/codegen/plan/follower.h>
#include <tutti/codegen/plan/launch_sources.h>
#include <tutti/codegen/plan/launch_text.h>
#include <tutti/codegen/plan/step_parser.h>
#include <tutti/codegen/plan/step_printer.h>
#include <tutti/ir/support/error.h>

#include <span>
#include <utility>
#include <vector>

namespace tutti::codegen {

std::vector<BufferId> CollectiveStart::follower_buffers(const Plan& plan, bool written) const {
  std::vector<BufferId> out;
  for (std::size_t i = 0; follower && i < follower->buffers.size(); ++i) {
    const BufferId id = follower->buffers[i];
    if (id != results[0] && writes(plan, *follower, i) == written) out.push_back(id);
  }
  return out;
}

void parse_follower(StepParser& parser, CollectiveStart& start, CollectiveWait& wait) {
  ir::Lexer& lexer = parser.lexer();
  if (!lexer.peek().is_word("launch")) lexer.fail_expected("the launch of a kernel after 'then'");
  Device device;
  NamedBuffers named;
  start.follower = parse_part(parser, device, named);
  if (start.results.empty() || device != parser.plan().buffers[at(start.results[0])].device) {
    lexer.fail(named.offset, "what follows a collective runs where its result lies");
  }
  for (const BufferId id : named.read) {
    if (id != start.results[0]) wait.follower_reads.push_back(id);
  }
  wait.follower_writes = named.written;
  parser.when_finished([&parser, step = parser.plan().steps.size(), named = std::move(named)] {
    complete(parser, parser.lexer(), *start_of(parser.plan().steps[step])->follower, named);
  });
}

void print_follower(const CollectiveStart& start, StepPrinter& printer) {
  printer.begin_line("   then ");
  print_part(*start.follower, printer.plan().buffers[at(start.results[0])].device, printer);
}

std::shared_ptr<const runtime::BoundFollower> bind_follower(const CollectiveStart& start,
                                                            Binding& binding) {
  const Plan& plan = binding.plan();
  runtime::PlanFrame& frame = binding.frame();
  const LaunchPart& part = *start.follower;
  if (part.device_code == nullptr) throw InternalError(part.name + " was not compiled");
  auto out = std::make_shared<runtime::BoundFollower>();
  out->code = part.device_code.get();
  out->fused = start.fused;
  out->device = plan.buffers[at(start.results[0])].device;
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
                              .is_result = id == start.results[0]});
  }
  frame.launches.emplace_back();
  if (frame.profile != nullptr) {
    frame.profile->launches.push_back(
        launch_sources(plan, std::span(&part, 1), *frame.profile->profile));
  }
  return out;
}

}  // namespace tutti::codegen

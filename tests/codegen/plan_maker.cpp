#include "tests/codegen/plan_maker.h"

#include <memory>
#include <utility>

namespace tutti::test {

using codegen::at;
using codegen::BufferId;
using codegen::PlanBuffer;

BufferId PlanMaker::add(PlanBuffer::Kind kind, std::int64_t bytes) {
  PlanBuffer& buffer = plan.buffers.emplace_back();
  buffer.kind = kind;
  buffer.bytes = bytes;
  return static_cast<BufferId>(plan.buffers.size()) - 1;
}

BufferId PlanMaker::input(std::int64_t bytes) {
  const BufferId id = add(PlanBuffer::Kind::input, bytes);
  plan.buffers.back().index = static_cast<int>(plan.inputs.size());
  plan.inputs.push_back({.dtype = DType::u8, .shape = {bytes}});
  return id;
}

void PlanMaker::launch(std::vector<std::vector<BufferId>> parts) {
  codegen::Launch launch;
  for (std::vector<BufferId>& buffers : parts) {
    codegen::LaunchPart& part = launch.parts.emplace_back();
    part.name = "call";
    part.tiles = 1;
    part.buffers = std::move(buffers);
  }
  plan.steps.emplace_back(std::move(launch));
}

int PlanMaker::start(BufferId operand, BufferId result) {
  codegen::CollectiveStart start;
  start.group = std::make_shared<const ir::Group>(ir::Group{.tag = "all", .ranks = {0}});
  start.call.parts.push_back({.elements = plan.buffers[at(operand)].bytes});
  start.operands = {operand};
  start.results = {result};
  start.work = plan.works++;
  plan.steps.emplace_back(std::move(start));
  return plan.works - 1;
}

void PlanMaker::wait(int work) {
  codegen::CollectiveWait wait;
  for (const codegen::Step& step : plan.steps) {
    const codegen::CollectiveStart* const start = codegen::start_of(step);
    if (start != nullptr && start->work == work) wait = codegen::CollectiveWait::of(*start);
  }
  plan.steps.emplace_back(std::move(wait));
}

void PlanMaker::result(BufferId buffer, int work) {
  const ir::Type type{.dtype = DType::u8,
                      .shape = {plan.buffers[static_cast<std::size_t>(buffer)].bytes}};
  plan.results.push_back({.buffer = buffer, .type = type, .work = work});
}

}  // namespace tutti::test

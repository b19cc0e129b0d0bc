#pragma once

// Plans of a rank that shares a group over NCCL with another one.

#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/plan/parse_plan.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/codegen/plan_complaint.h"
#include <gtest/gtest.h>

namespace tutti::test {

// The plan of rank 0 as text, of a function that has @pair and takes %x and %b; it is read again,
// and checked.
inline std::string plan_of_pair(
    const std::string& body, const std::string& results,
    const runtime::AlgorithmTable& table = runtime::AlgorithmTable::defaults()) {
  ir::Graph graph =
      ir::parse(
          "// tutti ir 1\n"
          "group @pair = {ranks = [0, 1], stride = 2, backends = \"cpu:shm,cuda:nccl\"}\n"
          "func @f(%x: f32[8,16] on cuda:0, %b: f32[16] on cuda:0) -> (" +
          results + ") {\n" + body + "}")
          .functions.at(0);
  ir::run_passes(graph);
  const codegen::Plan plan = codegen::make_plan(graph, 0, {.table = &table});
  const std::string text = print(plan);
  const codegen::Plan read = codegen::parse_plan(text);
  EXPECT_EQ(print(read), text);
  EXPECT_TRUE(structurally_equal(read, plan));
  EXPECT_EQ(complaint(read), "");
  return text;
}

// The step that starts the plan's first collective.
inline auto first_start(codegen::Plan& plan) {
  return std::ranges::find_if(
      plan.steps, [](const codegen::Step& step) { return codegen::start_of(step) != nullptr; });
}

// Puts a launch behind that one, which reads one buffer and writes another.
inline void launch_behind_start(codegen::Plan& plan, codegen::BufferId read,
                                codegen::BufferId written) {
  codegen::Launch launch{.parts = {}, .device = Device::cuda()};
  launch.parts.push_back(
      {.name = "changes", .tiles = 1, .tiles_in_place = 1, .buffers = {read, written}});
  plan.steps.insert(first_start(plan) + 1, std::move(launch));
}

}  // namespace tutti::test

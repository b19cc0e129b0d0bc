// Plans of random programs with something changed about where or when: check() refuses them, or
// they give what they gave before.

#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/local.h>

#include <algorithm>
#include <array>

#include "tests/support/random/draw.h"
#include "tests/support/random/random_program.h"
#include <gmock/gmock.h>

namespace tutti::codegen::changed_plans_test {
namespace {

using test::Draw;

// Whether a buffer of the step has one value after another: which one a step means, only the order
// says.
bool updates(const Plan& plan, const Step& step) {
  std::vector<int> writes(plan.buffers.size(), 0);
  for (const Step& each : plan.steps) {
    for_each_access(plan, each, [&](BufferId id, bool written) { writes[at(id)] += written; });
  }
  bool out = false;
  for_each_access(plan, step, [&](BufferId id, bool) { out = out || writes[at(id)] > 1; });
  return out;
}

// A step somewhere else among those of its part, other steps moving up.
bool move_step(Plan& plan, Draw& draw) {
  const std::int64_t from = draw.below(std::ssize(plan.steps));
  std::int64_t begin = plan.main_step();
  std::int64_t end = std::ssize(plan.steps);
  for (const Region& region : plan.regions) {
    if (from >= region.first_step && from < region.end_step) {
      begin = region.first_step;
      end = region.end_step;
    }
  }
  const std::int64_t to = begin + draw.below(end - begin);
  const auto first = plan.steps.begin();
  if (updates(plan, *(first + from))) return false;
  if (from < to) std::rotate(first + from, first + from + 1, first + to + 1);
  if (to < from) std::rotate(first + to, first + from, first + from + 1);
  return from != to;
}

// A local buffer where another one lies, or anywhere in the arena.
bool move_buffer(Plan& plan, Draw& draw) {
  std::vector<PlanBuffer*> locals;
  for (PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == PlanBuffer::Kind::local && buffer.bytes > 0) locals.push_back(&buffer);
  }
  if (locals.empty()) return false;
  PlanBuffer& buffer = *draw.one_of(locals);
  const std::int64_t before = buffer.offset;
  constexpr std::int64_t kAlignment = 64;
  const std::int64_t places = (plan.arena_bytes - buffer.bytes) / kAlignment + 1;
  buffer.offset = draw.coin() ? draw.one_of(locals)->offset : draw.below(places) * kAlignment;
  return buffer.offset != before;
}

// A result that takes another argument's memory over.
bool change_donation(Plan& plan, Draw& draw) {
  std::vector<std::pair<std::vector<Donation>*, const std::vector<PlanResult>*>> parts;
  std::vector<std::int64_t> inputs;
  for (Region& region : plan.regions) {
    parts.emplace_back(&region.donations, &region.results);
    inputs.push_back(std::ssize(region.inputs));
  }
  parts.emplace_back(&plan.donations, &plan.results);
  inputs.push_back(std::ssize(plan.inputs));
  const auto i = static_cast<std::size_t>(draw.below(std::ssize(parts)));
  const auto& [donations, results] = parts[i];
  if (inputs[i] == 0 || results->empty()) return false;
  donations->push_back(
      {.input = static_cast<int>(draw.below(inputs[i])), .buffer = draw.one_of(*results).buffer});
  if (draw.coin()) std::swap(donations->back(), donations->front());
  return true;
}

bool drop_step(Plan& plan, Draw& draw) {
  const std::int64_t from = draw.below(std::ssize(plan.steps));
  // What computes is missed by nobody but the reader.
  const Step& step = plan.steps[static_cast<std::size_t>(from)];
  if (std::holds_alternative<Launch>(step) || control_of(step) != nullptr) return false;
  plan.steps.erase(plan.steps.begin() + from);
  for (Region& region : plan.regions) {
    if (region.first_step > from) --region.first_step;
    if (region.end_step > from) --region.end_step;
  }
  return true;
}

constexpr std::array kChanges = {move_step, move_buffer, change_donation, drop_step};

// What a plan says of lives would give every change away.
void forget_lives(Plan& plan) {
  for (PlanBuffer& buffer : plan.buffers) buffer.defined_at = buffer.last_use = -1;
}

class Runner {
 public:
  runtime::Context& context() { return context_; }

  std::vector<std::vector<std::byte>> run(Executable& executable,
                                          const std::vector<ir::Array>& inputs, bool donate) {
    std::vector<std::shared_ptr<runtime::Buffer>> buffers;
    for (const ir::Array& input : inputs) {
      buffers.push_back(context_.allocator.allocate(input.bytes().size()));
      std::ranges::copy(input.bytes(), buffers.back()->data());
    }
    std::vector<Executable::Result> results;
    executable.run(buffers, {.donate = donate}, results);
    std::vector<std::vector<std::byte>> out;
    for (const Executable::Result& result : results) {
      const auto bytes = static_cast<std::size_t>(result.type.bytes());
      const std::byte* const data = result.wait()->data();
      out.emplace_back(data, data + bytes);
    }
    return out;
  }

 private:
  runtime::Context context_{
      std::make_unique<runtime::HostBackend>(std::make_shared<runtime::LocalFabric>(1), 0), 1};
};

TEST(ChangedPlans, AreRefusedOrGiveTheSame) {
  constexpr int kPrograms = 150;
  constexpr int kOfEach = 10;
  std::array<int, kChanges.size()> refused{};
  std::array<int, kChanges.size()> accepted{};
  Runner runner;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const test::RandomProgram program = test::random_program(
        seed, {.values = test::ProgramOptions::Values::exact, .nodes = 16, .control = true});
    CompileOptions options;
    options.kernel_mode = KernelMode::evaluate;
    options.plan_mode = PlanMode::walk;
    const auto executable = compile(program.graph, runner.context(), options);
    const auto expected = runner.run(*executable, program.inputs[0], false);
    Draw draw(seed);
    if (executable->plan().steps.empty()) continue;
    for (std::size_t i = 0; i < kOfEach * kChanges.size(); ++i) {
      const std::size_t kind = i % kChanges.size();
      Plan changed = executable->plan();
      forget_lives(changed);
      if (!kChanges[kind](changed, draw)) continue;
      try {
        check(changed);
      } catch (const InternalError&) {
        ++refused[kind];
        continue;
      }
      ++accepted[kind];
      const std::string text = print(changed);
      Executable other(std::move(changed), runner.context(), PlanMode::walk);
      for (const bool donate : {false, true}) {
        ASSERT_EQ(runner.run(other, program.inputs[0], donate), expected)
            << "seed " << seed << ", change " << i << "\n"
            << print(executable->plan()) << "\nchanged:\n"
            << text;
      }
    }
  }
  // Both happen often, but that a program can do without a step.
  for (std::size_t kind = 0; kind < kChanges.size(); ++kind) {
    EXPECT_GT(refused[kind], 50) << kind;
    const int least = kChanges[kind] == drop_step ? -1 : 20;
    EXPECT_GT(accepted[kind], least) << kind;
  }
}

}  // namespace
}  // namespace tutti::codegen::changed_plans_test

// What planning the places of a group's memory saves: for programs that communicate, how much of it
// a rank needs, and how long a run takes, with three layouts of the same plan:
//
//   planned   as the compiler does, the better of two ways to pack what is not in use together
//   by key    where an earlier piece of the very same size was, as a cache of freed buffers has it
//   by call   every operand and result has a place of its own
//
//   tutti launch -n 2 -- bench_comm_memory gpt tensor_parallel
//
// `gpt` is the training step of examples/train_char_gpt, shared over its batch; `tensor_parallel`
// one of a transformer whose products are split over the ranks. Rank 0 prints a table a program.
#include <tutti/codegen/driver/compile.h>
#include <tutti/codegen/pack.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan/placement.h>
#include <tutti/ir/parse/parse.h>
#include <tutti/lazy/context.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "../examples/char_gpt.h"
#include <CLI/CLI.hpp>

namespace {

using codegen::Executable;
using codegen::Plan;
using codegen::PlanBuffer;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// ---- A transformer whose products are split: each rank has some heads and some hidden units.

constexpr std::int64_t kTokens = 512, kModel = 256, kHidden = 1024, kDepth = 4;

struct SplitBlock {
  Tensor query, key, value, out, up, down;
  TUTTI_FIELDS(query, key, value, out, up, down)
};

struct SplitModel {
  std::vector<SplitBlock> blocks;
  TUTTI_FIELDS(blocks)
};

SplitModel init_split_model(const World& world) {
  const std::int64_t ranks = world.size();
  const auto part = [&](std::int64_t rows, std::int64_t columns, std::int64_t number) {
    const Key key = fold_in(Key(7), number * ranks + world.rank());
    return normal({rows, columns}, key) * (1.F / std::sqrt(static_cast<float>(kModel)));
  };
  SplitModel model;
  for (std::int64_t i = 0; i < kDepth; ++i) {
    model.blocks.push_back(
        {part(kModel, kModel / ranks, 6 * i), part(kModel, kModel / ranks, 6 * i + 1),
         part(kModel, kModel / ranks, 6 * i + 2), part(kModel / ranks, kModel, 6 * i + 3),
         part(kModel, kHidden / ranks, 6 * i + 4), part(kHidden / ranks, kModel, 6 * i + 5)});
  }
  return model;
}

Tensor row_norm(const Tensor& x) { return x * rsqrt(mean(x * x, {-1}, true) + 1e-5F); }

Tensor split_loss(const SplitModel& model, const Tensor& tokens, const World& world) {
  Tensor x = tokens;
  for (const SplitBlock& block : model.blocks) {
    const Tensor a = row_norm(x);
    const Tensor weights =
        softmax(matmul(matmul(a, block.query), transpose(matmul(a, block.key), {1, 0})));
    x = x + Tensor(all_reduce(matmul(matmul(weights, matmul(a, block.value)), block.out), world));
    const Tensor hidden = gelu(matmul(row_norm(x), block.up));
    x = x + Tensor(all_reduce(matmul(hidden, block.down), world));
  }
  return mean(x * x);
}

// ---- Layouts

struct Layout {
  const char* name;
  codegen::Packing (*pack)(std::span<const codegen::Life> lives, std::int64_t alignment);
};

codegen::Packing pack_apart(std::span<const codegen::Life> lives, std::int64_t alignment) {
  codegen::Packing out;
  for (const codegen::Life& life : lives) {
    out.offsets.push_back(out.bytes);
    out.bytes += (life.bytes + alignment - 1) / alignment * alignment;
  }
  return out;
}

constexpr Layout kLayouts[] = {
    {"planned", nullptr}, {"by key", codegen::pack_by_size}, {"by call", pack_apart}};

// The same plan with other places.
Plan with_layout(Plan plan, const Layout& layout) {
  if (layout.pack == nullptr) return plan;
  for (std::size_t area = 0; area < plan.areas.size(); ++area) {
    std::vector<PlanBuffer*> buffers;
    std::vector<codegen::Life> lives;
    for (PlanBuffer& buffer : plan.buffers) {
      if (buffer.kind != PlanBuffer::Kind::symmetric) continue;
      if (codegen::at(buffer.index) != area) continue;
      buffers.push_back(&buffer);
      lives.push_back({buffer.defined_at, buffer.last_use, buffer.bytes});
    }
    const codegen::Packing packing = layout.pack(lives, 64);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i]->offset = packing.offsets[i];
    plan.areas[area].bytes = packing.bytes;
  }
  codegen::add_placements(plan);
  codegen::check(plan);
  return plan;
}

// What this rank needs of all groups' memory.
std::int64_t bytes_of(const Plan& plan) {
  std::int64_t out = 0;
  for (const codegen::PlanArea& area : plan.areas) {
    const bool own = area.member < 0 || area.member == area.group->position_of(plan.rank);
    if (own) out += area.bytes;
  }
  return out;
}

// Collectives' operands and results: how many lie at places of the plan, and how many do not.
std::pair<int, int> count_places(const Plan& plan) {
  int placed = 0;
  int others = 0;
  for (const codegen::Step& step : plan.steps) {
    const codegen::CollectiveStart* const start = codegen::start_of(step);
    if (start == nullptr) continue;
    for (const auto* const buffers : {&start->operands, &start->results}) {
      for (const codegen::BufferId id : *buffers) {
        const PlanBuffer::Kind kind = plan.buffers[codegen::at(id)].kind;
        if (kind == PlanBuffer::Kind::peer) continue;  // where others have their operands
        ++(kind == PlanBuffer::Kind::symmetric ? placed : others);
      }
    }
  }
  return {placed, others};
}

// ---- Running

// Zeros of the types that a plan takes.
std::vector<std::shared_ptr<runtime::Buffer>> zeros_for(const Plan& plan,
                                                        runtime::Context& context) {
  std::vector<std::shared_ptr<runtime::Buffer>> out;
  for (const ir::Type& type : plan.inputs) {
    out.push_back(context.allocator.allocate(static_cast<std::size_t>(type.bytes())));
    std::memset(out.back()->data(), 0, out.back()->bytes());
  }
  return out;
}

void measure(World& world, const std::string& name, const std::string& text, int runs) {
  runtime::Context& context = detail::RankContext::current().runtime();
  const ir::Module module = ir::parse(text);
  codegen::CompileOptions options = detail::RankContext::current().compile_options;
  options.one_program = module.functions.back().parameters().size();
  const Plan plan = codegen::compile(module.functions.back(), context, options)->plan();
  const auto inputs = zeros_for(plan, context);

  std::vector<std::unique_ptr<Executable>> programs;
  for (const Layout& layout : kLayouts) {
    programs.push_back(std::make_unique<Executable>(with_layout(plan, layout), context));
  }
  std::vector<std::vector<double>> taken(programs.size());
  std::vector<Executable::Result> results;
  for (int run = -3; run < runs; ++run) {  // the first ones warm up
    for (std::size_t turn = 0; turn < programs.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(run + 3)) % programs.size();
      barrier(world);
      const double begin = seconds();
      programs[i]->run(inputs, {}, results);
      context.backend->finish();
      if (run >= 0) taken[i].push_back(seconds() - begin);
    }
  }
  if (world.rank() != 0) return;
  const auto [placed, others] = count_places(plan);
  std::cout << name << ": " << placed
            << " operands and results of collectives at places of the plan, " << others
            << " elsewhere\n"
            << "  layout     bytes of a rank      ms a run\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::ranges::sort(taken[i]);
    std::cout << "  " << std::left << std::setw(8) << kLayouts[i].name << std::right
              << std::setw(18) << bytes_of(programs[i]->plan()) << std::setw(14) << std::fixed
              << std::setprecision(3) << taken[i][taken[i].size() / 2] * 1e3 << '\n';
  }
}

std::string text_of_gpt(const World& world) {
  const AdamW adamw;
  const Gpt gpt = replicated(init_gpt(Key(42)), world);
  auto step = compile(training_step(world, adamw));
  const GptSizes sizes;
  const std::int64_t rows = sizes.batch / world.size();
  const std::vector<std::int32_t> text(static_cast<std::size_t>(rows * sizes.context));
  const Tensor tokens = from(text, {rows, sizes.context});  // of this rank alone
  eval(std::get<2>(step(gpt, adamw.init(gpt), tokens, tokens, 1e-3F)));
  return step.ir();
}

std::string text_of_split_model(const World& world) {
  auto step = compile([&](const SplitModel& model, const Tensor& tokens) {
    const auto [loss, gradients] =
        value_and_grad([&](const SplitModel& of) { return split_loss(of, tokens, world); })(model);
    const auto next =
        map([](const Tensor& p, const Tensor& g) { return p - 0.01F * g; }, model, gradients);
    return std::tuple(next, loss);
  });
  const Tensor tokens = replicated(normal({kTokens, kModel}, Key(3)), world);
  eval(std::get<1>(step(init_split_model(world), tokens)));
  return step.ir();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares layouts of the memory that collectives use.");
  std::vector<std::string> keys;
  int runs = 30;
  app.add_option("keys", keys)->required()->check(CLI::IsMember({"gpt", "tensor_parallel"}));
  app.add_option("--runs", runs, "how many are measured")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    World world = init();
    for (const std::string& key : keys) {
      const std::string text = key == "gpt" ? text_of_gpt(world) : text_of_split_model(world);
      measure(world, key, text, runs);
    }
    world.close();
  } catch (const std::exception& error) {
    std::cerr << "bench_comm_memory: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

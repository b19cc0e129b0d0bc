#include <tutti/lazy/context.h>

#include <iostream>

#include "tests/processes/program/scenario.h"
#include "tests/support/divergent_program.h"

namespace tutti::test {

namespace {

using Floats = std::vector<float>;

// x and the mean of what the ranks have; 0, 2, 4...
Tensor step(const Tensor& x, const World& world) {
  return all_reduce(x + tensor({static_cast<float>(2 * world.rank())}), world, Reduce::mean);
}

void rank_0_prints(const Arguments&) {
  const World world = init();
  Tensor x = zeros({1});
  for (int i = 0; i < 3; ++i) {
    x = step(x, world);
    if (world.rank() == 0) std::cout << x << std::endl;
  }
}

void last_rank_reads(const Arguments&) {
  const World world = init();
  Tensor x = zeros({1});
  for (int i = 0; i < 50; ++i) x = step(x, world);
  if (world.rank() == world.size() - 1) say(std::to_string(x.item<float>()));
}

void short_batch(const Arguments&) {
  const World world = init();
  auto total =
      compile([&](const Tensor& batch) -> Tensor { return all_reduce(sum(batch), world); });
  for (int i = 0; i < 4; ++i) {
    const bool is_short = i == 3 && world.rank() == 1;
    const Tensor sum = total(ones({is_short ? 1 : 8}));
    say(std::to_string(sum.item<float>()));
  }
}

void traces_and_returns(const Arguments& arguments) {
  const World world = init();
  const Tensor own = tensor({1.F});
  AsyncTensor total = all_reduce(own, world);
  for (int i = 0; i < 20; ++i) total = all_reduce(total - own, world);
  if (!arguments.empty() && world.rank() == std::stoi(arguments[0])) {
    say(std::to_string(total.item<float>()));
  }
}

// divergent FIRST COUNT [gpus]
void divergent(const Arguments& arguments) {
  World world = init();
  if (arguments.size() > 2) set_default_device(world.gpu());
  const auto first = std::stoull(arguments.at(0));
  const auto count = std::stoull(arguments.at(1));
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    // Machine code takes longer to make than these programs take to run.
    world.context()->compile_options.kernel_mode =
        seed % 16 == 0 ? codegen::kDefaultKernelMode : codegen::KernelMode::evaluate;
    run_divergent_program(world, make_divergent_program(seed, world.size()));
    world.set_eager(false);
  }
  if (arguments.size() < 3) return;
  world.close();
  say("all right");
}

// Each of 4 ranks has {r, r, r, r} + {0, 10, 20, 30}.
void every_collective(const Arguments&) {
  const World world = init();
  const int rank = world.rank();
  const auto own = static_cast<float>(rank);
  const Tensor x = tensor({own, own + 10, own + 20, own + 30});
  const auto gives = [](const AsyncTensor& result, const Floats& expected,
                        std::source_location at = std::source_location::current()) {
    expect(result.to_vector<float>() == expected, at);
  };
  const Floats all = {0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32, 3, 13, 23, 33};
  const Floats totals = {6, 46, 86, 126};
  gives(all_reduce(x, world), totals);
  gives(all_reduce(x, world, Reduce::mean), {1.5F, 11.5F, 21.5F, 31.5F});
  gives(all_reduce(x, world, Reduce::max), {3, 13, 23, 33});
  gives(all_reduce(x, world, Reduce::product), {0, 17160, 212520, 982080});
  gives(reduce(x, world, Reduce::sum, 2), rank == 2 ? totals : Floats(4));
  gives(all_gather(x, world), all);
  gives(gather(x, world, 1), rank == 1 ? all : Floats(16));
  gives(reduce_scatter(x, world), {totals[static_cast<std::size_t>(rank)]});
  gives(scatter(x, world, 3), {3.F + 10 * own});
  gives(broadcast(x, world, 1), {1, 11, 21, 31});
  gives(all_to_all(x, world), {10 * own, 10 * own + 1, 10 * own + 2, 10 * own + 3});
  gives(collective_permute(x, world, {{0, 1}, {1, 2}}),
        rank == 1 || rank == 2 ? Floats({own - 1, own + 9, own + 19, own + 29}) : Floats(4));
  const Sizes sizes = {1, 2, 0, 1};
  const Tensor part = slice(x, {{.start = 0, .stop = sizes[static_cast<std::size_t>(rank)]}});
  gives(all_gather(part, world, 0, sizes), {0, 1, 11, 3});
  const int next = (rank + 1) % 4;
  const int previous = (rank + 3) % 4;
  send(x, world, next);
  const auto before = static_cast<float>(previous);
  gives(recv({4}, DType::f32, world, previous), {before, before + 10, before + 20, before + 30});
  const auto messages = batch_send_recv({{x, previous}}, {{{4}, DType::f32, next}}, world);
  const auto after = static_cast<float>(next);
  gives(messages[0], {after, after + 10, after + 20, after + 30});
  const auto tree = all_reduce(std::pair(x, tensor({std::int64_t{rank}})), world);
  expect(tree.first.to_vector<float>() == totals);
  expect(tree.second.item<std::int64_t>() == 6);
  barrier(world);
  say("all right");
}

}  // namespace

Scenarios looking_scenarios() {
  return {{"rank_0_prints", rank_0_prints}, {"last_rank_reads", last_rank_reads},
          {"short_batch", short_batch},     {"traces_and_returns", traces_and_returns},
          {"divergent", divergent},         {"every_collective", every_collective}};
}

}  // namespace tutti::test

#include <tuple>

#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

// Compiled, in a loop, lazily and in lists, beside what goes through the host.
void over_nccl(const Arguments&) {
  World world = init();
  set_default_device(world.gpu());
  const Group group = Group(world).with_backends("nccl");
  const auto ranks = static_cast<float>(world.size());
  const auto mine = static_cast<float>(world.rank());
  const auto of = [](float value) { return from(full({6}, value).array()); };

  auto step = compile([&](const Tensor& x) {
    const Tensor sum = all_reduce(x * 2.F, group);
    return std::tuple<Tensor, Tensor, Tensor>(sum + 1.F, all_gather(x, group),
                                              reduce_scatter(sum, group));
  });
  for (int i = 0; i < 4; ++i) {
    const auto [sum, gathered, scattered] = step(of(1.F + static_cast<float>(i)));
    expect(sum.to_vector<float>() ==
           std::vector<float>(6, 2.F * ranks * (1.F + static_cast<float>(i)) + 1.F));
    expect(gathered.shape() == Shape{6 * world.size()});
    expect(scattered.to_vector<float>()[0] == 2.F * ranks * ranks * (1.F + static_cast<float>(i)));
  }
  expect(step.plan().find(" by nccl (") != std::string::npos);

  auto loop = compile([&](const Tensor& x) {
    return for_loop(
        5,
        [&](const Tensor&, const Tensor& y) -> Tensor {
          return all_reduce(y, group) * (1.F / ranks) + 1.F;
        },
        x);
  });
  expect(loop(of(1.F)).to_vector<float>() == std::vector<float>(6, 6.F));

  // A mean goes through the host, a broadcast and a list do not.
  const Tensor mean = all_reduce(of(mine), group, Reduce::mean);
  const Tensor first = broadcast(of(mine + 7.F), group, 0);
  const std::vector<Tensor> both = all_reduce(std::vector<Tensor>{of(1.F), of(2.F)}, group);
  expect(mean.to_vector<float>()[0] == (ranks - 1.F) / 2.F);
  expect(first.to_vector<float>()[0] == 7.F);
  expect(both[1].to_vector<float>()[0] == 2.F * ranks);
  world.close();
  say("all right");
}

}  // namespace

Scenarios gpu_scenarios() { return {{"over_nccl", over_nccl}}; }

}  // namespace tutti::test

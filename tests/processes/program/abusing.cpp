#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "tests/processes/program/scenario.h"
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

namespace {

float total(const World& world) { return all_reduce(tensor({1.F}), world).item<float>(); }

void init_twice(const Arguments&) {
  const World world = init();
  say_error([] { init(); });
  say(std::to_string(total(world)));
}

void init_again(const Arguments&) {
  {
    const World world = init();
    total(world);
  }
  say_error([] { init(); });
}

void init_on_another_thread(const Arguments&) {
  const World world = init();
  std::thread([] { say_error([] { init(); }); }).join();
  say(std::to_string(total(world)));
}

void init_inside_simulate(const Arguments&) {
  simulate(2, [](World& inner) {
    if (inner.rank() == 0) say_error([] { init(); });
  });
}

void simulate_inside_init(const Arguments&) {
  const World world = init();
  float inside = 0;
  simulate(2, [&](World& inner) {
    const float sum = total(inner);
    if (inner.rank() == 0) inside = sum;
  });
  say(std::to_string(inside) + " " + std::to_string(total(world)));
}

void closes_twice(const Arguments&) {
  World world = init();
  const AsyncTensor pending = all_reduce(tensor({1.F}), world);
  world.close();
  world.close();
  expect(pending.item<float>() == 2);
  say_error([&] { total(world); });
  say_error([&] { barrier(world); });
  say_error([&] { world.split(0); });
}

void uses_another_thread(const Arguments&) {
  const World world = init();
  const Tensor x = tensor({1.F});
  std::thread([&] { say_error([&] { all_reduce(x, world).item<float>(); }); }).join();
  std::thread([&] {
    world.attach();
    expect(all_reduce(x, world).item<float>() == 2);
  }).join();
  say_error([&] { total(world); });
  world.attach();
  say(std::to_string(total(world)));
}

// A child that does nothing of the World's, and one that does.
void forks(const Arguments& arguments) {
  const World world = init();
  total(world);
  const pid_t child = fork();
  if (child == 0) {
    if (arguments.at(0) == "uses") {
      say_error([&] { total(world); });
      std::_Exit(5);
    }
    if (arguments.at(0) == "returns") return;
    if (arguments.at(0) == "exits") std::exit(5);
    std::_Exit(5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  say("the child ended with " + std::to_string(WEXITSTATUS(status)));
  say(std::to_string(total(world)));
}

class CommunicatesAtTheEnd {
 public:
  explicit CommunicatesAtTheEnd(const World& world) : world_(world) {}
  ~CommunicatesAtTheEnd() {
    try {
      say(std::to_string(total(world_)));
    } catch (...) {
      say(current_error());
    }
  }

 private:
  const World& world_;
};

void communicates_in_destructors(const Arguments& arguments) {
  const World world = init();
  const CommunicatesAtTheEnd last(world);
  if (!arguments.empty() && world.rank() == 1) throw std::runtime_error("thrown by rank 1");
}

void is_huge(const Arguments& arguments) {
  const World world = init();
  const std::int64_t elements = std::stoll(arguments.at(0)) / 4;
  const Tensor sums = all_reduce(full({elements}, 1.F), world);
  expect(min(sums).item<float>() == static_cast<float>(world.size()));
  expect(max(sums).item<float>() == static_cast<float>(world.size()));
  say("all right");
}

void is_empty(const Arguments&) {
  const World world = init();
  const Tensor none = zeros({0, 3});
  expect(all_reduce(none, world).shape() == Shape({0, 3}));
  expect(all_gather(none, world).to_vector<float>().empty());
  expect(all_gather(none, world, 1).shape() == Shape({0, 3 * world.size()}));
  expect(all_to_all(none, world).to_vector<float>().empty());
  expect(reduce_scatter(none, world).to_vector<float>().empty());
  expect(broadcast(none, world).to_vector<float>().empty());
  const Sizes sizes = {0, 2};
  const Tensor uneven = ones({world.rank() == 0 ? 0 : 2});
  expect(all_gather(uneven, world, 0, sizes).to_vector<float>().size() == 2);
  const int peer = 1 - world.rank();
  send(none, world, peer);
  expect(recv({0, 3}, DType::f32, world, peer).to_vector<float>().empty());
  expect(total(world) == 2);
  say("all right");
}

void is_crowded(const Arguments&) {
  const World world = init();
  for (int i = 0; i < 10; ++i) expect(total(world) == static_cast<float>(world.size()));
  if (world.rank() == 0) say("all right");
}

}  // namespace

Scenarios abusing_scenarios() {
  return {{"init_twice", init_twice},
          {"init_again", init_again},
          {"init_on_another_thread", init_on_another_thread},
          {"init_inside_simulate", init_inside_simulate},
          {"simulate_inside_init", simulate_inside_init},
          {"closes_twice", closes_twice},
          {"uses_another_thread", uses_another_thread},
          {"forks", forks},
          {"communicates_in_destructors", communicates_in_destructors},
          {"is_huge", is_huge},
          {"is_empty", is_empty},
          {"is_crowded", is_crowded}};
}

}  // namespace tutti::test

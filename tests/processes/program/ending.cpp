#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "tests/processes/program/scenario.h"
#include <unistd.h>

namespace tutti::test {

namespace {

// What the ranks that stay do when one has gone.
void wait_for_it(const World& world) { all_reduce(tensor({1.F}), world).item<float>(); }

// A collective that works, so that all have met.
void meet(const World& world) { wait_for_it(world); }

void returns_early(const Arguments&) {
  const World world = init();
  meet(world);
  if (world.rank() == 1) return;
  wait_for_it(world);
}

void throws(const Arguments&) {
  const World world = init();
  meet(world);
  if (world.rank() == 1) throw std::runtime_error("the data set is empty");
  wait_for_it(world);
}

void exits(const Arguments&) {
  const World world = init();
  meet(world);
  if (world.rank() == 1) std::exit(0);
  wait_for_it(world);
}

void static_world(const Arguments&) {
  static World world = init();
  static AsyncTensor total;
  const Tensor x = tensor({3.F, 1.F, 2.F});
  eval(sort(x).values);  // the memory that this thread sorts with goes before the World
  total = all_reduce(sort(x).values, world);
  if (world.rank() == 0) say(std::to_string(total.to_vector<float>()[0]));
}

void never_inits(const Arguments&) {
  if (rank_by_environment() == 1) return;
  init();
}

// Collectives of so many elements until somebody ends it.
void loops(const Arguments& arguments) {
  const World world = init();
  const Tensor x = ones({std::stoll(arguments.at(0))});
  for (int i = 0;; ++i) {
    if (i == 10) reached("looping");
    sum(all_reduce(x, world)).item<float>();
  }
}

void computes(const Arguments&) {
  const World world = init();
  meet(world);
  if (world.rank() == 1) {
    const Tensor x = ones({256, 256});
    sum(matmul(x, x)).item<float>();
    reached("computing");
    for (;;) sum(matmul(x, x)).item<float>();
  }
  wait_for_it(world);
}

void waits(const Arguments&) {
  const World world = init();
  meet(world);
  if (world.rank() == 1) wait_until_reached("go", 0);
  reached("waiting");
  say(std::to_string(all_reduce(tensor({1.F, 2.F}), world).to_vector<float>()[0]));
}

void outlives(const Arguments&) {
  Tensor seen, unseen;
  AsyncTensor async, dropped;
  {
    const World world = init();
    const Tensor x = tensor({static_cast<float>(world.rank() + 1)});
    seen = all_reduce(x, world);
    seen.item<float>();
    async = all_reduce(x * 2.F, world);
    unseen = x + 1.F;
    dropped = all_gather(x, world);
    dropped = {};
  }
  expect(seen.item<float>() == 3);
  expect(async.item<float>() == 6);
  say_error([&] { unseen.item<float>(); });
}

}  // namespace

Scenarios ending_scenarios() {
  return {{"returns_early", returns_early},
          {"throws", throws},
          {"exits", exits},
          {"static_world", static_world},
          {"never_inits", never_inits},
          {"loops", loops},
          {"computes", computes},
          {"waits", waits},
          {"outlives", outlives}};
}

}  // namespace tutti::test

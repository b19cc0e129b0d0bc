#include <chrono>
#include <thread>

#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

using namespace std::chrono_literals;

void read(const AsyncTensor& result) { result.wait().array(); }

// What rank 1 does differently.
void mismatch(const Arguments& arguments) {
  const World world = init();
  const bool odd = world.rank() == 1;
  const std::string& difference = arguments.at(0);
  const Tensor x = tensor({1.F, 2.F, 3.F});
  if (difference == "op") {
    if (odd) read(broadcast(x, world));
    read(all_reduce(x, world));
  } else if (difference == "dtype") {
    if (odd) read(all_reduce(cast(x, DType::f64), world));
    read(all_reduce(x, world));
  } else if (difference == "size") {
    if (odd) read(all_reduce(tensor({1.F}), world));
    read(all_reduce(x, world));
  } else if (difference == "root") {
    if (odd) read(broadcast(x, world, 1));
    read(broadcast(x, world));
  } else if (difference == "reduction") {
    if (odd) read(all_reduce(x, world, Reduce::max));
    read(all_reduce(x, world));
  } else if (difference == "order") {
    if (odd) read(all_gather(x, world));
    read(all_reduce(x, world));
    if (!odd) read(all_gather(x, world));
  } else if (difference == "compiled") {
    auto function = compile([&](const Tensor& y) -> Tensor {
      if (odd) return all_gather(y, world);
      return all_reduce(y, world);
    });
    function(x).array();
  }
  // Who calls a collective more waits for those who do not.
}

// Ranks 0 and 1 wait for 2 and rank 2 for 1, for ever.
void all_wait(const World& world) {
  reached("waiting");
  if (world.rank() == 2) {
    read(all_reduce(tensor({1.F}), Group({1, 2}).named("later")));
  } else {
    read(all_reduce(tensor({1.F}), world));
  }
}

void world_is_aborted(const Arguments&) {
  const World world = init();
  std::thread other([&] {
    if (world.rank() != 0) return;
    wait_until_all_reached("waiting", world);
    world.abort("the operator said so");
  });
  say_error([&] { all_wait(world); });
  other.join();
  say_error([&] { read(all_reduce(tensor({1.F}), Group({0, 1, 2}, "later"))); });
}

void group_is_aborted(const Arguments&) {
  const World world = init();
  const Group group(world);
  std::thread other([&] {
    if (world.rank() != 0) return;
    wait_until_all_reached("waiting", world);
    group.abort("enough of it");
  });
  // (Rank 2 goes on waiting for rank 1 until that comes.)
  say_error([&] { all_wait(world); });
  other.join();
  if (world.rank() == 1) read(all_reduce(tensor({1.F}), Group({1, 2}).named("later")));
}

// Ranks 0 and 1 of a group that can't be used any more, and of another that can.
void groups_are_poisoned(const Arguments&) {
  const World world = init();
  const Group broken({0, 1}, "broken");
  const Group whole({0, 1}, "whole");
  read(all_reduce(tensor({1.F}), broken));
  const Tensor before = tensor({2.F}) * 2.F;
  say_error([&] {
    read(world.rank() == 0 ? all_reduce(tensor({1.F}), broken) : all_gather(tensor({1.F}), broken));
  });
  expect(all_reduce(tensor({3.F}), whole).item<float>() == 6);
  say_error([&] { read(all_reduce(tensor({1.F}), broken)); });
  expect(all_reduce(tensor({4.F}), whole).item<float>() == 8);
  expect(all_reduce(before, world).item<float>() == 4.F * static_cast<float>(world.size()));
  say("the others go on");
}

// Rank 1 stays away from what rank 0 waits for, by the world's time-out, the group's or the call's.
void time_out(const Arguments& arguments) {
  const std::string& whose = arguments.at(0);
  for (const int rank : {0, 1}) wait_until_reached("process", rank);  // coming takes time too
  const World world = whose == "init" ? init({.threads = 0, .timeout = 1000ms}) : init();
  const Group group(world);
  const Group hasty = group.with_timeout(300ms);
  read(all_reduce(tensor({1.F}), world));
  if (world.rank() == 0) {
    say_error([&] {
      if (whose == "group") read(all_reduce(tensor({1.F}), hasty));
      if (whose == "call") read(all_reduce(tensor({1.F}), group.with_timeout(400ms)));
      read(all_reduce(tensor({1.F}), group));
    });
    reached("waited");
  } else {
    wait_until_reached("waited", 0);
    say_error([&] { read(all_reduce(tensor({1.F}), group)); });
  }
}

}  // namespace

Scenarios disagreeing_scenarios() {
  return {{"mismatch", mismatch},
          {"world_is_aborted", world_is_aborted},
          {"group_is_aborted", group_is_aborted},
          {"groups_are_poisoned", groups_are_poisoned},
          {"time_out", time_out}};
}

}  // namespace tutti::test

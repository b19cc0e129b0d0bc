#include <stdexcept>

#include "tests/processes/program/scenario.h"

namespace tutti::test {

namespace {

std::string text(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (const std::int64_t number : numbers) {
    out += (out.empty() ? "" : " ") + std::to_string(number);
  }
  return out;
}

void names_itself(const Arguments&) {
  World world = init();
  const std::int64_t sum =
      all_reduce(tensor({std::int64_t{world.rank()}}), world).item<std::int64_t>();
  world.close();
  say("rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) + ", sum " +
      std::to_string(sum));
}

// The ring of pairs 0-1, 1-2, 2-0, in any order of waiting.
void overlap(const Arguments&) {
  const World world = init();
  const std::int64_t rank = world.rank();
  const std::int64_t ranks = world.size();
  // What is one rank's next is another one's previous: their calls meet from two lines.
  const Group with_next =
      Group({rank, (rank + 1) % ranks}, "pair" + std::to_string(rank)).named("sum");
  const std::int64_t previous = (rank + ranks - 1) % ranks;
  const Group with_previous =
      Group({previous, rank}, "pair" + std::to_string(previous)).named("sum");
  for (int i = 0; i < 100; ++i) {
    const Tensor x = tensor({rank});
    // The pair of the lowest rank first, as all of its members see it.
    const bool next_first = rank < (rank + 1) % ranks && (previous > rank || i % 2 == 0);
    AsyncTensor next, before;
    if (previous > rank || next_first) {
      next = all_reduce(x, with_next);
      before = all_reduce(x, with_previous);
    } else {
      before = all_reduce(x, with_previous);
      next = all_reduce(x, with_next);
    }
    if (i % 3 == rank) expect(before.item<std::int64_t>() == previous + rank);
    expect(next.item<std::int64_t>() == rank + (rank + 1) % ranks);
  }
  say("all right");
}

void split(const Arguments&) {
  World world = init();
  const int rank = world.rank();
  const auto members_of = [&](const Group& group) {
    const Tensor own = tensor({std::int64_t{rank}});
    return text(all_gather(own, group).to_vector<std::int64_t>());
  };
  say("halves " + members_of(world.split(rank / 2)));
  say("backwards " + members_of(world.split(0, -rank)));
  say("alone " + members_of(world.split(rank == 3 ? -1 : 7)));
  // Two groups of the same ranks are two.
  const Group one = world.split(0);
  const Group other = world.split(0);
  const AsyncTensor in_one = all_reduce(tensor({1.F}), one);
  const AsyncTensor in_other = all_reduce(tensor({2.F}), other);
  expect(in_other.item<float>() == 8 && in_one.item<float>() == 4);
}

void many(const Arguments& arguments) {
  const World world = init();
  for (int i = 0; i < std::stoi(arguments.at(0)); ++i) {
    const Group group({1, 0}, "group " + std::to_string(i));
    expect(all_reduce(tensor({1.F}), group).item<float>() == 2);
  }
  say("all right");
}

// Two groups that have the same tag, but nothing else in common.
void pairs(const Arguments&) {
  const World world = init();
  const Tensor x = tensor({1.F});
  if (world.rank() < 2) {
    all_reduce(x, Group({0, 1})).item<float>();
  } else {
    broadcast(x, Group({2, 3})).item<float>();
  }
  barrier(world);
  throw std::runtime_error("all of them");
}

}  // namespace

Scenarios group_scenarios() {
  return {{"names_itself", names_itself},
          {"pairs", pairs},
          {"overlap", overlap},
          {"split", split},
          {"many_groups", many}};
}

}  // namespace tutti::test

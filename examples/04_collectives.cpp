// Collectives: functions of a tensor and a group of ranks that give an AsyncTensor. Four ranks.
#include <tutti/tutti.h>

#include <iostream>
#include <sstream>

using namespace tutti;

// One rank after another; the barrier also evaluates what was recorded before it.
void print_in_turn(const World& world, const std::string& text) {
  for (int turn = 0; turn < world.size(); ++turn) {
    if (turn == world.rank()) std::cout << "rank " << turn << ": " << text << std::endl;
    barrier(world);
  }
}

std::string text(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  return out.str();
}

void run(World& world) {
  const Tensor mine = full({2}, float(world.rank()));  // [0, 0] on rank 0, [1, 1] on rank 1, ...
  const std::vector<std::vector<std::int64_t>> pairs = {{0, 1}, {2, 3}};  // each rank finds its own

  // Each is recorded and returns at once; they will be started in this order, on every rank the
  // same.
  const AsyncTensor all = all_gather(mine, world);            // the ranks' tensors end to end
  const AsyncTensor part = reduce_scatter(arange(4), world);  // this rank's part of the sum
  const AsyncTensor root = broadcast(mine, world, 2);         // the tensor of rank 2
  const AsyncTensor pair = all_reduce(mine, pairs);           // the sum over this rank's pair

  // Shape, dtype and description never wait.
  print_in_turn(world, "all is f32" + all.shape().text());
  // Data does, by itself: an AsyncTensor goes wherever a Tensor does. Nothing can be forgotten.
  const Tensor sum_of_both = pair + root;
  print_in_turn(world, "all " + text(all));
  print_in_turn(world, "part " + text(part));
  print_in_turn(world, "pair + root " + text(sum_of_both));

  // The result is dropped; the collective takes place all the same, as peers count on it.
  all_reduce(mine, world);

  // A result nobody else looks at: this rank alone evaluates, and the others don't have to.
  const AsyncTensor total = all_reduce(sum(mine), world);
  if (world.rank() == 0) std::cout << "total " << total.item<float>() << "\n";
}

int main() { simulate(4, run); }

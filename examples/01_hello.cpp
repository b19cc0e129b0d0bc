// The first program: record, look at what was recorded, compute.
#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

int main() {
  World world = init();  // RANK and WORLD_SIZE from the environment; a world of one without them
  Tensor x = full({4}, float(world.rank() + 1));
  AsyncTensor total = all_reduce(x, world);  // recorded; nothing runs yet
  Tensor y = 2 * sqrt(x);                    // independent of the sum
  Tensor z = y + total;                      // `total` waits here by itself
  std::cout << dump_ir(z) << "\n";           // what was recorded, with the lines of this file
  std::cout << z << "\n";                    // compiled and run now
}

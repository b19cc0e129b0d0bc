// The first program: record, look at what was recorded, compute. Runs on two ranks as threads.
#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

int main() {
  simulate(2, [](World& world) {
    Tensor x = full({4}, float(world.rank() + 1));
    AsyncTensor total = all_reduce(x, world);  // recorded; nothing runs yet
    Tensor y = 2 * sqrt(x);                    // independent of the sum: may overlap with it
    Tensor z = y + total;                      // `total` waits here by itself
    if (world.rank() == 0) {
      std::cout << dump_ir(z) << "\n";  // what was recorded, with the lines of this file
      std::cout << z << "\n";           // compiled and run now
    }
  });
}

// The program that a function is compiled to, as text with the lines of this file. Two ranks.
#include <tutti/tutti.h>

#include <iostream>

using namespace tutti;

int main() {
  simulate(2, [](World& world) {
    auto f = compile([&](Tensor x) {
      AsyncTensor total = all_reduce(x, world);  // recorded; nothing runs yet
      Tensor y = 2 * sqrt(x);                    // does not need the sum
      return y + total;                          // `total` waits here by itself
    });
    Tensor z = f(tensor({1.F, 4.F, 9.F}) * float(world.rank() + 1));
    if (world.rank() == 0) std::cout << f.ir() << "\n" << z << "\n";
  });
}

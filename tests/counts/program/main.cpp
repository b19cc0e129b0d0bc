// One hot path in its steady state, for a test that counts its instructions: those of measured().
//   counts_program PATH    prints how many operations measured() has done
#include <tutti/tutti.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

#include "bench/small_function.h"

using namespace tutti;
using namespace tutti::bench;

// What the test counts. Not inlined, so that callgrind knows it by its name.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& path) { path(); }

namespace {

// The first times fill caches; then the same is counted.
void count(int times, int operations, const std::function<void()>& once) {
  const auto repeat = [&] {
    for (int i = 0; i < times; ++i) once();
  };
  repeat();
  measured(repeat);
  std::printf("%d\n", times * operations);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = argc == 2 ? argv[1] : "";
  if (path == "trace/30_ops") {
    count(20, 30, [] { trace_small_function(10); });
  } else if (path == "trace/999_ops") {
    count(2, 999, [] { trace_small_function(333); });
  } else if (path == "trace/lazy") {
    const Tensor a = tensor({1.0F, 2.0F});
    count(2, 999, [&] { small_function(a, 333); });
  } else if (path == "call/30_ops_16_elements") {
    auto f = compile([](Tensor a) { return small_function(a, 10); });
    const Tensor a = from(std::vector<float>(16), {16});
    count(100, 1, [&] { f(a); });
  } else {
    std::cerr << "counts_program: no such path: \"" << path << "\"\n";
    return 1;
  }
} catch (const std::exception& error) {
  std::cerr << "counts_program: " << error.what() << "\n";
  return 1;
}

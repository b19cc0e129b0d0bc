// UsageError: this tensor \(made at op_on_another_thread.cpp:\d+\) belongs to another rank or thread; .*world.attach\(\)
#include <exception>
#include <thread>

#include "tests/errors/mistake.h"

TUTTI_MISTAKE {
  const World world = init();
  const Tensor x = tensor(1.F);
  std::exception_ptr error;
  std::thread([&] {
    try {
      exp(x);  // here
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error != nullptr) std::rethrow_exception(error);
}

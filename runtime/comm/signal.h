#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/function_ref.h>

#include <chrono>

namespace tutti::runtime {

// Returns true as soon as `ready()` does, false when `timeout` has passed (Deadline). Looks `spins`
// times with a pause between, then gives the core away between looks for a millisecond, then sleeps
// until notify(signal), 10 ms at most. `ready` looks at words that are stored before notify() is
// called; it may do work, and what it throws passes through. `before_sleep` is called before each
// sleep.
bool wait_until(kernels::Signal& signal, int spins, std::chrono::nanoseconds timeout,
                FunctionRef<bool()> ready, FunctionRef<void()> before_sleep);

// One round of that: whether `ready()` says so, or else it sleeps until notify(signal), as long as
// `at_most`.
bool look_or_sleep(kernels::Signal& signal, std::chrono::nanoseconds at_most,
                   FunctionRef<bool()> ready);

// Wakes those who sleep in them. Costs one load where nobody does.
void notify(kernels::Signal& signal);

}  // namespace tutti::runtime

#pragma once

#include <cstdint>
#include <functional>

#include "tests/support/allocation_count.h"
#include "tests/support/system_calls.h"

// What a call asks of the system once everything has been used before. Programs that name any of
// this count allocations.
namespace tutti::test {

// The least that each number came to in several rounds: which thread gets which tile is chance, and
// with it when a thread does something for the first time.
AllocationCount least_allocations(AllocationCount (*count)(), const std::function<void()>& call);

// Whether oneDNN multiplies in it, which asks for memory by itself, and some of whose code needs
// signals to wait, two calls a launch.
enum class MatmulLibrary : bool { unused, used };

// Warms the call up, then expects that it allocates nothing, on any thread.
void expect_no_allocations(const std::function<void()>& call);
// Warms the call up, then expects that no thread calls the system but to sleep and to wake others
// (futex), and to let others run while it waits (sched_yield). Skips the test where calls can't be
// counted.
void expect_no_system_calls(const std::function<void()>& call, MatmulLibrary library);

}  // namespace tutti::test

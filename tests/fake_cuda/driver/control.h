#pragma once

#include <cstddef>

#include "tests/fake_cuda/driver/api.h"

// What the double of the driver has beside the driver's functions, for tests. A text is good until
// the next call of the function that gave it.
#pragma GCC visibility push(default)
extern "C" {

struct FakeCudaSetup {
  int devices;
  int capability;            // 90
  std::size_t memory_bytes;  // of each device
  bool find_races;           // slow
  bool keep_log;
  int version = CUDA_VERSION;  // that the driver says
  bool peers = true;           // whether devices reach each other's memory
  bool multicast = true;       // and can have multicast memory, from sm_90 on
  std::size_t multicast_unit = std::size_t{2} << 20;  // of which that is made
  bool fabric = false;  // whether they say that their memory can go to other hosts
  bool channel = true;  // and whether the system lets this process do that
  int first = 0;        // which of the machine's devices the first one is
  int compute_mode = CU_COMPUTEMODE_DEFAULT;
};

// Forgets everything: as in a new process.
void fake_cuda_reset(const FakeCudaSetup* setup);

// Makes the `nth` call from now (1 is the next) of a function, "cuMemAlloc", fail and do nothing.
// `result` is a CUresult: a program that fails calls so need not know the driver's types.
void fake_cuda_fail(const char* function, int nth, int result);

// As at the end of a process: from now on every call fails with CUDA_ERROR_DEINITIALIZED.
void fake_cuda_deinitialize();

// From now on devices do not reach each other's memory.
void fake_cuda_isolate();

// The calls since the last call of this, a line each: "cuMemAlloc 4096: memory1", and where one
// failed "cuMemAlloc 4096 = CUDA_ERROR_OUT_OF_MEMORY".
const char* fake_cuda_calls();
// The operations that streams ran since the last call of this, a line each.
const char* fake_cuda_operations();
// What was done that must not be done, a line each; empty: nothing, since the last call of this.
const char* fake_cuda_complaints();
// What was made and not destroyed, a line each.
const char* fake_cuda_left();

}  // extern "C"
#pragma GCC visibility pop

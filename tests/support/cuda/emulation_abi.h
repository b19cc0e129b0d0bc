#pragma once

// What the emulator and the code that it runs share. The code is compiled on its own, so this page
// includes nothing and every name is in a namespace that device code does not use.
namespace tutti_emulation {

struct Dim3 {
  unsigned x;
  unsigned y;
  unsigned z;
};

// What one thread of a launch sees.
struct Place {
  Dim3 thread;
  Dim3 block;
  Dim3 block_size;
  Dim3 grid_size;
};

enum WarpOp { kShuffle, kBallot, kSync };

// What device code asks the emulator for. The functions that wait let other threads run.
struct Host {
  // Of the thread that runs now.
  const Place* (*place)();
  // Returns when all threads of the block wait at this site, a line of the text.
  void (*block_barrier)(int site);
  // Returns when all lanes that `mask` names wait for the same. kShuffle: what lane `source` gave
  // as `value`; kBallot: the lanes with a value that is not 0.
  unsigned long long (*warp)(int op, unsigned mask, unsigned long long value, int source);
  void (*fence)();   // __threadfence
  void (*atomic)();  // before every atomic operation
  // Every access to memory that may not be the thread's own; null: of no interest.
  void (*access)(const void* address, unsigned bytes, bool write);
  void (*misaligned)(const void* address, unsigned bytes);
  // Between two looks at what another GPU or the host writes: the others go on meanwhile.
  void (*pause_in_wait)();
  unsigned long long (*nanoseconds)();  // of a clock that all GPUs share
  // Where an address of multicast memory lies in the memory of each member, and how many they are.
  int (*multicast)(const void* address, void** places);
  // Words of 4 or 8 bytes that order what ranks do.
  unsigned long long (*load_acquire)(const void* word, unsigned bytes);
  void (*store_release)(void* word, unsigned bytes, unsigned long long value);
};

// How the emulator calls a kernel: for one thread, on its fiber. `arguments` as cuLaunchKernel
// takes them: a pointer to each.
using Entry = void (*)(void** arguments, const Host* host);

}  // namespace tutti_emulation

#pragma once

#include "types.cuh"

// How kernels that run on the GPUs of several ranks at the same time wait for each other. Block b
// of a launch waits for block b of the others' launches, so that all ranks launch as many blocks,
// none more than fit on a GPU at once, in one order.

constexpr int kMostPeers = 8;
constexpr int kMostMeetingBlocks = 64;

// What the host says, and is told, while kernels run; in its memory.
struct HostWords {
  u32 stop;      // not 0: nobody is to wait any more
  u32 gave_up;   // 1 + the member that was waited for in vain
  u64 patience;  // nanoseconds
};

// What the members tell each other, in the memory of each.
struct MeetingWords {
  u32 arrived[kMostMeetingBlocks][kMostPeers];  // written by that member
  // How often the block has met: the member's own, and in memory, since a recorded launch has the
  // arguments that it had the first time.
  u32 epoch[kMostMeetingBlocks];
};

// Who meets. Each member has memory of the same layout, which all GPUs reach.
struct PeerTable {
  u64 begins[kMostPeers];  // by member: where its memory begins, for this GPU
  u64 words;               // how far behind the beginning its MeetingWords lie
  u64 multicast;           // where all members' memory begins as one (multimem.cuh); 0: nowhere
  HostWords* host;
  u32 position;  // of this member
};

// ---- Words that other GPUs and the host read and write meanwhile ----
//
// What a thread has read and written before the store is over for whoever loads its value, and what
// that one reads and writes comes after.

#ifdef __CUDACC__

__device__ inline void store_release_system(u32* to, u32 value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline u32 load_acquire_system(const u32* from) {
  u32 value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline u64 load_relaxed_system(const u64* from) {
  u64 value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline u64 global_nanoseconds() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
// Between two looks.
__device__ inline void pause_in_wait() {}

#else

__device__ inline void store_release_system(u32* to, u32 value) {
  tutti_emulation::store_release(to, value);
}
__device__ inline u32 load_acquire_system(const u32* from) {
  return tutti_emulation::load_acquire(from);
}
__device__ inline u64 load_relaxed_system(const u64* from) {
  return tutti_emulation::load_acquire(from);
}
__device__ inline u64 global_nanoseconds() { return tutti_emulation::nanoseconds(); }
__device__ inline void pause_in_wait() { tutti_emulation::pause_in_wait(); }

#endif

// One block's part in it; all its threads do the same.
class Meeting {
 public:
  // `given_up` is shared memory that nothing else uses.
  __device__ Meeting(const PeerTable& peers, int members, u32* given_up)
      : peers_(peers), members_(members), given_up_(given_up) {
    epoch_ = words_of(peers.position)->epoch[blockIdx.x];
    if (threadIdx.x == 0) *given_up = 0;
  }

  // Where a member has what this one has at `place`.
  template <class T>
  __device__ T* at(T* place, int member) const {
    return reinterpret_cast<T*>(peers_.begins[member] +
                                (reinterpret_cast<u64>(place) - peers_.begins[peers_.position]));
  }
  // Where all members have it at once.
  template <class T>
  __device__ T* everywhere(T* place) const {
    return reinterpret_cast<T*>(peers_.multicast +
                                (reinterpret_cast<u64>(place) - peers_.begins[peers_.position]));
  }

  // Returns true when this block of all members has come: what it read and wrote before is over.
  // False: one did not, and nothing may be touched any more.
  __device__ bool meet() {
    ++epoch_;
    __syncthreads();
    if (threadIdx.x < members_) {
      const int peer = static_cast<int>(threadIdx.x);
      __threadfence_system();
      store_release_system(&words_of(peer)->arrived[blockIdx.x][peers_.position], epoch_);
      if (!wait_for(peer)) atomicExch(given_up_, 1U);
    }
    __syncthreads();
    return *given_up_ == 0;
  }

  // The last meeting is over.
  __device__ void leave() const {
    if (threadIdx.x == 0) words_of(peers_.position)->epoch[blockIdx.x] = epoch_;
  }

 private:
  __device__ MeetingWords* words_of(int member) const {
    return reinterpret_cast<MeetingWords*>(peers_.begins[member] + peers_.words);
  }

  __device__ bool wait_for(int peer) const {
    constexpr u32 looks_between = 256;  // at the clock, and at the host's words
    const u32* const arrived = &words_of(peers_.position)->arrived[blockIdx.x][peer];
    u64 start = 0;
    // Epochs begin again after the last one.
    for (u32 looks = 1; static_cast<i32>(load_acquire_system(arrived) - epoch_) < 0; ++looks) {
      pause_in_wait();
      if (looks % looks_between != 0) continue;
      if (load_acquire_system(&peers_.host->stop) != 0) return false;
      const u64 now = global_nanoseconds();
      if (start == 0) start = now;
      if (now - start <= load_relaxed_system(&peers_.host->patience)) continue;
      store_release_system(&peers_.host->gave_up, static_cast<u32>(peer) + 1);
      return false;
    }
    return true;
  }

  const PeerTable& peers_;
  const int members_;
  u32* const given_up_;
  u32 epoch_;
};

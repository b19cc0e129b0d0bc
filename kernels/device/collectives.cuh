#pragma once

#include "computed.cuh"
#include "extremes.cuh"
#include "meeting.cuh"
#include "packs.cuh"

// Collectives of small tensors: each GPU reads what the others have where it lies. Operands lie at
// the same place of every member's memory (PeerTable), and so do results that others read. All of
// it is aligned to the packs in which it is moved. Sums are made in the order of the members.
//
// Spec: members, Element, lanes (elements moved at once), and where it combines Running (f32 or
// f64, or integers of 32 or 64 bits) and combine(x, y).

// Elements [at, at + lanes) of all members' operands, combined; `left` of them exist.
template <class Spec>
__device__ Pack<typename Spec::Element, Spec::lanes> combined_pack(
    const Meeting& meeting, const typename Spec::Element* operand, u64 at, i64 left) {
  using Element = typename Spec::Element;
  using Running = typename Spec::Running;
  using C = Computed<Element>;
  Pack<Element, Spec::lanes> packs[Spec::members];
#pragma unroll
  for (int member = 0; member < Spec::members; ++member) {
    packs[member] = load<Spec::lanes>(meeting.at(operand, member) + at, left);
  }
  Pack<Element, Spec::lanes> result;
#pragma unroll
  for (int k = 0; k < Spec::lanes; ++k) {
    Running total = Running(C::from(packs[0].at[k]));
#pragma unroll
    for (int member = 1; member < Spec::members; ++member) {
      total = Spec::combine(total, Running(C::from(packs[member].at[k])));
    }
    result.at[k] = C::to(typename C::type(total));
  }
  return result;
}

// A thread's packs of a range: which ones is the same on all members.
__device__ inline u64 first_pack() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 pack_step() { return u64(gridDim.x) * blockDim.x; }

__device__ inline u64 least_of(u64 x, u64 y) { return x < y ? x : y; }

// What stands in front of them where the operand is not there yet: `first` makes, of each of its
// parts of so many elements, a pack from an element on, of which `left` exist. The block makes what
// it reads of the others' operands in one shot, for which they make the same of theirs, so that the
// next meeting is all that there has to be in between: its barrier comes behind the stores of all
// threads of the block, and its release behind that.
template <class Spec, class First>
__device__ void make_operand(int parts, u64 elements, const First& first) {
  for (int part = 0; part < parts; ++part) {
    for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
      first(static_cast<u64>(part) * elements + at, static_cast<i64>(elements - at));
    }
  }
}

// What becomes of a pack of the result, from element `at` on, of which `left` exist: `then` in the
// kernels below. This stores it.
template <class Spec>
struct Stored {
  typename Spec::Element* result;
  __device__ void operator()(u64 at, i64 left,
                             const Pack<typename Spec::Element, Spec::lanes>& pack) const {
    store<Spec::lanes>(result + at, pack, left);
  }
};

// Each GPU computes all of its result, which is not the operand.
template <class Spec, class Then>
__device__ void one_shot_all_reduce(const PeerTable* peers, const typename Spec::Element* operand,
                                    u64 elements, const Then& then) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  if (!meeting.meet()) return;
  for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
    const i64 left = static_cast<i64>(elements - at);
    then(at, left, combined_pack<Spec>(meeting, operand, at, left));
  }
  if (meeting.meet()) meeting.leave();  // the operands are free
}

// Each GPU computes a share, which the others get from its result; that may be the operand.
template <class Spec>
__device__ void two_shot_all_reduce(const PeerTable* peers, const typename Spec::Element* operand,
                                    typename Spec::Element* result, u64 elements) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  const u64 packs = (elements + Spec::lanes - 1) / Spec::lanes;
  const u64 share = (packs + Spec::members - 1) / Spec::members;
  const u64 position = peers->position;
  if (!meeting.meet()) return;
  const u64 begin = position * share;
  const u64 end = least_of(begin + share, packs);
  for (u64 pack = begin + first_pack(); pack < end; pack += pack_step()) {
    const u64 at = pack * Spec::lanes;
    const i64 left = static_cast<i64>(elements - at);
    store<Spec::lanes>(result + at, combined_pack<Spec>(meeting, operand, at, left), left);
  }
  // This block has written of each share what this block reads.
  if (!meeting.meet()) return;
#pragma unroll
  for (int other = 1; other < Spec::members; ++other) {
    const u64 member = (position + other) % Spec::members;
    const typename Spec::Element* const theirs = meeting.at(result, static_cast<int>(member));
    const u64 last = least_of((member + 1) * share, packs);
    for (u64 pack = member * share + first_pack(); pack < last; pack += pack_step()) {
      const u64 at = pack * Spec::lanes;
      const i64 left = static_cast<i64>(elements - at);
      store<Spec::lanes>(result + at, load<Spec::lanes>(theirs + at, left), left);
    }
  }
  if (meeting.meet()) meeting.leave();
}

// `elements` of each member's operand, a multiple of the lanes.
template <class Spec, class Then>
__device__ void one_shot_all_gather(const PeerTable* peers, const typename Spec::Element* operand,
                                    u64 elements, const Then& then) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  if (!meeting.meet()) return;
  for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
    Pack<typename Spec::Element, Spec::lanes> packs[Spec::members];
#pragma unroll
    for (int member = 0; member < Spec::members; ++member) {
      packs[member] = load<Spec::lanes>(meeting.at(operand, member) + at);
    }
#pragma unroll
    for (int member = 0; member < Spec::members; ++member) {
      then(member * elements + at, Spec::lanes, packs[member]);
    }
  }
  if (meeting.meet()) meeting.leave();
}

// `elements` of each member's result, a multiple of the lanes.
template <class Spec, class Then>
__device__ void one_shot_reduce_scatter(const PeerTable* peers,
                                        const typename Spec::Element* operand, u64 elements,
                                        const Then& then) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  const u64 begin = peers->position * elements;
  if (!meeting.meet()) return;
  for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
    then(at, Spec::lanes, combined_pack<Spec>(meeting, operand, begin + at, Spec::lanes));
  }
  if (meeting.meet()) meeting.leave();
}

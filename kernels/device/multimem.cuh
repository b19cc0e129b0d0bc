#pragma once

#include "collectives.cuh"

// Sums and gathers by the switch between the GPUs (sm_90 and up): an address of multicast memory
// stands for the same place of all members' memory. What is loaded from it is the sum of what they
// have there, in an order that is the switch's; what is stored to it is stored in the memory of
// all.

#ifdef __CUDACC__

// What a thread moves at once, in bits.
struct alignas(16) MultimemWords {
  u32 at[4];
};

// The sum is made in f32 whatever the elements are.
#define TUTTI_MULTIMEM_LOAD_SUM(ELEMENT, TYPE)                                                \
  __device__ inline MultimemWords multimem_load_sum(const ELEMENT* from) {                    \
    MultimemWords out;                                                                        \
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add." TYPE " {%0, %1, %2, %3}, [%4];" \
                 : "=r"(out.at[0]), "=r"(out.at[1]), "=r"(out.at[2]), "=r"(out.at[3])         \
                 : "l"(from)                                                                  \
                 : "memory");                                                                 \
    return out;                                                                               \
  }
TUTTI_MULTIMEM_LOAD_SUM(f32, "v4.f32")
TUTTI_MULTIMEM_LOAD_SUM(f16, "acc::f32.v4.f16x2")
TUTTI_MULTIMEM_LOAD_SUM(bf16, "acc::f32.v4.bf16x2")
#undef TUTTI_MULTIMEM_LOAD_SUM

template <class Element>
__device__ void multimem_store(Element* to, const MultimemWords& words) {
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(words.at[0]), "r"(words.at[1]), "r"(words.at[2]), "r"(words.at[3])
               : "memory");
}

// One GPU's words, by its own addresses.
template <class Element>
__device__ MultimemWords words_at(const Element* from) {
  return *reinterpret_cast<const MultimemWords*>(from);
}
template <class Element>
__device__ void store_words(Element* to, const MultimemWords& words) {
  *reinterpret_cast<MultimemWords*>(to) = words;
}

// What was done by other addresses of the same memory is over.
__device__ inline void fence_aliases() { asm volatile("fence.proxy.alias;" ::: "memory"); }

#else

// Not in the order of the members, as nobody may count on it.
template <class Element>
__device__ Pack<Element, 16 / sizeof(Element)> multimem_load_sum(const Element* from) {
  constexpr int lanes = 16 / sizeof(Element);
  void* places[kMostPeers];
  const int members = tutti_emulation::multicast(from, places);
  f32 sums[lanes] = {};
  for (int member = members - 1; member >= 0; --member) {
    const Pack<Element, lanes> words = load<lanes>(static_cast<const Element*>(places[member]));
    for (int k = 0; k < lanes; ++k) sums[k] += Computed<Element>::from(words.at[k]);
  }
  Pack<Element, lanes> out;
  for (int k = 0; k < lanes; ++k) out.at[k] = Computed<Element>::to(sums[k]);
  return out;
}

template <class Element>
__device__ void multimem_store(Element* to, const Pack<Element, 16 / sizeof(Element)>& words) {
  void* places[kMostPeers];
  const int members = tutti_emulation::multicast(to, places);
  for (int member = 0; member < members; ++member) {
    store(static_cast<Element*>(places[member]), words);
  }
}

template <class Element>
__device__ Pack<Element, 16 / sizeof(Element)> words_at(const Element* from) {
  return load<16 / sizeof(Element)>(from);
}
template <class Element>
__device__ void store_words(Element* to, const Pack<Element, 16 / sizeof(Element)>& words) {
  store(to, words);
}

__device__ inline void fence_aliases() {}

#endif

// Each GPU sums a share, and gives it to all; the result may be the operand. `elements`, here and
// below, are a multiple of the lanes.
template <class Spec>
__device__ void multimem_all_reduce(const PeerTable* peers, const typename Spec::Element* operand,
                                    typename Spec::Element* result, u64 elements) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  const u64 packs = elements / Spec::lanes;
  const u64 share = (packs + Spec::members - 1) / Spec::members;
  const u64 begin = peers->position * share;
  const u64 end = least_of(begin + share, packs);
  const typename Spec::Element* const from = meeting.everywhere(operand);
  typename Spec::Element* const to = meeting.everywhere(result);
  fence_aliases();
  if (!meeting.meet()) return;
  for (u64 pack = begin + first_pack(); pack < end; pack += pack_step()) {
    multimem_store(to + pack * Spec::lanes, multimem_load_sum(from + pack * Spec::lanes));
  }
  fence_aliases();
  if (meeting.meet()) meeting.leave();
  fence_aliases();
}

// Each GPU gives its `elements` to all, which store what they get once.
template <class Spec>
__device__ void multimem_all_gather(const PeerTable* peers, const typename Spec::Element* operand,
                                    typename Spec::Element* result, u64 elements) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  typename Spec::Element* const to = meeting.everywhere(result) + peers->position * elements;
  fence_aliases();
  if (!meeting.meet()) return;  // the results are free
  for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
    multimem_store(to + at, words_at(operand + at));
  }
  fence_aliases();
  if (meeting.meet()) meeting.leave();
  fence_aliases();
}

// Each GPU has its `elements` of the sum made, which is not the operand.
template <class Spec>
__device__ void multimem_reduce_scatter(const PeerTable* peers,
                                        const typename Spec::Element* operand,
                                        typename Spec::Element* result, u64 elements) {
  __shared__ u32 given_up;
  Meeting meeting(*peers, Spec::members, &given_up);
  const typename Spec::Element* const from =
      meeting.everywhere(operand) + peers->position * elements;
  fence_aliases();
  if (!meeting.meet()) return;
  for (u64 at = first_pack() * Spec::lanes; at < elements; at += pack_step() * Spec::lanes) {
    store_words(result + at, multimem_load_sum(from + at));
  }
  fence_aliases();
  if (meeting.meet()) meeting.leave();
  fence_aliases();
}

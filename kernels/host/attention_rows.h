#pragma once

#include <cstdint>

namespace tutti::kernels {

// Rows of scores are padded to a multiple of this many, and sums run in as many lanes, so that
// their order is the same whatever the machine's vectors.
inline constexpr std::int64_t kScoreLanes = 16;
constexpr std::int64_t padded_scores(std::int64_t count) {
  return (count + kScoreLanes - 1) / kScoreLanes * kScoreLanes;
}

// What is known of a softmax over a row of which parts have been seen.
template <class C>
struct RunningRow {
  C top;     // the largest score
  C sum;     // of exp(score - top)
  C factor;  // by which the part seen last changed what was summed up before
};

// Takes rows of scores [rows, count], `count` padded, into the running softmax of each, and
// replaces each score by exp(score - top).
template <class C>
void exponentiate(C* scores, std::int64_t rows, std::int64_t count, RunningRow<C>* running);

// From exp(score - top) to weights, and from the weights' cotangents to those of the scores:
// weights
// * (cotangents - sum(weights * cotangents)).
template <class C>
void differentiate(C* weights, C* cotangents, std::int64_t rows, std::int64_t count,
                   const RunningRow<C>* running);

}  // namespace tutti::kernels

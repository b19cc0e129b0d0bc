#pragma once

#include <tutti/ir/dtype.h>
#include <tutti/kernels/host/layout.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace tutti::kernels {

// softmax(q k^T * scale) v for each of many matrices, a block of keys at a time with a running
// maximum and sum, so that the scores never exist as a whole. Dao et al. 2022, arXiv 2205.14135;
// Milakov and Gimelshein 2018, arXiv 1805.02867.
//
// A query sees the keys for which the mask is true, and if `causal` only those of its own number
// and below; one that sees none gives zeros. The time follows from what is seen: whole blocks of
// keys that are hidden from a block of queries, and keys behind the last that is shown, are not
// looked at (what is hidden among others has weight 0, and makes a NaN where it is no number).
// Narrow floats compute in f32 and round once. Bits depend on this struct alone.
struct Attention {
  DType dtype = DType::f32;
  StridedView q;                    // [..., t, d]
  StridedView k;                    // [..., s, d]
  StridedView v;                    // [..., s, e]
  std::optional<StridedView> mask;  // of bool, [..., t, s]
  bool causal = false;
  double scale = 1;
};

// An attention that is ready to run, any number of times, by any number of threads.
class PreparedAttention {
 public:
  // Throws InternalError where shapes do not fit, one is empty, or the dtype is no floating-point
  // one.
  PreparedAttention(const Attention& spec);  // NOLINT(google-explicit-constructor): to run it once

 private:
  friend std::int64_t tiles(const PreparedAttention& prepared);
  friend void run(const PreparedAttention& prepared, const void* q, const void* k, const void* v,
                  const bool* mask, void* result, std::int64_t begin, std::int64_t end);
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};
std::int64_t tiles(const PreparedAttention& prepared);
// `mask` is null if there is none; the result is [..., t, e], row-major and dense.
void run(const PreparedAttention& prepared, const void* q, const void* k, const void* v,
         const bool* mask, void* result, std::int64_t begin, std::int64_t end);

// The cotangents of q, k and v for that of the result, which makes the weights anew, some queries
// at a time. Working memory grows with the keys, not with their product with the queries.
struct AttentionGradient {
  Attention forward;
  StridedView cotangent;  // [..., t, e]
};

// That, ready to run in the same way; throws the same.
class PreparedAttentionGradient {
 public:
  PreparedAttentionGradient(const AttentionGradient& spec);  // NOLINT(google-explicit-constructor)

 private:
  friend std::int64_t tiles(const PreparedAttentionGradient& prepared);
  friend void run(const PreparedAttentionGradient& prepared, const void* q, const void* k,
                  const void* v, const bool* mask, const void* cotangent, void* q_cotangent,
                  void* k_cotangent, void* v_cotangent, std::int64_t begin, std::int64_t end);
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};
std::int64_t tiles(const PreparedAttentionGradient& prepared);
// The three results have the operands' shapes and are row-major and dense.
void run(const PreparedAttentionGradient& prepared, const void* q, const void* k, const void* v,
         const bool* mask, const void* cotangent, void* q_cotangent, void* k_cotangent,
         void* v_cotangent, std::int64_t begin, std::int64_t end);

}  // namespace tutti::kernels

#include <tutti/kernels/host/attention_rows.h>
#include <tutti/kernels/host/instruction_set.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tutti::kernels {

namespace {

template <class C, int kBytes>
struct Lanes {
  static constexpr int kWidth = kBytes / static_cast<int>(sizeof(C));
  static constexpr int kParts = static_cast<int>(kScoreLanes) / kWidth;
  typedef C Vector [[gnu::vector_size(kBytes)]];
};

// x = e^x for x <= 0 or NaN; 0 where the result would not be a normal number. As codegen's
// (llvm/inline_math.cpp): x = n ln 2 + r, e^r = 1 + r + r^2 q(r), relative error 2^-28.1 before
// rounding. By reference, like all vectors here: returned ones would depend on the instruction set.
template <class V>
TUTTI_INLINE inline void replace_by_exp(V& x) {
  typedef std::int32_t Bits [[gnu::vector_size(sizeof(V))]];
  constexpr float kRoundingShift = 12582912;      // 1.5 * 2^23
  constexpr float kLn2High = 0.693145751953125F;  // so short that its products with n are exact
  constexpr float kLn2Low = 1.42860682e-6F;
  constexpr float kLeast = -87.0F;
  const V shifted = x * 1.44269502F + kRoundingShift;
  const V n = shifted - kRoundingShift;
  const V r = (x - n * kLn2High) - n * kLn2Low;
  V q = r * 0.0013814522F + 0.008368739F;
  q = q * r + 0.04166837F;
  q = q * r + 0.16666521F;
  q = q * r + 0.49999994F;
  const V y = (r * r * q + r) + 1.0F;
  Bits power;
  std::memcpy(&power, &shifted, sizeof(power));
  power = (power << 23) + (127 << 23);
  V scale;
  std::memcpy(&scale, &power, sizeof(scale));
  x = x < kLeast ? V{} : y * scale;
}

template <class C, int kBytes>
TUTTI_INLINE inline void replace_by_exp_lanes(typename Lanes<C, kBytes>::Vector& x) {
  if constexpr (sizeof(C) == sizeof(float)) {
    replace_by_exp(x);
  } else {
    for (int i = 0; i < Lanes<C, kBytes>::kWidth; ++i) x[i] = std::exp(x[i]);
  }
}

// Calls f(vector, part) for every vector of a row; `part` says which lanes of kScoreLanes it has.
template <class C, int kBytes, class F>
TUTTI_INLINE inline void for_each_vector(C* row, std::int64_t count, F&& f) {
  using L = Lanes<C, kBytes>;
  for (std::int64_t j = 0; j < count; j += kScoreLanes) {
#pragma GCC unroll 8
    for (int part = 0; part < L::kParts; ++part) f(row + j + part * L::kWidth, part);
  }
}

template <class C, class V>
TUTTI_INLINE inline void load(const C* from, V& vector) {
  std::memcpy(&vector, from, sizeof(vector));
}
template <class C, class V>
TUTTI_INLINE inline void store(const V& vector, C* to) {
  std::memcpy(to, &vector, sizeof(vector));
}

// The sum of all lanes, in one order whatever their number a vector.
template <class C, int kBytes>
TUTTI_INLINE inline C total(const typename Lanes<C, kBytes>::Vector* sums) {
  C lanes[kScoreLanes];
  std::memcpy(lanes, sums, sizeof(lanes));
  for (std::int64_t width = kScoreLanes / 2; width > 0; width /= 2) {
    for (std::int64_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

template <class C, int kBytes>
TUTTI_INLINE inline void exponentiate_row(C* row, std::int64_t count, RunningRow<C>& running) {
  using L = Lanes<C, kBytes>;
  using V = typename L::Vector;
  V tops[L::kParts];
#pragma GCC unroll 8
  for (int part = 0; part < L::kParts; ++part) tops[part] = V{} + running.top;
  for_each_vector<C, kBytes>(row, count, [&](const C* at, int part) TUTTI_INLINE {
    V x;
    load(at, x);
    tops[part] = x > tops[part] ? x : tops[part];
  });
  C lanes[kScoreLanes];
  std::memcpy(lanes, tops, sizeof(lanes));
  C top = running.top;
  for (const C lane : lanes) top = lane > top ? lane : top;
  // Nothing was seen: all are exp(-inf).
  const C shift = top == -std::numeric_limits<C>::infinity() ? C{0} : top;
  V sums[L::kParts] = {};
  for_each_vector<C, kBytes>(row, count, [&](C* at, int part) TUTTI_INLINE {
    V x;
    load(at, x);
    x -= shift;
    replace_by_exp_lanes<C, kBytes>(x);
    store(x, at);
    sums[part] += x;
  });
  running.factor = std::exp(running.top - shift);
  running.sum = running.sum * running.factor + total<C, kBytes>(sums);
  running.top = top;
}

template <class C, int kBytes>
TUTTI_INLINE inline void differentiate_row(C* weights, C* cotangents, std::int64_t count, C sum) {
  using L = Lanes<C, kBytes>;
  using V = typename L::Vector;
  const C factor = sum == 0 ? C{1} : 1 / sum;  // not `> 0`: a NaN stays
  V sums[L::kParts] = {};
  for_each_vector<C, kBytes>(weights, count, [&](C* at, int part) TUTTI_INLINE {
    V weight;
    V cotangent;
    load(at, weight);
    load(cotangents + (at - weights), cotangent);
    weight *= factor;
    store(weight, at);
    sums[part] += weight * cotangent;
  });
  const C mean = total<C, kBytes>(sums);
  for_each_vector<C, kBytes>(weights, count, [&](const C* at, int) TUTTI_INLINE {
    C* const own = cotangents + (at - weights);
    V weight;
    V cotangent;
    load(at, weight);
    load(own, cotangent);
    store(V(weight * (cotangent - mean)), own);
  });
}

}  // namespace

template <class C>
void exponentiate(C* scores, std::int64_t rows, std::int64_t count, RunningRow<C>* running) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    for (std::int64_t i = 0; i < rows; ++i) {
      exponentiate_row<C, kBytes>(scores + i * count, count, running[i]);
    }
  });
}

template <class C>
void differentiate(C* weights, C* cotangents, std::int64_t rows, std::int64_t count,
                   const RunningRow<C>* running) {
  run_vectorised([&]<int kBytes>() TUTTI_INLINE {
    for (std::int64_t i = 0; i < rows; ++i) {
      differentiate_row<C, kBytes>(weights + i * count, cotangents + i * count, count,
                                   running[i].sum);
    }
  });
}

template void exponentiate<float>(float*, std::int64_t, std::int64_t, RunningRow<float>*);
template void exponentiate<double>(double*, std::int64_t, std::int64_t, RunningRow<double>*);
template void differentiate<float>(float*, float*, std::int64_t, std::int64_t,
                                   const RunningRow<float>*);
template void differentiate<double>(double*, double*, std::int64_t, std::int64_t,
                                    const RunningRow<double>*);

}  // namespace tutti::kernels

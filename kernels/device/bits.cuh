#pragma once

// The same bits as another type of the same size.
template <class To, class From>
__device__ inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits_as changes the size");
  union {
    From from;
    To to;
  } both = {from};
  return both.to;
}

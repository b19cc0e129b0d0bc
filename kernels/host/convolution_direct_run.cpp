#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/add_product.h>
#include <tutti/kernels/host/convolution_direct.h>
#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/output_sums.h>
#include <tutti/kernels/host/pack_weight.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/transpose.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::kernels {

namespace {

constexpr int kOutputsAtOnce = 8;  // with 64-byte vectors, of which there are 32; else 4 of 16
constexpr int kVectorsAtOnce = 3;
constexpr std::int64_t kBytesOfSumsByOutputs = 8 << 10;  // at once, about
constexpr std::int64_t kMostRowsOfSums = 8;              // that OutputSums has

}  // namespace

// Some results of some images and a group.
struct DirectConvolution::Tile {
  std::int64_t image = 0, group = 0;
  std::int64_t line = 0, column = 0, output = 0;
  std::int64_t images = 0, lines = 0, columns = 0, outputs = 0;
};

// What a tile is computed from, and where: its own weight and results. is_packed: `factors` hold
// that weight already.
template <class T>
struct DirectConvolution::Operands {
  const T* copied;
  const T* weight;
  T* factors;
  bool is_packed;
  T* sums;
  T* result;
};

// Zeros, and what lies inside of x: [inputs, phases, lines, columns, images].
template <class T>
void DirectConvolution::copy_piece(const Tile& tile, const T* first, T* to) const {
  const auto& [depth, height, width] = shape_.spatial;
  std::fill(to, to + shape_.inputs * channel_ + 64 / static_cast<std::int64_t>(sizeof(T)), T{0});
  const std::int64_t lines = tile.lines + halo_lines_;
  for (const Phase& phase : phases_) {
    const std::int64_t top = tile.line * height.stride + phase.line - height.low;
    const std::int64_t left = tile.column * width.stride + phase.column - width.low;
    const Positions rows = inside(top, height.stride, height.size, lines);
    const Positions columns = inside(left, width.stride, width.size, columns_ + halo_columns_);
    const std::int64_t behind = (top + rows.begin * height.stride) * height.x_stride +
                                (left + columns.begin * width.stride) * width.x_stride;
    T* const own = to + rows.begin * pitch_ + columns.begin * images_;
    for (std::int64_t input = 0; input < shape_.inputs; ++input) {
      for (std::int64_t image = 0; image < tile.images; ++image) {
        copy_grid(
            rows.end - rows.begin, columns.end - columns.begin,
            first + input * shape_.channel_stride + image * shape_.image_stride + behind,
            {.line = height.stride * height.x_stride, .element = width.stride * width.x_stride},
            own + input * channel_ + image, {.line = pitch_, .element = images_});
      }
    }
    to += phase_;
  }
}

namespace {

// Sums over inputs and places of the window, of some outputs and vectors of results.
template <class T, int kBytes, int kOutputs, int kVectors, class Tap>
TUTTI_INLINE inline void add_taps(const T* x, std::int64_t x_channel, const T* weight,
                                  std::int64_t weight_channel, std::int64_t weight_output,
                                  std::int64_t inputs, const Tap* taps, const Tap* end, T* to,
                                  std::int64_t to_output) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  typedef T Vector [[gnu::vector_size(kBytes)]];
  Vector sums[kOutputs][kVectors] = {};
  for (std::int64_t i = 0; i < inputs; ++i, x += x_channel, weight += weight_channel) {
    for (const Tap* tap = taps; tap != end; ++tap) {
      const T* const from = x + tap->x;
      const T* const factors = weight + tap->weight;
      Vector seen[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        std::memcpy(&seen[v], from + v * kLanes, sizeof(Vector));
        __builtin_prefetch(from + v * kLanes + x_channel);  // lines are too far apart to be guessed
      }
#pragma GCC unroll 8
      for (int o = 0; o < kOutputs; ++o) {
        const Vector factor = factors[o * weight_output] - Vector{};  // in every lane
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) add_product(sums[o][v], factor, seen[v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int o = 0; o < kOutputs; ++o) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      std::memcpy(to + o * to_output + v * kLanes, &sums[o][v], sizeof(Vector));
    }
  }
}

// f(std::integral_constant<int, n>) for n from 1 to kMost.
template <int kMost, class F>
TUTTI_INLINE inline void with_number(std::int64_t n, F&& f) {
  if constexpr (kMost > 1) {
    if (n < kMost) return with_number<kMost - 1>(n, f);
  }
  f(std::integral_constant<int, kMost>());
}

}  // namespace

// An output's results, without what was computed over the ends of lines.
template <class T>
void DirectConvolution::give(const Tile& tile, const T* sums, T* result) const {
  for (std::int64_t image = 0; image < tile.images; ++image) {
    copy_grid(tile.lines, tile.columns, sums + image, {.line = pitch_, .element = images_},
              result + image * shape_.groups * shape_.outputs * shape_.results,
              {.line = shape_.spatial[2].out});
  }
}

// Vectors along the results, over the ends of lines.
template <class T, int kBytes>
TUTTI_INLINE inline void DirectConvolution::add_by_results(const Tile& tile, const Operands<T>& of,
                                                           std::int64_t output) const {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  constexpr int kOutputs = kBytes == 64 ? kOutputsAtOnce : kOutputsAtOnce / 2;
  const std::int64_t vectors = divide_up(positions(tile.lines, tile.columns), kLanes);
  const std::int64_t output_stride = shape_.weight_strides[0];
  while (output < tile.outputs) {
    const std::int64_t left = tile.outputs - output;
    const std::int64_t some = left >= kOutputs ? kOutputs : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const auto add = [&]<int kCount>(std::integral_constant<int, kCount>) TUTTI_INLINE {
      for (std::int64_t v = 0; v < vectors; v += kVectorsAtOnce) {
        with_number<kVectorsAtOnce>(
            std::min<std::int64_t>(vectors - v, kVectorsAtOnce),
            [&]<int kVectors>(std::integral_constant<int, kVectors>) TUTTI_INLINE {
              add_taps<T, kBytes, kCount, kVectors>(
                  of.copied + v * kLanes, channel_, of.weight + output * output_stride,
                  shape_.weight_strides[1], output_stride, shape_.inputs, taps_.data(),
                  taps_.data() + taps_.size(), of.sums + v * kLanes, vectors * kLanes);
            });
      }
    };
    if (some == 8) {
      if constexpr (kOutputs == 8) add(std::integral_constant<int, 8>());
    } else if (some == 4) {
      add(std::integral_constant<int, 4>());
    } else if (some == 2) {
      add(std::integral_constant<int, 2>());
    } else {
      add(std::integral_constant<int, 1>());
    }
    for (std::int64_t o = 0; o < some; ++o) {
      give(tile, of.sums + o * vectors * kLanes, of.result + (output + o) * shape_.results);
    }
    output += some;
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline void DirectConvolution::add_rows(const Tile& tile, const T* copied,
                                                     const T* factors, Positions inputs,
                                                     std::int64_t begin, std::int64_t end,
                                                     T* to) const {
  using Sums = OutputSums<T, kBytes, 2>;
  const std::int64_t of_line = tile.columns * images_;
  const std::int64_t* const seen_end =
      seen_offsets_.data() + (inputs.end - inputs.begin) * shape_.places;
  std::int64_t place = begin % of_line;
  const T* line = copied + begin / of_line * pitch_ + inputs.begin * channel_;
  factors += inputs.begin * shape_.places * Sums::kWidth;
  for (std::int64_t row = begin; row < end; row += Sums::kRows) {
    const int some = static_cast<int>(std::min<std::int64_t>(Sums::kRows, end - row));
    const T* seen[Sums::kRows];
    for (int m = 0; m < Sums::kRows; ++m) {
      seen[m] = line + place;
      if (m + 1 >= some || ++place < of_line) continue;
      place = 0;
      line += pitch_;
    }
    if (++place >= of_line) {
      place = 0;
      line += pitch_;
    }
    Sums sums;
    T* const own = to + (row - begin) * Sums::kWidth;
    if (inputs.begin == 0) {
      sums.clear();
    } else {
      sums.load(own, Sums::kWidth, some);
    }
    sums.add_at(seen, seen_offsets_.data(), seen_end, factors);
    sums.store(own, Sums::kWidth, some);
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline void DirectConvolution::add_outputs(const Tile& tile, const Operands<T>& of,
                                                        std::int64_t output) const {
  using Sums = OutputSums<T, kBytes, 2>;
  static_assert(Sums::kRows <= kMostRowsOfSums);
  T* const factors = of.factors + output * shape_.inputs * shape_.places;
  if (!of.is_packed) {
    const auto& [depth, height, width] = shape_.spatial;
    const auto& strides = shape_.weight_strides;
    pack_weight(of.weight + output * strides[0],
                {.outputs = Sums::kWidth,
                 .inputs = shape_.inputs,
                 .lines = height.window,
                 .columns = width.window,
                 .output_stride = strides[0],
                 .input_stride = strides[1],
                 .line_stride = strides[3],
                 .column_stride = strides[4]},
                Sums::kWidth, factors);
  }
  const std::int64_t results = tile.lines * tile.columns;
  const std::int64_t at_once =
      divide_up(kBytesOfSumsByOutputs / static_cast<std::int64_t>(sizeof(T)) / Sums::kWidth,
                Sums::kRows * images_) *
      Sums::kRows;
  for (std::int64_t first = 0; first < results; first += at_once) {
    const std::int64_t some = std::min(at_once, results - first);
    for (std::int64_t input = 0; input < shape_.inputs; input += inputs_at_once_) {
      add_rows<T, kBytes>(tile, of.copied, factors,
                          {input, std::min(input + inputs_at_once_, shape_.inputs)},
                          first * images_, (first + some) * images_, of.sums);
    }
    for (std::int64_t image = 0; image < tile.images; ++image) {
      T* const to = of.result + image * shape_.groups * shape_.outputs * shape_.results;
      transpose(of.sums + image * Sums::kWidth, images_ * Sums::kWidth,
                to + output * shape_.results + first, shape_.results, Sums::kWidth, some);
    }
  }
}

template <class T, int kBytes>
TUTTI_INLINE inline void DirectConvolution::add_up(const Tile& tile, const Operands<T>& of) const {
  std::int64_t output = 0;
  if constexpr (kBytes < 64) {
    constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
    if (is_worth_packing()) {
      for (; output + 2 * kLanes <= tile.outputs; output += 2 * kLanes) {
        add_outputs<T, kBytes>(tile, of, output);
      }
    }
  }
  add_by_results<T, kBytes>(tile, of, output);
}

template <class T>
void DirectConvolution::run(const T* x, const T* weight, T* result, std::int64_t begin,
                            std::int64_t end, const AfterTile& after) const {
  constexpr std::int64_t kMostLanes = 64 / sizeof(T);
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  constinit thread_local PerThread<Scratch> factors_memory;
  const auto copied = copied_memory.get().use<T>(shape_.inputs * channel_ + kMostLanes);
  const std::int64_t most_by_outputs =
      kBytesOfSumsByOutputs / static_cast<std::int64_t>(sizeof(T)) +
      kMostRowsOfSums * kMostLanes * images_;
  const auto sums = sums_memory.get().use<T>(
      std::max(kOutputsAtOnce * divide_up(positions(lines_, columns_), kMostLanes) * kMostLanes,
               most_by_outputs));
  const auto factors = factors_memory.get().use<T>(
      is_worth_packing() ? outputs_ * shape_.inputs * shape_.places : 0);
  const auto& [depth, height, width] = shape_.spatial;
  const std::int64_t parts = divide_up(shape_.outputs, outputs_);
  const std::int64_t across = divide_up(width.out, columns_);
  const std::int64_t down = divide_up(height.out, lines_);
  std::int64_t copied_place = -1;
  std::int64_t packed_output = -1;
  for (std::int64_t at = begin; at < end; ++at) {
    const std::int64_t place = at / parts;
    const std::int64_t block = place / across / down;
    Tile tile = {.image = block / shape_.groups * images_,
                 .group = block % shape_.groups,
                 .line = place / across % down * lines_,
                 .column = place % across * columns_,
                 .output = at % parts * outputs_};
    tile.images = std::min(images_, shape_.images - tile.image);
    tile.lines = std::min(lines_, height.out - tile.line);
    tile.columns = std::min(columns_, width.out - tile.column);
    tile.outputs = std::min(outputs_, shape_.outputs - tile.output);
    if (place != copied_place) {
      copy_piece(tile,
                 x + shape_.x_offset + tile.image * shape_.image_stride +
                     tile.group * shape_.inputs * shape_.channel_stride,
                 copied.get());
    }
    copied_place = place;
    const std::int64_t output = tile.group * shape_.outputs + tile.output;
    const T* const own_weight = weight + shape_.weight_offset + output * shape_.weight_strides[0];
    T* const own_result = result +
                          (tile.image * shape_.groups * shape_.outputs + output) * shape_.results +
                          tile.line * width.out + tile.column;
    const Operands<T> operands = {.copied = copied.get(),
                                  .weight = own_weight,
                                  .factors = factors.get(),
                                  .is_packed = packed_output == output,
                                  .sums = sums.get(),
                                  .result = own_result};
    run_vectorised([&]<int kBytes>() TUTTI_INLINE { add_up<T, kBytes>(tile, operands); });
    packed_output = output;
    if (after == nullptr) continue;
    const std::int64_t column = tile.line * width.out + tile.column;
    for (std::int64_t image = tile.image; image < tile.image + tile.images; ++image) {
      const std::int64_t row = image * shape_.groups * shape_.outputs + output;
      after(
          {row, row + tile.outputs, column, column + (tile.lines - 1) * width.out + tile.columns});
    }
  }
}

template void DirectConvolution::run(const float* x, const float* weight, float* result,
                                     std::int64_t begin, std::int64_t end,
                                     const AfterTile& after) const;
template void DirectConvolution::run(const double* x, const double* weight, double* result,
                                     std::int64_t begin, std::int64_t end,
                                     const AfterTile& after) const;

}  // namespace tutti::kernels

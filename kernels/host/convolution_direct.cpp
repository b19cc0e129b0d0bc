#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/add_product.h>
#include <tutti/kernels/host/convolution_direct.h>
#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kBytesOfTile = 1 << 19;  // of what is copied for one
constexpr std::int64_t kMostBytesOfTile = 1 << 22;
constexpr std::int64_t kLeastOutputsOfTile = 32;
constexpr int kOutputsAtOnce = 8;  // with 64-byte vectors, of which there are 32; else 4 of 16
constexpr int kVectorsAtOnce = 3;

// Lanes that compute something of which nothing is left, for decisions that hold on all machines.
std::int64_t lanes_of(DType dtype) { return 64 / size_of(dtype); }

}  // namespace

// Some results of some images and a group.
struct DirectConvolution::Tile {
  std::int64_t image = 0, group = 0;
  std::int64_t line = 0, column = 0, output = 0;
  std::int64_t images = 0, lines = 0, columns = 0, outputs = 0;
};

std::optional<DirectConvolution> DirectConvolution::find(const ConvolutionShape& shape) {
  if (!shape.is_flat() || shape.places == 1 || shape.places > shape.results) return std::nullopt;
  DirectConvolution one(shape, 1);
  if (one.is_worth()) return one;
  // Of small images several fill vectors together.
  const std::int64_t blocks = divide_up(shape.images, lanes_of(shape.dtype));
  DirectConvolution some(shape, divide_up(shape.images, blocks));
  if (some.is_worth()) return some;
  return std::nullopt;
}

bool DirectConvolution::is_worth() const {
  // Each element that is copied is looked at for several results.
  if (std::ssize(phases_) * 2 > shape_.places) return false;
  const std::int64_t lanes = lanes_of(shape_.dtype);
  const std::int64_t computed = divide_up(positions(lines_, columns_), lanes) * lanes;
  return shape_.inputs * channel_ * size_of(shape_.dtype) <= kMostBytesOfTile &&
         2 * computed <= 3 * lines_ * columns_ * images_;
}

DirectConvolution::DirectConvolution(const ConvolutionShape& shape, std::int64_t images)
    : shape_(shape), images_(images) {
  const auto& [depth, height, width] = shape_.spatial;
  halo_lines_ = (height.window - 1) * height.dilation / height.stride;
  halo_columns_ = (width.window - 1) * width.dilation / width.stride;
  for (std::int64_t b = 0; b < height.window; ++b) {
    for (std::int64_t c = 0; c < width.window; ++c) {
      const Phase phase{b * height.dilation % height.stride, c * width.dilation % width.stride};
      const auto same = [&](const Phase& other) {
        return other.line == phase.line && other.column == phase.column;
      };
      if (std::ranges::none_of(phases_, same)) phases_.push_back(phase);
    }
  }
  choose_tiles();
  pitch_ = (columns_ + halo_columns_) * images_;
  phase_ = (lines_ + halo_lines_) * pitch_;
  channel_ = std::ssize(phases_) * phase_;
  for (std::int64_t b = 0; b < height.window; ++b) {
    for (std::int64_t c = 0; c < width.window; ++c) {
      const std::int64_t y = b * height.dilation;
      const std::int64_t x = c * width.dilation;
      const auto phase = std::ranges::find_if(phases_, [&](const Phase& each) {
        return each.line == y % height.stride && each.column == x % width.stride;
      });
      taps_.push_back({.x = (phase - phases_.begin()) * phase_ + y / height.stride * pitch_ +
                            x / width.stride * images_,
                       .weight = b * shape_.weight_strides[3] + c * shape_.weight_strides[4]});
    }
  }
}

void DirectConvolution::choose_tiles() {
  const auto& [depth, height, width] = shape_.spatial;
  const bool is_line = height.out == 1 && height.window == 1;
  const std::int64_t others = divide_up(shape_.images, images_) * shape_.groups;
  const std::int64_t element = shape_.inputs * std::ssize(phases_) * images_ *
                               static_cast<std::int64_t>(size_of(shape_.dtype));
  // Along the axis that is cut: so many at most for the memory, at least for what is copied twice,
  // and as there should be tiles.
  const auto cut = [&](std::int64_t count, std::int64_t halo, std::int64_t bytes,
                       std::int64_t least) {
    const std::int64_t most = std::max<std::int64_t>(kBytesOfTile / bytes - halo, 1);
    const std::int64_t fair = divide_up(count, divide_up(ConvolutionShape::kGoodTiles, others));
    const std::int64_t some = std::clamp(fair, std::min(most, std::max(least, 2 * halo)), most);
    return divide_up(count, divide_up(count, some));
  };
  lines_ = height.out;
  columns_ = width.out;
  if (is_line) {
    columns_ = cut(width.out, halo_columns_, element, 4 * lanes_of(shape_.dtype));
  } else {
    lines_ = cut(height.out, halo_lines_, element * (width.out + halo_columns_),
                 divide_up(4 * lanes_of(shape_.dtype), width.out));
  }
  const std::int64_t parts =
      divide_up(ConvolutionShape::kGoodTiles,
                others * divide_up(height.out, lines_) * divide_up(width.out, columns_));
  outputs_ =
      std::max(divide_up(shape_.outputs, parts), std::min(kLeastOutputsOfTile, shape_.outputs));
}

std::int64_t DirectConvolution::tiles() const {
  const auto& [depth, height, width] = shape_.spatial;
  return divide_up(shape_.images, images_) * shape_.groups * divide_up(height.out, lines_) *
         divide_up(width.out, columns_) * divide_up(shape_.outputs, outputs_);
}

// Where columns are cut, there is one line.
std::int64_t DirectConvolution::tile_columns() const {
  const std::int64_t width = shape_.spatial[2].out;
  return columns_ < width ? columns_ : lines_ * width;
}

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

template <class T, int kBytes>
TUTTI_INLINE inline void DirectConvolution::add_up(const Tile& tile, const T* copied,
                                                   const T* weight, T* sums, T* result) const {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  constexpr int kOutputs = kBytes == 64 ? kOutputsAtOnce : kOutputsAtOnce / 2;
  const std::int64_t vectors = divide_up(positions(tile.lines, tile.columns), kLanes);
  const std::int64_t output_stride = shape_.weight_strides[0];
  for (std::int64_t output = 0; output < tile.outputs;) {
    const std::int64_t left = tile.outputs - output;
    const std::int64_t some = left >= kOutputs ? kOutputs : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const auto add = [&]<int kCount>(std::integral_constant<int, kCount>) TUTTI_INLINE {
      for (std::int64_t v = 0; v < vectors; v += kVectorsAtOnce) {
        with_number<kVectorsAtOnce>(
            std::min<std::int64_t>(vectors - v, kVectorsAtOnce),
            [&]<int kVectors>(std::integral_constant<int, kVectors>) TUTTI_INLINE {
              add_taps<T, kBytes, kCount, kVectors>(
                  copied + v * kLanes, channel_, weight + output * output_stride,
                  shape_.weight_strides[1], output_stride, shape_.inputs, taps_.data(),
                  taps_.data() + taps_.size(), sums + v * kLanes, vectors * kLanes);
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
      give(tile, sums + o * vectors * kLanes, result + (output + o) * shape_.results);
    }
    output += some;
  }
}

template <class T>
void DirectConvolution::run(const T* x, const T* weight, T* result, std::int64_t begin,
                            std::int64_t end, const AfterTile& after) const {
  constexpr std::int64_t kMostLanes = 64 / sizeof(T);
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  const auto copied = copied_memory.get().use<T>(shape_.inputs * channel_ + kMostLanes);
  const auto sums = sums_memory.get().use<T>(
      kOutputsAtOnce * divide_up(positions(lines_, columns_), kMostLanes) * kMostLanes);
  const auto& [depth, height, width] = shape_.spatial;
  const std::int64_t parts = divide_up(shape_.outputs, outputs_);
  const std::int64_t across = divide_up(width.out, columns_);
  const std::int64_t down = divide_up(height.out, lines_);
  std::int64_t is_copied = -1;
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
    if (place != is_copied) {
      copy_piece(tile,
                 x + shape_.x_offset + tile.image * shape_.image_stride +
                     tile.group * shape_.inputs * shape_.channel_stride,
                 copied.get());
    }
    is_copied = place;
    const std::int64_t output = tile.group * shape_.outputs + tile.output;
    const T* const own_weight = weight + shape_.weight_offset + output * shape_.weight_strides[0];
    T* const own_result = result +
                          (tile.image * shape_.groups * shape_.outputs + output) * shape_.results +
                          tile.line * width.out + tile.column;
    run_vectorised([&]<int kBytes>() TUTTI_INLINE {
      add_up<T, kBytes>(tile, copied.get(), own_weight, sums.get(), own_result);
    });
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

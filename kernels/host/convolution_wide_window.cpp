#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/add_lanes.h>
#include <tutti/kernels/host/add_product.h>
#include <tutti/kernels/host/convolution_wide_window.h>
#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kPlacesAtOnce = 1024;
constexpr std::int64_t kFactorsAtOnce = 1
                                        << 16;  // of all outputs: a quarter of a second-level cache
constexpr std::int64_t kSeveralResults = 256;
constexpr std::int64_t kImagesOfTile = 8;  // for which the window is copied once, at least
constexpr std::int64_t kMostImages = 16;   // for which a tile leaves room beside many outputs
constexpr std::int64_t kBytesOfSum = 64;   // a vector, whose lanes are added when all else is
constexpr std::int64_t kBytesOfSums = 1 << 22;

}  // namespace

std::optional<WideWindowConvolution> WideWindowConvolution::find(const ConvolutionShape& shape) {
  if (!suits(shape)) return std::nullopt;
  return WideWindowConvolution(shape);
}

WideWindowConvolution::WideWindowConvolution(const ConvolutionShape& shape)
    : ConvolutionInParts(shape) {
  const auto& [depth, height, width] = shape_.spatial;
  const std::int64_t lanes = 64 / static_cast<std::int64_t>(size_of(shape_.dtype));
  const bool is_line = height.window == 1;
  lines_ = share(height.window, kPlacesAtOnce / width.window);
  columns_ = is_line ? share(width.window, kPlacesAtOnce) : width.window;
  plane_ = divide_up(lines_ * columns_, lanes) * lanes;
  inputs_ = share(shape_.inputs, kPlacesAtOnce / plane_);
  const std::int64_t sums = kBytesOfSums / (kBytesOfSum * shape_.results);
  // What an image's results look at is copied once for these outputs, and the window once for these
  // images: the more results there are the less the latter counts.
  const std::int64_t room = std::clamp<std::int64_t>(kSeveralResults / shape_.results, 1,
                                                     std::min(shape_.images, kMostImages));
  outputs_ = share(shape_.outputs, std::min(kFactorsAtOnce / (inputs_ * plane_), sums / room));
  images_ = share(shape_.images, sums / outputs_);
  choose_parts(inputs_, kImagesOfTile);
  // Lines are shared where no vector would see more of them than the piece has.
  const bool is_shared = !is_line && lines_ * columns_ % lanes == 0 && shape_.places % lanes == 0;
  std::int64_t halo = 0;
  for (std::int64_t b = 0; b < height.out; ++b) {
    for (std::int64_t c = 0; c < width.out; ++c) {
      const std::int64_t first = b * height.stride;
      const Copy copy{is_shared ? first % height.dilation : first, c * width.stride};
      const std::int64_t behind = is_shared ? first / height.dilation : 0;
      halo = std::max(halo, behind);
      auto known = std::ranges::find_if(copies_, [&](const Copy& each) {
        return each.line == copy.line && each.column == copy.column;
      });
      if (known == copies_.end()) known = copies_.insert(known, copy);
      seen_.push_back({known - copies_.begin(), behind});
    }
  }
  copied_lines_ = lines_ + halo;
  copy_ = is_shared ? copied_lines_ * columns_ : plane_;
}

// [outputs, inputs, plane]
template <class T>
void WideWindowConvolution::copy_weight(const Piece& piece, const T* weight, std::int64_t outputs,
                                        T* to) const {
  const auto& strides = shape_.weight_strides;
  const T* const first =
      weight + piece.input * strides[1] + piece.line * strides[3] + piece.column * strides[4];
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < piece.inputs; ++i, to += plane_) {
      copy_grid(piece.lines, piece.columns, first + o * strides[0] + i * strides[1],
                {.line = strides[3], .element = strides[4]}, to, {.line = piece.columns});
      std::fill(to + piece.lines * piece.columns, to + plane_, T{0});
    }
  }
}

// [inputs, copies, copy]
template <class T>
void WideWindowConvolution::copy_image(const Piece& piece, const T* image, T* to) const {
  const auto& [depth, height, width] = shape_.spatial;
  std::fill(to, to + piece.inputs * std::ssize(copies_) * copy_, T{0});
  const std::int64_t lines = piece.lines + copied_lines_ - lines_;
  for (const Copy& copy : copies_) {
    const std::int64_t top = copy.line + piece.line * height.dilation - height.low;
    const std::int64_t left = copy.column + piece.column * width.dilation - width.low;
    const Positions rows = inside(top, height.dilation, height.size, lines);
    const Positions columns = inside(left, width.dilation, width.size, piece.columns);
    const T* const first = image + piece.input * shape_.channel_stride +
                           (top + rows.begin * height.dilation) * height.x_stride +
                           (left + columns.begin * width.dilation) * width.x_stride;
    T* const own = to + rows.begin * piece.columns + columns.begin;
    for (std::int64_t i = 0; i < piece.inputs; ++i) {
      copy_grid(
          rows.end - rows.begin, columns.end - columns.begin, first + i * shape_.channel_stride,
          {.line = height.dilation * height.x_stride, .element = width.dilation * width.x_stride},
          own + i * std::ssize(copies_) * copy_, {.line = piece.columns});
    }
    to += copy_;
  }
}

namespace {

// Adds the products of inputs and places to kOutputs * kResults sums of as many lanes as a vector
// has; the results of an output lie behind another, those of the next `sums_output` further on.
template <class T, int kBytes, int kOutputs, int kResults>
TUTTI_INLINE inline void add_places(const T* const* x, std::int64_t x_input, const T* factors,
                                    std::int64_t factor_output, std::int64_t factor_input,
                                    std::int64_t inputs, std::int64_t vectors, T* sums,
                                    std::int64_t sums_output) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  typedef T Vector [[gnu::vector_size(kBytes)]];
  Vector partial[kOutputs][kResults];
#pragma GCC unroll 8
  for (int o = 0; o < kOutputs; ++o) {
#pragma GCC unroll 9
    for (int r = 0; r < kResults; ++r) {  // one by one, or they would be in memory
      std::memcpy(&partial[o][r], sums + o * sums_output + r * kLanes, sizeof(Vector));
    }
  }
  for (std::int64_t i = 0; i < inputs; ++i) {
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t at = i * x_input + v * kLanes;
      Vector own[kOutputs];
#pragma GCC unroll 8
      for (int o = 0; o < kOutputs; ++o) {
        std::memcpy(&own[o], factors + o * factor_output + i * factor_input + v * kLanes,
                    sizeof(Vector));
      }
#pragma GCC unroll 9
      for (int r = 0; r < kResults; ++r) {
        Vector seen;
        std::memcpy(&seen, x[r] + at, sizeof(Vector));
#pragma GCC unroll 8
        for (int o = 0; o < kOutputs; ++o) add_product(partial[o][r], own[o], seen);
      }
    }
  }
#pragma GCC unroll 8
  for (int o = 0; o < kOutputs; ++o) {
#pragma GCC unroll 9
    for (int r = 0; r < kResults; ++r) {
      std::memcpy(sums + o * sums_output + r * kLanes, &partial[o][r], sizeof(Vector));
    }
  }
}

// The sum of each one's lanes, of so many vectors.
template <class T, int kBytes>
TUTTI_INLINE inline void add_lanes_of(const T* sums, std::int64_t count, T* result) {
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  for (std::int64_t begin = 0; begin < count; begin += kLanes) {
    const std::int64_t some = std::min<std::int64_t>(kLanes, count - begin);
    alignas(64) T lanes[kLanes * kLanes] = {};
    std::memcpy(lanes, sums + begin * kLanes, static_cast<std::size_t>(some) * kBytes);
    T added[kLanes];
    add_lanes<T, kLanes>(lanes, added);
    std::memcpy(result + begin, added, static_cast<std::size_t>(some) * sizeof(T));
  }
}

}  // namespace

template <class T, int kBytes>
TUTTI_INLINE inline void WideWindowConvolution::add_up(const Sums<T>& of) const {
  constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t x_input = std::ssize(copies_) * copy_;
  const std::int64_t vectors = divide_up(of.places, kLanes);
  const auto add = [&]<int kOutputs, int kResults>(std::int64_t output,
                                                   std::int64_t result) TUTTI_INLINE {
    const T* x[kResults];
    for (int r = 0; r < kResults; ++r) {
      const Seen& seen = seen_[static_cast<std::size_t>(result + r)];
      x[r] = of.copied + seen.copy * copy_ + seen.lines * of.columns;
    }
    add_places<T, kBytes, kOutputs, kResults>(
        x, x_input, of.factors + output * of.inputs * plane_, of.inputs * plane_, plane_, of.inputs,
        vectors, of.sums + (output * shape_.results + result) * kLanes, shape_.results * kLanes);
  };
  // As many sums as there are registers for.
  const auto add_results = [&]<int kOutputs, int kResults>(std::int64_t result) TUTTI_INLINE {
    std::int64_t output = 0;
    for (; output + kOutputs <= of.outputs; output += kOutputs) {
      add.template operator()<kOutputs, kResults>(output, result);
    }
    for (; output < of.outputs; ++output) add.template operator()<1, kResults>(output, result);
  };
  constexpr bool kManyRegisters = kBytes == 64;
  for (std::int64_t result = 0; result < shape_.results;) {
    const std::int64_t left = shape_.results - result;
    if (left >= 9) {
      add_results.template operator()<kManyRegisters ? 3 : 1, 9>(result);
      result += 9;
    } else if (left >= 3) {
      add_results.template operator()<kManyRegisters ? 8 : 4, 3>(result);
      result += 3;
    } else {
      add_results.template operator()<8, 1>(result);
      result += 1;
    }
  }
}

template <class T>
void WideWindowConvolution::run(const T* x, const T* weight, T* result, std::int64_t begin,
                                std::int64_t end, const AfterTile& after) const {
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> factors_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  const auto copied = copied_memory.get().use<T>(inputs_ * std::ssize(copies_) * copy_);
  const auto factors = factors_memory.get().use<T>(outputs_ * inputs_ * plane_);
  const std::int64_t sums_of_image = outputs_ * shape_.results * kBytesOfSum / sizeof(T);
  const auto sums = sums_memory.get().use<T>(images_ * sums_of_image);
  for (std::int64_t number = begin; number < end; ++number) {
    const Tile own = tile(number);
    T* const own_result = result + own.part * part_elements();
    const T* const own_x = x + shape_.x_offset + own.image * shape_.image_stride +
                           own.group * shape_.inputs * shape_.channel_stride;
    const T* const own_weight =
        weight + shape_.weight_offset + own.output * shape_.weight_strides[0];
    std::fill_n(sums.get(), own.images * sums_of_image, T{0});
    for_each_piece(own, [&](const Piece& piece) {
      copy_weight(piece, own_weight, own.outputs, factors.get());
      for (std::int64_t i = 0; i < own.images; ++i) {
        copy_image(piece, own_x + i * shape_.image_stride, copied.get());
        const Sums<T> of = {.copied = copied.get(),
                            .factors = factors.get(),
                            .outputs = own.outputs,
                            .inputs = piece.inputs,
                            .places = piece.lines * piece.columns,
                            .columns = piece.columns,
                            .sums = sums.get() + i * sums_of_image};
        run_vectorised([&]<int kBytes>() TUTTI_INLINE { add_up<T, kBytes>(of); });
      }
    });
    for (std::int64_t i = 0; i < own.images; ++i) {
      const std::int64_t row = (own.image + i) * shape_.groups * shape_.outputs + own.output;
      const T* const of_image = sums.get() + i * sums_of_image;
      run_vectorised([&]<int kBytes>() TUTTI_INLINE {
        add_lanes_of<T, kBytes>(of_image, own.outputs * shape_.results,
                                own_result + row * shape_.results);
      });
      if (after != nullptr) after({row, row + own.outputs, 0, shape_.results});
    }
  }
}

template void WideWindowConvolution::run(const float* x, const float* weight, float* result,
                                         std::int64_t begin, std::int64_t end,
                                         const AfterTile& after) const;
template void WideWindowConvolution::run(const double* x, const double* weight, double* result,
                                         std::int64_t begin, std::int64_t end,
                                         const AfterTile& after) const;

}  // namespace tutti::kernels

#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_by_outputs.h>
#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/output_sums.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

// In the order of the copy, so that neighbours look at neighbours.
void ConvolutionByOutputs::list_rows(const Tile& tile, Row* rows) const {
  Sizes counts{};
  Sizes x_steps{};
  Sizes result_steps{};
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const std::size_t d = order_[i];
    if (d == 1) {
      counts[i] = 1;
      continue;
    }
    const bool is_image = d == 0;
    const auto spatial = is_image ? SpatialDimension{} : shape_.spatial[d - 2];
    const bool is_cut = static_cast<int>(d) - 2 == cut_;
    counts[i] = is_image ? tile.images : is_cut ? tile.lines : spatial.out;
    x_steps[i] = copied_strides_[d] * (is_image ? 1 : spatial.stride);
    result_steps[i] = shape_.result_strides[d];
  }
  for (std::int64_t a = 0; a < counts[0]; ++a) {
    for (std::int64_t b = 0; b < counts[1]; ++b) {
      for (std::int64_t c = 0; c < counts[2]; ++c) {
        for (std::int64_t d = 0; d < counts[3]; ++d) {
          Row row = {.x = a * x_steps[0] + b * x_steps[1] + c * x_steps[2] + d * x_steps[3],
                     .result = a * result_steps[0] + b * result_steps[1] + c * result_steps[2] +
                               d * result_steps[3]};
          for (std::int64_t e = 0; e < counts[4]; ++e) {
            *rows++ = row;
            row.x += x_steps[4];
            row.result += result_steps[4];
          }
        }
      }
    }
  }
}

template <class T>
void ConvolutionByOutputs::copy_piece(const Tile& tile, std::int64_t input, std::int64_t inputs,
                                      const T* x, T* to) const {
  std::array<Positions, kDimensions> inside{};
  Sizes sizes = copied_sizes(tile.images, inputs, tile.lines);
  Sizes strides = {shape_.image_stride, shape_.channel_stride};
  const T* from = x + shape_.x_offset + tile.image * strides[0] +
                  (tile.group * shape_.inputs + input) * strides[1];
  bool whole = true;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    inside[d] = {0, sizes[d]};
    if (d >= 2) {
      const SpatialDimension& own = shape_.spatial[d - 2];
      const std::int64_t first =
          (static_cast<int>(d) - 2 == cut_ ? tile.line * own.stride : 0) - own.low;
      inside[d] = kernels::inside(first, 1, own.size, sizes[d]);
      strides[d] = own.x_stride;
      from += (first + inside[d].begin) * own.x_stride;
      whole = whole && inside[d].begin == 0 && inside[d].end == sizes[d];
    }
  }
  if (!whole) std::fill(to, to + copied_elements(images_, inputs_, lines_), T{0});
  // By the order of the copy: how many, and how far apart here and there.
  Sizes counts{};
  Sizes steps{};
  Sizes to_steps{};
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const std::size_t d = order_[i];
    counts[i] = inside[d].end - inside[d].begin;
    steps[i] = strides[d];
    to_steps[i] = copied_strides_[d];
    to += inside[d].begin * to_steps[i];
    if (counts[i] <= 0) return;
  }
  // Lines that follow each other here and there are one.
  if (steps[4] == 1 && steps[3] == counts[4] && to_steps[3] == counts[4]) {
    counts[4] *= counts[3];
    counts[3] = 1;
  }
  for (std::int64_t a = 0; a < counts[0]; ++a) {
    for (std::int64_t b = 0; b < counts[1]; ++b) {
      for (std::int64_t c = 0; c < counts[2]; ++c) {
        copy_grid(counts[3], counts[4], from + a * steps[0] + b * steps[1] + c * steps[2],
                  {.line = steps[3], .element = steps[4]},
                  to + a * to_steps[0] + b * to_steps[1] + c * to_steps[2],
                  {.line = to_steps[3], .element = 1});
      }
    }
  }
}

// [runs, their elements, outputs], with zeros up to whole lines of outputs.
template <class T>
void ConvolutionByOutputs::copy_weight(const Tile& tile, std::int64_t inputs, const T* weight,
                                       T* to) const {
  const std::int64_t lanes = line_elements();
  const std::int64_t width = divide_up(tile.outputs, lanes) * lanes;
  const std::int64_t length = run_length(inputs);
  const std::int64_t output_step = shape_.weight_strides[0];
  const std::int64_t count = runs_of(inputs);
  if (width != tile.outputs) std::fill(to, to + count * length * width, T{0});
  // A few lines of the copy at a time, which stay in the first-level cache.
  constexpr std::int64_t kAtOnce = 16;
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = weight + runs_[static_cast<std::size_t>(i)].weight;
    for (std::int64_t first = 0; first < length; first += kAtOnce) {
      const std::int64_t some = std::min(kAtOnce, length - first);
      for (std::int64_t o = 0; o < tile.outputs; ++o) {
        const T* const own = from + o * output_step + first * weight_step_;
        for (std::int64_t k = 0; k < some; ++k) {
          to[(first + k) * width + o] = own[k * weight_step_];
        }
      }
    }
    to += length * width;
  }
}

template <class T, int kBytes, int kVectors>
TUTTI_INLINE inline void ConvolutionByOutputs::add_up(const Piece<T>& piece) const {
  using Sums = OutputSums<T, kBytes, kVectors>;
  constexpr int kRowCount = Sums::kRows;
  const std::int64_t length = run_length(piece.inputs);
  const std::int64_t x_step = x_step_;
  const std::int64_t outputs = piece.outputs;
  const std::int64_t lanes = line_elements();
  const std::int64_t width = divide_up(outputs, lanes) * lanes;
  const std::int64_t weight_step = copies_weight_ ? width : weight_step_;
  for (std::int64_t row = 0; row < piece.count; row += kRowCount) {
    const T* seen[kRowCount];
    for (int m = 0; m < kRowCount; ++m) {
      seen[m] = piece.x + piece.rows[std::min(row + m, piece.count - 1)].x;
    }
    for (std::int64_t o = 0; o < outputs; o += Sums::kWidth) {
      Sums of;
      of.clear();
      for (std::int64_t i = piece.begin; i < piece.end; ++i) {
        const Run& run = runs_[static_cast<std::size_t>(i)];
        of.add(seen, run.x, x_step,
               piece.weight + o + (copies_weight_ ? i * length * width : run.weight), weight_step,
               length);
      }
      give(of, piece, row, o);
    }
  }
}

// Sums of results from `row` on and of outputs from `first` on go where they lie, and to what is
// there already.
template <class T, class Sums>
TUTTI_INLINE inline void ConvolutionByOutputs::give(const Sums& sums, const Piece<T>& piece,
                                                    std::int64_t row, std::int64_t first) const {
  using Vector = typename Sums::Vector;
  const Row* const rows = piece.rows + row;
  const auto count = static_cast<int>(std::min<std::int64_t>(Sums::kRows, piece.count - row));
  const std::int64_t outputs = std::min<std::int64_t>(Sums::kWidth, piece.outputs - first);
  T* const to = piece.result + first;
  if (outputs < Sums::kWidth) {
    alignas(64) T block[Sums::kRows * Sums::kWidth];
    sums.store(block, Sums::kWidth, count);
    for (int m = 0; m < count; ++m) {
      T* const own = to + rows[m].result;
      for (std::int64_t o = 0; o < outputs; ++o) {
        own[o] =
            piece.is_first ? block[m * Sums::kWidth + o] : own[o] + block[m * Sums::kWidth + o];
      }
    }
    return;
  }
#pragma GCC unroll 12
  for (int m = 0; m < Sums::kRows; ++m) {
    if (m >= count) break;
    T* const own = to + rows[m].result;
#pragma GCC unroll 4
    for (int v = 0; v < Sums::kVectors; ++v) {
      Vector sum = sums.sums[m][v];
      if (!piece.is_first) {
        Vector before;
        std::memcpy(&before, own + v * Sums::kLanes, sizeof(Vector));
        sum += before;
      }
      std::memcpy(own + v * Sums::kLanes, &sum, sizeof(Vector));
    }
  }
}

template <class T>
void ConvolutionByOutputs::run(const T* x, const T* weight, T* result, std::int64_t begin,
                               std::int64_t end, const AfterTile& after) const {
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> weight_memory;
  constinit thread_local PerThread<Scratch> rows_memory;
  const std::int64_t lanes = line_elements();
  const auto copied = copied_memory.get().use<T>(copied_elements(images_, inputs_, lines_));
  const auto factors = weight_memory.get().use<T>(
      copies_weight_ ? inputs_ * shape_.places * divide_up(outputs_, lanes) * lanes : 0);
  const std::int64_t all_lines = shape_.spatial[static_cast<std::size_t>(cut_)].out;
  const std::int64_t rows_of_line = shape_.results / all_lines;
  const auto rows = rows_memory.get().use<Row>(images_ * lines_ * rows_of_line);
  std::int64_t listed_images = 0;
  std::int64_t listed_lines = 0;
  std::int64_t copied_output = -1;
  for (std::int64_t number = begin; number < end; ++number) {
    const Tile own = tile(number);
    if (own.images != listed_images || own.lines != listed_lines) list_rows(own, rows.get());
    listed_images = own.images;
    listed_lines = own.lines;
    const std::int64_t count = own.images * own.lines * rows_of_line;
    T* const own_result = result + own.image * shape_.result_strides[0] +
                          own.line * shape_.result_strides[static_cast<std::size_t>(cut_) + 2] +
                          own.output;
    for (std::int64_t input = 0; input < shape_.inputs; input += inputs_) {
      const std::int64_t inputs = std::min(inputs_, shape_.inputs - input);
      copy_piece(own, input, inputs, x, copied.get());
      const T* own_weight = weight + shape_.weight_offset + own.output * shape_.weight_strides[0] +
                            input * shape_.weight_strides[1];
      if (copies_weight_) {
        const bool is_copied = inputs_ == shape_.inputs && copied_output == own.output;
        if (!is_copied) copy_weight(own, inputs, own_weight, factors.get());
        copied_output = own.output;
        own_weight = factors.get();
      }
      Piece<T> piece = {.rows = rows.get(),
                        .count = count,
                        .x = copied.get(),
                        .weight = own_weight,
                        .inputs = inputs,
                        .outputs = own.outputs,
                        .begin = 0,
                        .end = 0,
                        .is_first = input == 0,
                        .result = own_result};
      const std::int64_t runs = runs_of(inputs);
      for (; piece.begin < runs; piece.begin = piece.end, piece.is_first = false) {
        piece.end = std::min(piece.begin + runs_at_once_, runs);
        run_vectorised([&]<int kBytes>() TUTTI_INLINE {
          constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
          if (kBytes == 64 && own.outputs % (4 * kLanes) == 0) {
            add_up<T, kBytes, kBytes == 64 ? 4 : 2>(piece);
          } else if (divide_up(own.outputs, kLanes) % 2 == 0) {
            add_up<T, kBytes, 2>(piece);
          } else {
            add_up<T, kBytes, 1>(piece);
          }
        });
      }
    }
    if (after == nullptr) continue;
    // Several images have all their lines, or a part each.
    const bool whole = own.lines == all_lines;
    for (std::int64_t image = 0; image < own.images; image += whole ? own.images : 1) {
      const std::int64_t row = (own.image + image) * shape_.results + own.line * rows_of_line;
      after({row, row + (whole ? own.images : 1) * own.lines * rows_of_line, own.output,
             own.output + own.outputs});
    }
  }
}

template void ConvolutionByOutputs::run(const float* x, const float* weight, float* result,
                                        std::int64_t begin, std::int64_t end,
                                        const AfterTile& after) const;
template void ConvolutionByOutputs::run(const double* x, const double* weight, double* result,
                                        std::int64_t begin, std::int64_t end,
                                        const AfterTile& after) const;

}  // namespace tutti::kernels

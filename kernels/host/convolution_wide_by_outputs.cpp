#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_wide_by_outputs.h>
#include <tutti/kernels/host/copy_grid.h>
#include <tutti/kernels/host/instruction_set.h>
#include <tutti/kernels/host/output_sums.h>
#include <tutti/kernels/host/pack_weight.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/transpose.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kBytesOfResults = 512 << 10;  // about a second-level cache
constexpr std::int64_t kPlacesOfPiece = 256;
constexpr std::int64_t kMostOutputs = 128;
constexpr std::int64_t kImagesTogether = 128;
constexpr std::int64_t kLeastImages = 8;
constexpr std::int64_t kLeastRows = 64;  // for which the window's outputs are put side by side
constexpr std::int64_t kBytesOfLine = 64;
constexpr double kMostCopiedBytes = 4 << 20;
constexpr double kUsesOfCopied = 16;  // multiplications, at least, for each element that is copied

std::int64_t whole_lines(std::int64_t outputs, DType dtype) {
  const std::int64_t lanes = kBytesOfLine / size_of(dtype);
  return divide_up(outputs, lanes) * lanes;
}

}  // namespace

std::optional<WideWindowByOutputs> WideWindowByOutputs::find(const ConvolutionShape& shape) {
  const std::int64_t whole = whole_lines(shape.outputs, shape.dtype);
  const bool fills = 4 * shape.outputs >= 3 * whole;
  if (!suits(shape) || !fills || shape.images * shape.results < kLeastRows) return std::nullopt;
  WideWindowByOutputs out(shape);
  if (!out.is_worth()) return std::nullopt;
  out.list_rows();
  return out;
}

WideWindowByOutputs::WideWindowByOutputs(const ConvolutionShape& shape)
    : ConvolutionInParts(shape) {
  const auto& [depth, height, width] = shape_.spatial;
  outputs_ = std::min(whole_lines(share(shape_.outputs, kMostOutputs), shape_.dtype),
                      whole_lines(shape_.outputs, shape_.dtype));
  const std::int64_t bytes_of_image = shape_.results * outputs_ * size_of(shape_.dtype);
  images_ = share(shape_.images,
                  std::clamp<std::int64_t>(kBytesOfResults / bytes_of_image, 1, kImagesTogether));
  choose_parts(1, kLeastImages);
  lines_ = share(height.window, kPlacesOfPiece / width.window);
  columns_ = share(width.window, kPlacesOfPiece);
  const bool whole = lines_ == height.window && columns_ == width.window;
  if (whole) inputs_ = share(inputs_of_part_, kPlacesOfPiece / (lines_ * columns_));
  const auto reach = [](const SpatialDimension& of, std::int64_t places) {
    return (of.out - 1) * of.stride + (places - 1) * of.dilation + 1;
  };
  copied_lines_ = reach(height, lines_);
  copied_columns_ = reach(width, columns_);
}

// Steps between places and results may be as long as the image.
bool WideWindowByOutputs::is_worth() const {
  const double copied = static_cast<double>(copied_lines_) * static_cast<double>(copied_columns_);
  const auto uses = static_cast<double>(lines_ * columns_ * shape_.results * shape_.outputs);
  const auto most = static_cast<double>(images_ * inputs_ * size_of(shape_.dtype));
  return kUsesOfCopied * copied <= uses && most * copied <= kMostCopiedBytes;
}

void WideWindowByOutputs::list_rows() {
  const auto& [depth, height, width] = shape_.spatial;
  for (std::int64_t image = 0; image < images_; ++image) {
    for (std::int64_t b = 0; b < height.out; ++b) {
      for (std::int64_t c = 0; c < width.out; ++c) {
        rows_.push_back((image * inputs_ * copied_lines_ + b * height.stride) * copied_columns_ +
                        c * width.stride);
      }
    }
  }
}

namespace {

// How many vectors are as wide as a block of outputs of which so many bytes are left, whole lines
// of a cache: as many as there are registers for.
int vectors_of(std::int64_t vector_bytes, std::int64_t left) {
  if (vector_bytes == 64 && left >= 4 * vector_bytes) return 4;
  return left >= 2 * vector_bytes ? 2 : 1;
}

std::int64_t vector_bytes() {
  std::int64_t out = 0;
  run_vectorised([&]<int kBytes>() TUTTI_INLINE { out = kBytes; });
  return out;
}

}  // namespace

// One block of outputs after another: [inputs, lines, columns, outputs], with zeros behind them.
template <class T>
void WideWindowByOutputs::copy_weight(const Piece& piece, const T* weight, std::int64_t outputs,
                                      T* to) const {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const auto& strides = shape_.weight_strides;
  const std::int64_t lanes = vector_bytes() / kSize;
  const std::int64_t whole = whole_lines(outputs, shape_.dtype);
  const T* const first =
      weight + piece.input * strides[1] + piece.line * strides[3] + piece.column * strides[4];
  for (std::int64_t output = 0, width = 0; output < whole; output += width) {
    width = vectors_of(lanes * kSize, (whole - output) * kSize) * lanes;
    pack_weight(first + output * strides[0],
                {.outputs = std::clamp<std::int64_t>(outputs - output, 0, width),
                 .inputs = piece.inputs,
                 .lines = piece.lines,
                 .columns = piece.columns,
                 .output_stride = strides[0],
                 .input_stride = strides[1],
                 .line_stride = strides[3],
                 .column_stride = strides[4]},
                width, to);
    to += piece.inputs * piece.lines * piece.columns * width;
  }
}

// [images, inputs, lines, columns], as many as there are at most.
template <class T>
void WideWindowByOutputs::copy_x(const Piece& piece, const T* x, std::int64_t images, T* to) const {
  const auto& [depth, height, width] = shape_.spatial;
  const std::int64_t top = piece.line * height.dilation - height.low;
  const std::int64_t left = piece.column * width.dilation - width.low;
  const Positions rows = inside(top, 1, height.size, copied_lines_);
  const Positions columns = inside(left, 1, width.size, copied_columns_);
  const std::int64_t copy = copied_lines_ * copied_columns_;
  const bool is_whole =
      rows.end - rows.begin == copied_lines_ && columns.end - columns.begin == copied_columns_;
  if (!is_whole) std::fill_n(to, images * inputs_ * copy, T{0});
  const T* const first = x + piece.input * shape_.channel_stride +
                         (top + rows.begin) * height.x_stride +
                         (left + columns.begin) * width.x_stride;
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t i = 0; i < piece.inputs; ++i) {
      copy_grid(rows.end - rows.begin, columns.end - columns.begin,
                first + image * shape_.image_stride + i * shape_.channel_stride,
                {.line = height.x_stride, .element = width.x_stride},
                to + (image * inputs_ + i) * copy + rows.begin * copied_columns_ + columns.begin,
                {.line = copied_columns_});
    }
  }
}

template <class T, int kBytes, int kVectors>
TUTTI_INLINE inline void WideWindowByOutputs::add_block(const Piece& piece,
                                                        const Block<T>& of) const {
  using Sums = OutputSums<T, kBytes, kVectors>;
  const auto& [depth, height, width] = shape_.spatial;
  const std::int64_t x_step = width.dilation;
  const std::int64_t factors_of_line = piece.columns * Sums::kWidth;
  for (std::int64_t row = 0; row < of.count; row += Sums::kRows) {
    const int some = static_cast<int>(std::min<std::int64_t>(Sums::kRows, of.count - row));
    const T* seen[Sums::kRows];
    for (int m = 0; m < Sums::kRows; ++m) {
      seen[m] = of.copied + rows_[static_cast<std::size_t>(row + std::min(m, some - 1))];
    }
    T* const to = of.sums + row * Sums::kWidth;
    Sums sums;
    sums.load(to, Sums::kWidth, some);
    const T* factors = of.factors;
    for (std::int64_t i = 0; i < piece.inputs; ++i) {
      std::int64_t at = i * copied_lines_ * copied_columns_;
      for (std::int64_t line = 0; line < piece.lines; ++line) {
        sums.add(seen, at, x_step, factors, Sums::kWidth, piece.columns);
        at += height.dilation * copied_columns_;
        factors += factors_of_line;
      }
    }
    sums.store(to, Sums::kWidth, some);
  }
}

template <class T>
void WideWindowByOutputs::run(const T* x, const T* weight, T* result, std::int64_t begin,
                              std::int64_t end, const AfterTile& after) const {
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> factors_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  const std::int64_t most_rows = images_ * shape_.results;
  const auto copied =
      copied_memory.get().use<T>(images_ * inputs_ * copied_lines_ * copied_columns_);
  const auto factors = factors_memory.get().use<T>(inputs_ * lines_ * columns_ * outputs_);
  const auto sums = sums_memory.get().use<T>(most_rows * outputs_);
  const std::int64_t lanes = vector_bytes() / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t number = begin; number < end; ++number) {
    const Tile own = tile(number);
    T* const own_result = result + own.part * part_elements();
    const std::int64_t whole = whole_lines(own.outputs, shape_.dtype);
    const std::int64_t rows = own.images * shape_.results;
    const T* const own_x = x + shape_.x_offset + own.image * shape_.image_stride +
                           own.group * shape_.inputs * shape_.channel_stride;
    const T* const own_weight =
        weight + shape_.weight_offset + own.output * shape_.weight_strides[0];
    std::fill_n(sums.get(), rows * whole, T{0});
    for_each_piece(own, [&](const Piece& piece) {
      copy_weight(piece, own_weight, own.outputs, factors.get());
      copy_x(piece, own_x, own.images, copied.get());
      const std::int64_t places = piece.inputs * piece.lines * piece.columns;
      run_vectorised([&]<int kBytes>() TUTTI_INLINE {
        constexpr std::int64_t kLanes = kBytes / static_cast<std::int64_t>(sizeof(T));
        for (std::int64_t first = 0; first < whole;) {
          const int vectors = vectors_of(kBytes, (whole - first) * sizeof(T));
          const Block<T> block = {.copied = copied.get(),
                                  .factors = factors.get() + places * first,
                                  .count = rows,
                                  .sums = sums.get() + rows * first};
          if (vectors == 4) add_block<T, kBytes, kBytes == 64 ? 4 : 2>(piece, block);
          if (vectors == 2) add_block<T, kBytes, 2>(piece, block);
          if (vectors == 1) add_block<T, kBytes, 1>(piece, block);
          first += vectors * kLanes;
        }
      });
    });
    for (std::int64_t i = 0; i < own.images; ++i) {
      const std::int64_t row = (own.image + i) * shape_.groups * shape_.outputs + own.output;
      for (std::int64_t first = 0, some = 0; first < own.outputs; first += some) {
        some = vectors_of(lanes * sizeof(T), (whole - first) * sizeof(T)) * lanes;
        transpose(sums.get() + rows * first + i * shape_.results * some, some,
                  own_result + (row + first) * shape_.results, shape_.results,
                  std::min(some, own.outputs - first), shape_.results);
      }
      if (after != nullptr) after({row, row + own.outputs, 0, shape_.results});
    }
  }
}

template void WideWindowByOutputs::run(const float* x, const float* weight, float* result,
                                       std::int64_t begin, std::int64_t end,
                                       const AfterTile& after) const;
template void WideWindowByOutputs::run(const double* x, const double* weight, double* result,
                                       std::int64_t begin, std::int64_t end,
                                       const AfterTile& after) const;

}  // namespace tutti::kernels

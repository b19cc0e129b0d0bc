#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_by_copies.h>
#include <tutti/kernels/host/convolution_lines.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kBytesAtOnce = 1 << 20;  // of what is multiplied at a time
constexpr std::int64_t kLeastAtOnce = 64;
constexpr std::int64_t kMostAtOnce = 1024;
constexpr std::int64_t kGoodDepth = 256;       // of a product
constexpr std::int64_t kMostBytes = 16 << 20;  // of what is multiplied at a time, however large
// Lines of fewer elements take longer to find than to copy.
constexpr std::int64_t kShortLine = 16;
constexpr std::int64_t kMostSources = 4096;

}  // namespace

CopiedConvolution::CopiedConvolution(const ConvolutionShape& shape) : ConvolutionShape(shape) {
  const SpatialDimension& width = spatial.back();
  for (std::int64_t c = 0; c < width.window; ++c) {
    inside_of_lines_.push_back(
        inside(c * width.dilation - width.low, width.stride, width.size, width.out));
  }
  choose_tiles();
  choose_weight();
  find_sources();
}

std::int64_t CopiedConvolution::tiles() const {
  return divide_up(images, images_at_once_) * groups * blocks_;
}

void CopiedConvolution::choose_tiles() {
  const std::int64_t elements = kBytesAtOnce / size_of(dtype);
  by_rows_ = places > results;
  inputs_at_once_ = by_rows_ ? std::min(divide_up(kGoodDepth, places), inputs) : inputs;
  places_at_once_ = places;
  const bool pieces = by_rows_ && places > kMostBytes / size_of(dtype) / results;
  if (pieces) {
    places_at_once_ = std::max(elements / std::min(results, kMostAtOnce), kGoodDepth);
    places_at_once_ = divide_up(places, divide_up(places, places_at_once_));
  }
  const std::int64_t wanted =
      std::clamp(elements / (inputs_at_once_ * places_at_once_), kLeastAtOnce, kMostAtOnce);
  block_ = results;
  if ((!by_rows_ || pieces) && results > wanted) block_ = wanted / kLeastAtOnce * kLeastAtOnce;
  // Of about one size.
  blocks_ = divide_up(results, block_);
  block_ = divide_up(results, blocks_);
  if (blocks_ > 1) return;
  const std::int64_t fair = std::max(divide_up(images, kGoodTiles), kLeastAtOnce / results);
  images_at_once_ = std::clamp<std::int64_t>(std::min(fair, wanted / results), 1, images);
}

// Where its places lie side by side, and its inputs, if several are multiplied at once, it is read
// where it lies.
void CopiedConvolution::choose_weight() {
  std::int64_t stride = 1;
  copies_weight_ = false;
  for (std::size_t d = weight_sizes.size(); d-- > 2;) {
    copies_weight_ = copies_weight_ || (weight_sizes[d] != 1 && weight_strides[d] != stride);
    stride *= weight_sizes[d];
  }
  const bool inputs_apart = inputs > 1 && weight_strides[1] != places;
  copies_weight_ = copies_weight_ || (inputs_apart && inputs_at_once_ > 1) ||
                   (outputs > 1 && weight_strides[0] < inputs_at_once_ * places);
}

void CopiedConvolution::find_sources() {
  const std::int64_t line = by_rows_ ? spatial.back().window : spatial.back().out;
  if (blocks_ > 1 || line >= kShortLine || places * results > kMostSources) return;
  // What is read where nothing is looked at is the first element, so that none lies before it.
  for (const SpatialDimension& dimension : spatial) {
    const bool fits = dimension.x_stride >= 0 &&
                      dimension.size <= std::numeric_limits<std::int32_t>::max() / 4 /
                                            std::max<std::int64_t>(dimension.x_stride, 1);
    if (!fits) return;
  }
  for (std::int64_t i = 0; i < places * results; ++i) {
    const std::int64_t source =
        by_rows_ ? source_of(i / places, i % places) : source_of(i % results, i / results);
    sources_.push_back(static_cast<std::int32_t>(source));
  }
}

template <class T>
void CopiedConvolution::copy_weight(const T* weight, std::int64_t group, T* to) const {
  const T* const from = weight + weight_offset + group * outputs * weight_strides[0];
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t a = 0; a < weight_sizes[2]; ++a) {
        for (std::int64_t b = 0; b < weight_sizes[3]; ++b) {
          const T* const line = from + o * weight_strides[0] + i * weight_strides[1] +
                                a * weight_strides[2] + b * weight_strides[3];
          for (std::int64_t c = 0; c < weight_sizes[4]; ++c) *to++ = line[c * weight_strides[4]];
        }
      }
    }
  }
}

template <class T>
void CopiedConvolution::copy_columns(const T* image, std::int64_t first, std::int64_t count, T* row,
                                     std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  if (!sources_.empty()) {
    const auto each = static_cast<std::size_t>(results);
    for (std::int64_t input = 0; input < inputs; ++input, image += channel_stride) {
      for (std::size_t begin = 0; begin < sources_.size(); begin += each, row += row_stride) {
        copy_sources(image, std::span(sources_).subspan(begin, each), row);
      }
    }
    return;
  }
  const std::int64_t first_line = first / width.out;
  const std::int64_t first_column = first % width.out;
  const std::int64_t apart = width.stride * width.x_stride;
  for (std::int64_t input = 0; input < inputs; ++input, image += channel_stride) {
    for (std::int64_t a = 0; a < depth.window; ++a) {
      for (std::int64_t b = 0; b < height.window; ++b) {
        for (std::int64_t c = 0; c < width.window; ++c, row += row_stride) {
          const Positions& columns = inside_of_lines_[static_cast<std::size_t>(c)];
          // Results, a line of them after another.
          T* to = row;
          std::int64_t column = first_column;
          std::int64_t y_out = first_line % height.out;
          std::int64_t z_out = first_line / height.out;
          for (std::int64_t left = count; left > 0;) {
            const std::int64_t some = std::min(width.out - column, left);
            const std::int64_t z = z_out * depth.stride + a * depth.dilation - depth.low;
            const std::int64_t y = y_out * height.stride + b * height.dilation - height.low;
            const bool is_outside = z < 0 || z >= depth.size || y < 0 || y >= height.size;
            const std::int64_t begin = column * width.stride + c * width.dilation - width.low;
            copy_line(image + z * depth.x_stride + y * height.x_stride + begin * width.x_stride,
                      apart, is_outside ? Positions{some, some} : part_of(columns, column, some),
                      some, to);
            to += some;
            left -= some;
            column = 0;
            if (++y_out < height.out) continue;
            y_out = 0;
            ++z_out;
          }
        }
      }
    }
  }
}

template <class T>
void CopiedConvolution::copy_rows(const T* channel, std::int64_t channels, const Positions& through,
                                  const Positions& of, T* row, std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  if (!sources_.empty()) {
    const auto each = static_cast<std::size_t>(places);
    for (std::size_t begin = 0; begin < sources_.size(); begin += each, row += row_stride) {
      T* to = row;
      for (std::int64_t i = 0; i < channels; ++i) {
        to = copy_sources(channel + i * channel_stride, std::span(sources_).subspan(begin, each),
                          to);
      }
    }
    return;
  }
  const std::int64_t apart = width.dilation * width.x_stride;
  const std::int64_t first_line = through.begin / width.window;
  for (std::int64_t p = of.begin; p < of.end; ++p, row += row_stride) {
    const std::int64_t lines = p / width.out;
    const std::int64_t top = lines / height.out * depth.stride - depth.low;
    const std::int64_t up = lines % height.out * height.stride - height.low;
    const std::int64_t left = p % width.out * width.stride - width.low;
    const Positions columns = inside(left, width.dilation, width.size, width.window);
    T* to = row;
    for (std::int64_t i = 0; i < channels; ++i) {
      const T* const image = channel + i * channel_stride;
      std::int64_t a = first_line / height.window;
      std::int64_t b = first_line % height.window;
      std::int64_t column = through.begin % width.window;
      for (std::int64_t rest = through.end - through.begin; rest > 0;) {
        const std::int64_t some = std::min(width.window - column, rest);
        const std::int64_t z = top + a * depth.dilation;
        const std::int64_t y = up + b * height.dilation;
        const bool is_outside = z < 0 || z >= depth.size || y < 0 || y >= height.size;
        const std::int64_t begin = left + column * width.dilation;
        copy_line(image + z * depth.x_stride + y * height.x_stride + begin * width.x_stride, apart,
                  is_outside ? Positions{some, some} : part_of(columns, column, some), some, to);
        to += some;
        rest -= some;
        column = 0;
        if (++b < height.window) continue;
        b = 0;
        ++a;
      }
    }
  }
}

template <class T>
void CopiedConvolution::run(const T* x, const T* weight, T* result, std::int64_t begin,
                            std::int64_t end, const AfterTile& after) const {
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> weight_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  const std::int64_t most = images_at_once_ * block_;
  const auto copied =
      copied_memory.get().use<T>(inputs_at_once_ * places_at_once_ * (most + kElementsOfLine));
  const auto sums = sums_memory.get().use<T>(images_at_once_ > 1 ? outputs * most : 0);
  const std::int64_t all_places = inputs * places;
  const auto own_weight = weight_memory.get().use<T>(copies_weight_ ? outputs * all_places : 0);
  // One row's distance from the next says nothing, and may be any.
  const std::int64_t row_stride = copies_weight_ || outputs == 1 ? all_places : weight_strides[0];
  const std::int64_t input_stride = copies_weight_ ? places : weight_strides[1];
  std::int64_t group_copied = -1;
  LibraryUse library;
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t at = tile % blocks_ * block_;
    const std::int64_t group = tile / blocks_ % groups;
    const std::int64_t first = tile / blocks_ / groups * images_at_once_;
    const std::int64_t some = std::min(images_at_once_, images - first);
    const std::int64_t count = std::min(block_, results - at);
    const std::int64_t columns = some * count;
    const std::int64_t apart = uncrowded(columns);
    if (copies_weight_ && group != group_copied) copy_weight(weight, group, own_weight.get());
    group_copied = group;
    const T* const matrix = copies_weight_
                                ? own_weight.get()
                                : weight + weight_offset + group * outputs * weight_strides[0];
    T* const own_result = result + (first * groups + group) * outputs * results + at;
    const bool in_place = images_at_once_ == 1;
    const auto multiply = [&](std::int64_t input, std::int64_t channels, const Positions& through) {
      const std::int64_t depth = channels * (through.end - through.begin);
      for (std::int64_t image = 0; image < some; ++image) {
        const T* const from = x + x_offset + (first + image) * image_stride +
                              (group * inputs + input) * channel_stride;
        if (by_rows_) {
          copy_rows(from, channels, through, {at, at + count}, copied.get() + image * count * depth,
                    depth);
        } else {
          copy_columns(from, at, count, copied.get() + image * count, apart);
        }
      }
      products_
          .get({dtype, outputs, columns, depth, row_stride, 1, by_rows_ ? 1 : apart,
                by_rows_ ? depth : 1, in_place ? results : columns, input > 0 || through.begin > 0})
          .run(library, matrix + input * input_stride + through.begin, copied.get(),
               in_place ? own_result : sums.get());
    };
    for (std::int64_t input = 0; input < inputs; input += inputs_at_once_) {
      const std::int64_t channels = std::min(inputs_at_once_, inputs - input);
      for (std::int64_t place = 0; place < places; place += places_at_once_) {
        multiply(input, channels, {place, std::min(place + places_at_once_, places)});
      }
    }
    for (std::int64_t image = 0; !in_place && image < some; ++image) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        std::memcpy(own_result + (image * groups * outputs + o) * results,
                    sums.get() + o * columns + image * results,
                    static_cast<std::size_t>(results) * sizeof(T));
      }
    }
    for (std::int64_t image = first; after != nullptr && image < first + some; ++image) {
      const std::int64_t row = (image * groups + group) * outputs;
      after({row, row + outputs, at, at + count});
    }
  }
}

template void CopiedConvolution::run(const float* x, const float* weight, float* result,
                                     std::int64_t begin, std::int64_t end,
                                     const AfterTile& after) const;
template void CopiedConvolution::run(const double* x, const double* weight, double* result,
                                     std::int64_t begin, std::int64_t end,
                                     const AfterTile& after) const;

}  // namespace tutti::kernels

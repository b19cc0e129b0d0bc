#include <tutti/ir/arithmetic.h>
#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/convolution.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

namespace tutti::kernels {

namespace {

constexpr int kMostSpatial = 3;
constexpr std::int64_t kBytesAtOnce = 1 << 20;  // of what is multiplied at a time
constexpr std::int64_t kLeastAtOnce = 64;
constexpr std::int64_t kMostAtOnce = 1024;
constexpr std::int64_t kGoodDepth = 256;  // of a product
constexpr std::int64_t kGoodTiles = 8;

// A spatial dimension. Those that a convolution lacks are of one element.
struct SpatialDimension {
  std::int64_t size = 1;    // of x
  std::int64_t window = 1;  // of the weight
  std::int64_t out = 1;
  std::int64_t stride = 1;
  std::int64_t low = 0;
  std::int64_t dilation = 1;
  std::int64_t x_stride = 0;  // from an element of x to the next, in memory
};

// Positions i in [begin, end) for which first + i * step lies in [0, size).
struct Positions {
  std::int64_t begin, end;
};
Positions inside(std::int64_t first, std::int64_t step, std::int64_t size, std::int64_t count) {
  const std::int64_t begin = first >= 0 ? 0 : divide_up(-first, step);
  const std::int64_t end = first >= size ? 0 : (size - 1 - first) / step + 1;
  return {std::min(begin, count), std::clamp(end, std::min(begin, count), count)};
}

}  // namespace

struct PreparedConvolution::Plan {
  DType dtype;
  std::array<SpatialDimension, kMostSpatial> spatial;
  std::int64_t images, groups, inputs, outputs;  // inputs and outputs of a group
  std::int64_t places = 1;                       // of the window
  std::int64_t results = 1;                      // of an image and output
  std::int64_t x_offset, image_stride, channel_stride;
  std::int64_t weight_offset;
  std::array<std::int64_t, kMostSpatial + 2> weight_sizes{}, weight_strides{};
  // What is copied together are rows of what one result looks at, if the window has more places
  // than an image has results; else columns.
  bool by_rows;
  std::int64_t images_at_once = 1;  // of a tile
  std::int64_t block;               // results of an image that a tile computes
  std::int64_t blocks;              // of an image
  std::int64_t inputs_at_once;      // whose sums are added one after another
  bool copies_weight;

  explicit Plan(const Convolution& spec);

  std::int64_t tiles() const { return divide_up(images, images_at_once) * groups * blocks; }
  template <class T>
  void run(const T* x, const T* weight, T* result, std::int64_t begin, std::int64_t end) const;

  void choose_tiles();
  void choose_weight();
  // The weight of a group as [outputs, inputs * places], densely.
  template <class T>
  void copy_weight(const T* weight, std::int64_t group, T* to) const;
  // What results [first, first + count) of an image look at, a row for each input and place, that
  // begin `row_stride` apart.
  template <class T>
  void copy_columns(const T* image, std::int64_t first, std::int64_t count, T* to,
                    std::int64_t row_stride) const;
  // What each result of an image looks at in some channels, in rows that begin `row_stride` apart.
  template <class T>
  void copy_rows(const T* channel, std::int64_t channels, T* to, std::int64_t row_stride) const;
};

PreparedConvolution::Plan::Plan(const Convolution& spec) : dtype(spec.dtype), groups(spec.groups) {
  const Shape& x = spec.x.shape;
  const Shape& weight = spec.weight.shape;
  const auto count = static_cast<std::size_t>(std::max(0, x.rank() - 2));
  bool fits = (dtype == DType::f32 || dtype == DType::f64) && count >= 1 && count <= kMostSpatial &&
              weight.rank() == x.rank() && spec.stride.size() == count &&
              spec.low.size() == count && spec.dilation.size() == count &&
              spec.out.size() == count && groups >= 1 && x.elements() > 0 &&
              weight.elements() > 0 && weight[0] % groups == 0 && x[1] == weight[1] * groups;
  for (std::size_t d = 0; fits && d < count; ++d) {
    fits = spec.stride[d] >= 1 && spec.dilation[d] >= 1 && spec.out[d] >= 1;
  }
  if (!fits) {
    throw InternalError("malformed convolution of " + std::string(name_of(dtype)) + x.text() +
                        " and " + weight.text());
  }
  images = x[0];
  inputs = weight[1];
  outputs = weight[0] / groups;
  x_offset = spec.x.offset;
  image_stride = spec.x.strides[0];
  channel_stride = spec.x.strides[1];
  weight_offset = spec.weight.offset;
  weight_sizes.fill(1);
  for (int d = 0; d < weight.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d) + (d < 2 ? 0 : kMostSpatial - count);
    weight_sizes[at] = weight[d];
    weight_strides[at] = spec.weight.strides[static_cast<std::size_t>(d)];
  }
  for (std::size_t d = 0; d < count; ++d) {
    const int axis = static_cast<int>(d) + 2;
    spatial[kMostSpatial - count + d] = {.size = x[axis],
                                         .window = weight[axis],
                                         .out = spec.out[d],
                                         .stride = spec.stride[d],
                                         .low = spec.low[d],
                                         .dilation = spec.dilation[d],
                                         .x_stride = spec.x.strides[d + 2]};
    places *= weight[axis];
    results *= spec.out[d];
  }
  choose_tiles();
  choose_weight();
}

void PreparedConvolution::Plan::choose_tiles() {
  const std::int64_t elements = kBytesAtOnce / size_of(dtype);
  by_rows = places > results;
  inputs_at_once = by_rows ? std::min(divide_up(kGoodDepth, places), inputs) : inputs;
  const std::int64_t wanted =
      std::clamp(elements / (inputs_at_once * places), kLeastAtOnce, kMostAtOnce);
  block = results;
  if (!by_rows && results > wanted) block = wanted / kLeastAtOnce * kLeastAtOnce;
  // Of about one size.
  blocks = divide_up(results, block);
  block = divide_up(results, blocks);
  if (blocks > 1) return;
  const std::int64_t fair = std::max(divide_up(images, kGoodTiles), kLeastAtOnce / results);
  images_at_once = std::clamp<std::int64_t>(std::min(fair, wanted / results), 1, images);
}

// Where its places lie side by side, and its inputs, if several are multiplied at once, it is read
// where it lies.
void PreparedConvolution::Plan::choose_weight() {
  std::int64_t stride = 1;
  copies_weight = false;
  for (std::size_t d = weight_sizes.size(); d-- > 2;) {
    copies_weight = copies_weight || (weight_sizes[d] != 1 && weight_strides[d] != stride);
    stride *= weight_sizes[d];
  }
  const bool inputs_apart = inputs > 1 && weight_strides[1] != places;
  copies_weight = copies_weight || (inputs_apart && inputs_at_once > 1) ||
                  (outputs > 1 && weight_strides[0] < inputs_at_once * places);
}

template <class T>
void PreparedConvolution::Plan::copy_weight(const T* weight, std::int64_t group, T* to) const {
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

namespace {

// `count` elements that lie `step` apart, with zeros where they would lie outside of a line.
template <class T>
void copy_spaced(const T* line, std::int64_t stride, std::int64_t first, std::int64_t step,
                 std::int64_t size, std::int64_t count, T* to) {
  const auto [begin, end] = inside(first, step, size, count);
  std::fill(to, to + begin, T{0});
  const std::int64_t apart = step * stride;
  if (end > begin) {
    const T* const from = line + (first + begin * step) * stride;
    if (apart == 1) {
      std::memcpy(to + begin, from, static_cast<std::size_t>(end - begin) * sizeof(T));
    } else {
      for (std::int64_t i = 0; i < end - begin; ++i) to[begin + i] = from[i * apart];
    }
  }
  std::fill(to + end, to + count, T{0});
}

}  // namespace

template <class T>
void PreparedConvolution::Plan::copy_columns(const T* image, std::int64_t first, std::int64_t count,
                                             T* row, std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  for (std::int64_t input = 0; input < inputs; ++input, image += channel_stride) {
    for (std::int64_t a = 0; a < depth.window; ++a) {
      for (std::int64_t b = 0; b < height.window; ++b) {
        for (std::int64_t c = 0; c < width.window; ++c, row += row_stride) {
          // Results, a line of them after another.
          T* to = row;
          for (std::int64_t p = first; p < first + count;) {
            const std::int64_t column = p % width.out;
            const std::int64_t lines = p / width.out;
            const std::int64_t some = std::min(width.out - column, first + count - p);
            const std::int64_t z =
                lines / height.out * depth.stride + a * depth.dilation - depth.low;
            const std::int64_t y =
                lines % height.out * height.stride + b * height.dilation - height.low;
            if (z < 0 || z >= depth.size || y < 0 || y >= height.size) {
              std::fill(to, to + some, T{0});
            } else {
              copy_spaced(image + z * depth.x_stride + y * height.x_stride, width.x_stride,
                          column * width.stride + c * width.dilation - width.low, width.stride,
                          width.size, some, to);
            }
            to += some;
            p += some;
          }
        }
      }
    }
  }
}

template <class T>
void PreparedConvolution::Plan::copy_rows(const T* channel, std::int64_t channels, T* row,
                                          std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  for (std::int64_t p = 0; p < results; ++p, row += row_stride) {
    const std::int64_t lines = p / width.out;
    const std::int64_t top = lines / height.out * depth.stride - depth.low;
    const std::int64_t up = lines % height.out * height.stride - height.low;
    const std::int64_t left = p % width.out * width.stride - width.low;
    T* to = row;
    for (std::int64_t i = 0; i < channels; ++i) {
      for (std::int64_t a = 0; a < depth.window; ++a) {
        const std::int64_t z = top + a * depth.dilation;
        for (std::int64_t b = 0; b < height.window; ++b, to += width.window) {
          const std::int64_t y = up + b * height.dilation;
          if (z < 0 || z >= depth.size || y < 0 || y >= height.size) {
            std::fill(to, to + width.window, T{0});
            continue;
          }
          copy_spaced(channel + i * channel_stride + z * depth.x_stride + y * height.x_stride,
                      width.x_stride, left, width.dilation, width.size, width.window, to);
        }
      }
    }
  }
}

template <class T>
void PreparedConvolution::Plan::run(const T* x, const T* weight, T* result, std::int64_t begin,
                                    std::int64_t end) const {
  thread_local Scratch copied_memory;
  thread_local Scratch weight_memory;
  thread_local Scratch sums_memory;
  const std::int64_t most = images_at_once * block;
  const auto copied = copied_memory.use<T>(inputs_at_once * places * most);
  const auto sums = sums_memory.use<T>(images_at_once > 1 ? outputs * most : 0);
  const std::int64_t all_places = inputs * places;
  const auto own_weight = weight_memory.use<T>(copies_weight ? outputs * all_places : 0);
  const std::int64_t row_stride = copies_weight ? all_places : weight_strides[0];
  const std::int64_t input_stride = copies_weight ? places : weight_strides[1];
  std::int64_t group_copied = -1;
  RecentProducts products;
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t at = tile % blocks * block;
    const std::int64_t group = tile / blocks % groups;
    const std::int64_t first = tile / blocks / groups * images_at_once;
    const std::int64_t some = std::min(images_at_once, images - first);
    const std::int64_t count = std::min(block, results - at);
    const std::int64_t columns = some * count;
    if (copies_weight && group != group_copied) copy_weight(weight, group, own_weight.get());
    group_copied = group;
    const T* const matrix = copies_weight
                                ? own_weight.get()
                                : weight + weight_offset + group * outputs * weight_strides[0];
    T* const own_result = result + (first * groups + group) * outputs * results + at;
    const bool direct = images_at_once == 1;
    for (std::int64_t input = 0; input < inputs; input += inputs_at_once) {
      const std::int64_t channels = std::min(inputs_at_once, inputs - input);
      const std::int64_t depth = channels * places;
      for (std::int64_t image = 0; image < some; ++image) {
        const T* const from = x + x_offset + (first + image) * image_stride +
                              (group * inputs + input) * channel_stride;
        if (by_rows) {
          copy_rows(from, channels, copied.get() + image * count * depth, depth);
        } else {
          copy_columns(from, at, count, copied.get() + image * count, columns);
        }
      }
      products
          .get({dtype, outputs, columns, depth, row_stride, 1, by_rows ? 1 : columns,
                by_rows ? depth : 1, direct ? results : columns, input > 0})
          .run(matrix + input * input_stride, copied.get(), direct ? own_result : sums.get());
    }
    for (std::int64_t image = 0; !direct && image < some; ++image) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        std::memcpy(own_result + (image * groups * outputs + o) * results,
                    sums.get() + o * columns + image * results,
                    static_cast<std::size_t>(results) * sizeof(T));
      }
    }
  }
}

PreparedConvolution::PreparedConvolution(const Convolution& spec)
    : plan_(std::make_shared<const Plan>(spec)) {}

std::int64_t tiles(const PreparedConvolution& convolution) { return convolution.plan_->tiles(); }

void run(const PreparedConvolution& convolution, const void* x, const void* weight, void* result,
         std::int64_t begin, std::int64_t end) {
  const PreparedConvolution::Plan& plan = *convolution.plan_;
  if (plan.dtype == DType::f32) {
    plan.run(static_cast<const float*>(x), static_cast<const float*>(weight),
             static_cast<float*>(result), begin, end);
  } else {
    plan.run(static_cast<const double*>(x), static_cast<const double*>(weight),
             static_cast<double*>(result), begin, end);
  }
}

}  // namespace tutti::kernels

#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution.h>
#include <tutti/kernels/host/convolution_by_outputs.h>
#include <tutti/kernels/host/convolution_direct.h>
#include <tutti/kernels/host/convolution_lines.h>
#include <tutti/kernels/host/convolution_shape.h>
#include <tutti/kernels/host/convolution_wide_window.h>
#include <tutti/kernels/host/per_thread.h>
#include <tutti/kernels/host/scratch.h>
#include <tutti/kernels/host/tile_product.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

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

struct PreparedConvolution::Plan : ConvolutionShape {
  std::optional<ConvolutionByOutputs> outputs_first;
  std::optional<DirectConvolution> direct;
  std::optional<WideWindowConvolution> wide;
  // Else:
  // What is copied together are rows of what one result looks at, if the window has more places
  // than an image has results; else columns.
  bool by_rows = false;
  std::int64_t images_at_once = 1;  // of a tile
  std::int64_t block = 0;           // results of an image that a tile computes
  std::int64_t blocks = 0;          // of an image
  std::int64_t inputs_at_once = 0;  // whose sums are added one after another
  std::int64_t places_at_once = 0;  // of an input, likewise: all of them but where these are many
  bool copies_weight = false;
  std::vector<Positions> inside_of_lines;  // by column of the window: which results look inside
  // Of small images with short lines: where each element of a row that is copied lies behind the
  // first one of its channel, row by row; -1: outside.
  std::vector<std::int32_t> sources;
  KnownProducts products;  // of all tiles' sizes

  explicit Plan(const Convolution& spec);

  std::int64_t tiles() const {
    if (outputs_first) return outputs_first->tiles();
    if (direct) return direct->tiles();
    if (wide) return has_parts() ? wide->sum_tiles() : wide->tiles();
    return divide_up(images, images_at_once) * groups * blocks;
  }
  bool has_parts() const { return wide && wide->parts() > 1; }
  ResultDivision division() const;
  template <class T>
  void run(const T* x, const T* weight, const T* parts, T* result, std::int64_t begin,
           std::int64_t end, const AfterTile& after) const;

  void choose_tiles();
  void choose_weight();
  void find_sources();
  // The weight of a group as [outputs, inputs * places], densely.
  template <class T>
  void copy_weight(const T* weight, std::int64_t group, T* to) const;
  // What results [first, first + count) of an image look at, a row for each input and place, that
  // begin `row_stride` apart.
  template <class T>
  void copy_columns(const T* image, std::int64_t first, std::int64_t count, T* to,
                    std::int64_t row_stride) const;
  // What each of some results of an image looks at in some channels, through some places of the
  // window, in rows that begin `row_stride` apart.
  template <class T>
  void copy_rows(const T* channel, std::int64_t channels, const Positions& through,
                 const Positions& of, T* row, std::int64_t row_stride) const;
};

PreparedConvolution::Plan::Plan(const Convolution& spec) : ConvolutionShape(spec) {
  if (by_outputs) {
    outputs_first.emplace(*this);
    return;
  }
  if (work() > kSmallConvolution) {
    direct = DirectConvolution::find(*this);
    if (!direct) wide = WideWindowConvolution::find(*this);
  }
  if (direct || wide) return;
  const SpatialDimension& width = spatial.back();
  for (std::int64_t c = 0; c < width.window; ++c) {
    inside_of_lines.push_back(
        inside(c * width.dilation - width.low, width.stride, width.size, width.out));
  }
  choose_tiles();
  choose_weight();
  find_sources();
}

void PreparedConvolution::Plan::choose_tiles() {
  const std::int64_t elements = kBytesAtOnce / size_of(dtype);
  by_rows = places > results;
  inputs_at_once = by_rows ? std::min(divide_up(kGoodDepth, places), inputs) : inputs;
  places_at_once = places;
  const bool pieces = by_rows && places > kMostBytes / size_of(dtype) / results;
  if (pieces) {
    places_at_once = std::max(elements / std::min(results, kMostAtOnce), kGoodDepth);
    places_at_once = divide_up(places, divide_up(places, places_at_once));
  }
  const std::int64_t wanted =
      std::clamp(elements / (inputs_at_once * places_at_once), kLeastAtOnce, kMostAtOnce);
  block = results;
  if ((!by_rows || pieces) && results > wanted) block = wanted / kLeastAtOnce * kLeastAtOnce;
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

void PreparedConvolution::Plan::find_sources() {
  const std::int64_t line = by_rows ? spatial.back().window : spatial.back().out;
  if (blocks > 1 || line >= kShortLine || places * results > kMostSources) return;
  // What is read where nothing is looked at is the first element, so that none lies before it.
  for (const SpatialDimension& dimension : spatial) {
    const bool fits = dimension.x_stride >= 0 &&
                      dimension.size <= std::numeric_limits<std::int32_t>::max() / 4 /
                                            std::max<std::int64_t>(dimension.x_stride, 1);
    if (!fits) return;
  }
  for (std::int64_t i = 0; i < places * results; ++i) {
    const std::int64_t source =
        by_rows ? source_of(i / places, i % places) : source_of(i % results, i / results);
    sources.push_back(static_cast<std::int32_t>(source));
  }
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

template <class T>
void PreparedConvolution::Plan::copy_columns(const T* image, std::int64_t first, std::int64_t count,
                                             T* row, std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  if (!sources.empty()) {
    const auto each = static_cast<std::size_t>(results);
    for (std::int64_t input = 0; input < inputs; ++input, image += channel_stride) {
      for (std::size_t begin = 0; begin < sources.size(); begin += each, row += row_stride) {
        copy_sources(image, std::span(sources).subspan(begin, each), row);
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
          const Positions& columns = inside_of_lines[static_cast<std::size_t>(c)];
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
void PreparedConvolution::Plan::copy_rows(const T* channel, std::int64_t channels,
                                          const Positions& through, const Positions& of, T* row,
                                          std::int64_t row_stride) const {
  const auto& [depth, height, width] = spatial;
  if (!sources.empty()) {
    const auto each = static_cast<std::size_t>(places);
    for (std::size_t begin = 0; begin < sources.size(); begin += each, row += row_stride) {
      T* to = row;
      for (std::int64_t i = 0; i < channels; ++i) {
        to =
            copy_sources(channel + i * channel_stride, std::span(sources).subspan(begin, each), to);
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

ResultDivision PreparedConvolution::Plan::division() const {
  if (outputs_first) return outputs_first->division();
  return {.rows = images * groups * outputs,
          .columns = results,
          .tile_columns = direct ? direct->tile_columns()
                          : wide ? results
                                 : block};
}

template <class T>
void PreparedConvolution::Plan::run(const T* x, const T* weight, const T* parts, T* result,
                                    std::int64_t begin, std::int64_t end,
                                    const AfterTile& after) const {
  if (outputs_first) return outputs_first->run(x, weight, result, begin, end, after);
  if (direct) return direct->run(x, weight, result, begin, end, after);
  if (has_parts()) return wide->add_parts(parts, result, begin, end, after);
  if (wide) return wide->run(x, weight, result, begin, end, after);
  constinit thread_local PerThread<Scratch> copied_memory;
  constinit thread_local PerThread<Scratch> weight_memory;
  constinit thread_local PerThread<Scratch> sums_memory;
  const std::int64_t most = images_at_once * block;
  const auto copied = copied_memory.get().use<T>(inputs_at_once * places_at_once * most);
  const auto sums = sums_memory.get().use<T>(images_at_once > 1 ? outputs * most : 0);
  const std::int64_t all_places = inputs * places;
  const auto own_weight = weight_memory.get().use<T>(copies_weight ? outputs * all_places : 0);
  // One row's distance from the next says nothing, and may be any.
  const std::int64_t row_stride = copies_weight || outputs == 1 ? all_places : weight_strides[0];
  const std::int64_t input_stride = copies_weight ? places : weight_strides[1];
  std::int64_t group_copied = -1;
  LibraryUse library;
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
    const bool in_place = images_at_once == 1;
    const auto multiply = [&](std::int64_t input, std::int64_t channels, const Positions& through) {
      const std::int64_t depth = channels * (through.end - through.begin);
      for (std::int64_t image = 0; image < some; ++image) {
        const T* const from = x + x_offset + (first + image) * image_stride +
                              (group * inputs + input) * channel_stride;
        if (by_rows) {
          copy_rows(from, channels, through, {at, at + count}, copied.get() + image * count * depth,
                    depth);
        } else {
          copy_columns(from, at, count, copied.get() + image * count, columns);
        }
      }
      products
          .get({dtype, outputs, columns, depth, row_stride, 1, by_rows ? 1 : columns,
                by_rows ? depth : 1, in_place ? results : columns, input > 0 || through.begin > 0})
          .run(library, matrix + input * input_stride + through.begin, copied.get(),
               in_place ? own_result : sums.get());
    };
    for (std::int64_t input = 0; input < inputs; input += inputs_at_once) {
      const std::int64_t channels = std::min(inputs_at_once, inputs - input);
      for (std::int64_t place = 0; place < places; place += places_at_once) {
        multiply(input, channels, {place, std::min(place + places_at_once, places)});
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

PreparedConvolution::PreparedConvolution(const Convolution& spec)
    : plan_(std::make_shared<const Plan>(spec)) {}

std::int64_t tiles(const PreparedConvolution& convolution) { return convolution.plan_->tiles(); }
ResultDivision division(const PreparedConvolution& convolution) {
  return convolution.plan_->division();
}

void run(const PreparedConvolution& convolution, const void* x, const void* weight,
         const void* parts, void* result, std::int64_t begin, std::int64_t end,
         const AfterTile& after) {
  const PreparedConvolution::Plan& plan = *convolution.plan_;
  const auto run_as = [&]<class T>(T) {
    plan.run(static_cast<const T*>(x), static_cast<const T*>(weight), static_cast<const T*>(parts),
             static_cast<T*>(result), begin, end, after);
  };
  plan.dtype == DType::f32 ? run_as(float()) : run_as(double());
}

std::int64_t parts_bytes(const PreparedConvolution& convolution) {
  const PreparedConvolution::Plan& plan = *convolution.plan_;
  if (!plan.has_parts()) return 0;
  return plan.wide->parts() * plan.wide->part_elements() * size_of(plan.dtype);
}

std::int64_t tiles(const ConvolutionParts& parts) { return parts.convolution.plan_->wide->tiles(); }

void run(const ConvolutionParts& parts, const void* x, const void* weight, void* to,
         std::int64_t begin, std::int64_t end) {
  const PreparedConvolution::Plan& plan = *parts.convolution.plan_;
  const auto run_as = [&]<class T>(T) {
    plan.wide->run(static_cast<const T*>(x), static_cast<const T*>(weight), static_cast<T*>(to),
                   begin, end, {});
  };
  plan.dtype == DType::f32 ? run_as(float()) : run_as(double());
}

}  // namespace tutti::kernels

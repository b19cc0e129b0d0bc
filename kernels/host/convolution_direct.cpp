#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_direct.h>

#include <algorithm>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kBytesOfTile = 1 << 19;  // of what is copied for one
constexpr std::int64_t kMostBytesOfTile = 1 << 22;
constexpr std::int64_t kLeastOutputsOfTile = 32;
// Inputs, times places of the window, that are added up at once: with the factors of a cache line
// of outputs 16 KiB, half a first-level cache.
constexpr std::int64_t kPlacesByOutputs = 256;
constexpr std::int64_t kLeastResultsByOutputs = 32;

// Lanes that compute something of which nothing is left, for decisions that hold on all machines.
std::int64_t lanes_of(DType dtype) { return 64 / size_of(dtype); }

}  // namespace

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

bool DirectConvolution::is_worth_packing() const {
  return lines_ * columns_ * images_ >= kLeastResultsByOutputs;
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
  inputs_at_once_ = std::clamp<std::int64_t>(kPlacesByOutputs / shape_.places, 1, shape_.inputs);
  for (std::int64_t input = 0; input < inputs_at_once_; ++input) {
    for (const Tap& tap : taps_) seen_offsets_.push_back(input * channel_ + tap.x);
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
  const std::int64_t lanes = lanes_of(shape_.dtype);
  const std::int64_t whole = divide_up(divide_up(shape_.outputs, parts), lanes) * lanes;
  outputs_ = std::min(std::max(whole, kLeastOutputsOfTile), shape_.outputs);
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

}  // namespace tutti::kernels

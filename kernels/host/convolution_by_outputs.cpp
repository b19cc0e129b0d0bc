#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_by_outputs.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kBytesOfCopy = 192 << 10;  // that a tile copies of x at a time
// Of the weight, for some outputs: at most, of some inputs, and at a time.
constexpr std::int64_t kBytesOfFactors = 512 << 10;
constexpr std::int64_t kBytesOfRuns = 320 << 10;
constexpr std::int64_t kOutputsOfPart = 32;  // so many at least, where outputs are shared

}  // namespace

ConvolutionByOutputs::ConvolutionByOutputs(const ConvolutionShape& shape) : shape_(shape) {
  Sizes strides = {shape.image_stride, shape.channel_stride};
  for (int d = 0; d < kSpatial; ++d) {
    strides[static_cast<std::size_t>(d) + 2] = shape.spatial[static_cast<std::size_t>(d)].x_stride;
  }
  while (cut_ < kSpatial - 1 && shape.spatial[static_cast<std::size_t>(cut_)].out == 1) ++cut_;
  const Sizes sizes =
      copied_sizes(shape.images, shape.inputs, shape.spatial[static_cast<std::size_t>(cut_)].out);
  for (std::size_t d = 0; d < kDimensions; ++d) order_[d] = d;
  std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
    const auto far = [&](std::size_t d) {
      return sizes[d] == 1 ? std::numeric_limits<std::int64_t>::max() : std::abs(strides[d]);
    };
    return far(a) != far(b) ? far(a) > far(b) : a < b;
  });
  copies_weight_ =
      (shape.outputs > 1 && shape.weight_strides[0] != 1) || shape.outputs % line_elements() != 0;
  choose_inputs();
  choose_tiles();
  const Sizes copied = copied_sizes(images_, inputs_, lines_);
  std::int64_t stride = 1;
  for (std::size_t i = kDimensions; i-- > 0;) {
    copied_strides_[order_[i]] = stride;
    stride *= copied[order_[i]];
  }
  find_runs();
  join_runs();
  const std::int64_t bytes = run_length(inputs_) * vector_outputs() * size_of(shape.dtype);
  runs_at_once_ = std::max<std::int64_t>(kBytesOfRuns / bytes, 1);
}

std::int64_t ConvolutionByOutputs::reach(int dimension, std::int64_t count) const {
  const SpatialDimension& d = shape_.spatial[static_cast<std::size_t>(dimension)];
  return (count - 1) * d.stride + (d.window - 1) * d.dilation + 1;
}

ConvolutionByOutputs::Sizes ConvolutionByOutputs::copied_sizes(std::int64_t images,
                                                               std::int64_t inputs,
                                                               std::int64_t lines) const {
  Sizes out = {images, inputs};
  for (int d = 0; d < kSpatial; ++d) {
    const auto at = static_cast<std::size_t>(d);
    out[at + 2] = reach(d, d == cut_ ? lines : shape_.spatial[at].out);
  }
  return out;
}

std::int64_t ConvolutionByOutputs::copied_elements(std::int64_t images, std::int64_t inputs,
                                                   std::int64_t lines) const {
  std::int64_t out = 1;
  for (const std::int64_t size : copied_sizes(images, inputs, lines)) out *= size;
  return out;
}

std::int64_t ConvolutionByOutputs::vector_outputs() const {
  return std::min<std::int64_t>(shape_.outputs, 4 * line_elements());
}

// Their factors should stay in a cache while they are multiplied.
void ConvolutionByOutputs::choose_inputs() {
  const std::int64_t factors = shape_.places * vector_outputs() * size_of(shape_.dtype);
  inputs_ = std::clamp<std::int64_t>(kBytesOfFactors / factors, 1, shape_.inputs);
  const std::int64_t most = kBytesOfCopy / size_of(shape_.dtype);
  inputs_ = std::clamp<std::int64_t>(most / copied_elements(least_images(), 1, 1), 1, inputs_);
  // Of about one size.
  inputs_ = divide_up(shape_.inputs, divide_up(shape_.inputs, inputs_));
}

// As many as fit into a cache; then fewer, so that there are tiles for several threads.
void ConvolutionByOutputs::choose_tiles() {
  // Of a group.
  const std::int64_t wanted_tiles = divide_up(ConvolutionShape::kGoodTiles, shape_.groups);
  const std::int64_t most = kBytesOfCopy / size_of(shape_.dtype);
  const std::int64_t all_lines = shape_.spatial[static_cast<std::size_t>(cut_)].out;
  images_ = shape_.images;
  lines_ = all_lines;
  outputs_ = shape_.outputs;
  const auto parts = [](std::int64_t all, std::int64_t some) { return divide_up(all, some); };
  const auto share = [](std::int64_t all, std::int64_t count) {
    return divide_up(all, std::clamp<std::int64_t>(count, 1, all));
  };
  const auto share_outputs = [&](std::int64_t count) {
    const std::int64_t own = std::max(share(shape_.outputs, count), kOutputsOfPart);
    outputs_ = std::min(divide_up(own, kOutputsOfPart) * kOutputsOfPart, shape_.outputs);
  };
  if (copies_weight_) share_outputs(wanted_tiles);
  const std::int64_t fit = most / copied_elements(1, inputs_, all_lines);
  images_ = std::clamp(fit, least_images(), images_);
  while (lines_ > 1 && copied_elements(images_, inputs_, lines_) > most) {
    lines_ = divide_up(lines_, 2);
  }
  const auto others = [&] { return parts(shape_.outputs, outputs_); };
  if (others() * parts(shape_.images, images_) * parts(all_lines, lines_) < wanted_tiles) {
    const std::int64_t wanted = divide_up(wanted_tiles, others() * parts(all_lines, lines_));
    images_ = std::min(images_, std::max(share(shape_.images, wanted), least_images()));
  }
  if (others() * parts(shape_.images, images_) * parts(all_lines, lines_) < wanted_tiles) {
    const std::int64_t wanted = divide_up(wanted_tiles, others() * parts(shape_.images, images_));
    lines_ = std::min(lines_, share(all_lines, wanted));
  }
  const std::int64_t places = parts(shape_.images, images_) * parts(all_lines, lines_);
  if (others() * places < wanted_tiles) share_outputs(divide_up(wanted_tiles, places));
}

std::int64_t ConvolutionByOutputs::tiles() const {
  return divide_up(shape_.images, images_) *
         divide_up(shape_.spatial[static_cast<std::size_t>(cut_)].out, lines_) *
         divide_up(shape_.outputs, outputs_) * shape_.groups;
}

// What is cut is the first spatial dimension that has several results.
ResultDivision ConvolutionByOutputs::division() const {
  if (shape_.groups > 1) return {};
  std::int64_t stride = shape_.outputs;
  for (std::size_t d = kDimensions; d-- > 2;) {
    const std::int64_t size = shape_.spatial[d - 2].out;
    if (size != 1 && shape_.result_strides[d] != stride) return {};
    stride *= size;
  }
  if (shape_.images != 1 && shape_.result_strides[0] != stride) return {};
  return {
      .rows = shape_.images * shape_.results, .columns = shape_.outputs, .tile_columns = outputs_};
}

// Those that share a piece of the weight come one after another.
ConvolutionByOutputs::Tile ConvolutionByOutputs::tile(std::int64_t number) const {
  const std::int64_t all_lines = shape_.spatial[static_cast<std::size_t>(cut_)].out;
  const std::int64_t down = divide_up(all_lines, lines_);
  Tile out{};
  out.line = number % down * lines_;
  number /= down;
  const std::int64_t across = divide_up(shape_.images, images_);
  out.image = number % across * images_;
  number /= across;
  const std::int64_t parts = divide_up(shape_.outputs, outputs_);
  const std::int64_t first = number % parts * outputs_;
  out.group = number / parts;
  out.output = out.group * shape_.outputs + first;
  out.images = std::min(images_, shape_.images - out.image);
  out.lines = std::min(lines_, all_lines - out.line);
  out.outputs = std::min(outputs_, shape_.outputs - first);
  return out;
}

void ConvolutionByOutputs::find_runs() {
  const auto& [depth, height, width] = shape_.spatial;
  const std::array<std::int64_t, 4> counts = {inputs_, depth.window, height.window, width.window};
  std::array<std::int64_t, 4> x_steps = {copied_strides_[1]};
  std::array<std::int64_t, 4> weight_steps = {};
  for (std::size_t d = 0; d < 4; ++d) {
    if (d > 0) x_steps[d] = copied_strides_[d + 1] * shape_.spatial[d - 1].dilation;
    weight_steps[d] = shape_.weight_strides[d + 1];
  }
  std::size_t along = 3;
  for (std::size_t d = 0; d < 3; ++d) {
    if (counts[d] > counts[along]) along = d;
  }
  runs_along_inputs_ = along == 0;
  run_length_ = counts[along];
  x_step_ = x_steps[along];
  weight_step_ = weight_steps[along];
  std::array<std::int64_t, 4> others = counts;
  others[along] = 1;
  for (std::int64_t i = 0; i < others[0]; ++i) {
    for (std::int64_t a = 0; a < others[1]; ++a) {
      for (std::int64_t b = 0; b < others[2]; ++b) {
        for (std::int64_t c = 0; c < others[3]; ++c) {
          runs_.push_back({.x = i * x_steps[0] + a * x_steps[1] + b * x_steps[2] + c * x_steps[3],
                           .weight = i * weight_steps[0] + a * weight_steps[1] +
                                     b * weight_steps[2] + c * weight_steps[3]});
        }
      }
    }
  }
}

// Where the next one begins behind the end of one: so do a window's columns, of all channels.
void ConvolutionByOutputs::join_runs() {
  const std::int64_t joined = shape_.spatial[2].window;
  if (!runs_along_inputs_ || inputs_ != shape_.inputs || std::ssize(runs_) % joined != 0) return;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (i % static_cast<std::size_t>(joined) == 0) continue;
    const bool follows = runs_[i].x == runs_[i - 1].x + run_length_ * x_step_ &&
                         runs_[i].weight == runs_[i - 1].weight + run_length_ * weight_step_;
    if (!follows) return;
  }
  std::vector<Run> longer;
  for (std::size_t i = 0; i < runs_.size(); i += static_cast<std::size_t>(joined)) {
    longer.push_back(runs_[i]);
  }
  runs_ = std::move(longer);
  runs_along_inputs_ = false;
  run_length_ *= joined;
}

}  // namespace tutti::kernels

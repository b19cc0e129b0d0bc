#include <tutti/ir/arithmetic.h>
#include <tutti/kernels/host/convolution_in_parts.h>

#include <algorithm>

namespace tutti::kernels {

namespace {

constexpr std::int64_t kMostResults = 256;
constexpr std::int64_t kLeastPlaces = 32;
constexpr std::int64_t kReadOfPart = 8;  // elements, at least, for each that it adds up to
constexpr std::int64_t kElementsOfSumTile = 1 << 14;

}  // namespace

bool ConvolutionInParts::suits(const ConvolutionShape& shape) {
  return shape.is_flat() && shape.places > shape.results && shape.results > 1 &&
         shape.results <= kMostResults && shape.places >= kLeastPlaces;
}

std::int64_t ConvolutionInParts::share(std::int64_t count, std::int64_t most) {
  return divide_up(count, divide_up(count, std::max<std::int64_t>(most, 1)));
}

void ConvolutionInParts::choose_parts(std::int64_t least_inputs, std::int64_t least_images) {
  // How many times as many tiles there should be.
  const auto missing = [](std::int64_t tiles) {
    return divide_up(ConvolutionShape::kGoodTiles, tiles);
  };
  const std::int64_t blocks = shape_.groups * divide_up(shape_.outputs, outputs_);
  const std::int64_t few = shape_.inputs * (shape_.images + shape_.outputs) * shape_.places /
                           (kReadOfPart * shape_.images * shape_.outputs * shape_.results);
  const std::int64_t most =
      std::max<std::int64_t>(std::min(few, divide_up(shape_.inputs, least_inputs)), 1);
  inputs_of_part_ =
      divide_up(shape_.inputs, std::min(most, missing(blocks * divide_up(shape_.images, images_))));
  images_ = std::min(
      images_, share(shape_.images,
                     std::max(divide_up(shape_.images, missing(blocks * parts())), least_images)));
}

std::int64_t ConvolutionInParts::tiles() const {
  return parts() * divide_up(shape_.images, images_) * shape_.groups *
         divide_up(shape_.outputs, outputs_);
}

ConvolutionInParts::Tile ConvolutionInParts::tile(std::int64_t number) const {
  Tile out{};
  const std::int64_t of_part = tiles() / parts();
  out.part = number / of_part;
  out.input = out.part * inputs_of_part_;
  out.end_input = std::min(out.input + inputs_of_part_, shape_.inputs);
  number %= of_part;
  const std::int64_t blocks = divide_up(shape_.outputs, outputs_);
  const std::int64_t first = number % blocks * outputs_;
  out.outputs = std::min(outputs_, shape_.outputs - first);
  number /= blocks;
  out.group = number % shape_.groups;
  out.output = out.group * shape_.outputs + first;
  out.image = number / shape_.groups * images_;
  out.images = std::min(images_, shape_.images - out.image);
  return out;
}

std::int64_t ConvolutionInParts::parts() const { return divide_up(shape_.inputs, inputs_of_part_); }

std::int64_t ConvolutionInParts::part_elements() const {
  return shape_.images * shape_.groups * shape_.outputs * shape_.results;
}

std::int64_t ConvolutionInParts::rows_of_sum_tile() const {
  return std::max<std::int64_t>(kElementsOfSumTile / shape_.results, 1);
}

std::int64_t ConvolutionInParts::sum_tiles() const {
  return divide_up(part_elements() / shape_.results, rows_of_sum_tile());
}

template <class T>
void ConvolutionInParts::add_parts(const T* parts, T* result, std::int64_t begin, std::int64_t end,
                                   const AfterTile& after) const {
  const std::int64_t rows = part_elements() / shape_.results;
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t first = tile * rows_of_sum_tile();
    const std::int64_t last = std::min(first + rows_of_sum_tile(), rows);
    const std::int64_t count = (last - first) * shape_.results;
    const T* from = parts + first * shape_.results;
    T* const to = result + first * shape_.results;
    std::copy_n(from, count, to);
    for (std::int64_t part = 1; part < this->parts(); ++part) {
      from += part_elements();
      for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
    }
    if (after != nullptr) after({first, last, 0, shape_.results});
  }
}

template void ConvolutionInParts::add_parts(const float* parts, float* result, std::int64_t begin,
                                            std::int64_t end, const AfterTile& after) const;
template void ConvolutionInParts::add_parts(const double* parts, double* result, std::int64_t begin,
                                            std::int64_t end, const AfterTile& after) const;

}  // namespace tutti::kernels

#include <tutti/lazy/collectives.h>
#include <tutti/lazy/nn.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/lazy/zero_beside.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::nn {

Linear linear(const Key& key, std::int64_t in, std::int64_t out) {
  const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
  return {.weight = (uniform({in, out}, key) * 2.F - 1.F) * bound, .bias = zeros({out})};
}

Norm norm(std::int64_t size) { return {.scale = ones({size}), .shift = zeros({size})}; }

GroupNorm group_norm(std::int64_t groups, std::int64_t channels) {
  return {.scale = ones({channels}), .shift = zeros({channels}), .groups = groups};
}

BatchNorm batch_norm(std::int64_t channels) {
  return {.scale = ones({channels}), .shift = zeros({channels})};
}

BatchStatistics batch_statistics(std::int64_t channels) {
  return {.mean = zeros({channels}), .variance = ones({channels})};
}

Embedding embedding(const Key& key, std::int64_t count, std::int64_t size) {
  return {.weight = normal({count, size}, key)};
}

namespace {

using List = std::vector<std::int64_t>;

// What several lines of a layer are recorded with: the caller's line, and f32 for narrow floats.
class LayerSteps {
 public:
  LayerSteps(std::string_view layer, const Operand& x, int least_rank)
      : where_(x.where()), x_(x.tensor()) {
    if (x_.rank() >= least_rank && is_floating(x_.dtype())) return;
    throw TypeError(std::string(layer) + ": x should be floating point, of rank " +
                        std::to_string(least_rank) + " or more, not " + x_.state()->type.text(),
                    where_);
  }

  Operand at(const Tensor& x) const { return {x, where_}; }
  Location where() const { return where_; }
  const Shape& shape() const { return x_.shape(); }
  Tensor x() const { return wide(x_); }
  Tensor wide(const Tensor& x) const {
    return is_narrow_floating(x.dtype()) ? cast(at(x), DType::f32) : x;
  }
  Tensor rounded(const Tensor& x) const {
    return x.dtype() == x_.dtype() ? x : cast(at(x), x_.dtype());
  }
  // [channels] beside x [n, channels, ...].
  Tensor along_channels(const Tensor& each) const {
    List sizes(static_cast<std::size_t>(x_.rank()), 1);
    sizes[1] = each.state(where_)->type.shape.elements();
    return reshape(at(wide(each)), sizes);
  }
  // All axes but that of the channels.
  List other_axes() const {
    List axes = {0};
    for (int d = 2; d < x_.rank(); ++d) axes.push_back(d);
    return axes;
  }
  // (x - mean) / sqrt(variance + epsilon) * scale + shift; the first four beside x.
  Tensor normalised(const Tensor& x, const Tensor& mean, const Tensor& variance, double epsilon,
                    const Tensor& scale, const Tensor& shift) const {
    const Tensor factor = rsqrt(at(add(at(variance), epsilon)));
    const Tensor normal = mul(at(sub(at(x), at(mean))), at(factor));
    return rounded(add(at(mul(at(normal), at(scale))), at(shift)));
  }

 private:
  const Location where_;
  const Tensor x_;
};

}  // namespace

Tensor GroupNorm::operator()(const Operand& x, double epsilon) const {
  const LayerSteps steps("group_norm", x, 2);
  const Shape& shape = steps.shape();
  if (groups < 1 || shape[1] % groups != 0) {
    throw TypeError("group_norm: " + std::to_string(groups) + " groups of " +
                        std::to_string(shape[1]) + " channels",
                    x.where());
  }
  const Tensor grouped =
      reshape(steps.at(steps.x()),
              {shape[0], groups, shape[0] == 0 ? 0 : shape.elements() / shape[0] / groups});
  const Tensor mean = tutti::mean(steps.at(grouped), 2, true);
  const Tensor distance = sub(steps.at(grouped), steps.at(mean));
  const Tensor variance =
      tutti::mean(steps.at(mul(steps.at(distance), steps.at(distance))), 2, true);
  const Tensor factor = rsqrt(steps.at(add(steps.at(variance), epsilon)));
  const Tensor normal = reshape(steps.at(mul(steps.at(distance), steps.at(factor))),
                                List(shape.begin(), shape.end()));
  const Tensor scaled = mul(steps.at(normal), steps.at(steps.along_channels(scale)));
  return steps.rounded(add(steps.at(scaled), steps.at(steps.along_channels(shift))));
}

Tensor BatchNorm::operator()(const Operand& x, const BatchStatistics& statistics,
                             double epsilon) const {
  const LayerSteps steps("batch_norm", x, 2);
  return steps.normalised(steps.x(), steps.along_channels(statistics.mean),
                          steps.along_channels(statistics.variance), epsilon,
                          steps.along_channels(scale), steps.along_channels(shift));
}

std::pair<Tensor, BatchStatistics> BatchNorm::train(const Operand& given,
                                                    const BatchStatistics& statistics,
                                                    const BatchNormOptions& options) const {
  const LayerSteps steps("batch_norm", given, 2);
  const auto at = [&](const Tensor& t) { return steps.at(t); };
  const Tensor x = steps.x();
  const List axes = steps.other_axes();
  const auto summed = [&](const Tensor& values) {
    const Tensor total = sum(at(values), axes, true);
    return options.group ? Tensor(all_reduce(at(total), *options.group)) : total;
  };
  // Counted, since ranks may have different numbers of places.
  const Tensor count = summed(ones_like(at(slice(at(x), {{}, {.stop = 1}}))));
  const Tensor mean = div(at(summed(x)), at(count));
  const Tensor distance = sub(at(x), at(mean));
  const Tensor variance = div(at(summed(mul(at(distance), at(distance)))), at(count));
  const Tensor y = steps.normalised(x, mean, variance, options.epsilon, steps.along_channels(scale),
                                    steps.along_channels(shift));
  // As PyTorch: the variance that is kept is that of samples.
  const Tensor unbiased =
      mul(at(variance), at(div(at(count), at(maximum(at(sub(at(count), 1.F)), 1.F)))));
  const auto moved = [&](const Tensor& before, const Tensor& now) {
    const double momentum = options.momentum;
    const Tensor flat =
        reshape(at(stop_gradient(at(now))), List(before.shape().begin(), before.shape().end()));
    const Tensor typed = flat.dtype() == before.dtype() ? flat : cast(at(flat), before.dtype());
    return add(at(mul(at(before), 1 - momentum)), at(mul(at(typed), momentum)));
  };
  return {y,
          {.mean = moved(statistics.mean, mean), .variance = moved(statistics.variance, unbiased)}};
}

Tensor rotary(const Operand& given, const Operand& positions, double base) {
  const LayerSteps steps("rotary", given, 2);
  const auto at = [&](const Tensor& t) { return steps.at(t); };
  const Tensor x = steps.x();
  const std::int64_t size = x.size(-1);
  if (size % 2 != 0) {
    throw TypeError(
        "rotary: the last axis has " + std::to_string(size) + " elements, and pairs are turned",
        given.where());
  }
  const Tensor where = positions.tensor();
  if (where.rank() != 1 || where.size(0) != x.size(-2)) {
    throw TypeError("rotary: positions of shape " + where.shape().text() + " for " +
                        std::to_string(x.size(-2)) + " places",
                    given.where());
  }
  const std::int64_t half = size / 2;
  const Tensor index = add(at(cast(at(iota({half}, 0)), x.dtype())),
                           at(detail::zero_beside(x, x.dtype(), given.where())));
  const Tensor rate = exp(at(mul(at(index), -2 * std::log(base) / static_cast<double>(size))));
  const Tensor angle = mul(at(expand_dims(at(cast(at(where), x.dtype())), {1})), at(rate));
  const std::vector<Tensor> parts = split_evenly(at(x), 2, -1);
  const Tensor c = cos(at(angle));
  const Tensor s = sin(at(angle));
  const Tensor first = sub(at(mul(at(parts[0]), at(c))), at(mul(at(parts[1]), at(s))));
  const Tensor second = add(at(mul(at(parts[1]), at(c))), at(mul(at(parts[0]), at(s))));
  return steps.rounded(concat({first, second}, x.rank() - 1));
}

Tensor cross_entropy(const Operand& logits, const Operand& labels,
                     const CrossEntropyOptions& options) {
  const Location where = logits.where();
  const auto at = [&](const Tensor& t) { return Operand(t, where); };
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    throw UsageError("cross_entropy: a label_smoothing of " +
                         std::to_string(options.label_smoothing) + "; 0 to 1 are",
                     where);
  }
  const Tensor label = labels.tensor();
  Tensor counts;
  Tensor chosen = label;
  if (options.ignore) {
    counts = ne(at(label), *options.ignore);
    chosen = select(at(counts), at(label), at(zeros_like(at(label))));
  }
  Tensor loss = tutti::cross_entropy(logits, at(chosen));
  if (options.label_smoothing != 0) {
    const auto share = static_cast<float>(options.label_smoothing);
    const Tensor all = neg(at(mean(at(log_softmax(logits)), -1)));
    loss = add(at(mul(at(loss), 1.F - share)), at(mul(at(all), share)));
  }
  if (!options.ignore) return mean(at(loss));
  const Tensor weight = cast(at(counts), loss.dtype());
  const Tensor kept = select(at(counts), at(loss), at(zeros_like(at(loss))));
  return div(at(sum(at(kept))), at(sum(at(weight))));
}

}  // namespace tutti::nn

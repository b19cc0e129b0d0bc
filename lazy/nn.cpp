#include <tutti/ir/names.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/composite.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/known_number.h>
#include <tutti/lazy/nn.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/lazy/zero_beside.h>

#include <cmath>
#include <string>
#include <vector>

namespace tutti::nn {

namespace {

using List = std::vector<std::int64_t>;

// x, if a layer takes it.
Tensor checked(const Operand& given, int least_rank) {
  Tensor x = given.tensor();
  if (x.rank() >= least_rank && is_floating(x.dtype())) return x;
  throw TypeError("x should be floating point, of rank " + std::to_string(least_rank) +
                  " or more, not " + x.state()->type.text());
}

[[noreturn]] void refuse_groups(std::int64_t groups, std::int64_t channels) {
  throw TypeError(std::to_string(groups) + " groups of " + std::to_string(channels) +
                  " channels; their number should divide that of the channels");
}

// What layers compute in, and what they give.
Tensor wide(const Tensor& x) { return is_narrow_floating(x.dtype()) ? cast(x, DType::f32) : x; }
Tensor rounded(const Tensor& x, const Tensor& like) {
  return x.dtype() == like.dtype() ? x : cast(x, like.dtype());
}

// Throws unless a layer's parameter has that rank.
void check_rank(const Tensor& parameter, const char* what, int rank) {
  if (parameter.rank() == rank) return;
  throw TypeError(std::string(what) + " is " + parameter.state()->type.text() +
                  "; it should have rank " + std::to_string(rank));
}

// [channels] beside x [n, channels, ...].
Tensor along_channels(const Tensor& each, const char* what, const Tensor& x) {
  const std::int64_t channels = x.size(1);
  if (each.rank() != 1 || each.size(0) != channels || !is_floating(each.dtype())) {
    throw TypeError(std::string(what) + " is " + each.state()->type.text() + "; x " +
                    x.state()->type.text() + " wants floating-point numbers of shape [" +
                    std::to_string(channels) + "]");
  }
  List sizes(static_cast<std::size_t>(x.rank()), 1);
  sizes[1] = channels;
  return reshape(wide(each), sizes);
}

List all_but_channels(const Tensor& x) {
  List axes = {0};
  for (int d = 2; d < x.rank(); ++d) axes.push_back(d);
  return axes;
}

// (x - mean) / sqrt(variance + epsilon) * scale + shift, of the dtype of what was given.
Tensor normalised(const Tensor& given, const Tensor& x, const Tensor& mean, const Tensor& variance,
                  double epsilon, const BatchNorm& norm) {
  const Tensor scale = along_channels(norm.scale, "scale", x);
  const Tensor shift = along_channels(norm.shift, "shift", x);
  return rounded((x - mean) * rsqrt(variance + epsilon) * scale + shift, given);
}

}  // namespace

using detail::composite;

Linear linear(const Key& key, std::int64_t in, std::int64_t out, std::source_location at) {
  return composite("nn::linear", at, [&] {
    const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(in)));
    return Linear{.weight = (uniform({in, out}, key) * 2.F - 1.F) * bound, .bias = zeros({out})};
  });
}

Norm norm(std::int64_t size, std::source_location at) {
  return composite("nn::norm", at,
                   [&] { return Norm{.scale = ones({size}), .shift = zeros({size})}; });
}

GroupNorm group_norm(std::int64_t groups, std::int64_t channels, std::source_location at) {
  return composite("nn::group_norm", at, [&] {
    if (groups < 1 || channels % groups != 0) refuse_groups(groups, channels);
    return GroupNorm{.scale = ones({channels}), .shift = zeros({channels}), .groups = groups};
  });
}

BatchNorm batch_norm(std::int64_t channels, std::source_location at) {
  return composite("nn::batch_norm", at, [&] {
    return BatchNorm{.scale = ones({channels}), .shift = zeros({channels})};
  });
}

BatchStatistics batch_statistics(std::int64_t channels, std::source_location at) {
  return composite("nn::batch_statistics", at, [&] {
    return BatchStatistics{.mean = zeros({channels}), .variance = ones({channels})};
  });
}

Embedding embedding(const Key& key, std::int64_t count, std::int64_t size,
                    std::source_location at) {
  return composite("nn::embedding", at,
                   [&] { return Embedding{.weight = normal({count, size}, key)}; });
}

Tensor Linear::operator()(const Operand& x) const {
  return composite("linear", x.where(), [&] {
    check_rank(weight, "weight", 2);
    check_rank(bias, "bias", 1);
    return matmul(x, weight) + bias;
  });
}

Tensor Norm::operator()(const Operand& x) const {
  return composite("norm", x.where(), [&] { return layer_norm(x, scale, shift); });
}

Tensor Embedding::operator()(const Operand& indices) const {
  return composite("embedding", indices.where(), [&] {
    check_rank(weight, "weight", 2);
    return take(weight, indices);
  });
}

Tensor GroupNorm::operator()(const Operand& given, double epsilon) const {
  return composite("group_norm", given.where(), [&] {
    const Tensor x = checked(given, 2);
    const Shape& shape = x.shape();
    if (groups < 1 || shape[1] % groups != 0) refuse_groups(groups, shape[1]);
    detail::check_epsilon("group_norm", epsilon, given.where());
    const Tensor factor = along_channels(scale, "scale", x);
    const Tensor offset = along_channels(shift, "shift", x);
    const Tensor grouped = reshape(
        wide(x), {shape[0], groups, shape[0] == 0 ? 0 : shape.elements() / shape[0] / groups});
    const Tensor distance = grouped - mean(grouped, 2, true);
    const Tensor variance = mean(distance * distance, 2, true);
    const Tensor normal = reshape(distance * rsqrt(variance + epsilon), shape);
    return rounded(normal * factor + offset, x);
  });
}

Tensor BatchNorm::operator()(const Operand& given, const BatchStatistics& statistics,
                             double epsilon) const {
  return composite("batch_norm", given.where(), [&] {
    const Tensor x = checked(given, 2);
    detail::check_epsilon("batch_norm", epsilon, given.where());
    const Tensor mean = along_channels(statistics.mean, "mean", x);
    const Tensor variance = along_channels(statistics.variance, "variance", x);
    return normalised(x, wide(x), mean, variance, epsilon, *this);
  });
}

std::pair<Tensor, BatchStatistics> BatchNorm::train(const Operand& given,
                                                    const BatchStatistics& statistics,
                                                    const BatchNormOptions& options) const {
  return composite("batch_norm", given.where(), [&] {
    detail::check_epsilon("batch_norm", options.epsilon, given.where());
    if (!(options.momentum >= 0 && options.momentum <= 1)) {
      throw UsageError("a momentum of " + std::to_string(options.momentum) + "; 0 to 1 are right");
    }
    const Tensor narrow = checked(given, 2);
    const Tensor x = wide(narrow);
    const List axes = all_but_channels(x);
    std::int64_t places = 1;
    for (const std::int64_t axis : axes) places *= x.shape()[axis];
    if (places < 2 && !options.group) {
      throw TypeError("x is " + narrow.state()->type.text() + ", with " +
                      ir::counted(static_cast<std::size_t>(places), "element") +
                      " a channel; their variance takes two or more");
    }
    const auto summed = [&](const Tensor& values) {
      const Tensor total = sum(values, axes, true);
      return options.group ? Tensor(all_reduce(total, *options.group)) : total;
    };
    // Counted, since ranks may have different numbers of places.
    const Tensor count = summed(ones_like(slice(x, {{}, {.stop = 1}})));
    const Tensor mean = summed(x) / count;
    const Tensor distance = x - mean;
    const Tensor variance = summed(distance * distance) / count;
    const Tensor y = normalised(narrow, x, mean, variance, options.epsilon, *this);
    // As PyTorch: the variance that is kept is that of samples.
    const Tensor unbiased = variance * (count / maximum(count - 1.F, 1.F));
    const auto moved = [&](const Tensor& before, const char* what, const Tensor& now) {
      along_channels(before, what, x);  // throws if it does not fit
      const Tensor flat = reshape(stop_gradient(now), before.shape());
      const Tensor typed = flat.dtype() == before.dtype() ? flat : cast(flat, before.dtype());
      return before * (1 - options.momentum) + typed * options.momentum;
    };
    return std::pair(y,
                     BatchStatistics{.mean = moved(statistics.mean, "mean", mean),
                                     .variance = moved(statistics.variance, "variance", unbiased)});
  });
}

Tensor rotary(const Operand& given, const Operand& positions, double base) {
  return composite("rotary", given.where(), [&] {
    const Tensor narrow = checked(given, 2);
    const Tensor x = wide(narrow);
    const std::int64_t size = x.size(-1);
    if (size % 2 != 0) {
      throw TypeError("the last axis of " + narrow.state()->type.text() + " has " +
                      std::to_string(size) +
                      " elements, and pairs are turned: their number should be even");
    }
    if (!(base > 0 && std::isfinite(base)))
      throw TypeError("a base of " + std::to_string(base) + "; above 0 are");
    const Tensor where = positions.tensor();
    if (where.rank() != 1 || where.size(0) != x.size(-2)) {
      throw TypeError("positions of shape " + where.shape().text() + " for " +
                      std::to_string(x.size(-2)) + " places; one for each place, [" +
                      std::to_string(x.size(-2)) + "], is right");
    }
    const std::int64_t half = size / 2;
    const Tensor places = detail::placed(cast(iota({half}, 0), x.dtype()), x);
    const Tensor index = places + detail::zero_beside(x, x.dtype());
    const Tensor rate = exp(index * (-2 * std::log(base) / static_cast<double>(size)));
    const Tensor angle = expand_dims(cast(where, x.dtype()), 1) * rate;
    const std::vector<Tensor> parts = split_evenly(x, 2, -1);
    const Tensor c = cos(angle);
    const Tensor s = sin(angle);
    const Tensor first = parts[0] * c - parts[1] * s;
    const Tensor second = parts[1] * c + parts[0] * s;
    return rounded(concat({first, second}, x.rank() - 1), narrow);
  });
}

Tensor cross_entropy(const Operand& logits, const Operand& labels,
                     const CrossEntropyOptions& options) {
  return composite("cross_entropy", logits.where(), [&] {
    if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
      throw UsageError("a label_smoothing of " + std::to_string(options.label_smoothing) +
                       "; 0 to 1 are");
    }
    const Tensor label = labels.tensor();
    Tensor counts;
    Tensor chosen = label;
    // A number that the labels' dtype does not have is none of them.
    const bool ignores = options.ignore && detail::holds(label.dtype(), *options.ignore);
    if (ignores) {
      counts = ne(label, *options.ignore);
      chosen = select(counts, label, zeros_like(label));
    }
    const Tensor own = logits.tensor();
    const Tensor logit = wide(own);
    Tensor loss = tutti::cross_entropy(logit, chosen);
    if (options.label_smoothing != 0) {
      const double share = options.label_smoothing;
      loss = loss * (1 - share) + -mean(log_softmax(logit), -1) * share;
    }
    if (!ignores) return rounded(mean(loss), own);
    const Tensor kept = select(counts, loss, zeros_like(loss));
    return rounded(sum(kept) / sum(cast(counts, loss.dtype())), own);
  });
}

}  // namespace tutti::nn

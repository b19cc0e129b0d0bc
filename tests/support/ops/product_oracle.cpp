#include "tests/support/ops/product_oracle.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tutti::test {

namespace {

using Index = std::span<const std::int64_t>;
using List = std::vector<std::int64_t>;

std::int64_t size(const Plain& x, std::int64_t axis) { return x.shape[static_cast<int>(axis)]; }
std::int64_t from_end(const Plain& x, int dimension) { return x.shape[x.shape.rank() - dimension]; }

}  // namespace

Plain dot_general_oracle(const Plains& x, const Attributes& attributes) {
  const std::array contracted = {attributes.integers("contract_x"),
                                 attributes.integers("contract_y")};
  const std::array batch = {attributes.integers("batch_x"), attributes.integers("batch_y")};
  // What becomes of each operand's axes: a dimension of the result, or one that is summed over.
  std::array<List, 2> place;
  List sizes;
  for (const std::int64_t axis : batch[0]) sizes.push_back(size(x[0], axis));
  List summed;
  for (const std::int64_t axis : contracted[0]) summed.push_back(size(x[0], axis));
  for (std::size_t i = 0; i < 2; ++i) {
    for (int d = 0; d < x[i].shape.rank(); ++d) {
      const auto in_batch = std::ranges::find(batch[i], d);
      const auto in_sum = std::ranges::find(contracted[i], d);
      if (in_batch != batch[i].end()) {
        place[i].push_back(in_batch - batch[i].begin());
      } else if (in_sum != contracted[i].end()) {
        place[i].push_back(-1 - (in_sum - contracted[i].begin()));
      } else {
        place[i].push_back(std::ssize(sizes));
        sizes.push_back(x[i].shape[d]);
      }
    }
  }
  return filled(Shape(sizes), [&](Index index) {
    double total = 0;
    for_each_index(Shape(summed), [&](Index inner) {
      double product = 1;
      for (std::size_t i = 0; i < 2; ++i) {
        List own;
        for (const std::int64_t at : place[i]) {
          own.push_back(at >= 0 ? index[static_cast<std::size_t>(at)]
                                : inner[static_cast<std::size_t>(-1 - at)]);
        }
        product *= x[i].at(own);
      }
      total += product;
    });
    return total;
  });
}

Plain conv_oracle(const Plains& x, const Attributes& attributes) {
  const List stride = attributes.integers("stride");
  const List low = attributes.integers("low");
  const List high = attributes.integers("high");
  const List dilation = attributes.integers("dilation");
  const std::int64_t groups = attributes.integer("groups");
  const Shape& weight = x[1].shape;
  List sizes = {size(x[0], 0), weight[0]};
  for (std::size_t d = 0; d < stride.size(); ++d) {
    const int axis = static_cast<int>(d) + 2;
    const std::int64_t room =
        size(x[0], axis) + low[d] + high[d] - dilation[d] * (weight[axis] - 1);
    sizes.push_back((room - 1) / stride[d] + 1);
  }
  return filled(Shape(sizes), [&](Index index) {
    const std::int64_t group = index[1] / (weight[0] / groups);
    double total = 0;
    for_each_index(Shape(weight.sizes().subspan(1)), [&](Index inner) {
      List from = {index[0], group * weight[1] + inner[0]};
      List own = {index[1]};
      own.insert(own.end(), inner.begin(), inner.end());
      for (std::size_t d = 0; d < stride.size(); ++d) {
        const std::int64_t at = index[d + 2] * stride[d] + inner[d + 1] * dilation[d] - low[d];
        if (at < 0 || at >= size(x[0], static_cast<int>(d) + 2)) return;
        from.push_back(at);
      }
      total += x[0].at(from) * x[1].at(own);
    });
    return total;
  });
}

namespace {

// One query of attention.
class Query {
 public:
  Query(const Plains& x, const Plain* mask, const Attributes& attributes, Index leading,
        std::int64_t place)
      : x_(x), index_(leading.begin(), leading.end()), place_(place) {
    index_.resize(leading.size() + 2);
    const std::int64_t depth = from_end(x[0], 1);
    const double given = attributes.number("scale");
    scale_ = given != 0 ? given : 1 / std::sqrt(std::max(static_cast<double>(depth), 1.0));
    double total = 0;
    for (std::int64_t j = 0; j < from_end(x[1], 2); ++j) {
      const bool hidden = (attributes.flag("causal") && j > place) ||
                          (mask != nullptr && mask->at(at(place, j)) == 0);
      double score = 0;
      for (std::int64_t l = 0; l < depth; ++l) score += q(l) * k(j, l) * scale_;
      weights_.push_back(hidden ? 0 : std::exp(score));
      total += weights_.back();
    }
    for (double& weight : weights_) weight /= total > 0 ? total : 1;
  }

  double scale() const { return scale_; }
  double q(std::int64_t l) const { return x_[0].at(at(place_, l)); }
  double k(std::int64_t j, std::int64_t l) const { return x_[1].at(at(j, l)); }
  double v(std::int64_t j, std::int64_t l) const { return x_[2].at(at(j, l)); }
  double weight(std::int64_t j) const { return weights_[static_cast<std::size_t>(j)]; }

  // The cotangents of the scores, from those of the result.
  std::vector<double> scores_cotangent(const Plain& g) const {
    std::vector<double> out;
    double mean = 0;
    for (std::int64_t j = 0; j < std::ssize(weights_); ++j) {
      out.push_back(0);
      for (std::int64_t l = 0; l < from_end(x_[2], 1); ++l)
        out.back() += g.at(at(place_, l)) * v(j, l);
      mean += out.back() * weight(j);
    }
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = (out[j] - mean) * weights_[j] * scale_;
    return out;
  }

 private:
  // Valid until the next call: there are many, and sanitizers make each allocation a slow one.
  Index at(std::int64_t row, std::int64_t column) const {
    *(index_.end() - 2) = row;
    index_.back() = column;
    return index_;
  }

  const Plains& x_;
  mutable List index_;
  const std::int64_t place_;
  double scale_ = 0;
  std::vector<double> weights_;
};

}  // namespace

Plain attention_oracle(const Plains& x, const Attributes& attributes) {
  List sizes(x[0].shape.begin(), x[0].shape.end());
  sizes.back() = from_end(x[2], 1);
  std::optional<Query> query;  // of the row
  return filled(Shape(sizes), [&](Index index) {
    if (index.back() == 0) {
      query.emplace(x, x.size() == 4 ? &x[3] : nullptr, attributes, index.first(index.size() - 2),
                    index[index.size() - 2]);
    }
    double total = 0;
    for (std::int64_t j = 0; j < from_end(x[1], 2); ++j) {
      total += query->weight(j) * query->v(j, index.back());
    }
    return total;
  });
}

Plain attention_gradient_oracle(const Plains& x, const Attributes& attributes) {
  const Plain& g = x.back();
  const Plain* const mask = x.size() == 5 ? &x[3] : nullptr;
  const std::int64_t queries = from_end(x[0], 2);
  const std::int64_t keys = from_end(x[1], 2);
  const std::int64_t depth = from_end(x[0], 1);
  const std::int64_t width = from_end(x[2], 1);
  Plain out(Shape{x[0].shape.elements() + x[1].shape.elements() + x[2].shape.elements()});
  const Shape leading(x[0].shape.sizes().first(static_cast<std::size_t>(x[0].shape.rank() - 2)));
  std::int64_t matrix = 0;
  for_each_index(leading, [&](Index index) {
    const std::int64_t dq = matrix * queries * depth;
    const std::int64_t dk = x[0].shape.elements() + matrix * keys * depth;
    const std::int64_t dv = x[0].shape.elements() + x[1].shape.elements() + matrix * keys * width;
    ++matrix;
    for (std::int64_t i = 0; i < queries; ++i) {
      const Query query(x, mask, attributes, index, i);
      const std::vector<double> of_scores = query.scores_cotangent(g);
      List place(index.begin(), index.end());
      place.insert(place.end(), {i, 0});
      for (std::int64_t j = 0; j < keys; ++j) {
        const double of_score = of_scores[static_cast<std::size_t>(j)];
        for (std::int64_t l = 0; l < depth; ++l) {
          out[dq + i * depth + l] += of_score * query.k(j, l);
          out[dk + j * depth + l] += of_score * query.q(l);
        }
        for (std::int64_t l = 0; l < width; ++l) {
          place.back() = l;
          out[dv + j * width + l] += query.weight(j) * g.at(place);
        }
      }
    }
  });
  return out;
}

}  // namespace tutti::test

#include "tests/support/ops/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti::test {

namespace {

using Index = std::span<const std::int64_t>;
using List = std::vector<std::int64_t>;

List list(Index index) { return {index.begin(), index.end()}; }
List list(const Shape& shape) { return {shape.begin(), shape.end()}; }
std::int64_t& at(List& values, std::int64_t axis) { return values[static_cast<std::size_t>(axis)]; }
std::int64_t at(Index values, std::int64_t axis) { return values[static_cast<std::size_t>(axis)]; }
bool contains(const List& values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// The index with one component replaced.
List with_coordinate(Index index, std::int64_t axis, std::int64_t value) {
  List out = list(index);
  at(out, axis) = value;
  return out;
}

// The shape without the axes, or with size 1 in their place.
Shape reduced_shape(const Shape& shape, const List& axes, bool keepdims) {
  List sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!contains(axes, d)) sizes.push_back(shape[d]);
    if (contains(axes, d) && keepdims) sizes.push_back(1);
  }
  return Shape(sizes);
}

}  // namespace

double Plain::at(Index index) const {
  std::int64_t n = 0;
  const auto skip = std::ssize(index) - shape.rank();
  for (int d = 0; d < shape.rank(); ++d) {
    n = n * shape[d] + (shape[d] == 1 ? 0 : index[static_cast<std::size_t>(d + skip)]);
  }
  return (*this)[n];
}

Plain filled(const Shape& shape, const std::function<double(Index)>& element) {
  Plain out(shape);
  std::int64_t n = 0;
  for_each_index(shape, [&](Index index) { out[n++] = element(index); });
  return out;
}

Plain elementwise_oracle(const Plains& x, const std::function<double(const double*)>& meaning) {
  int rank = 0;
  for (const Plain& operand : x) rank = std::max(rank, operand.shape.rank());
  List sizes(static_cast<std::size_t>(rank), 1);
  for (const Plain& operand : x) {
    const int skip = rank - operand.shape.rank();
    for (int d = 0; d < operand.shape.rank(); ++d) {
      if (operand.shape[d] != 1) at(sizes, d + skip) = operand.shape[d];
    }
  }
  return filled(Shape(sizes), [&](Index index) {
    std::vector<double> values;
    for (const Plain& operand : x) values.push_back(operand.at(index));
    return meaning(values.data());
  });
}

Plain reshape_oracle(const Plain& x, const Shape& shape) {
  Plain out(shape);
  out.data = x.data;
  return out;
}

Plain transpose_oracle(const Plains& x, const Attributes& attributes) {
  const List& permutation = attributes.integers("permutation");
  List sizes;
  for (const std::int64_t from : permutation) sizes.push_back(x[0].shape[static_cast<int>(from)]);
  return filled(Shape(sizes), [&](Index index) {
    List from(permutation.size());
    for (std::size_t d = 0; d < from.size(); ++d) at(from, permutation[d]) = index[d];
    return x[0].at(from);
  });
}

Plain broadcast_to_oracle(const Plains& x, const Attributes& attributes) {
  return filled(Shape(attributes.integers("shape")), [&](Index index) { return x[0].at(index); });
}

Plain expand_dims_oracle(const Plains& x, const Attributes& attributes) {
  List sizes = list(x[0].shape);
  for (const std::int64_t axis : attributes.integers("axes")) sizes.insert(sizes.begin() + axis, 1);
  return reshape_oracle(x[0], Shape(sizes));
}

Plain squeeze_oracle(const Plains& x, const Attributes& attributes) {
  return reshape_oracle(x[0], reduced_shape(x[0].shape, attributes.integers("axes"), false));
}

Plain slice_oracle(const Plains& x, const Attributes& attributes) {
  const List& start = attributes.integers("start");
  const List& step = attributes.integers("step");
  List sizes;
  for (std::size_t d = 0; d < start.size(); ++d) {
    std::int64_t size = 0;
    for (std::int64_t i = start[d]; i < attributes.integers("stop")[d]; i += step[d]) ++size;
    sizes.push_back(size);
  }
  return filled(Shape(sizes), [&](Index index) {
    List from = list(index);
    for (std::size_t d = 0; d < from.size(); ++d) from[d] = start[d] + from[d] * step[d];
    return x[0].at(from);
  });
}

Plain reverse_oracle(const Plains& x, const Attributes& attributes) {
  return filled(x[0].shape, [&](Index index) {
    List from = list(index);
    for (const std::int64_t axis : attributes.integers("axes")) {
      at(from, axis) = x[0].shape[static_cast<int>(axis)] - 1 - at(from, axis);
    }
    return x[0].at(from);
  });
}

Plain pad_oracle(const Plains& x, const Attributes& attributes) {
  const List& low = attributes.integers("low");
  const List& interior = attributes.integers("interior");
  List sizes;
  for (int d = 0; d < x[0].shape.rank(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::int64_t gaps = std::max<std::int64_t>(x[0].shape[d] - 1, 0) * interior[i];
    sizes.push_back(low[i] + x[0].shape[d] + gaps + attributes.integers("high")[i]);
  }
  return filled(Shape(sizes), [&](Index index) {
    List from = list(index);
    for (std::size_t d = 0; d < from.size(); ++d) {
      from[d] -= low[d];
      if (from[d] < 0 || from[d] % (interior[d] + 1) != 0) return x[1][0];
      from[d] /= interior[d] + 1;
      if (from[d] >= x[0].shape[static_cast<int>(d)]) return x[1][0];
    }
    return x[0].at(from);
  });
}

Plain concat_oracle(const Plains& x, const Attributes& attributes) {
  const std::int64_t axis = attributes.integer("axis");
  List sizes = list(x[0].shape);
  at(sizes, axis) = 0;
  for (const Plain& part : x) at(sizes, axis) += part.shape[static_cast<int>(axis)];
  return filled(Shape(sizes), [&](Index index) {
    std::int64_t place = at(index, axis);
    std::size_t part = 0;
    for (; place >= x[part].shape[static_cast<int>(axis)]; ++part) {
      place -= x[part].shape[static_cast<int>(axis)];
    }
    return x[part].at(with_coordinate(index, axis, place));
  });
}

Plain reduce_oracle(const Plains& x, const Attributes& attributes, double start,
                    const std::function<double(double, double)>& combine) {
  const List& axes = attributes.integers("axes");
  Plain kept(reduced_shape(x[0].shape, axes, true));
  std::fill(kept.data.begin(), kept.data.end(), start);
  const auto strides = kept.shape.strides();
  std::int64_t n = 0;
  for_each_index(x[0].shape, [&](Index index) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (!contains(axes, static_cast<std::int64_t>(d))) to += index[d] * strides[d];
    }
    kept[to] = combine(kept[to], x[0][n++]);
  });
  return reshape_oracle(kept, reduced_shape(x[0].shape, axes, attributes.flag("keepdims")));
}

Plain mean_oracle(const Plains& x, const Attributes& attributes) {
  Plain out = reduce_oracle(x, attributes, 0, std::plus<>());
  double count = 1;
  for (const std::int64_t axis : attributes.integers("axes")) {
    count *= static_cast<double>(x[0].shape[static_cast<int>(axis)]);
  }
  for (double& value : out.data) value /= count;
  return out;
}

Plain logsumexp_oracle(const Plains& x, const Attributes& attributes) {
  Plain out = reduce_oracle(x, attributes, 0, [](double a, double b) { return a + std::exp(b); });
  for (double& value : out.data) value = std::log(value);
  return out;
}

Plain arg_oracle(const Plains& x, const Attributes& attributes, double sign) {
  const std::int64_t axis = attributes.integer("axis");
  const Shape kept = reduced_shape(x[0].shape, {axis}, true);
  const Plain best = filled(kept, [&](Index index) {
    std::int64_t leader = 0;
    for (std::int64_t i = 1; i < x[0].shape[static_cast<int>(axis)]; ++i) {
      const double distance =
          x[0].at(with_coordinate(index, axis, i)) - x[0].at(with_coordinate(index, axis, leader));
      if (sign * distance > 0) leader = i;
    }
    return static_cast<double>(leader);
  });
  return reshape_oracle(best, reduced_shape(x[0].shape, {axis}, attributes.flag("keepdims")));
}

Plain cumulative_oracle(const Plains& x, const Attributes& attributes,
                        double (*combine)(double, double)) {
  const std::int64_t axis = attributes.integer("axis");
  const std::int64_t last = x[0].shape[static_cast<int>(axis)] - 1;
  const bool reverse = attributes.flag("reverse");
  return filled(x[0].shape, [&](Index index) {
    const std::int64_t here = at(index, axis);
    const std::int64_t first = reverse ? here : 0;
    double total = x[0].at(with_coordinate(index, axis, first));
    for (std::int64_t i = first + 1; i <= (reverse ? last : here); ++i) {
      total = combine(total, x[0].at(with_coordinate(index, axis, i)));
    }
    return total;
  });
}

Plain sort_oracle(const Plain& x, std::int64_t axis, bool descending, std::int64_t count,
                  bool indices) {
  List sizes = list(x.shape);
  at(sizes, axis) = count;
  // Insertion by hand: an element goes behind all that may stand before it.
  Plain out((Shape(sizes)));
  List rows = sizes;
  at(rows, axis) = 1;
  for_each_index(Shape(rows), [&](Index index) {
    List order;
    for (std::int64_t i = 0; i < x.shape[static_cast<int>(axis)]; ++i) {
      const double own = x.at(with_coordinate(index, axis, i));
      auto place = order.end();
      while (place != order.begin()) {
        const double other = x.at(with_coordinate(index, axis, *(place - 1)));
        if (descending ? other >= own : other <= own) break;
        --place;
      }
      order.insert(place, i);
    }
    const auto strides = out.shape.strides();
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t to = i * at(strides, axis);
      for (std::size_t d = 0; d < index.size(); ++d) to += index[d] * strides[d];
      const std::int64_t from = at(order, i);
      out[to] = indices ? static_cast<double>(from) : x.at(with_coordinate(index, axis, from));
    }
  });
  return out;
}

Plain matmul_oracle(const Plains& x, const Attributes&) {
  const Shape& a = x[0].shape;
  const Shape& b = x[1].shape;
  const int rank = std::max(a.rank(), b.rank());
  List sizes(static_cast<std::size_t>(rank), 1);
  for (const Shape& shape : {a, b}) {
    for (int d = 0; d < shape.rank() - 2; ++d) {
      if (shape[d] != 1) at(sizes, d + rank - shape.rank()) = shape[d];
    }
  }
  at(sizes, rank - 2) = a[a.rank() - 2];
  at(sizes, rank - 1) = b[b.rank() - 1];
  return filled(Shape(sizes), [&](Index index) {
    double total = 0;
    for (std::int64_t k = 0; k < a[a.rank() - 1]; ++k) {
      total += x[0].at(with_coordinate(index, rank - 1, k)) *
               x[1].at(with_coordinate(index, rank - 2, k));
    }
    return total;
  });
}

namespace {

// The shape of take's result.
Shape taken_shape(const Shape& x, const Shape& indices, std::int64_t axis) {
  List sizes = list(x);
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, indices.begin(), indices.end());
  return Shape(sizes);
}

// Calls f with the index into x of every element taken, in order, not clamped.
template <class F>
void each_taken(const Shape& x, const Plain& indices, std::int64_t axis, F&& f) {
  for_each_index(taken_shape(x, indices.shape, axis), [&](Index index) {
    const auto count = static_cast<std::size_t>(indices.shape.rank());
    const Index own = index.subspan(static_cast<std::size_t>(axis), count);
    List from = list(index);
    from.erase(from.begin() + axis, from.begin() + axis + indices.shape.rank());
    from.insert(from.begin() + axis, static_cast<std::int64_t>(indices.at(own)));
    f(std::move(from));
  });
}

std::int64_t clamped(std::int64_t index, std::int64_t size) {
  return std::clamp<std::int64_t>(index, 0, size - 1);
}

}  // namespace

Plain take_oracle(const Plains& x, const Attributes& attributes) {
  const std::int64_t axis = attributes.integer("axis");
  Plain out(taken_shape(x[0].shape, x[1].shape, axis));
  std::int64_t n = 0;
  each_taken(x[0].shape, x[1], axis, [&](List from) {
    at(from, axis) = clamped(at(from, axis), x[0].shape[static_cast<int>(axis)]);
    out[n++] = x[0].at(from);
  });
  return out;
}

Plain take_along_axis_oracle(const Plains& x, const Attributes& attributes) {
  const std::int64_t axis = attributes.integer("axis");
  return filled(x[1].shape, [&](Index index) {
    const auto row = static_cast<std::int64_t>(x[1].at(index));
    return x[0].at(with_coordinate(index, axis, clamped(row, x[0].shape[static_cast<int>(axis)])));
  });
}

Plain scatter_add_oracle(const Plains& x, const Attributes& attributes) {
  const std::int64_t axis = attributes.integer("axis");
  Plain out = x[0];
  const auto strides = out.shape.strides();
  std::int64_t n = 0;
  each_taken(x[0].shape, x[1], axis, [&](const List& to) {
    const double update = x[2][n++];
    const std::int64_t row = to[static_cast<std::size_t>(axis)];
    if (row < 0 || row >= out.shape[static_cast<int>(axis)]) return;
    std::int64_t place = 0;
    for (std::size_t d = 0; d < to.size(); ++d) place += to[d] * strides[d];
    out[place] += update;
  });
  return out;
}

namespace {

// Where the part of x begins.
List starts_of(const Plain& starts, const Shape& x, const Shape& part) {
  List out;
  for (int d = 0; d < x.rank(); ++d) {
    out.push_back(clamped(static_cast<std::int64_t>(starts[d]), x[d] - part[d] + 1));
  }
  return out;
}

}  // namespace

Plain dynamic_slice_oracle(const Plains& x, const Attributes& attributes) {
  const Shape part(attributes.integers("sizes"));
  const List starts = starts_of(x[1], x[0].shape, part);
  return filled(part, [&](Index index) {
    List from = list(index);
    for (std::size_t d = 0; d < from.size(); ++d) from[d] += starts[d];
    return x[0].at(from);
  });
}

Plain dynamic_update_slice_oracle(const Plains& x, const Attributes&) {
  const Shape& part = x[1].shape;
  const List starts = starts_of(x[2], x[0].shape, part);
  return filled(x[0].shape, [&](Index index) {
    List from = list(index);
    for (std::size_t d = 0; d < from.size(); ++d) {
      from[d] -= starts[d];
      if (from[d] < 0 || from[d] >= part[static_cast<int>(d)]) return x[0].at(index);
    }
    return x[1].at(from);
  });
}

namespace {

double sum_of_exp(const Plain& x, Index index, std::int64_t axis) {
  double total = 0;
  for (std::int64_t i = 0; i < x.shape[static_cast<int>(axis)]; ++i) {
    total += std::exp(x.at(with_coordinate(index, axis, i)));
  }
  return total;
}

}  // namespace

Plain softmax_oracle(const Plains& x, const Attributes& attributes) {
  return filled(x[0].shape, [&](Index index) {
    return std::exp(x[0].at(index)) / sum_of_exp(x[0], index, attributes.integer("axis"));
  });
}

Plain log_softmax_oracle(const Plains& x, const Attributes& attributes) {
  return filled(x[0].shape, [&](Index index) {
    return x[0].at(index) - std::log(sum_of_exp(x[0], index, attributes.integer("axis")));
  });
}

Plain layer_norm_oracle(const Plains& x, const Attributes& attributes) {
  const int last = x[0].shape.rank() - 1;
  const auto size = static_cast<double>(x[0].shape[last]);
  return filled(x[0].shape, [&](Index index) {
    double mean = 0;
    double variance = 0;
    for (std::int64_t i = 0; i < x[0].shape[last]; ++i)
      mean += x[0].at(with_coordinate(index, last, i)) / size;
    for (std::int64_t i = 0; i < x[0].shape[last]; ++i) {
      variance += std::pow(x[0].at(with_coordinate(index, last, i)) - mean, 2) / size;
    }
    const double normal =
        (x[0].at(index) - mean) / std::sqrt(variance + attributes.number("epsilon"));
    return normal * x[1].at(index) + x[2].at(index);
  });
}

Plain rms_norm_oracle(const Plains& x, const Attributes& attributes) {
  const int last = x[0].shape.rank() - 1;
  const std::int64_t size = x[0].shape[last];
  return filled(x[0].shape, [&](Index index) {
    double squares = 0;
    for (std::int64_t i = 0; i < size; ++i)
      squares += std::pow(x[0].at(with_coordinate(index, last, i)), 2);
    const double mean = squares / static_cast<double>(size);
    return x[0].at(index) / std::sqrt(mean + attributes.number("epsilon")) * x[1].at(index);
  });
}

Plain cross_entropy_oracle(const Plains& x, const Attributes&) {
  const int last = x[0].shape.rank() - 1;
  return filled(x[1].shape, [&](Index index) {
    const auto label = static_cast<std::int64_t>(x[1].at(index));
    List own(index.begin(), index.end());
    own.push_back(clamped(label, x[0].shape[last]));
    return std::log(sum_of_exp(x[0], own, last)) - x[0].at(own);
  });
}

Plain gelu_oracle(const Plains& x, const Attributes& attributes) {
  const bool tanh = attributes.text("approximate") == "tanh";
  return filled(x[0].shape, [&](Index index) {
    const double v = x[0].at(index);
    const double inner = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
    return v / 2 * (1 + (tanh ? std::tanh(inner) : std::erf(v / std::sqrt(2))));
  });
}

Plain one_hot_oracle(const Plains& x, const Attributes& attributes) {
  List sizes = list(x[0].shape);
  sizes.push_back(attributes.integer("depth"));
  return filled(Shape(sizes), [&](Index index) {
    const Index place = index.first(index.size() - 1);
    return x[0].at(place) == static_cast<double>(index.back()) ? 1 : 0;
  });
}

}  // namespace tutti::test

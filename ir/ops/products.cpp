#include <tutti/ir/ops/dot_general.h>
#include <tutti/ir/ops/family.h>

#include <algorithm>

namespace tutti::ir::family {

namespace {

using List = std::vector<std::int64_t>;

std::int64_t product(std::span<const std::int64_t> sizes) {
  std::int64_t out = 1;
  for (const std::int64_t size : sizes) out *= size;
  return out;
}

void append(List& list, std::span<const std::int64_t> more) {
  list.insert(list.end(), more.begin(), more.end());
}

// ---- dot_general

// Differentiated through its decomposition.
constexpr void (*gradient_dot_general)(Gradient&) = nullptr;

// ---- conv

// What a convolution's attributes say.
struct Window {
  List stride, low, high, dilation;
  std::int64_t groups;

  explicit Window(const Attributes& attributes)
      : stride(attributes.integers("stride")),
        low(attributes.integers("low")),
        high(attributes.integers("high")),
        dilation(attributes.integers("dilation")),
        groups(attributes.integer("groups")) {}
};

void infer_conv(Inference& in) {
  check_factors(in);
  const Shape& x = in.operand(0).shape;
  const Shape& weight = in.operand(1).shape;
  in.require(x.rank() >= 3 && x.rank() <= 5,
             "x is [n, channels, ...] with one to three spatial dimensions");
  in.require(weight.rank() == x.rank(), "the weight must have x's rank");
  const Window window(in.attributes);
  const auto count = static_cast<std::size_t>(x.rank() - 2);
  for (const auto& [name, list] : {std::pair{"stride", &window.stride},
                                   {"low", &window.low},
                                   {"high", &window.high},
                                   {"dilation", &window.dilation}}) {
    in.require(list->size() == count, [&, what = name] {
      return std::string(what) + " needs one number for each of the " + std::to_string(count) +
             " spatial dimensions";
    });
  }
  in.require(window.groups >= 1 && x[1] % window.groups == 0 && weight[0] % window.groups == 0,
             [&] {
               return "groups = " + std::to_string(window.groups) + " does not divide the " +
                      std::to_string(x[1]) + " channels of x and the " + std::to_string(weight[0]) +
                      " of the result";
             });
  in.require(weight[1] == x[1] / window.groups, [&] {
    return "the weight's second dimension must be x's channels by groups, " +
           std::to_string(x[1] / window.groups);
  });
  List sizes = {x[0], weight[0]};
  for (std::size_t d = 0; d < count; ++d) {
    const int axis = static_cast<int>(d) + 2;
    const std::int64_t stride = window.stride[d];
    const std::int64_t dilation = window.dilation[d];
    in.require(stride >= 1 && dilation >= 1, "strides and dilations must be at least 1");
    in.require(window.low[d] >= 0 && window.high[d] >= 0, "paddings must not be negative");
    in.require(weight[axis] >= 1, "the weight has a spatial dimension of size 0");
    in.require(
        std::max({stride, dilation, window.low[d], window.high[d]}) <= Shape::kMostElements &&
            dilation <= Shape::kMostElements / weight[axis],
        "a number is too large");
    const std::int64_t padded = x[axis] + window.low[d] + window.high[d];
    const std::int64_t reach = dilation * (weight[axis] - 1) + 1;
    in.require(padded >= reach, [&] {
      return "the weight reaches over " + std::to_string(reach) + " elements of dimension " +
             std::to_string(axis) + ", which has " + std::to_string(padded) + " with its padding";
    });
    sizes.push_back((padded - reach) / stride + 1);
  }
  in.result(in.operand(0).dtype, Shape(sizes));
}

// x with zeros around it and between its elements; negative numbers take elements away.
Term padded(Term x, const List& low, const List& high, const List& interior) {
  const auto all_zero = [](const List& list) {
    return std::ranges::count(list, 0) == std::ssize(list);
  };
  List before = {0, 0};
  List after = {0, 0};
  List between = {0, 0};
  for (std::size_t d = 0; d < low.size(); ++d) {
    before.push_back(std::max<std::int64_t>(low[d], 0));
    after.push_back(std::max<std::int64_t>(high[d], 0));
    between.push_back(interior[d]);
  }
  if (!all_zero(before) || !all_zero(after) || !all_zero(between)) {
    x = apply(Op::pad, x, x.constant(0), {before, after, between});
  }
  List start(before.size(), 0);
  List stop(x.shape().begin(), x.shape().end());
  for (std::size_t d = 0; d < low.size(); ++d) {
    start[d + 2] = std::max<std::int64_t>(-low[d], 0);
    stop[d + 2] -= std::max<std::int64_t>(-high[d], 0);
  }
  if (all_zero(start) && std::ranges::equal(stop, x.shape())) return x;
  return x.apply(Op::slice, {start, stop, List(start.size(), 1)});
}

// What the results looked at through one place of the window: [n, channels, results...].
Term seen_through(Term x, std::span<const std::int64_t> place, const List& out,
                  const Window& window) {
  List start = {0, 0};
  List stop = {x.shape()[0], x.shape()[1]};
  List step = {1, 1};
  for (std::size_t d = 0; d < out.size(); ++d) {
    start.push_back(place[d] * window.dilation[d]);
    stop.push_back(start.back() + (out[d] - 1) * window.stride[d] + 1);
    step.push_back(window.stride[d]);
  }
  return x.apply(Op::slice, {start, stop, step});
}

// What one result looked at: [n, channels, window...].
Term seen_by(Term x, std::span<const std::int64_t> result, const Shape& places,
             const Window& window) {
  List start = {0, 0};
  List stop = {x.shape()[0], x.shape()[1]};
  List step = {1, 1};
  for (std::size_t d = 0; d < result.size(); ++d) {
    start.push_back(result[d] * window.stride[d]);
    stop.push_back(start.back() + (places[static_cast<int>(d)] - 1) * window.dilation[d] + 1);
    step.push_back(window.dilation[d]);
  }
  return x.apply(Op::slice, {start, stop, step});
}

Term side_by_side(const Term& x, const std::vector<Value>& parts) {
  if (parts.size() == 1) return {x.builder(), parts[0]};
  return {x.builder(), x.builder()->add(Op::concat, parts, {std::int64_t{2}})};
}

// Every place of the window, at once: [n, groups, c / groups * places, results], a column being
// what one result looks at. `out` are the result's spatial sizes.
Term patches(Term x, const Shape& weight, const List& out, const Window& window) {
  const std::int64_t n = x.shape()[0];
  const std::int64_t channels = x.shape()[1];
  x = padded(x, window.low, window.high, List(out.size(), 0));
  const Shape places{std::span(weight.begin() + 2, weight.end())};
  const std::int64_t of_group = channels / window.groups * places.elements();
  std::vector<Value> parts;
  // Of large windows there is a slice for each result, if these are fewer. (Not of all windows: for
  // sizes that vary, the program has to be the same for all of them.)
  constexpr std::int64_t kManyPlaces = 256;
  if (places.elements() > kManyPlaces && places.elements() > product(out)) {
    for_each_index(Shape(out), [&](std::span<const std::int64_t> result) {
      const Term seen = seen_by(x, result, places, window);
      parts.push_back(reshape(seen, {n, window.groups, 1, of_group}).value());
    });
    return transpose_last(side_by_side(x, parts));
  }
  List slot = {n, channels, 1};
  append(slot, out);
  for_each_index(places, [&](std::span<const std::int64_t> place) {
    parts.push_back(reshape(seen_through(x, place, out, window), Shape(slot)).value());
  });
  return reshape(side_by_side(x, parts), {n, window.groups, of_group, product(out)});
}

// The weight as matrices, [groups, o / groups, c / groups * places].
Term weight_matrices(Term weight, std::int64_t groups) {
  const Shape& shape = weight.shape();
  const std::int64_t rows = shape[0] / groups;
  return reshape(weight, {groups, rows, product(std::span(shape.begin() + 1, shape.end()))});
}

// The spatial sizes of a convolution's result.
List result_sizes(const Shape& x, const Shape& weight, const Window& window) {
  List out;
  for (std::size_t d = 0; d < window.stride.size(); ++d) {
    const int axis = static_cast<int>(d) + 2;
    const std::int64_t reach = window.dilation[d] * (weight[axis] - 1) + 1;
    out.push_back((x[axis] + window.low[d] + window.high[d] - reach) / window.stride[d] + 1);
  }
  return out;
}

// One without a window is a product already.
bool is_product(const Shape& weight, const Window& window) {
  const auto all = [](const List& list, std::int64_t value) {
    return std::ranges::count(list, value) == std::ssize(list);
  };
  return window.groups == 1 && all(window.stride, 1) && all(window.low, 0) && all(window.high, 0) &&
         product(std::span(weight.begin() + 2, weight.end())) == 1;
}

// The kernel multiplies those as f32, each result being rounded once.
bool has_16_bits(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }
// Where there is a kernel for a convolution: on the host, of floats.
bool has_a_kernel(const Type& x, const Type& weight) {
  return x.device.is_cpu() &&
         (x.dtype == DType::f32 || x.dtype == DType::f64 || has_16_bits(x.dtype)) &&
         x.shape.elements() > 0 && weight.shape.elements() > 0;
}

void decompose_conv(Decomposition& in) {
  const Term x = in.operand(0);
  const Term weight = in.operand(1);
  const Window window(in.attributes);
  const DType dtype = x.dtype();
  if (has_16_bits(dtype) && has_a_kernel(x.type(), weight.type()) &&
      !is_product(weight.shape(), window)) {
    const Term wide_x = cast(x, DType::f32);
    const Term wide_weight = cast(weight, DType::f32);
    return in.result(
        cast(apply(Op::conv, wide_x, wide_weight,
                   {window.stride, window.low, window.high, window.dilation, window.groups}),
             dtype));
  }
  const List out = result_sizes(x.shape(), weight.shape(), window);
  List sizes = {x.shape()[0], weight.shape()[0]};
  append(sizes, out);
  const Term columns = patches(x, weight.shape(), out, window);
  in.result(reshape(matmul(weight_matrices(weight, window.groups), columns), Shape(sizes)));
}

// With its first two dimensions split, these put in another order, and joined to two again.
Term regrouped(Term x, List split, List order, List joined) {
  for (int d = 2; d < x.shape().rank(); ++d) {
    order.push_back(std::ssize(split));
    split.push_back(x.shape()[d]);
    joined.push_back(x.shape()[d]);
  }
  return reshape(transpose(reshape(x, Shape(split)), order), Shape(joined));
}

// The cotangent with zeros between its elements, under the weight turned around.
Term conv_x_cotangent(Term g, const Shape& x, Term weight, const Window& window) {
  const Shape& shape = weight.shape();
  const auto count = window.stride.size();
  List low, high, interior, around;
  for (std::size_t d = 0; d < count; ++d) {
    const int axis = static_cast<int>(d) + 2;
    const std::int64_t reach = window.dilation[d] * (shape[axis] - 1);
    low.push_back(reach - window.low[d]);
    high.push_back(x[axis] + window.low[d] - (g.shape()[axis] - 1) * window.stride[d] - 1);
    interior.push_back(window.stride[d] - 1);
    around.push_back(axis);
  }
  const std::int64_t outputs = shape[0] / window.groups;
  const Term swapped =
      regrouped(weight, {window.groups, outputs, shape[1]}, {0, 2, 1}, {x[1], outputs});
  const List ones(count, 1);
  const List zeros(count, 0);
  const Term reversed = swapped.apply(Op::reverse, {around});
  const auto none_below_zero = [](const List& list) {
    return std::ranges::all_of(list, [](std::int64_t each) { return each >= 0; });
  };
  if (none_below_zero(low) && none_below_zero(high) && interior == zeros) {
    return apply(Op::conv, g, reversed, {ones, low, high, window.dilation, window.groups});
  }
  const Term spread = padded(g, low, high, interior);
  return apply(Op::conv, spread, reversed, {ones, zeros, zeros, window.dilation, window.groups});
}

bool is_conv_taken_whole(const Graph& graph, NodeId node) {
  const Type& x = graph.type(graph.operand(node, 0));
  const Type& weight = graph.type(graph.operand(node, 1));
  return !has_16_bits(x.dtype) && has_a_kernel(x, weight) &&
         !is_product(weight.shape, Window(graph.attributes(node))) &&
         graph.type(graph.result(node)).shape.elements() > 0;
}
constexpr bool (*is_dot_general_taken_whole)(const Graph&, NodeId) = nullptr;

// The same as a convolution, whose window is the results': of x with a group's channels for images,
// and the images for each group's channels.
Term conv_weight_cotangent_by_conv(Term g, Term x, const Shape& weight, const Window& window) {
  const auto count = window.stride.size();
  List swapped = {1, 0};
  List high;
  List start(count + 2, 0);
  List stop = {weight[1], weight[0]};
  for (std::size_t d = 0; d < count; ++d) {
    const int axis = static_cast<int>(d) + 2;
    swapped.push_back(axis);
    const std::int64_t reach =
        (g.shape()[axis] - 1) * window.stride[d] + 1 + (weight[axis] - 1) * window.dilation[d];
    high.push_back(std::max<std::int64_t>(0, reach - x.shape()[axis] - window.low[d]));
    stop.push_back(weight[axis]);
  }
  const std::int64_t n = x.shape()[0];
  const Term images = window.groups == 1 ? transpose(x, swapped)
                                         : regrouped(x, {n, window.groups, weight[1]}, {2, 1, 0},
                                                     {weight[1], window.groups * n});
  const Term all = apply(Op::conv, images, transpose(g, swapped),
                         {window.dilation, window.low, high, window.stride, window.groups});
  const bool whole = std::ranges::equal(all.shape(), stop);
  return transpose(whole ? all : all.apply(Op::slice, {start, stop, List(count + 2, 1)}), swapped);
}

// The same where a channel's results look at that channel alone: a sum for each place of the
// window, which reads x and the cotangent where they lie.
Term conv_weight_cotangent_by_sums(Term g, Term x, const Shape& weight, const Window& window) {
  const List out = {g.shape().begin() + 2, g.shape().end()};
  const std::int64_t rows = weight[0] / window.groups;
  const Shape places{std::span(weight.begin() + 2, weight.end())};
  x = padded(x, window.low, window.high, List(out.size(), 0));
  List of_results = {g.shape()[0], window.groups, rows};
  List of_channels = {g.shape()[0], window.groups, 1};
  append(of_results, out);
  append(of_channels, out);
  List axes = {0};
  for (std::size_t d = 0; d < out.size(); ++d) axes.push_back(static_cast<std::int64_t>(d) + 3);
  const Term results = widened(reshape(g, Shape(of_results)));
  std::vector<Value> sums;
  for_each_index(places, [&](std::span<const std::int64_t> place) {
    const Term seen = widened(reshape(seen_through(x, place, out, window), Shape(of_channels)));
    const Term each = cast(sum(results * seen, axes), x.dtype());
    sums.push_back(reshape(each, {weight[0], 1}).value());
  });
  const Term all = sums.size() == 1
                       ? Term(x.builder(), sums[0])
                       : Term(x.builder(), x.builder()->add(Op::concat, sums, {std::int64_t{1}}));
  return reshape(all, weight);
}

// What every result looked at, by the results' cotangents.
Term conv_weight_cotangent(Term g, Term x, const Shape& weight, const Window& window) {
  constexpr std::int64_t kMostSums = 64;  // of larger windows a product is less to write
  const std::int64_t places = product(std::span(weight.begin() + 2, weight.end()));
  const bool is_sums = weight[1] == 1 && weight[0] <= 2 * window.groups && places <= kMostSums &&
                       g.shape().elements() > 0;
  if (has_a_kernel(x.type(), g.type()) && (window.groups == 1 || (places > 1 && !is_sums))) {
    return conv_weight_cotangent_by_conv(g, x, weight, window);
  }
  if (is_sums) return conv_weight_cotangent_by_sums(g, x, weight, window);
  // Patches remain where there is no kernel, as on GPUs: that convolution would be a product of
  // patches, too, of as many as x has results, not as the window has places. And for groups that
  // look at one place, of which nothing is copied.
  const List out = {g.shape().begin() + 2, g.shape().end()};
  const Term columns = patches(x, weight, out, window);
  const std::int64_t n = x.shape()[0];
  const std::int64_t groups = window.groups;
  const std::int64_t rows = weight[0] / groups;
  const std::int64_t results = product(out);
  const std::int64_t inner = columns.shape()[2];
  const Term rows_of_g = reshape(g, {n, groups, rows, results});
  // A product for each of the n and their sum; or one long product, where that is less to write, or
  // where each product would be rounded to 16 bits.
  if (rows <= results && size_of(g.dtype()) > 2) {
    return reshape(sum(matmul(rows_of_g, transpose_last(columns)), {0}), weight);
  }
  const Term long_g = reshape(transpose(rows_of_g, {1, 2, 0, 3}), {groups, rows, n * results});
  const Term long_columns = reshape(transpose(columns, {1, 0, 3, 2}), {groups, n * results, inner});
  return reshape(matmul(long_g, long_columns), weight);
}

void gradient_conv(Gradient& gradient) {
  const Term x = gradient.operand(0);
  const Term weight = gradient.operand(1);
  const Term g = gradient.cotangent();
  const Window window(gradient.attributes);
  if (gradient.wants(0) && x.shape().elements() > 0) {
    gradient.operand_cotangent(0, conv_x_cotangent(g, x.shape(), weight, window));
  }
  if (gradient.wants(1)) {
    gradient.operand_cotangent(1, conv_weight_cotangent(g, x, weight.shape(), window));
  }
}

}  // namespace

void add_products(std::vector<Definition>& out) {
#define TUTTI_STRUCTURED(id, kind_, least, most, docs, ...) \
  out.push_back({.op = Op::id,                              \
                 .name = #id,                               \
                 .kind = OpClass::kind_,                    \
                 .least_operands = least,                   \
                 .most_operands = most,                     \
                 .attributes = __VA_ARGS__,                 \
                 .infer = infer_##id,                       \
                 .gradient = gradient_##id,                 \
                 .decompose = decompose_##id,               \
                 .is_taken_whole = is_##id##_taken_whole,   \
                 .documentation = docs});
#include <tutti/ir/table/products.def>
#undef TUTTI_STRUCTURED
}

}  // namespace tutti::ir::family

#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

// The dtype in which products are added up, of operands that may be narrower or wider than the
// result. Narrow floats of several kinds meet in f32: none holds all numbers of another.
DType sum_dtype(Step& step) {
  DType dtype = step.dtype() == DType::boolean ? DType::i32 : step.dtype();
  bool alike = true;
  bool any_floating = is_floating(dtype);
  for (const int i : {0, 1}) {
    const DType own = step.operand(i).dtype();
    alike = alike && own == step.dtype();
    any_floating = any_floating || is_floating(own);
    if (size_of(own) > size_of(dtype)) dtype = own;
  }
  // No integer holds what is behind the point.
  if (any_floating && !is_floating(dtype)) dtype = DType::f64;
  return alike ? dtype : compute_dtype(dtype);
}

// [1] x [0], or the list of that name of the generic form.
List dimensions_of(Step& step, std::string_view pretty, std::size_t side,
                   std::string_view generic) {
  if (const Attribute* const given = step.find(pretty)) {
    if (given->items.size() != 2) step.fail("expected two lists, as in [1] x [0]");
    return step.integers_of(given->items[side]);
  }
  const Attribute* const all = step.find("dot_dimension_numbers");
  const Attribute* const found = all == nullptr ? nullptr : all->find(generic);
  return found == nullptr ? List() : step.integers_of(*found);
}

void dot_general(Step& step) {
  const DType dtype = sum_dtype(step);
  const Term x = cast(step.operand(0), dtype);
  const Term y = cast(step.operand(1), dtype);
  const List contract_x = dimensions_of(step, "contracting_dims", 0, "lhs_contracting_dimensions");
  const List contract_y = dimensions_of(step, "contracting_dims", 1, "rhs_contracting_dimensions");
  const List batch_x = dimensions_of(step, "batching_dims", 0, "lhs_batching_dimensions");
  const List batch_y = dimensions_of(step, "batching_dims", 1, "rhs_batching_dimensions");
  step.result(
      cast(apply(Op::dot_general, x, y, {contract_x, contract_y, batch_x, batch_y}), step.dtype()));
}

// The older op: vectors and matrices.
void dot(Step& step) {
  const DType dtype = sum_dtype(step);
  const Term x = cast(step.operand(0), dtype);
  const Term y = cast(step.operand(1), dtype);
  const List contract_x = {x.shape().rank() - 1};
  const Term product = apply(Op::dot_general, x, y, {contract_x, List{0}, List(), List()});
  step.result(cast(product, step.dtype()));
}

// Where the dimensions of an operand or the result are: two named ones, and the spatial ones.
struct Places {
  std::int64_t first = -1;   // batch; of the weight output features
  std::int64_t second = -1;  // features; of the weight input features
  List spatial;

  List order() const {
    List out = {first, second};
    out.insert(out.end(), spatial.begin(), spatial.end());
    return out;
  }
};

// [b, 0, 1, f]
Places listed_places(Step& step, const Attribute& list, std::string_view first,
                     std::string_view second) {
  Places out;
  const auto rank = std::ssize(list.items);
  out.spatial = repeated(static_cast<int>(std::max<std::int64_t>(rank - 2, 0)), -1);
  for (std::int64_t d = 0; d < rank; ++d) {
    const Attribute& item = list.items[static_cast<std::size_t>(d)];
    if (item.is_word(first)) {
      out.first = d;
    } else if (item.is_word(second)) {
      out.second = d;
    } else if (item.kind == Attribute::Kind::integer && item.integer >= 0 &&
               item.integer < std::ssize(out.spatial)) {
      out.spatial[static_cast<std::size_t>(item.integer)] = d;
    } else {
      step.fail("expected dimension numbers, as in [b, 0, 1, f]");
    }
  }
  return out;
}

Places named_places(Step& step, const Attribute& all, const std::string& whose,
                    std::string_view first, std::string_view second) {
  const auto number = [&](std::string_view name) {
    const Attribute* const found = all.find(whose + "_" + std::string(name));
    if (found == nullptr) step.fail("dimension number " + whose + "_" + std::string(name));
    return *found;
  };
  return {.first = number(first).integer,
          .second = number(second).integer,
          .spatial = step.integers_of(number("spatial_dimensions"))};
}

struct ConvolutionPlaces {
  Places input;
  Places kernel;
  Places output;
};

ConvolutionPlaces places_of(Step& step, int rank) {
  ConvolutionPlaces out;
  const Attribute& all = step.get("dim_numbers", "dimension_numbers");
  const bool lists = !all.items.empty() && all.items[0].kind == Attribute::Kind::container;
  if (lists && all.items.size() != 3) step.fail("expected three lists of dimension numbers");
  if (lists) {
    out = {.input = listed_places(step, all.items[0], "b", "f"),
           .kernel = listed_places(step, all.items[1], "o", "i"),
           .output = listed_places(step, all.items[2], "b", "f")};
  } else {
    out = {.input = named_places(step, all, "input", "batch_dimension", "feature_dimension"),
           .kernel = named_places(step, all, "kernel", "output_feature_dimension",
                                  "input_feature_dimension"),
           .output = named_places(step, all, "output", "batch_dimension", "feature_dimension")};
  }
  for (const Places* const places : {&out.input, &out.kernel, &out.output}) {
    List order = places->order();
    std::ranges::sort(order);
    for (int d = 0; d < rank; ++d) {
      if (std::ssize(order) != rank || order[static_cast<std::size_t>(d)] != d) {
        step.fail("the dimension numbers are not those of rank " + std::to_string(rank));
      }
    }
  }
  return out;
}

// One of the lists in window = {...}, or the attribute of the generic form.
List window_list(Step& step, std::string_view pretty, std::string_view generic,
                 const List& standard) {
  const Attribute* const window = step.find("window");
  const Attribute* found = window == nullptr ? nullptr : window->find(pretty);
  if (found == nullptr) found = step.find(generic);
  if (found == nullptr) return standard;
  if (found->kind == Attribute::Kind::array || found->items.empty() ||
      found->items[0].kind != Attribute::Kind::container) {
    return step.integers_of(*found);
  }
  List out;
  for (const Attribute& pair : found->items) {
    const List numbers = step.integers_of(pair);
    out.insert(out.end(), numbers.begin(), numbers.end());
  }
  return out;
}

// Groups of the batch become groups of features: [g * n, c, ...] is [n, g * c, ...].
Term batch_groups_as_features(Term x, std::int64_t groups) {
  List sizes = sizes_of(x.shape());
  sizes[0] /= groups;
  List split = {groups};
  split.insert(split.end(), sizes.begin(), sizes.end());
  List order = {1, 0};
  for (int d = 2; d <= x.shape().rank(); ++d) order.push_back(d);
  sizes[1] *= groups;
  return reshape(transposed(reshape(x, Shape(split)), order), Shape(sizes));
}

// A convolution that looks at one place at a time: each one's features by the weight, wherever they
// lie.
Term product_of_features(Step& step, const ConvolutionPlaces& places, DType dtype) {
  const Term x = cast(step.operand(0), dtype);
  const Term weight = cast(step.operand(1), dtype);
  const std::int64_t outputs = weight.shape()[static_cast<int>(places.kernel.first)];
  const std::int64_t inputs = weight.shape()[static_cast<int>(places.kernel.second)];
  List all = {places.kernel.second, places.kernel.first};
  all.insert(all.end(), places.kernel.spatial.begin(), places.kernel.spatial.end());
  const Term matrix = reshape(transposed(weight, all), Shape{inputs, outputs});
  const Term out =
      apply(Op::dot_general, x, matrix, {List{places.input.second}, List{0}, List(), List()});
  // Its dimensions are x's but for the features, and then the outputs.
  const List from = places.input.order();
  const List to = places.output.order();
  List back(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::int64_t place = std::ssize(to) - 1;
    if (i != 1) place = from[i] > places.input.second ? from[i] - 1 : from[i];
    back[static_cast<std::size_t>(to[i])] = place;
  }
  return transposed(out, back);
}

constexpr std::int64_t kMostOfAWindow = 1LL << 31;

// In how many places of a padded and dilated dimension the window fits.
std::int64_t places_in(const Step& step, std::int64_t size, std::int64_t base, std::int64_t padding,
                       std::int64_t window, std::int64_t dilation, std::int64_t stride) {
  const auto reach = [&](std::int64_t count, std::int64_t apart) {
    if (count > Shape::kMostElements / apart) step.fail("a window of numbers that are too large");
    return count == 0 ? 0 : (count - 1) * apart + 1;
  };
  const std::int64_t padded = reach(size, base) + padding;
  const std::int64_t needed = reach(window, dilation);
  return padded <= 0 || padded < needed ? 0 : (padded - needed) / stride + 1;
}

void convolution(Step& step) {
  const DType dtype = sum_dtype(step);
  const int rank = step.operand(0).shape().rank();
  if (rank < 2) step.fail("an operand of rank " + std::to_string(rank));
  const ConvolutionPlaces places = places_of(step, rank);
  const int spatial = rank - 2;
  const List strides = window_list(step, "stride", "window_strides", repeated(spatial, 1));
  const List padding = window_list(step, "pad", "padding", repeated(2 * spatial, 0));
  const List base = window_list(step, "lhs_dilate", "lhs_dilation", repeated(spatial, 1));
  const List dilation = window_list(step, "rhs_dilate", "rhs_dilation", repeated(spatial, 1));
  const List reversal = window_list(step, "reverse", "window_reversal", repeated(spatial, 0));
  const std::int64_t feature_groups = step.integer("feature_group_count", std::int64_t{1});
  const std::int64_t batch_groups = step.integer("batch_group_count", std::int64_t{1});
  for (const List* const list : {&strides, &base, &dilation}) {
    if (std::ssize(*list) != spatial || std::ssize(padding) != 2 * spatial) {
      step.fail("a window needs its numbers for each spatial dimension");
    }
    const auto fits = [](std::int64_t each) { return each >= 1 && each <= kMostOfAWindow; };
    if (!std::ranges::all_of(*list, fits)) {
      step.fail("strides and dilations of windows must be at least 1");
    }
  }
  for (const std::int64_t each : padding) {
    if (each < -kMostOfAWindow || each > kMostOfAWindow) step.fail("a padding that is too large");
  }

  constexpr std::int64_t kMostGroups = 1LL << 31;
  for (const std::int64_t groups : {feature_groups, batch_groups}) {
    if (groups < 1 || groups > kMostGroups) step.fail("a number of groups that makes no sense");
  }
  const auto is_all = [](const List& list, std::int64_t value) {
    return std::ranges::count(list, value) == std::ssize(list);
  };
  const bool is_window = std::ranges::any_of(places.kernel.spatial, [&](std::int64_t d) {
    return step.operand(1).shape()[static_cast<int>(d)] != 1;
  });
  if (!is_window && is_all(strides, 1) && is_all(base, 1) && is_all(padding, 0) &&
      feature_groups * batch_groups == 1) {
    return step.result(cast(product_of_features(step, places, dtype), step.dtype()));
  }

  Term x = transposed(cast(step.operand(0), dtype), places.input.order());
  Term weight = transposed(cast(step.operand(1), dtype), places.kernel.order());
  List flipped;
  for (std::size_t d = 0; d < reversal.size(); ++d) {
    if (reversal[d] != 0) flipped.push_back(static_cast<std::int64_t>(d) + 2);
  }
  weight = reversed(weight, flipped);
  List low = {0, 0};
  List high = {0, 0};
  List interior = {0, 0};
  for (std::size_t d = 0; d < base.size(); ++d) {
    low.push_back(padding[2 * d]);
    high.push_back(padding[2 * d + 1]);
    interior.push_back(base[d] - 1);
  }
  // Zeros around x are the convolution's own; others, and what is cut off, come before.
  const bool is_around =
      std::ranges::all_of(padding, [](std::int64_t p) { return p >= 0; }) && is_all(base, 1);
  // Nothing is added up where the window fits nowhere.
  List sizes = {x.shape()[0] / batch_groups, weight.shape()[0]};
  for (int d = 0; d < spatial; ++d) {
    const auto i = static_cast<std::size_t>(d);
    sizes.push_back(places_in(step, x.shape()[d + 2], base[i], padding[2 * i] + padding[2 * i + 1],
                              weight.shape()[d + 2], dilation[i], strides[i]));
  }
  const bool empty = std::find(sizes.begin() + 2, sizes.end(), 0) != sizes.end();
  if (!empty && !is_around) x = padded(x, x.constant(0), low, high, interior);
  if (batch_groups > 1 && !empty) {
    if (x.shape()[0] % batch_groups != 0) step.fail("batch_group_count does not divide the batch");
    x = batch_groups_as_features(x, batch_groups);
  }
  Term out;
  if (empty) {
    out = broadcast_in(x.constant(0), {}, Shape(sizes));
  } else if (spatial == 0) {
    step.fail("groups without spatial dimensions");
  } else {
    const List none = repeated(spatial, 0);
    const List before = is_around ? List(low.begin() + 2, low.end()) : none;
    const List behind = is_around ? List(high.begin() + 2, high.end()) : none;
    out = apply(Op::conv, x, weight,
                {strides, before, behind, dilation, feature_groups * batch_groups});
  }
  // From [batch, features, spatial...] to where the result has them.
  const List back = inverse_permutation(places.output.order());
  step.result(cast(transposed(out, back), step.dtype()));
}

constexpr Rule kProductRules[] = {
    {"stablehlo.convolution", convolution},
    {"stablehlo.dot", dot},
    {"stablehlo.dot_general", dot_general},
};

}  // namespace

std::span<const Rule> product_rules() { return kProductRules; }

}  // namespace tutti::ir::stablehlo

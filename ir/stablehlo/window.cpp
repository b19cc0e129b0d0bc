#include <tutti/ir/blocks.h>
#include <tutti/ir/stablehlo/bits.h>
#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/monoid.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tutti::ir::stablehlo {

namespace {

constexpr std::int64_t kMostPlaces = 4096;  // of a window whose places are taken one by one

// The attributes of an operation with windows, one number for each dimension.
struct Window {
  Window(const Step& step, int rank)
      : sizes(step.integers("window_dimensions")),
        strides(step.integers("window_strides", repeated(rank, 1))),
        base_dilations(step.integers("base_dilations", repeated(rank, 1))),
        dilations(step.integers("window_dilations", repeated(rank, 1))) {
    const List padding = step.integers("padding", repeated(2 * rank, 0));
    for (std::size_t i = 0; i + 1 < padding.size(); i += 2) {
      low.push_back(padding[i]);
      high.push_back(padding[i + 1]);
    }
    for (const std::int64_t each : padding) {
      if (each < -(1LL << 31) || each > (1LL << 31)) step.fail("a padding that is too large");
    }
    const auto count = static_cast<std::size_t>(rank);
    for (const List* const list : {&sizes, &strides, &base_dilations, &dilations, &low, &high}) {
      if (list->size() != count) step.fail("windows need one number for each dimension");
    }
    for (const List* const list : {&sizes, &strides, &base_dilations, &dilations}) {
      const auto fits = [](std::int64_t each) { return each >= 1 && each <= (1LL << 31); };
      if (!std::ranges::all_of(*list, fits)) {
        step.fail("sizes, strides and dilations of windows must be at least 1");
      }
    }
  }

  bool alone(int axis) const {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool here = static_cast<int>(d) == axis;
      if ((!here && (sizes[d] != 1 || low[d] != 0 || high[d] != 0)) || strides[d] != 1 ||
          dilations[d] != 1 || base_dilations[d] != 1) {
        return false;
      }
    }
    return true;
  }

  // Whether each element of x lies in one of so many windows, side by side, and in no other.
  bool divides(const Shape& x, const Shape& windows) const {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const int axis = static_cast<int>(d);
      if (sizes[d] != strides[d] || windows[axis] * strides[d] != x[axis]) return false;
    }
    return true;
  }

  List sizes;
  List strides;
  List base_dilations;
  List dilations;
  List low;
  List high;
};

using Terms = std::vector<Term>;

Terms each_along(const Terms& x, int axis, std::int64_t from, std::int64_t to,
                 std::int64_t by = 1) {
  Terms out;
  for (const Term& term : x) out.push_back(along(term, axis, from, to, by));
  return out;
}

// Windows along one axis. Long ones are put together from windows of 1, 2, 4, ... elements.
Terms over_axis(Step& step, Terms x, int axis, const Window& window) {
  const auto d = static_cast<std::size_t>(axis);
  const std::int64_t size = window.sizes[d];
  const std::int64_t dilation = window.dilations[d];
  const std::int64_t stride = window.strides[d];
  const std::int64_t length = x[0].shape()[axis];
  const std::int64_t places = length - (size - 1) * dilation;  // where windows begin
  if (places < 1) return each_along(x, axis, 0, 0);
  constexpr std::int64_t kShort = 8;
  Terms out;
  if (size <= kShort) {
    for (std::int64_t i = 0; i < size; ++i) {
      const Terms part = each_along(x, axis, i * dilation, i * dilation + places, stride);
      out = i == 0 ? part : step.combine(out, part);
    }
    return out;
  }
  std::int64_t covered = 0;                    // elements of the window that are in `out`
  for (std::int64_t width = 1;; width *= 2) {  // x[i]: the `width` elements from i on
    if ((size & width) != 0) {
      const Terms part = each_along(x, axis, covered * dilation, covered * dilation + places);
      out = covered == 0 ? part : step.combine(out, part);
      covered += width;
    }
    if (covered == size) break;
    const std::int64_t have = x[0].shape()[axis];
    const std::int64_t shift = width * dilation;
    x = step.combine(each_along(x, axis, 0, have - shift), each_along(x, axis, shift, have));
  }
  return each_along(out, axis, 0, places, stride);
}

// The running reduction by a monoid of numbers.
Op running(const Monoid& monoid) {
  switch (monoid.reduction) {
    case Op::sum:
      return Op::cumsum;
    case Op::prod:
      return Op::cumprod;
    case Op::max:
      return Op::cummax;
    case Op::min:
      return Op::cummin;
    default:
      throw InternalError("no running reduction by " + std::string(monoid.name));
  }
}

// All elements up to each one combined: JAX's cumsum and its like.
bool as_running_reduction(Step& step, const Window& window) {
  const Term x = step.operand(0);
  const std::optional<Monoid> monoid = monoid_of(step, 0, x.dtype());
  if (!monoid || monoid->truths) return false;
  const auto begins_with = [&](const Array& number) {
    return is_constant(step.builder().graph(), step.operand(1).value(), number);
  };
  if (!begins_with(identity_of(*monoid, x.dtype())) &&
      !(monoid->reduction == Op::sum && begins_with(Array::scalar_of(x.dtype(), -0.0)))) {
    return false;
  }
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    const std::int64_t size = x.shape()[axis];
    if (size < 2 || window.sizes[d] != size || !window.alone(axis)) continue;
    const bool forward = window.low[d] == size - 1 && window.high[d] == 0;
    const bool backward = window.low[d] == 0 && window.high[d] == size - 1;
    if (!forward && !backward) continue;
    step.result(x.apply(running(*monoid), {std::int64_t{axis}, backward}));
    return true;
  }
  return false;
}

void reduce_window(Step& step) {
  const int count = step.count() / 2;
  if (count == 0 || step.count() % 2 != 0 || step.operation.regions.size() != 1) {
    step.fail("expected operands, as many initial values and a region");
  }
  const int rank = step.operand(0).shape().rank();
  const Window window(step, rank);
  if (count == 1 && as_running_reduction(step, window)) return;
  Terms x;
  Terms initial;
  bool neutral = true;
  List interior;
  for (const std::int64_t dilation : window.base_dilations) interior.push_back(dilation - 1);
  for (int i = 0; i < count; ++i) {
    const Term value = step.operand(count + i);
    if (step.operand(i).shape() != step.operand(0).shape()) {
      step.fail("the operands must have one shape");
    }
    x.push_back(padded(step.operand(i), value, window.low, window.high, interior));
    initial.push_back(value);
    const std::optional<Monoid> monoid =
        count == 1 ? monoid_of(step, 0, value.dtype()) : std::nullopt;
    neutral = monoid && is_constant(step.builder().graph(), value.value(),
                                    identity_of(*monoid, value.dtype()));
  }
  for (int axis = 0; axis < rank; ++axis) x = over_axis(step, std::move(x), axis, window);
  if (!neutral) x = step.combine(initial, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // A region that looks at no operand gives one number for all.
    const bool is_one = x[i].shape().rank() == 0;
    step.result(is_one ? broadcast_to(x[i], step.shape(i)) : x[i]);
  }
}

// The number of every place of a window, counted row-major, and where it begins.
template <class Visit>
void for_each_place(const List& sizes, Visit&& visit) {
  for_each_index(Shape(sizes),
                 [&, number = std::int64_t{0}](std::span<const std::int64_t> index) mutable {
                   visit(number++, List(index.begin(), index.end()));
                 });
}

// Windows over x, one for each element of `sources`.
struct Pooling {
  const Window& window;
  Term x;       // with its padding
  Term inside;  // what of x is no padding; not valid: all
  Shape sources;

  // Throws where they don't fit.
  void check(const Step& step) const {
    for (int d = 0; d < sources.rank(); ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const std::int64_t room = x.shape()[d] - window.sizes[axis];
      const bool fits =
          sources[d] >= 1 && room >= 0 && sources[d] <= room / window.strides[axis] + 1;
      if (!fits) step.fail("the windows do not fit the operand");
    }
  }

  // The end of what all windows have at the place that is at `start` of the first.
  List stop_of(List start) const {
    for (int d = 0; d < sources.rank(); ++d) {
      const auto axis = static_cast<std::size_t>(d);
      start[axis] += (sources[d] - 1) * window.strides[axis] + 1;
    }
    return start;
  }
  Term at(Term of, const List& start) const {
    return sliced(of, start, stop_of(start), window.strides);
  }
};

// The number of the place that region 0 chooses in each window. Padding is chosen only where there
// is nothing else.
Term chosen_places(Step& step, const Pooling& pooling) {
  Term chosen;
  Term where;
  Term is_inside;  // of what was chosen
  for_each_place(pooling.window.sizes, [&](std::int64_t number, const List& start) {
    const Term here = pooling.at(pooling.x, start);
    const bool has_padding = pooling.inside.valid();
    const Term here_inside = has_padding ? pooling.at(pooling.inside, start) : Term();
    const Term place = step.scalar(DType::i32, static_cast<double>(number));
    if (number == 0) {
      chosen = here;
      where = broadcast_to(place, here.shape());
      is_inside = here_inside;
      return;
    }
    const Term two[] = {chosen, here};
    Term keep = broadcast_to(step.apply(0, two), here.shape());
    if (has_padding) {
      keep = both(is_inside, either(keep, here_inside.apply(Op::logical_not)));
      is_inside = either(is_inside, here_inside);
    }
    chosen = select(keep, chosen, here);
    where = select(keep, where, place);
  });
  return where;
}

// What each element of x gets of the windows in which it has the place that was chosen: their
// sources and places lie spread, an element for each window, a stride apart.
Term added_at_places(Step& step, const Pooling& pooling, Term source, Term where) {
  const Window& window = pooling.window;
  const Shape& shape = pooling.x.shape();
  const std::optional<Blocks> blocks = Blocks::of(shape, window.strides);
  if (blocks && window.divides(shape, source.shape())) {
    // Then a window is a block, and an element has one place.
    Term place = step.scalar(DType::i32, 0);
    for (std::size_t d = 0; d < window.sizes.size(); ++d) {
      if (window.sizes[d] == 1) continue;
      place = place * static_cast<double>(window.sizes[d]) + blocks->column(source, d);
    }
    return blocks->joined(
        select(blocks->everywhere(where) == place, blocks->everywhere(source), 0));
  }
  const auto spread = [&](Term y, double fill, const List& start) {
    if (blocks) return blocks->spread(y, y.constant(fill), start);
    List between;
    List behind = pooling.stop_of(start);
    for (int d = 0; d < shape.rank(); ++d) {
      const auto axis = static_cast<std::size_t>(d);
      between.push_back(window.strides[axis] - 1);
      behind[axis] = shape[d] - behind[axis];
    }
    return padded(y, y.constant(fill), start, behind, between);
  };
  Term out = broadcast_to(source.constant(0), blocks ? blocks->blocked_shape() : shape);
  for_each_place(window.sizes, [&](std::int64_t number, const List& start) {
    const Term is_here = spread(where, -1, start) == static_cast<double>(number);
    out = out + select(is_here, spread(source, 0, start), 0);
  });
  return blocks ? blocks->joined(out) : out;
}

// The gradient of pooling: in every window one element is chosen, and gets the window's source.
void select_and_scatter(Step& step) {
  const Term operand = step.operand(0);
  const Term source = step.operand(1);
  const int rank = operand.shape().rank();
  const Window window(step, rank);
  if (step.operation.regions.size() != 2 || step.combination(1) != "add" ||
      operand.dtype() == DType::boolean) {
    step.fail("is supported for numbers, with a second region that adds");
  }
  if (Shape(window.sizes).elements() > kMostPlaces) {
    step.fail("a window of more than " + std::to_string(kMostPlaces) + " elements");
  }
  const auto with_padding = [&](Term x, Term around) {
    return padded(x, around, window.low, window.high, repeated(rank, 0));
  };
  const Monoid most{"", Op::max, false, -INFINITY};
  Pooling pooling{.window = window,
                  .x = with_padding(operand, step.constant(identity_of(most, operand.dtype()))),
                  .inside = {},
                  .sources = source.shape()};
  const auto adds = [](std::int64_t padding) { return padding > 0; };
  if (std::ranges::any_of(window.low, adds) || std::ranges::any_of(window.high, adds)) {
    const Term all = broadcast_to(step.scalar(DType::boolean, 1), operand.shape());
    pooling.inside = with_padding(all, step.scalar(DType::boolean, 0));
  }
  pooling.check(step);
  const Term out = added_at_places(step, pooling, source, chosen_places(step, pooling));
  List low;
  List high;
  for (std::size_t d = 0; d < window.low.size(); ++d) {
    low.push_back(-window.low[d]);
    high.push_back(-window.high[d]);
  }
  step.result(padded(out, source.constant(0), low, high, repeated(rank, 0)) + step.operand(2));
}

constexpr Rule kWindowRules[] = {
    {"stablehlo.reduce_window", reduce_window},
    {"stablehlo.select_and_scatter", select_and_scatter},
};

}  // namespace

std::span<const Rule> window_rules() { return kWindowRules; }

}  // namespace tutti::ir::stablehlo

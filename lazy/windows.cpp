#include <tutti/lazy/composite.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/device.h>
#include <tutti/lazy/tensor_state.h>
#include <tutti/lazy/windows.h>
#include <tutti/lazy/zero_beside.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

using detail::composite;

namespace {

using List = std::vector<std::int64_t>;
using Paddings = std::vector<ConvOptions::Padding>;

// One element for each of `count` dimensions; a list of one stands for all.
template <class T>
std::vector<T> one_for_each(std::string_view what, std::vector<T> list, std::int64_t count) {
  const auto dimensions = static_cast<std::size_t>(count);
  if (list.size() == 1) list.resize(dimensions, list[0]);
  if (list.size() == dimensions) return list;
  throw TypeError(std::string(what) + " has " + std::to_string(list.size()) + " numbers for " +
                  std::to_string(count) + " dimensions");
}

// What a window does along each axis of x.
struct Windows {
  List window;
  List stride;
  Paddings padding;
  List dilation;
  List elements = {};  // of x, without the padding

  Windows(const Tensor& x, const List& sizes, const WindowOptions& options, std::int64_t count)
      : window(one_for_each("the window", sizes, count)),
        stride(one_for_each("stride", options.stride.empty() ? window : options.stride, count)),
        padding(one_for_each("padding", options.padding, count)),
        dilation(one_for_each("dilation", options.dilation, count)) {
    const std::int64_t first = x.rank() - count;
    for (std::int64_t d = 0; d < count; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const auto refuse = [&](const std::string& what) {
        throw TypeError(what + " along axis " + std::to_string(first + d) + " of " +
                        x.state()->type.text());
      };
      if (window[i] < 1) refuse("a window of " + std::to_string(window[i]));
      if (stride[i] < 1) refuse("a stride of " + std::to_string(stride[i]));
      if (dilation[i] < 1) refuse("a dilation of " + std::to_string(dilation[i]));
      if (padding[i].low < 0 || padding[i].high < 0) refuse("a padding below 0");
      for (const std::int64_t number : {stride[i], dilation[i], padding[i].low, padding[i].high}) {
        if (number > Shape::kMostElements) refuse("a stride, dilation or padding above 2^60");
      }
      elements.push_back(x.shape()[static_cast<int>(first + d)]);
      const std::int64_t size = elements[i] + padding[i].low + padding[i].high;
      if (size < 1 || (size - 1) / dilation[i] < window[i] - 1) {
        refuse("a window of " + std::to_string(window[i]) + " does not fit into " +
               std::to_string(size) + " elements with their padding");
      }
    }
  }

  // Throws if a window lies in the padding alone: there is no largest and no mean of nothing.
  void check_padding() const {
    for (std::size_t i = 0; i < window.size(); ++i) {
      const std::int64_t reach = dilation[i] * (window[i] - 1);
      const std::int64_t most = std::max(padding[i].low, padding[i].high);
      if (most <= reach) {
        check_gaps(i, reach);
        continue;
      }
      throw TypeError("a padding of " + std::to_string(most) +
                      " beside a window that reaches over " + std::to_string(reach + 1) +
                      " elements, which could lie in the padding alone; at most " +
                      std::to_string(reach) + " is right");
    }
  }

  // The same where windows reach over the padding: x may lie between two elements of one.
  void check_gaps(std::size_t i, std::int64_t reach) const {
    if (dilation[i] <= elements[i]) return;
    const std::int64_t last = padding[i].low + elements[i] + padding[i].high - reach - 1;
    for (std::int64_t start = 0; start <= last; start += stride[i]) {
      // From the first element of x to the window's first one that lies not before it.
      const std::int64_t before = (padding[i].low - start) % dilation[i];
      const std::int64_t place = before > 0 ? dilation[i] - before : -before;
      if (place >= elements[i]) {
        throw TypeError("a window whose elements lie " + std::to_string(dilation[i]) +
                        " apart, beside " + std::to_string(elements[i]) +
                        " elements: the one that begins at " +
                        std::to_string(start - padding[i].low) +
                        " lies in the padding alone; a smaller dilation or padding is right");
      }
      if (start > 0 && start % dilation[i] == 0) return;  // all others lie like one of these
    }
  }

  bool has_padding() const {
    return std::ranges::any_of(padding, [](const auto& each) { return each.low + each.high > 0; });
  }
};

// The spatial dimensions of x [n, c, spatial...].
std::int64_t spatial_dimensions(const Tensor& x) {
  if (x.rank() >= 3 && x.rank() <= 5) return x.rank() - 2;
  throw TypeError("x should be [n, c, spatial...] with one to three spatial dimensions, not " +
                  x.state()->type.text());
}

// `none`, if it is there: where `a` is of no element yet.
Tensor window_step(WindowReduce reduce, const Tensor& a, const Tensor& b,
                   const std::optional<Tensor>& none) {
  if (reduce == WindowReduce::sum) return add(a, b);
  // The first of equal elements stays, and gets the gradient.
  Tensor wins = reduce == WindowReduce::max ? gt(b, a) : lt(b, a);
  if (is_floating(b.dtype())) wins = logical_or(wins, is_nan(b));
  if (none) wins = logical_or(wins, *none);
  return select(wins, b, a);
}

// Beside x, true at the first `count` of so many places along the axis.
Tensor first_places(const Tensor& x, std::int64_t axis, std::int64_t places, std::int64_t count) {
  List sizes(static_cast<std::size_t>(x.rank()), 1);
  sizes[static_cast<std::size_t>(axis)] = places;
  const DType dtype = places <= std::numeric_limits<std::int32_t>::max() ? DType::i32 : DType::i64;
  const Tensor place = detail::placed(iota(Shape(sizes), axis, dtype), x);
  return lt(place, add(detail::zero_beside(x, dtype), count));
}

// x with `none` around it.
Tensor with_padding(const Tensor& x, const Windows& windows, const Operand& none) {
  if (!windows.has_padding()) return x;
  const auto count = std::ssize(windows.window);
  const std::int64_t first_axis = x.rank() - count;
  List low(static_cast<std::size_t>(x.rank()), 0);
  List high = low;
  for (std::int64_t d = 0; d < count; ++d) {
    low[static_cast<std::size_t>(first_axis + d)] =
        windows.padding[static_cast<std::size_t>(d)].low;
    high[static_cast<std::size_t>(first_axis + d)] =
        windows.padding[static_cast<std::size_t>(d)].high;
  }
  return pad(x, low, high, none);
}

// Of x with its padding. Axis by axis, the last one first, which keeps the row-major order of a
// window's elements. Each is as many slices as the window is long. With `elements_alone` padding is
// never chosen, and gets no gradient, though it may be equal to all elements of a window.
Tensor reduced(WindowReduce reduce, Tensor x, const Windows& windows, bool elements_alone = false) {
  const auto count = std::ssize(windows.window);
  const std::int64_t first_axis = x.rank() - count;
  for (std::int64_t d = count - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    const auto axis = static_cast<std::size_t>(first_axis + d);
    const std::int64_t size = x.shape()[static_cast<int>(axis)];
    const std::int64_t reach = windows.dilation[i] * (windows.window[i] - 1);
    const std::int64_t places = (size - reach - 1) / windows.stride[i] + 1;
    Tensor out;
    for (std::int64_t k = 0; k < windows.window[i]; ++k) {
      std::vector<Range> ranges(axis + 1);
      const std::int64_t begin = k * windows.dilation[i];
      ranges[axis] = {.start = begin,
                      .stop = begin + (places - 1) * windows.stride[i] + 1,
                      .step = windows.stride[i]};
      const Tensor part = slice(x, ranges);
      if (k == 0) {
        out = part;
        continue;
      }
      // Up to the element before this one, the first windows lie in the padding alone.
      const std::int64_t room = windows.padding[i].low - (begin - windows.dilation[i]);
      std::optional<Tensor> none;
      if (elements_alone && room > 0) {
        const std::int64_t first = std::min(places, (room - 1) / windows.stride[i] + 1);
        none = first_places(x, first_axis + d, places, first);
      }
      out = window_step(reduce, out, part, none);
    }
    x = out;
  }
  return x;
}

// The lowest number of a dtype, which never wins.
Operand lowest(DType dtype) {
  if (is_floating(dtype)) {
    return dtype == DType::f8_e4m3fn ? Operand(-448.F)
                                     : Operand(-std::numeric_limits<float>::infinity());
  }
  return visit_dtype(dtype, []<class T>(std::type_identity<T>) -> Operand {
    if constexpr (std::is_integral_v<T>) {
      return std::numeric_limits<T>::lowest();
    } else {
      return 0;
    }
  });
}

void require_number(const Tensor& x, bool floating) {
  if (floating ? is_floating(x.dtype()) : x.dtype() != DType::boolean) return;
  throw TypeError(std::string("takes ") + (floating ? "floating-point " : "") + "numbers, not " +
                  std::string(name_of(x.dtype())) + "; cast them first");
}

}  // namespace

Tensor max_pool(const Operand& x, const std::vector<std::int64_t>& window,
                const WindowOptions& options) {
  return composite("max_pool", x.where(), [&] {
    const Tensor t = x.tensor();
    require_number(t, false);
    const std::int64_t count = spatial_dimensions(t);
    const Windows windows(t, window, options, count);
    windows.check_padding();
    return reduced(WindowReduce::max, with_padding(t, windows, lowest(t.dtype())), windows,
                   is_floating(t.dtype()));
  });
}

Tensor avg_pool(const Operand& x, const std::vector<std::int64_t>& window,
                const WindowOptions& options, bool count_padding) {
  return composite("avg_pool", x.where(), [&] {
    const Tensor t = x.tensor();
    require_number(t, true);
    const std::int64_t count = spatial_dimensions(t);
    const Windows windows(t, window, options, count);
    windows.check_padding();
    const Tensor wide = is_narrow_floating(t.dtype()) ? cast(x, DType::f32) : t;
    const Tensor total = reduced(WindowReduce::sum, with_padding(wide, windows, 0), windows);
    Tensor out;
    if (count_padding || !windows.has_padding()) {
      const std::int64_t elements = std::accumulate(windows.window.begin(), windows.window.end(),
                                                    std::int64_t{1}, std::multiplies<>());
      out = div(total, static_cast<double>(elements));
    } else {
      const Tensor ones_there = ones_like(slice(wide, {{.stop = 1}, {.stop = 1}}));
      out = div(total, reduced(WindowReduce::sum, with_padding(ones_there, windows, 0), windows));
    }
    return out.dtype() == t.dtype() ? out : cast(out, t.dtype());
  });
}

Tensor reduce_window(const Operand& x, WindowReduce reduce, const Operand& none,
                     const std::vector<std::int64_t>& window, const WindowOptions& options) {
  return composite("reduce_window", x.where(), [&] {
    const Tensor t = x.tensor();
    require_number(t, false);
    if (none.is_tensor() && none.tensor().rank() != 0) {
      throw TypeError("what padding counts as is a number or a scalar, not " +
                      none.tensor().state()->type.text());
    }
    const Tensor padding = none.tensor(t.dtype());  // throws if the dtype does not have it
    if (padding.dtype() != t.dtype()) {
      throw TypeError("what padding counts as is " + std::string(name_of(padding.dtype())) +
                      ", and x " + std::string(name_of(t.dtype())));
    }
    const Windows windows(t, window, options, t.rank());
    const Tensor whole = with_padding(t, windows, none);
    if (reduce == WindowReduce::sum && is_narrow_floating(t.dtype())) {  // rounded once
      return cast(reduced(reduce, cast(whole, DType::f32), windows), t.dtype());
    }
    return reduced(reduce, whole, windows);
  });
}

Tensor conv_transpose(const Operand& x, const Operand& weight, const ConvOptions& options,
                      const std::vector<std::int64_t>& output_padding) {
  return composite("conv_transpose", x.where(), [&] {
    const Tensor t = x.tensor();
    const Tensor w = weight.tensor();
    const std::int64_t count = spatial_dimensions(t);
    const auto fail = [&](const std::string& what) {
      throw TypeError(what + "; the operands are " + t.state()->type.text() + " and " +
                      w.state()->type.text());
    };
    if (w.rank() != t.rank()) fail("x and weight should have one rank");
    if (w.shape()[0] != t.shape()[1]) fail("the weight's first axis should be x's channels");
    if (options.groups < 1 || w.shape()[0] % options.groups != 0) {
      fail(std::to_string(options.groups) + " groups of x's channels");
    }
    const List stride = one_for_each("stride", options.stride, count);
    const List dilation = one_for_each("dilation", options.dilation, count);
    const Paddings padding = one_for_each("padding", options.padding, count);
    const List extra = one_for_each("output_padding", output_padding, count);
    // The elements apart by the stride, the window's reach around them, less the padding.
    List low = {0, 0};
    List high = {0, 0};
    List interior = {0, 0};
    std::vector<Range> cut(2);
    List spatial;
    for (std::int64_t d = 0; d < count; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (stride[i] < 1 || dilation[i] < 1) fail("strides and dilations are above 0");
      if (extra[i] < 0 || padding[i].low < 0 || padding[i].high < 0) fail("a padding below 0");
      if (extra[i] >= std::max(stride[i], dilation[i])) {
        fail("an output_padding of " + std::to_string(extra[i]) +
             "; it is below the stride or the dilation");
      }
      std::int64_t reach = 0;
      const bool overflows = __builtin_mul_overflow(dilation[i], w.shape()[d + 2] - 1, &reach);
      if (overflows ||
          std::max({stride[i], reach, padding[i].low, padding[i].high}) > Shape::kMostElements) {
        fail("a stride, dilation or padding above 2^60");
      }
      const std::int64_t before = reach - padding[i].low;
      const std::int64_t after = reach - padding[i].high + extra[i];
      low.push_back(std::max<std::int64_t>(0, before));
      high.push_back(std::max<std::int64_t>(0, after));
      interior.push_back(stride[i] - 1);
      cut.push_back({.start = std::max<std::int64_t>(0, -before),
                     .stop = after < 0 ? std::optional<std::int64_t>(after) : std::nullopt});
      spatial.push_back(d + 2);
    }
    const Tensor apart = slice(pad(t, low, high, interior, 0), cut);
    // [c, o / groups, ...] becomes [o, c / groups, ...], turned around.
    const std::int64_t inputs = w.shape()[0] / options.groups;
    const std::int64_t outputs = w.shape()[1];
    List grouped = {options.groups, inputs, outputs};
    List order = {0, 2, 1};
    List flat = {options.groups * outputs, inputs};
    for (std::int64_t d = 0; d < count; ++d) {
      grouped.push_back(w.shape()[static_cast<int>(d + 2)]);
      flat.push_back(grouped.back());
      order.push_back(d + 3);
    }
    const Tensor exchanged = reshape(transpose(reshape(w, grouped), order), flat);
    return conv(apart, reverse(exchanged, spatial),
                {.stride = {1}, .padding = {0}, .dilation = dilation, .groups = options.groups});
  });
}

}  // namespace tutti

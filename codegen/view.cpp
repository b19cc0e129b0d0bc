#include <tutti/codegen/conv_layout.h>
#include <tutti/codegen/early_copies.h>
#include <tutti/codegen/read_takes.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/widened_operands.h>

#include <algorithm>

namespace tutti::codegen {

namespace {

using ir::Op;

View dense_view(ir::Value value, const ir::Type& type) {
  return {.base = value, .dtype = type.dtype, .shape = type.shape, .strides = type.shape.strides()};
}

std::size_t place(int dimension) { return static_cast<std::size_t>(dimension); }

View::Range whole(const Shape& shape, int dimension) { return {0, shape[dimension]}; }

// The strides that show the elements in another shape, if there are such: every run of dimensions
// that a new dimension covers must lie at one stride.
std::optional<View> reshaped(const View& from, const Shape& shape) {
  View out = from;
  out.shape = shape;
  out.strides = {};
  if (shape.elements() == 0)
    return from.source == View::Source::padded ? std::nullopt : std::optional(out);
  for (int d = 0; d < shape.rank(); ++d) out.inside[place(d)] = whole(shape, d);
  int old_end = from.shape.rank();  // old dimensions [.., old_end) are not matched yet
  int new_end = shape.rank();
  while (new_end > 0 || old_end > 0) {
    // Grow both groups from the right until they hold equally many elements.
    int old_begin = old_end;
    int new_begin = new_end;
    std::int64_t old_count = 1;
    std::int64_t new_count = 1;
    do {
      if (old_count <= new_count && old_begin > 0) {
        old_count *= from.shape[--old_begin];
      } else {
        new_count *= shape[--new_begin];
      }
    } while (old_count != new_count);
    // A dimension with bounds stays as it is.
    std::optional<int> bounded;
    for (int d = old_begin; d < old_end; ++d) {
      if (from.is_bounded(d)) bounded = d;
    }
    if (bounded) {
      int same = new_begin;
      while (same < new_end && shape[same] != old_count) ++same;
      if (from.shape[*bounded] != old_count || same == new_end) return std::nullopt;
      out.inside[place(same)] = from.inside[place(*bounded)];
    }
    // Old dimensions of the group must be one run (size-1 dimensions don't matter).
    std::int64_t stride = 0;
    std::int64_t expected = -1;
    for (int d = old_end - 1; d >= old_begin; --d) {
      if (from.shape[d] == 1) continue;
      const std::int64_t own = from.strides[static_cast<std::size_t>(d)];
      if (expected == -1) {
        stride = own;
      } else if (own != expected) {
        return std::nullopt;
      }
      expected = own * from.shape[d];
    }
    for (int d = new_end - 1; d >= new_begin; --d) {
      out.strides[static_cast<std::size_t>(d)] = stride;
      stride *= shape[d];
    }
    old_end = old_begin;
    new_end = new_begin;
  }
  return out;
}

// The operand's view seen through a view op, but for its terms; nothing if strides can't say it.
std::optional<View> through_strides(const ir::Graph& graph, ir::NodeId id, const View& from) {
  const ir::Attributes attributes = graph.attributes(id);
  const Shape& shape = graph.type(graph.result(id)).shape;
  View out = from;
  out.shape = shape;
  switch (graph.node(id).op) {
    case Op::identity:
    case Op::stop_gradient:
    case Op::optimization_barrier:
    case Op::vary:
      return out;
    case Op::reshape:
    case Op::expand_dims:
    case Op::squeeze:
      return reshaped(from, shape);
    case Op::transpose: {
      const auto& permutation = attributes.integers("permutation");
      for (std::size_t d = 0; d < permutation.size(); ++d) {
        out.strides[d] = from.strides[static_cast<std::size_t>(permutation[d])];
        out.inside[d] = from.inside[static_cast<std::size_t>(permutation[d])];
      }
      return out;
    }
    case Op::broadcast_to: {
      const std::vector<std::int64_t> strides = broadcast_strides(from, shape);
      std::copy(strides.begin(), strides.end(), out.strides.begin());
      const int skip = shape.rank() - from.shape.rank();
      for (int d = 0; d < shape.rank(); ++d) {
        const bool repeats = d < skip || from.shape[d - skip] == 1;
        if (repeats && d >= skip && from.is_bounded(d - skip)) return std::nullopt;
        out.inside[place(d)] = repeats ? whole(shape, d) : from.inside[place(d - skip)];
      }
      return out;
    }
    case Op::slice: {
      const auto& start = attributes.integers("start");
      const auto& step = attributes.integers("step");
      for (std::size_t d = 0; d < start.size(); ++d) {
        out.offset += start[d] * from.strides[d];
        // Of one element the step is any.
        if (shape[static_cast<int>(d)] > 1) out.strides[d] = from.strides[d] * step[d];
        // How many of start, start + step, ... come before a place.
        const auto before = [&](std::int64_t place) {
          if (place <= start[d]) return std::int64_t{0};
          return std::min((place - start[d] - 1) / step[d] + 1, shape[static_cast<int>(d)]);
        };
        out.inside[d] = {before(from.inside[d].begin), before(from.inside[d].end)};
      }
      return out;
    }
    case Op::reverse: {
      for (const std::int64_t axis : attributes.integers("axes")) {
        const auto d = static_cast<std::size_t>(axis);
        if (shape[static_cast<int>(axis)] > 0) {
          out.offset += (shape[static_cast<int>(axis)] - 1) * from.strides[d];
        }
        out.strides[d] = -from.strides[d];
        out.inside[d] = {shape[static_cast<int>(axis)] - from.inside[d].end,
                         shape[static_cast<int>(axis)] - from.inside[d].begin};
      }
      return out;
    }
    default:
      return std::nullopt;
  }
}

// The same of all of a view: its indices are seen through the op, too.
std::optional<View> through(const ir::Graph& graph, ir::NodeId id, const View& from) {
  std::optional<View> out = through_strides(graph, id, from);
  for (std::size_t i = 0; out && i < from.terms.size(); ++i) {
    std::optional<View> index = through(graph, id, *from.terms[i].index);
    if (!index) return std::nullopt;
    out->terms[i].index = std::make_shared<const View>(std::move(*index));
  }
  return out;
}

// Where nothing is inside, it is a number alone.
View simplified(View view) {
  if (view.source != View::Source::padded) return view;
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (view.inside[place(d)].begin < view.inside[place(d)].end) continue;
    view.source = View::Source::constant;
    view.offset = 0;
    view.strides = {};
    view.starts.clear();
  }
  return view;
}

bool has_place(const View& view) {
  return view.source == View::Source::buffer || view.source == View::Source::moved;
}

// A part of a view that begins where integers say. Their own view has to be one that a kernel reads
// element by element.
std::optional<View> view_of_part(const ir::Graph& graph, ir::NodeId id, const View& from,
                                 const View& starts) {
  if (!has_place(from) || starts.source != View::Source::buffer) return std::nullopt;
  View out = from;
  out.source = View::Source::moved;
  out.shape = graph.type(graph.result(id)).shape;
  for (int d = 0; d < out.shape.rank(); ++d) {
    const std::int64_t most = from.shape[d] - out.shape[d];
    const std::int64_t stride = from.strides[place(d)];
    if (most == 0 || stride == 0) continue;
    out.starts.push_back({.index = starts.base,
                          .dtype = starts.dtype,
                          .element = starts.offset + d * starts.strides[0],
                          .most = most,
                          .stride = stride});
  }
  if (out.starts.empty()) out.source = View::Source::buffer;
  return out;
}

// A pad of a view, whose value is a number that is known.
std::optional<View> view_of_pad(const ir::Graph& graph, ir::NodeId id, const View& from,
                                const View& value) {
  const ir::Attributes attributes = graph.attributes(id);
  if (!from.reads_base() || !from.terms.empty() || value.source != View::Source::constant ||
      value.shape.rank() != 0 || from.shape.elements() == 0) {
    return std::nullopt;
  }
  if (from.source == View::Source::padded && *from.scalar != *value.scalar) return std::nullopt;
  View out = from;
  out.source = View::Source::padded;
  out.scalar = value.scalar;
  out.shape = graph.type(graph.result(id)).shape;
  for (std::size_t d = 0; d < place(out.shape.rank()); ++d) {
    if (attributes.integers("interior")[d] != 0) return std::nullopt;
    const std::int64_t low = attributes.integers("low")[d];
    const View::Range inside = from.source == View::Source::padded
                                   ? from.inside[d]
                                   : whole(from.shape, static_cast<int>(d));
    out.inside[d] = {inside.begin + low, inside.end + low};
    out.offset -= low * out.strides[d];
  }
  return simplified(out);
}

// A view whose first dimension is dimension `first` of another shape, the others behind it, and
// which repeats along the rest of that.
View spread(const View& from, const Shape& to, int first) {
  View out = from;
  out.shape = to;
  out.strides = {};
  for (int d = 0; d < to.rank(); ++d) out.inside[place(d)] = whole(to, d);
  for (int d = 0; d < from.shape.rank(); ++d) {
    out.strides[place(first + d)] = from.strides[place(d)];
    if (from.is_bounded(d)) out.inside[place(first + d)] = from.inside[place(d)];
  }
  for (View::Term& term : out.terms) {
    term.index = std::make_shared<const View>(spread(*term.index, to, first));
  }
  return out;
}

// How many times indices are taken by indices in turn.
int depth_of(const View& view) {
  int out = 0;
  for (const View::Term& term : view.terms) out = std::max(out, 1 + depth_of(*term.index));
  return out;
}

// What indices take of a view (take, take_along_axis).
std::optional<View> view_of_taken(const ir::Graph& graph, ir::NodeId id, const View& from,
                                  const View& indices) {
  const bool same_types = from.dtype == graph.type(graph.operand(id, 0)).dtype &&
                          indices.dtype == graph.type(graph.operand(id, 1)).dtype;
  View out = from;
  out.shape = graph.type(graph.result(id)).shape;
  if (!has_place(from) || !same_types || out.shape.elements() == 0) return std::nullopt;
  // Each kernel that reads it takes all of them anew, and each view has its own copies of them.
  constexpr int kMostNested = 4;
  if (depth_of(indices) >= kMostNested) return std::nullopt;
  const auto axis = static_cast<int>(graph.attributes(id).integer("axis"));
  const bool along = graph.node(id).op == Op::take_along_axis;
  // All dimensions of the indices stand in the axis' place.
  const int more = along ? 0 : indices.shape.rank() - 1;
  out.strides = {};
  for (int d = 0; d < from.shape.rank(); ++d) {
    if (d != axis) out.strides[place(d < axis ? d : d + more)] = from.strides[place(d)];
  }
  const std::int64_t most = from.shape[axis] - 1;
  const std::int64_t stride = from.strides[place(axis)];
  if (most == 0 || stride == 0) return out;
  out.source = View::Source::taken;
  out.terms.push_back(
      {.index = std::make_shared<const View>(spread(indices, out.shape, along ? 0 : axis)),
       .most = most,
       .stride = stride,
       .node = id});
  return out;
}

}  // namespace

bool View::is_bounded(int dimension) const {
  const Range& range = inside[place(dimension)];
  return source == Source::padded && (range.begin != 0 || range.end != shape[dimension]);
}

bool View::dense() const {
  if (source != Source::buffer || offset != 0) return false;
  const auto wanted = shape.strides();
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] > 1 &&
        strides[static_cast<std::size_t>(d)] != wanted[static_cast<std::size_t>(d)]) {
      return shape.elements() == 0;
    }
  }
  return true;
}

std::vector<std::int64_t> broadcast_strides(const View& view, const Shape& to) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(to.rank()), 0);
  const int skip = to.rank() - view.shape.rank();
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (view.shape[d] != 1) {
      out[static_cast<std::size_t>(d + skip)] = view.strides[static_cast<std::size_t>(d)];
    }
  }
  return out;
}

ir::Value resolve(const ir::Graph& graph, ir::Value value) {
  while (graph.op(value) == Op::vary || graph.op(value) == Op::identity) {
    value = graph.operand(graph.producer(value), 0);
  }
  return value;
}

Views::Views(const ir::Graph& graph) {
  // Whether a take had better be a call is seen by what reads it as a view. Those of which that is
  // known stay calls; hardly ever do views look so different without them that others have to be.
  std::vector<bool> called(graph.node_count(), false);
  for (bool again = true; again;) {
    find(graph, called);
    again = false;
    const std::vector<bool> more = find_called_takes(graph, *this);
    for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
      again = again || (more[id] && free_[id]);
      called[id] = called[id] || more[id];
    }
  }
}

void Views::find(const ir::Graph& graph, const std::vector<bool>& called) {
  views_.assign(graph.value_count(), {});
  free_.assign(graph.node_count(), false);
  const ConvLayouts layouts = find_conv_layouts(graph);
  const std::vector<bool> widened = ir::find_widened_operands(graph);
  const EarlyCopies copies(graph, widened);
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const ir::Node& node = graph.node(id);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      const ir::Value value = graph.result(id, i);
      views_[value.id] = dense_view(value, graph.type(value));
    }
    if (const auto found = layouts.find(id); found != layouts.end()) {
      views_[graph.result(id).id].strides = found->second;
    }
    if (widened[id]) {
      views_[graph.result(id).id] = views_[graph.operand(id, 0).id];
    } else if (node.op == Op::wait) {
      views_[graph.result(id).id] = views_[graph.operand(id, 0).id];
    } else if (node.op == Op::constant && graph.type(graph.result(id)).shape.rank() == 0) {
      View& view = views_[graph.result(id).id];
      view.source = View::Source::constant;
      view.scalar = &graph.attributes(id).array("value");
      free_[id] = true;
    } else if (node.op == Op::iota) {
      View& view = views_[graph.result(id).id];
      view.source = View::Source::index;
      view.strides = {};
      view.strides[static_cast<std::size_t>(graph.attributes(id).integer("axis"))] = 1;
      free_[id] = true;
    } else if (node.op == Op::pad) {
      if (auto view = view_of_pad(graph, id, views_[graph.operand(id, 0).id],
                                  views_[graph.operand(id, 1).id])) {
        views_[graph.result(id).id] = *view;
        free_[id] = true;
      }
    } else if (node.op == Op::dynamic_slice && !copies.hold(id)) {
      if (auto view = view_of_part(graph, id, views_[graph.operand(id, 0).id],
                                   views_[graph.operand(id, 1).id])) {
        views_[graph.result(id).id] = *view;
        free_[id] = true;
      }
    } else if (is_take(node.op) && !called[id] && !copies.hold(id)) {
      if (auto view = view_of_taken(graph, id, views_[graph.operand(id, 0).id],
                                    views_[graph.operand(id, 1).id])) {
        views_[graph.result(id).id] = *view;
        free_[id] = true;
      }
    } else if (ir::definition(node.op).kind == ir::OpClass::view && node.fusion < 0) {
      if (auto view = through(graph, id, views_[graph.operand(id, 0).id])) {
        views_[graph.result(id).id] = simplified(*view);
        free_[id] = true;
      } else {
        // Written out as its operand is stored, which may be a widened one.
        views_[graph.result(id).id].dtype = views_[graph.operand(id, 0).id].dtype;
      }
    }
  }
}

bool executes(const ir::Graph& graph, const Views& views, ir::NodeId id) {
  const ir::OpClass kind = ir::definition(graph.node(id).op).kind;
  return !views.free(id) && kind != ir::OpClass::parameter && kind != ir::OpClass::make;
}

}  // namespace tutti::codegen

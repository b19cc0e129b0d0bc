#include <tutti/codegen/cuda/move.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/ir/arithmetic.h>

#include <algorithm>
#include <array>
#include <optional>

namespace tutti::codegen::cuda {

namespace {

constexpr std::int64_t kSide = 32;  // of the squares of move.cuh
// Shorter sides fill too little of a square.
constexpr std::int64_t kLeastSide = 8;
// Neighbours of the result that a thread gathers, where they are not neighbours in the source.
constexpr std::int64_t kMostGathered = 4;

// result[i . result_strides] = source[i . source_strides] with as few dimensions as possible.
struct Move {
  struct Dimension {
    std::int64_t size, source_stride, result_stride;
  };
  DType dtype = DType::f32;
  std::vector<Dimension> dimensions;  // at least one
  std::int64_t source_offset = 0, result_offset = 0;

  Move(const View& view, const std::array<std::int64_t, Shape::kMaxRank>& result_strides,
       std::int64_t offset)
      : dtype(view.dtype), source_offset(view.offset), result_offset(offset) {
    for (int d = 0; d < view.shape.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      const Dimension next = {view.shape[d], view.strides[at], result_strides[at]};
      if (next.size == 1) continue;
      if (!dimensions.empty()) {
        Dimension& outer = dimensions.back();
        if (outer.source_stride == next.source_stride * next.size &&
            outer.result_stride == next.result_stride * next.size) {
          outer = {outer.size * next.size, next.source_stride, next.result_stride};
          continue;
        }
      }
      dimensions.push_back(next);
    }
    if (dimensions.empty()) dimensions.push_back({1, 1, 1});
  }

  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const Dimension& d : dimensions) count *= d.size;
    return count;
  }
  // What counts places on both sides.
  std::string_view count() const {
    std::int64_t source = source_offset;
    std::int64_t result = result_offset;
    for (const Dimension& d : dimensions) {
      source += std::max<std::int64_t>(d.source_stride, 0) * (d.size - 1);
      result += d.result_stride * (d.size - 1);
    }
    return count_type(std::max({source, result, elements()}));
  }

  // How many neighbours along the last dimension one access of the result takes.
  std::int64_t width() const {
    const Dimension& last = dimensions.back();
    if (last.result_stride != 1) return 1;
    const bool adjacent = last.source_stride == 1;
    std::int64_t width = kWidestAccess / size_of(dtype);
    if (!adjacent) width = std::min(width, kMostGathered);
    const auto fits = [&](std::int64_t number) { return number % width == 0; };
    const auto all_fit = [&] {
      if (!fits(last.size) || !fits(result_offset) || (adjacent && !fits(source_offset))) {
        return false;
      }
      return std::all_of(dimensions.begin(), dimensions.end() - 1, [&](const Dimension& d) {
        return fits(d.result_stride) && (!adjacent || fits(d.source_stride));
      });
    };
    while (!all_fit()) width /= 2;
    return width;
  }

  // The dimension along which the source is dense, if the last one is not it.
  std::optional<std::size_t> rows_of_transpose() const {
    const Dimension& last = dimensions.back();
    if (last.source_stride == 1 || last.source_stride == 0 || last.result_stride != 1) {
      return std::nullopt;
    }
    if (last.size < kLeastSide) return std::nullopt;
    for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) {
      if (dimensions[d].source_stride == 1 && dimensions[d].size >= kLeastSide) return d;
    }
    return std::nullopt;
  }
};

// A move as a call of one of move.cuh's functions: what goes in front of and into a kernel.
struct MoveCall {
  SpecText spec;
  std::int64_t blocks = 1;
  bool squares = false;

  // For blocks [first, first + blocks) of the kernel.
  std::string text(const std::string& source, std::int64_t first, bool all) const {
    const std::string block = first == 0 ? "blockIdx.x" : "blockIdx.x - " + std::to_string(first);
    return (squares ? "move_squares<" : "move_groups<") + spec.name() + ">(" + source +
           ", result, " + block + ", " + (all ? "gridDim.x" : std::to_string(blocks)) +
           (squares ? ", square);\n" : ");\n");
  }
};

std::vector<Axis> axes_of(const std::vector<Move::Dimension>& dimensions,
                          std::int64_t Move::Dimension::* stride) {
  std::vector<Axis> axes;
  for (const Move::Dimension& d : dimensions) axes.push_back({d.size, d.*stride});
  return axes;
}

void add_places(SpecText& spec, const Move& move, const std::vector<Move::Dimension>& dimensions,
                std::string_view parameter) {
  using D = Move::Dimension;
  spec.place("source", parameter,
             place_text(parameter, axes_of(dimensions, &D::source_stride), move.source_offset));
  spec.place("result", parameter,
             place_text(parameter, axes_of(dimensions, &D::result_stride), move.result_offset));
}

MoveCall call_squares(const Move& move, std::size_t row_dimension, std::string_view name) {
  const Move::Dimension rows = move.dimensions[row_dimension];
  const Move::Dimension columns = move.dimensions.back();
  std::vector<Move::Dimension> others = move.dimensions;
  others.pop_back();
  others.erase(others.begin() + static_cast<std::int64_t>(row_dimension));
  std::int64_t squares = divide_up(rows.size, kSide) * divide_up(columns.size, kSide);
  for (const Move::Dimension& d : others) squares *= d.size;
  SpecText spec(name, move.count());
  spec.type("Element", bits_type(size_of(move.dtype)));
  spec.count("rows", rows.size);
  spec.count("columns", columns.size);
  spec.count("squares", squares);
  // Added up modulo 2^32 or 2^64: a negative stride is a large one.
  spec.line("static constexpr Count source_stride = Count(" +
            std::to_string(columns.source_stride) + ");");
  spec.count("result_stride", rows.result_stride);
  add_places(spec, move, others, "matrix");
  return {std::move(spec), blocks_for(squares, 1), true};
}

MoveCall call_groups(const Move& move, std::string_view name) {
  const std::int64_t width = move.width();
  std::vector<Move::Dimension> dimensions = move.dimensions;
  const std::int64_t stride = dimensions.back().source_stride;
  dimensions.back().size /= width;
  dimensions.back().source_stride *= width;
  dimensions.back().result_stride *= width;
  const std::int64_t groups = move.elements() / width;
  SpecText spec(name, move.count());
  spec.type("Element", bits_type(size_of(move.dtype)));
  spec.integer("width", width);
  spec.count("groups", groups);
  spec.line("static constexpr Count source_stride = Count(" + std::to_string(stride) + ");");
  add_places(spec, move, dimensions, "group");
  return {std::move(spec), blocks_for(groups, kThreads), false};
}

MoveCall call_of(const Move& move, std::string_view name) {
  const auto rows = move.rows_of_transpose();
  return rows ? call_squares(move, *rows, name) : call_groups(move, name);
}

// What a kernel with squares of such elements begins with.
std::string square_text(std::int64_t element_size) {
  return "  __shared__ " + std::string(bits_type(element_size)) + " square[kSide * (kSide + 1)];\n";
}

std::string type_text(const View& view) {
  return ir::Type{.dtype = view.dtype, .shape = view.shape}.text();
}

}  // namespace

Source strided_copy_source(const View& view) {
  const std::string dtype(name_of(view.dtype));
  const std::string parameters = "const " + dtype + "* source, " + dtype + "* result";
  if (view.shape.elements() == 0) return empty_source("copy", type_text(view), parameters);
  const MoveCall call = call_of(Move(view, view.shape.strides(), 0), "Copy");
  std::string body = call.squares ? square_text(size_of(view.dtype)) : "";
  body += "  " + call.text("source", 0, true);
  return make_source({.name = "copy",
                      .detail = type_text(view),
                      .piece = "move",
                      .specs = {call.spec},
                      .parameters = parameters,
                      .body = body},
                     call.blocks, kThreads);
}

Source concat_source(const std::vector<View>& operands, int axis, const Shape& result) {
  const std::string dtype(name_of(operands.front().dtype));
  const auto strides = result.strides();
  CallText text{
      .name = "concat", .detail = "", .piece = "move", .specs = {}, .parameters = "", .body = ""};
  std::string branches;
  std::int64_t blocks = 0;
  std::int64_t offset = 0;
  bool squares = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const View& view = operands[i];
    const std::string number = std::to_string(i);
    text.detail += (i == 0 ? "" : ", ") + type_text(view);
    text.parameters += "const " + dtype + "* x" + number + ", ";
    if (view.shape.elements() > 0) {
      MoveCall call = call_of(Move(view, strides, offset), "Part" + number);
      branches += (blocks == 0 ? "  if (blockIdx.x < " : " else if (blockIdx.x < ") +
                  std::to_string(blocks + call.blocks) + ") {\n    " +
                  call.text("x" + number, blocks, false) + "  }";
      blocks += call.blocks;
      squares = squares || call.squares;
      text.specs.push_back(std::move(call.spec));
    }
    offset += view.shape[axis] * strides[static_cast<std::size_t>(axis)];
  }
  text.parameters += dtype + "* result";
  if (blocks == 0) return empty_source(text.name, text.detail, text.parameters);
  text.body = (squares ? square_text(size_of(operands.front().dtype)) : "") + branches + "\n";
  return make_source(text, blocks, kThreads);
}

namespace {

// A dimension of a pad: of the source, and of the result, where its elements are `step` apart.
struct PadDimension {
  std::int64_t size, stride;
  std::int64_t low, high, step;

  std::int64_t reach() const { return size > 0 ? (size - 1) * step + 1 : 0; }
  std::int64_t result_size() const { return low + high + reach(); }
  bool is_plain() const { return low == 0 && high == 0 && step == 1; }
};

// With as few dimensions as possible: one that is not padded joins the one before it.
std::vector<PadDimension> pad_dimensions(const View& view, const std::vector<std::int64_t>& low,
                                         const std::vector<std::int64_t>& high,
                                         const std::vector<std::int64_t>& interior) {
  std::vector<PadDimension> out;
  for (std::size_t d = 0; d < low.size(); ++d) {
    const std::int64_t size = view.shape[static_cast<int>(d)];
    const PadDimension next = {size, view.strides[d], low[d], high[d],
                               size > 1 ? interior[d] + 1 : 1};
    if (!out.empty() && next.is_plain()) {
      PadDimension& outer = out.back();
      if (outer.step == 1 && (outer.stride == next.stride * next.size || outer.size == 1)) {
        outer = {outer.size * next.size, next.stride, outer.low * next.size, outer.high * next.size,
                 1};
        continue;
      }
    }
    out.push_back(next);
  }
  if (out.empty()) out.push_back({1, 1, 0, 0, 1});
  return out;
}

// How many neighbours along the last dimension are all of the source or all fill, and adjacent.
std::int64_t pad_width(const std::vector<PadDimension>& dimensions, const View& view) {
  const PadDimension& last = dimensions.back();
  if (last.step != 1 || last.stride != 1) return 1;
  std::int64_t width = kWidestAccess / size_of(view.dtype);
  const auto all_fit = [&] {
    for (const std::int64_t number : {last.size, last.low, last.high, view.offset}) {
      if (number % width != 0) return false;
    }
    return std::all_of(dimensions.begin(), dimensions.end() - 1,
                       [&](const PadDimension& d) { return d.stride % width == 0; });
  };
  while (!all_fit()) width /= 2;
  return width;
}

// bool find(Count i, Count& place): a line per dimension, then the place, then whether it is one.
void add_find_pad(SpecText& spec, const std::vector<PadDimension>& dimensions,
                  std::int64_t offset) {
  spec.line("static __device__ bool find(Count i, Count& place) {");
  std::string place = std::to_string(offset);
  std::string inside;
  std::int64_t below = 1;
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    const PadDimension& dimension = dimensions[d];
    const std::string at = "at" + std::to_string(d);
    std::string number = "i";
    if (below != 1) number += " / " + std::to_string(below);
    if (d != 0) number += " % " + std::to_string(dimension.result_size());
    // Less than `low` wraps around to a large number.
    if (dimension.low != 0) number += " - " + std::to_string(dimension.low);
    spec.line("  const Count " + at + " = " + number + ";");
    below *= dimension.result_size();
    std::string step = at;
    if (dimension.step != 1) step += " / " + std::to_string(dimension.step);
    const std::int64_t stride = dimension.stride < 0 ? -dimension.stride : dimension.stride;
    if (stride != 0 && dimension.size != 1) {
      place += (dimension.stride < 0 ? " - " : " + ") + step;
      if (stride != 1) place += " * " + std::to_string(stride);
    }
    if (dimension.reach() != dimension.result_size()) {
      inside += (inside.empty() ? "" : " && ") + at + " < " + std::to_string(dimension.reach());
    }
    if (dimension.step != 1) {
      inside +=
          (inside.empty() ? "" : " && ") + at + " % " + std::to_string(dimension.step) + " == 0";
    }
  }
  spec.line("  place = " + place + ";");
  spec.line("  return " + (inside.empty() ? "true" : inside) + ";");
  spec.line("}");
}

}  // namespace

Source pad_source(const std::vector<View>& operands, const std::vector<std::int64_t>& low,
                  const std::vector<std::int64_t>& high,
                  const std::vector<std::int64_t>& interior) {
  const View& view = operands[0];
  const std::string dtype(name_of(view.dtype));
  const std::string parameters =
      "const " + dtype + "* source, const " + dtype + "* fill, " + dtype + "* result";
  std::vector<PadDimension> dimensions = pad_dimensions(view, low, high, interior);
  std::int64_t elements = 1;
  for (const PadDimension& d : dimensions) elements *= d.result_size();
  if (elements == 0) return empty_source("pad", type_text(view), parameters);

  const std::int64_t width = pad_width(dimensions, view);
  PadDimension& last = dimensions.back();
  std::int64_t reach = view.offset;
  for (PadDimension& d : dimensions) {
    reach += std::max<std::int64_t>(d.stride, 0) * std::max<std::int64_t>(d.size - 1, 0);
    if (&d != &last) d.stride /= width;
  }
  last = {last.size / width, last.stride, last.low / width, last.high / width, last.step};
  elements /= width;

  SpecText spec("Pad", count_type(std::max(elements, reach)));
  spec.type("Element", bits_type(size_of(view.dtype) * width));
  spec.type("Fill", bits_type(size_of(view.dtype)));
  spec.count("elements", elements);
  if (view.shape.elements() == 0) {
    spec.line("static __device__ bool find(Count, Count&) { return false; }");
  } else {
    add_find_pad(spec, dimensions, view.offset / width);
  }
  return make_source({.name = "pad",
                      .detail = type_text(view),
                      .piece = "pad",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  pad_elements<Pad>(source, fill, result);\n"},
                     blocks_for(elements, kThreads), kThreads);
}

}  // namespace tutti::codegen::cuda

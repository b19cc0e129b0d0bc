#include <tutti/codegen/cuda/dynamic_slice.h>
#include <tutti/codegen/cuda/spec_text.h>
#include <tutti/codegen/library.h>
#include <tutti/kernels/host/dynamic_slice.h>

#include <algorithm>
#include <string>

namespace tutti::codegen::cuda {

namespace {

using kernels::PartDimension;

// How many neighbours along the last dimension are all in the part or all outside of it.
std::int64_t width_of(const PartDimension& last, std::int64_t element_size) {
  std::int64_t width = kWidestAccess / element_size;
  while (last.size % width != 0 || last.part % width != 0 || last.scale % width != 0) width /= 2;
  return width;
}

std::string number(std::int64_t value) { return std::to_string(value); }

// "i / 12 % 4": the index along a dimension of which `below` elements lie behind each.
std::string index_text(std::int64_t below, std::int64_t size, bool outermost) {
  std::string out = "i";
  if (below != 1) out += " / " + number(below);
  if (!outermost) out += " % " + number(size);
  return out;
}

// What both kernels know of the tensor and its part.
struct Parts {
  std::vector<PartDimension> dimensions;  // the last one in groups of `width` neighbours
  std::int64_t width = 1;
  std::int64_t x_elements = 1;     // groups
  std::int64_t part_elements = 1;  // groups

  Parts(const Shape& x, const Shape& part, std::int64_t element_size)
      : dimensions(kernels::part_dimensions(x, part)) {
    PartDimension& last = dimensions.back();
    width = width_of(last, element_size);
    last.size /= width;
    last.part /= width;
    last.scale /= width;
    for (const PartDimension& d : dimensions) {
      x_elements *= d.size;
      part_elements *= d.part;
    }
  }

  SpecText spec(const Shape& x, const Shape& part, const View& operand, const View& starts,
                std::int64_t elements) const {
    SpecText out("Part", count_type(x_elements));
    out.type("Element", bits_type(size_of(operand.dtype) * width));
    out.type("Index", name_of(starts.dtype));
    out.integer("rank", static_cast<std::int64_t>(dimensions.size()));
    out.count("elements", elements);
    out.line("static __device__ void read(const Index* starts, Count* first) {");
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      const int axis = dimensions[d].axis;
      std::string start = "0";
      if (axis >= 0 && x[axis] > part[axis]) {
        start = "clamped<Count>(starts[" + number(axis) + "], " + number(x[axis] - part[axis] + 1) +
                ")";
        if (dimensions[d].scale != 1) start += " * " + number(dimensions[d].scale);
      }
      out.line("  first[" + number(static_cast<std::int64_t>(d)) + "] = " + start + ";");
    }
    out.line("}");
    return out;
  }
};

// bool find(i, first, place): a line per dimension, then the place, then whether it is one.
void add_find_part(SpecText& spec, const Parts& parts) {
  spec.line("static __device__ bool find(Count i, const Count* first, Count& place) {");
  std::string inside;
  std::string place;
  std::int64_t below = 1;
  std::int64_t stride = 1;
  for (std::size_t d = parts.dimensions.size(); d-- > 0;) {
    const PartDimension& dimension = parts.dimensions[d];
    const std::string axis = number(static_cast<std::int64_t>(d));
    // What lies before the part wraps around to a large number.
    spec.line("  const Count at" + axis + " = " + index_text(below, dimension.size, d == 0) +
              " - first[" + axis + "];");
    inside += (inside.empty() ? "at" : " && at") + axis + " < " + number(dimension.part);
    place += (place.empty() ? "at" : " + at") + axis + " * " + number(stride);
    below *= dimension.size;
    stride *= dimension.part;
  }
  spec.line("  place = " + place + ";");
  spec.line("  return " + inside + ";");
  spec.line("}");
}

}  // namespace

Source dynamic_slice_source(const std::vector<View>& operands, const Shape& part) {
  const View& x = operands[0];
  const std::string dtype(name_of(x.dtype));
  const std::string parameters = "const " + dtype + "* x, const " +
                                 std::string(name_of(operands[1].dtype)) + "* starts, " + dtype +
                                 "* result";
  const std::string detail = operands_text(operands);
  if (part.elements() == 0) return empty_source("dynamic_slice", detail, parameters);
  const Parts parts(x.shape, part, size_of(x.dtype));
  SpecText spec = parts.spec(x.shape, part, x, operands[1], parts.part_elements);
  std::string place;
  std::int64_t below = 1;
  std::int64_t stride = 1;
  for (std::size_t d = parts.dimensions.size(); d-- > 0;) {
    const PartDimension& dimension = parts.dimensions[d];
    place += (place.empty() ? "(first[" : " + (first[") + number(static_cast<std::int64_t>(d)) +
             "] + " + index_text(below, dimension.part, d == 0) + ") * " + number(stride);
    below *= dimension.part;
    stride *= dimension.size;
  }
  spec.line("static __device__ Count place(Count i, const Count* first) {");
  spec.line("  return " + place + ";");
  spec.line("}");
  return make_source({.name = "dynamic_slice",
                      .detail = detail,
                      .piece = "dynamic_slice",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  take_part<Part>(x, starts, result);\n"},
                     blocks_for(parts.part_elements, kThreads), kThreads);
}

Source dynamic_update_slice_source(const std::vector<View>& operands) {
  const View& x = operands[0];
  const Shape& part = operands[1].shape;
  const std::string dtype(name_of(x.dtype));
  const std::string parameters = "const " + dtype + "* x, const " + dtype + "* update, const " +
                                 std::string(name_of(operands[2].dtype)) + "* starts, " + dtype +
                                 "* result";
  const std::string detail = operands_text(operands);
  if (x.shape.elements() == 0) return empty_source("dynamic_update_slice", detail, parameters);
  const Parts parts(x.shape, part, size_of(x.dtype));
  SpecText spec = parts.spec(x.shape, part, x, operands[2], parts.x_elements);
  if (part.elements() == 0) {
    spec.line("static __device__ bool find(Count, const Count*, Count&) { return false; }");
  } else {
    add_find_part(spec, parts);
  }
  return make_source({.name = "dynamic_update_slice",
                      .detail = detail,
                      .piece = "dynamic_slice",
                      .specs = {spec},
                      .parameters = parameters,
                      .body = "  put_part<Part>(x, update, starts, result);\n"},
                     blocks_for(parts.x_elements, kThreads), kThreads);
}

}  // namespace tutti::codegen::cuda

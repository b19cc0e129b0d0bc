#pragma once

#include <tutti/ir/interpret/interpretation.h>
#include <tutti/ir/op.h>
#include <tutti/ir/term.h>

#include <vector>

// What the families' .cpp files share: the notation of attribute lists and a few type rules.
namespace tutti::ir::family {

inline AttributeSpec integer(std::string_view name) { return {name, AttributeKind::integer}; }
inline AttributeSpec integer(std::string_view name, std::int64_t standard) {
  return {name, AttributeKind::integer, Attribute(standard)};
}
inline AttributeSpec number(std::string_view name, double standard) {
  return {name, AttributeKind::number, Attribute(standard)};
}
inline AttributeSpec flag(std::string_view name, bool standard) {
  return {name, AttributeKind::flag, Attribute(standard)};
}
inline AttributeSpec text(std::string_view name) { return {name, AttributeKind::text}; }
inline AttributeSpec text(std::string_view name, const char* standard) {
  return {name, AttributeKind::text, Attribute(std::string(standard))};
}
inline AttributeSpec integers(std::string_view name) { return {name, AttributeKind::integers}; }
inline AttributeSpec integers(std::string_view name, std::vector<std::int64_t> standard) {
  return {name, AttributeKind::integers, Attribute(std::move(standard))};
}
inline AttributeSpec dtype(std::string_view name) { return {name, AttributeKind::dtype}; }
inline AttributeSpec dtype(std::string_view name, DType standard) {
  return {name, AttributeKind::dtype, Attribute(standard)};
}
inline AttributeSpec group(std::string_view name) { return {name, AttributeKind::group}; }
inline AttributeSpec array(std::string_view name) { return {name, AttributeKind::array}; }
inline AttributeSpec types(std::string_view name) { return {name, AttributeKind::types}; }
inline AttributeSpec function(std::string_view name) { return {name, AttributeKind::function}; }
inline AttributeSpec functions(std::string_view name) { return {name, AttributeKind::functions}; }

// An entry's documentation.
inline Documentation doc(std::string_view operands, std::string_view dtypes,
                         std::string_view meaning, std::string_view gradient) {
  return {.operands = operands,
          .dtypes = dtypes,
          .meaning = meaning,
          .gradient = std::string(gradient)};
}

// The definitions of each family, appended in the order of its table.
void add_elementwise(std::vector<Definition>& out);
void add_convert(std::vector<Definition>& out);
void add_shape(std::vector<Definition>& out);
void add_make(std::vector<Definition>& out);
void add_reduce(std::vector<Definition>& out);
void add_cumulative(std::vector<Definition>& out);
void add_order(std::vector<Definition>& out);
void add_linear_algebra(std::vector<Definition>& out);
void add_index(std::vector<Definition>& out);
void add_random(std::vector<Definition>& out);
void add_composite(std::vector<Definition>& out);
void add_products(std::vector<Definition>& out);
void add_attention(std::vector<Definition>& out);
void add_collective(std::vector<Definition>& out);
void add_ranks(std::vector<Definition>& out);
void add_device(std::vector<Definition>& out);
void add_control(std::vector<Definition>& out);
void add_custom(std::vector<Definition>& out);
void add_observe(std::vector<Definition>& out);

// The device that a text attribute names, or a failure.
Device device_attribute(const Inference& in, std::string_view name);
// The shape that NumPy broadcasting gives, or a failure that names the dimension.
Shape broadcast_shapes(const Inference& in, const Shape& a, const Shape& b);
// Fails unless axes are in range, increasing and without repetition.
void check_axes(const Inference& in, std::span<const std::int64_t> axes, int rank);
void check_axis(const Inference& in, std::int64_t axis, int rank);
// The shape after reducing `axes`.
Shape reduced_shape(const Shape& shape, std::span<const std::int64_t> axes, bool keepdims);
// Zeros of x's shape and dtype with `updates` added at their indices along `axis`, which are in
// range: what take_along_axis(x, indices) takes from where. Narrow floats add up in f32.
Term put_along_axis(Term x, Term indices, Term updates, std::int64_t axis);
// The list as a message shows it: "[0, 1]".
std::string list_text(std::span<const std::int64_t> values);

// In the dtype in which composites compute, f32 for narrow floats; they round once, by a cast back.
Term widened(Term x);

// Calls f(const T*, ...) style visitors: copies element `from` of `source` to element `to` of
// `target`, both of one dtype.
void copy_element(const Array& source, std::int64_t from, Array& target, std::int64_t to);

// An element of an array in a wider dtype, and back.
Cell load_wide(const Array& x, std::int64_t at, DType wide);
void store_wide(Cell cell, DType wide, Array& out, std::int64_t at);

}  // namespace tutti::ir::family

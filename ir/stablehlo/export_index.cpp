#include <tutti/ir/scalar.h>
#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/stablehlo/layout.h>

#include <algorithm>

// Products, and elements at indices.
namespace tutti::ir::stablehlo {

namespace {

List integers_between(std::int64_t from, std::int64_t to) {
  List out;
  for (; from < to; ++from) out.push_back(from);
  return out;
}

// The matrices of x, repeated for each index of the batch.
TextValue in_batch(TextWriter& writer, const TextValue& x, const Shape& batch) {
  List sizes(batch.begin(), batch.end());
  sizes.push_back(x.shape[x.shape.rank() - 2]);
  sizes.push_back(x.shape[x.shape.rank() - 1]);
  return writer.broadcast(x, Shape(sizes));
}

// Narrow floats are summed in f32 and rounded once.
void export_matmul(ExportStep& step) {
  TextWriter& writer = step.writer;
  const Type& type = step.type();
  const Shape batch = batch_shape(type.shape);
  TextValue x = step.operand(0);
  TextValue y = step.operand(1);
  std::string batching;
  // A single matrix on the right needs no copies: x's leading dimensions are rows.
  const bool shared = y.shape.rank() == 2 && batch_shape(x.shape) == batch;
  if (!shared && batch.rank() > 0) {
    x = in_batch(writer, x, batch);
    y = in_batch(writer, y, batch);
    const std::string all = numbers_text(integers_between(0, batch.rank()));
    batching = ", batching_dims = [" + all + "] x [" + all + "]";
  }
  const std::string contracting = ", contracting_dims = [" + std::to_string(x.shape.rank() - 1) +
                                  "] x [" + std::to_string(y.shape.rank() - 2) + "]";
  const std::string precision =
      is_floating(type.dtype) ? ", precision = [HIGHEST, HIGHEST]" : std::string();
  const TextValue out = writer.mapped(
      "stablehlo.dot_general " + names_text(std::array{x, y}) + batching + contracting + precision,
      std::array{x, y}, compute_dtype(type.dtype), type.shape);
  step.result(writer.convert(out, type.dtype));
}

// Indices in a dtype that holds every place of a dimension.
TextValue wide_indices_text(TextWriter& writer, const TextValue& indices) {
  return size_of(indices.dtype) < 4 ? writer.convert(indices, DType::i32) : indices;
}

// The dimensions of take's result, and of scatter_add's updates, that are not the indices'.
List window_dimensions(const Shape& x, const Shape& indices, std::int64_t axis) {
  List out = integers_between(0, axis);
  for (std::int64_t d = axis + 1; d < x.rank(); ++d) out.push_back(d - 1 + indices.rank());
  return out;
}

// One element of the axis and all of the others; StableHLO clamps the index.
void export_take(ExportStep& step) {
  const TextValue& x = step.operand(0);
  const Type& type = step.type();
  if (type.shape.elements() == 0)
    return step.result(step.writer.constant(type.dtype, type.shape, 0));
  const TextValue indices = wide_indices_text(step.writer, step.operand(1));
  const std::int64_t axis = step.attributes.integer("axis");
  List sizes(x.shape.begin(), x.shape.end());
  sizes[static_cast<std::size_t>(axis)] = 1;
  const std::string own = "[" + std::to_string(axis) + "]";
  const std::string numbers = "dimension_numbers = #stablehlo.gather<offset_dims = [" +
                              numbers_text(window_dimensions(x.shape, indices.shape, axis)) +
                              "], collapsed_slice_dims = " + own + ", start_index_map = " + own +
                              ", index_vector_dim = " + std::to_string(indices.shape.rank()) +
                              ">, slice_sizes = " + array_text(sizes) +
                              ", indices_are_sorted = false";
  step.result(
      step.writer.with_regions("gather", std::array{x, indices}, numbers, {},
                               {{.name = "", .dtype = type.dtype, .shape = type.shape}})[0]);
}

// [before the axis, the axis, behind it].
Shape around_axis(const Shape& shape, std::int64_t axis) {
  List sizes = {1, shape[static_cast<int>(axis)], 1};
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != axis) sizes[d < axis ? 0 : 2] *= shape[d];
  }
  return Shape(sizes);
}

// The other dimensions are batches, of which there are two at most.
void export_take_along_axis(ExportStep& step) {
  TextWriter& writer = step.writer;
  const Type& type = step.type();
  if (type.shape.elements() == 0) {
    return step.result(writer.constant(type.dtype, type.shape, 0));
  }
  std::int64_t axis = step.attributes.integer("axis");
  TextValue x = step.operand(0);
  TextValue indices = wide_indices_text(writer, step.operand(1));
  if (x.shape.rank() > 3) {
    x = writer.reshape(x, around_axis(x.shape, axis));
    indices = writer.reshape(indices, around_axis(indices.shape, axis));
    axis = 1;
  }
  List others = integers_between(0, x.shape.rank());
  others.erase(others.begin() + axis);
  const std::string batch = "[" + numbers_text(others) + "]";
  const std::string own = "[" + std::to_string(axis) + "]";
  const std::string batching = others.empty() ? ""
                                              : ", operand_batching_dims = " + batch +
                                                    ", start_indices_batching_dims = " + batch;
  const std::string numbers =
      "dimension_numbers = #stablehlo.gather<collapsed_slice_dims = " + own + batching +
      ", start_index_map = " + own + ", index_vector_dim = " + std::to_string(x.shape.rank()) +
      ">, slice_sizes = " + array_text(List(static_cast<std::size_t>(x.shape.rank()), 1)) +
      ", indices_are_sorted = false";
  const TextValue out =
      writer.with_regions("gather", std::array{x, indices}, numbers, {},
                          {{.name = "", .dtype = type.dtype, .shape = indices.shape}})[0];
  step.result(writer.reshape(out, type.shape));
}

// StableHLO drops what lies outside.
void export_scatter_add(ExportStep& step) {
  TextWriter& writer = step.writer;
  const TextValue& x = step.operand(0);
  const TextValue& updates = step.operand(2);
  if (updates.shape.elements() == 0 || x.shape.elements() == 0) return step.result(x);
  const TextValue indices = wide_indices_text(writer, step.operand(1));
  const std::int64_t axis = step.attributes.integer("axis");
  const std::string own = "[" + std::to_string(axis) + "]";
  const std::string numbers =
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [" +
      numbers_text(window_dimensions(x.shape, indices.shape, axis)) +
      "], inserted_window_dims = " + own + ", scatter_dims_to_operand_dims = " + own +
      ", index_vector_dim = " + std::to_string(indices.shape.rank()) +
      ">, indices_are_sorted = false, unique_indices = false";
  const TextValue scalar{.name = "", .dtype = x.dtype, .shape = {}};
  const TextWriter::Block block{.arguments = {scalar, scalar},
                                .body = [&](std::span<const TextValue> a) -> TextValues {
                                  return {writer.alike("add", {a[0], a[1]})};
                                }};
  step.result(writer.with_regions("scatter", std::array{x, indices, updates}, numbers,
                                  std::span(&block, 1),
                                  {{.name = "", .dtype = x.dtype, .shape = x.shape}})[0]);
}

// The elements of a vector, one scalar each.
TextValues scalars_of(TextWriter& writer, const TextValue& given) {
  const TextValue vector = wide_indices_text(writer, given);
  TextValues out;
  for (std::int64_t d = 0; d < vector.shape[0]; ++d) {
    const TextValue one = writer.slice(vector, List{d}, List{d + 1}, List{1});
    out.push_back(writer.reshape(one, {}));
  }
  return out;
}

void export_dynamic_slice(ExportStep& step) {
  const TextValues starts = scalars_of(step.writer, step.operand(1));
  step.result(step.writer.dynamic_slice(step.operand(0), starts, step.type().shape));
}

void export_dynamic_update_slice(ExportStep& step) {
  const TextValues starts = scalars_of(step.writer, step.operand(2));
  step.result(step.writer.dynamic_update_slice(step.operand(0), step.operand(1), starts));
}

constexpr std::string_view kRandom =
    "StableHLO has no generator with these numbers; make them outside and pass them";

constexpr ExportRule kExportIndexRules[] = {
    {Op::matmul, export_matmul},
    {Op::take, export_take},
    {Op::take_along_axis, export_take_along_axis},
    {Op::scatter_add, export_scatter_add},
    {Op::dynamic_slice, export_dynamic_slice},
    {Op::dynamic_update_slice, export_dynamic_update_slice},
    {Op::fold_in, nullptr, kRandom},
    {Op::random_bits, nullptr, kRandom},
    {Op::uniform, nullptr, kRandom},
    {Op::normal, nullptr, kRandom},
};

}  // namespace

std::span<const ExportRule> exported_indexing() { return kExportIndexRules; }

}  // namespace tutti::ir::stablehlo

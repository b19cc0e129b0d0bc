#include <tutti/ir/stablehlo/export_writer.h>

namespace tutti::ir::stablehlo {

namespace {

std::string_view comparison_kind(DType dtype) {
  if (is_floating(dtype)) return "FLOAT";
  return is_signed_integer(dtype) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

std::string TextValue::type() const { return tensor_text(dtype, shape); }

void TextWriter::append_location() { text_ += location_text(location_); }

void TextWriter::append_line(std::string_view text) {
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  text_ += text;
}

void TextWriter::line(std::string_view text) {
  append_line(text);
  text_ += "\n";
}

TextValue TextWriter::operation(std::string_view operation, std::string_view signature, DType dtype,
                                const Shape& shape) {
  TextValue out{.name = next_name(), .dtype = dtype, .shape = shape};
  append_line(out.name);
  text_ += " = ";
  text_ += operation;
  text_ += " : ";
  text_ += signature;
  append_location();
  text_ += "\n";
  return out;
}

TextValue TextWriter::mapped(std::string_view name, std::span<const TextValue> operands,
                             DType dtype, const Shape& shape) {
  return operation(name, "(" + types_text(operands) + ") -> " + tensor_text(dtype, shape), dtype,
                   shape);
}

TextValue TextWriter::alike(std::string_view name, std::initializer_list<TextValue> operands) {
  const std::span all(operands.begin(), operands.size());
  return operation("stablehlo." + std::string(name) + " " + names_text(all), all[0].type(),
                   all[0].dtype, all[0].shape);
}

TextValues TextWriter::with_regions(std::string_view name, std::span<const TextValue> operands,
                                    const std::string& properties, std::span<const Block> blocks,
                                    TextValues results) {
  const std::string own = next_name();
  const bool several = results.size() > 1;
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].name = several ? own + "#" + std::to_string(i) : own;
  }
  const std::string defined =
      results.empty() ? "" : own + (several ? ":" + std::to_string(results.size()) : "") + " = ";
  append_line(defined + "\"stablehlo." + std::string(name) + "\"(" + names_text(operands) + ")");
  if (!properties.empty()) text_ += " <{" + properties + "}>";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    text_ += i == 0 ? " ({\n" : ", {\n";
    TextValues arguments = blocks[i].arguments;
    std::string head;
    for (TextValue& argument : arguments) {
      argument.name = next_name();
      head += (head.empty() ? "" : ", ") + argument.name + ": " + argument.type();
    }
    if (!head.empty()) line("^bb0(" + head + "):");
    ++depth_;
    const TextValues returned = blocks[i].body(arguments);
    append_line("stablehlo.return");
    if (!returned.empty()) text_ += " " + names_text(returned) + " : " + types_text(returned);
    append_location();
    text_ += "\n";
    --depth_;
    append_line("}");
  }
  if (!blocks.empty()) text_ += ")";
  text_ += " : (" + types_text(operands) + ") -> (" + types_text(results) + ")";
  append_location();
  text_ += "\n";
  return results;
}

TextValue TextWriter::constant(const Array& array) {
  const std::string dense = dense_text(array);
  const std::size_t colon = dense.rfind(" : ");
  TextValue out = operation("stablehlo.constant " + dense.substr(0, colon), dense.substr(colon + 3),
                            array.dtype(), array.shape());
  bool same = array.elements() > 0;
  for (std::int64_t i = 1; same && i < array.elements(); ++i) same = array.at(i) == array.at(0);
  if (same) out.number = array.at(0);
  return out;
}

TextValue TextWriter::constant(DType dtype, const Shape& shape, double value) {
  const std::string dense = dense_text(Array::scalar_of(dtype, value));
  TextValue out = operation("stablehlo.constant " + dense.substr(0, dense.rfind(" : ")),
                            tensor_text(dtype, shape), dtype, shape);
  out.number = value;
  return out;
}

TextValue TextWriter::compare(std::string_view direction, const TextValue& x, const TextValue& y) {
  return mapped("stablehlo.compare " + std::string(direction) + ", " + x.name + ", " + y.name +
                    ", " + std::string(comparison_kind(x.dtype)),
                std::array{x, y}, DType::boolean, x.shape);
}

TextValue TextWriter::select(const TextValue& condition, const TextValue& x, const TextValue& y) {
  return operation("stablehlo.select " + names_text(std::array{condition, x, y}),
                   condition.type() + ", " + x.type(), x.dtype, x.shape);
}

TextValue TextWriter::convert(const TextValue& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return mapped("stablehlo.convert " + x.name, std::array{x}, dtype, x.shape);
}

TextValue TextWriter::reshape(const TextValue& x, const Shape& shape) {
  if (x.shape == shape) return x;
  TextValue out = mapped("stablehlo.reshape " + x.name, std::array{x}, x.dtype, shape);
  out.number = x.number;
  return out;
}

TextValue TextWriter::broadcast(const TextValue& x, const Shape& shape) {
  if (x.shape == shape) return x;
  std::vector<std::int64_t> dimensions;
  for (int d = 0; d < x.shape.rank(); ++d) {
    dimensions.push_back(d + shape.rank() - x.shape.rank());
  }
  TextValue out =
      mapped("stablehlo.broadcast_in_dim " + x.name + ", dims = [" + numbers_text(dimensions) + "]",
             std::array{x}, x.dtype, shape);
  out.number = x.number;
  return out;
}

TextValue TextWriter::slice(const TextValue& x, std::span<const std::int64_t> start,
                            std::span<const std::int64_t> stop,
                            std::span<const std::int64_t> step) {
  std::string ranges;
  std::vector<std::int64_t> sizes;
  for (std::size_t d = 0; d < start.size(); ++d) {
    if (d != 0) ranges += ", ";
    ranges += std::to_string(start[d]) + ":" + std::to_string(stop[d]);
    if (step[d] != 1) ranges += ":" + std::to_string(step[d]);
    sizes.push_back((stop[d] - start[d] + step[d] - 1) / step[d]);
  }
  return mapped("stablehlo.slice " + x.name + " [" + ranges + "]", std::array{x}, x.dtype,
                Shape(sizes));
}

TextValue TextWriter::iota(DType dtype, const Shape& shape, std::int64_t axis) {
  return operation("stablehlo.iota dim = " + std::to_string(axis), tensor_text(dtype, shape), dtype,
                   shape);
}

TextValue TextWriter::dynamic_slice(const TextValue& x, std::span<const TextValue> starts,
                                    const Shape& sizes) {
  if (x.shape.rank() == 0) return x;
  TextValues operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return mapped("stablehlo.dynamic_slice " + names_text(operands) + ", sizes = [" +
                    numbers_text(sizes.sizes()) + "]",
                operands, x.dtype, sizes);
}

TextValue TextWriter::dynamic_update_slice(const TextValue& x, const TextValue& update,
                                           std::span<const TextValue> starts) {
  if (x.shape.rank() == 0) return update;
  TextValues operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return mapped("stablehlo.dynamic_update_slice " + names_text(operands), operands, x.dtype,
                x.shape);
}

}  // namespace tutti::ir::stablehlo

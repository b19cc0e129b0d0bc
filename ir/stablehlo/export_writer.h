#pragma once

#include <tutti/ir/array.h>
#include <tutti/ir/support/location.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::ir::stablehlo {

// A value of the text that is being written.
struct TextValue {
  std::string name;  // "%3", "%4#1", "%x"
  DType dtype = DType::f32;
  Shape shape;
  std::optional<double> number = {};  // all its elements, where that is known

  std::string type() const;
};
using TextValues = std::vector<TextValue>;

// "tensor<4x3xf32>"
std::string tensor_text(DType dtype, const Shape& shape);
// "1, 2"
std::string numbers_text(std::span<const std::int64_t> numbers);
// "array<i64: 1, 2>"
std::string array_text(std::span<const std::int64_t> numbers);
// "tensor<f32>, tensor<i32>"
std::string types_text(std::span<const TextValue> values);
// "%0, %1"
std::string names_text(std::span<const TextValue> values);
// The value of a constant: "dense<[1, 2]> : tensor<2xi32>".
std::string dense_text(const Array& array);

// The text in quotes, with MLIR's escapes: two hexadecimal digits.
std::string mlir_quoted(std::string_view text);
// ` loc("train.cpp":41:0)`; nothing for an unknown one.
std::string location_text(Location at);

// Writes operations, one a line, and gives their results. Operations that most rules need have a
// function here; operands must have the types that StableHLO wants, there is no broadcasting.
class TextWriter {
 public:
  // A region: its arguments, by their types, and what it returns.
  struct Block {
    TextValues arguments;  // without names
    std::function<TextValues(std::span<const TextValue>)> body;
  };

  // Where the operations come from that are written next.
  void set_location(Location at) { location_ = at; }
  std::string& text() { return text_; }
  void indent(int levels) { depth_ += levels; }
  // A line of no operation.
  void line(std::string_view text);

  // "%0 = <operation> : <signature>"
  TextValue operation(std::string_view operation, std::string_view signature, DType dtype,
                      const Shape& shape);
  // "%0 = <operation> : (<types of operands>) -> <type>"
  TextValue mapped(std::string_view operation, std::span<const TextValue> operands, DType dtype,
                   const Shape& shape);
  // "%0 = stablehlo.<name> %x, %y : <type>", all of one type.
  TextValue alike(std::string_view name, std::initializer_list<TextValue> operands);
  // An operation in the generic form, with regions and any number of results.
  TextValues with_regions(std::string_view name, std::span<const TextValue> operands,
                          const std::string& properties, std::span<const Block> blocks,
                          TextValues results);

  TextValue constant(const Array& array);
  TextValue constant(DType dtype, const Shape& shape, double value);
  TextValue like(const TextValue& x, double value) { return constant(x.dtype, x.shape, value); }
  // "EQ", "NE", "LT", "LE", "GT", "GE"
  TextValue compare(std::string_view direction, const TextValue& x, const TextValue& y);
  TextValue select(const TextValue& condition, const TextValue& x, const TextValue& y);
  TextValue convert(const TextValue& x, DType dtype);
  TextValue reshape(const TextValue& x, const Shape& shape);
  // By NumPy's rule.
  TextValue broadcast(const TextValue& x, const Shape& shape);
  TextValue slice(const TextValue& x, std::span<const std::int64_t> start,
                  std::span<const std::int64_t> stop, std::span<const std::int64_t> step);
  TextValue iota(DType dtype, const Shape& shape, std::int64_t axis);
  // `starts` are scalars, one a dimension.
  TextValue dynamic_slice(const TextValue& x, std::span<const TextValue> starts,
                          const Shape& sizes);
  TextValue dynamic_update_slice(const TextValue& x, const TextValue& update,
                                 std::span<const TextValue> starts);

 private:
  std::string next_name() { return "%" + std::to_string(count_++); }
  void append_line(std::string_view text);
  void append_location();

  std::string text_;
  Location location_;
  std::size_t count_ = 0;
  int depth_ = 0;
};

}  // namespace tutti::ir::stablehlo

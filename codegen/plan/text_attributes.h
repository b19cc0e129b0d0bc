#pragma once

#include <tutti/ir/text/literal.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen {

// " {tiles = 4, flops = 128}": what is not as usual, which is 0 of a number.
class TextAttributes {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += text_.empty() ? " {" : ", ";
    text_ += name;
    text_ += " = " + value;
  }
  void add(std::string_view name, std::int64_t value, std::int64_t usual = 0) {
    if (value != usual) add(name, std::to_string(value));
  }
  void add(std::string_view name, const std::vector<std::int64_t>& values) {
    if (values.empty()) return;
    std::string text;
    ir::append_integers(text, values);
    add(name, text);
  }
  std::string text() const { return text_.empty() ? "" : text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace tutti::codegen

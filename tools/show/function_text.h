#pragma once

#include <tutti/ir/graph.h>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools::show {

// A node's part of its function's text.
struct NodeText {
  std::string_view code;        // "%1 = sum(%0) {axes = [0]} : f32[10]", or "%x: f32[64,784]"
  std::string_view names;       // of its results: "%1", "%1, %2"; empty if there are none
  std::string_view attributes;  // "axes = [0]"; not the number of the kernel
  std::string_view types;       // "f32[10]"
  std::string_view source;      // "train.cpp:41"; empty if unknown
};

// The text of a function, taken apart into its nodes. ir::print stays the only one who prints
// nodes; this takes the time of one print for all of them.
class FunctionText {
 public:
  explicit FunctionText(const ir::Graph& function);
  FunctionText(const FunctionText&) = delete;
  FunctionText& operator=(const FunctionText&) = delete;

  // The whole file with it.
  const std::string& text() const { return text_; }
  const NodeText& node(ir::NodeId id) const { return nodes_[id]; }
  std::string_view signature() const { return signature_; }  // "func @f(...) -> (...) {"

 private:
  std::string text_;
  std::string_view signature_;
  std::vector<NodeText> nodes_;
};

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tutti::tools::show

#pragma once

#include <tutti/ir/graph.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/show/function_text.h"
#include "tools/show/layout.h"

namespace tutti::tools::show {

// What a node is to a reader, and its colour.
enum class NodeKind : std::uint8_t { parameter, constant, compute, view, collective, wait };
NodeKind kind_of(ir::Op op);
const char* name_of(NodeKind kind);

// Nodes with arrows from operands to users. The nodes of a kernel (the attribute `fusion`) are one
// box.
struct Box {
  std::vector<ir::NodeId> nodes;
  std::int32_t fusion = -1;
  NodeKind kind = NodeKind::compute;
  std::string title;               // "%2 all_reduce", "kernel 3: 5 nodes"
  std::vector<std::string> lines;  // attributes and type, or the nodes of the kernel
};

struct Arrow {
  int from = 0;
  int to = 0;
  ir::Value value;  // the first one that goes there
};

struct Picture {
  std::vector<Box> boxes;  // in the order of their first nodes
  std::vector<Arrow> arrows;
};

// Folded, a kernel has one line with its ops instead of a line for each node.
Picture picture_of(const ir::Graph& function, const FunctionText& text, bool folded);

// How wide a box has to be, in pixels of a drawing with kFontSize.
inline constexpr double kFontSize = 12;
inline constexpr double kCharacterWidth = 7.25;
inline constexpr int kLineHeight = 16;
inline constexpr int kPadding = 8;
inline constexpr int kRowGap = 36;
inline constexpr int kLeastWidth = 90;
inline constexpr std::size_t kLongestLine = 44;
int width_of(const Box& box);
int height_of(const Box& box);

Layout lay_out(const Picture& picture);

}  // namespace tutti::tools::show

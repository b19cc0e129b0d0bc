#pragma once

#include <tutti/ir/graph.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tutti::codegen {

// How a value's elements are found without computing them: the element at an index is
// offset + sum(index[d] * strides[d]) of something. Views of views compose, so that transposes,
// slices, broadcasts and most reshapes cost nothing.
struct View {
  enum class Source : std::uint8_t {
    buffer,    // that element of the storage of `base`
    constant,  // the one element of `scalar`, whatever the index
    index,     // that number itself (iota)
    padded,    // that element of `base` where the index is inside; else the one of `scalar`
    moved,     // that element of `base`, moved by `starts`
    taken,     // that element of `base`, moved by `starts`, and by `terms` of the index
  };

  Source source = Source::buffer;
  ir::Value base;                     // Source::buffer, padded, moved, taken
  const ir::Array* scalar = nullptr;  // Source::constant, padded
  DType dtype = DType::f32;
  Shape shape;
  std::int64_t offset = 0;
  std::array<std::int64_t, Shape::kMaxRank> strides{};
  // Source::padded: the indices of each dimension that are inside, [begin, end).
  struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::array<Range, Shape::kMaxRank> inside{};

  // Source::moved, and padded or taken around it: the offset is known when the program runs. It is
  // more by `stride` times an element of the storage of `index`, clamped to [0, most].
  struct Start {
    ir::Value index;
    DType dtype = DType::i64;
    std::int64_t element = 0;
    std::int64_t most = 0;
    std::int64_t stride = 0;
  };
  std::vector<Start> starts = {};

  // Source::taken: where an element lies is said by numbers that are known when the program runs.
  // To its place each adds `stride` times the element that the view `index`, of the same shape, has
  // there, clamped to [0, most]. Only kernels of fused groups read such views (read_takes.h).
  struct Term {
    std::shared_ptr<const View> index;
    std::int64_t most = 0;
    std::int64_t stride = 0;
    ir::NodeId node = 0;  // the take
  };
  std::vector<Term> terms = {};

  bool reads_base() const { return source != Source::constant && source != Source::index; }
  // Whether a dimension has indices that are outside.
  bool is_bounded(int dimension) const;
  // Row-major without holes or offset: the storage of `base` is the value.
  bool dense() const;
};

// The view of every value of a graph. Values that nodes compute are their own base, and row-major
// but for convolutions' (conv_layout.h).
class Views {
 public:
  explicit Views(const ir::Graph& graph);

  const View& operator[](ir::Value value) const { return views_[value.id]; }
  // True if the node only renames or re-indexes (or is a constant that kernels write inline).
  bool free(ir::NodeId id) const { return free_[id]; }

 private:
  // `called`: by node, the takes that are no views.
  void find(const ir::Graph& graph, const std::vector<bool>& called);

  std::vector<View> views_;
  std::vector<bool> free_;
};

// Whether a node does something at run time.
bool executes(const ir::Graph& graph, const Views& views, ir::NodeId id);

// The value itself, or what it is another name of (vary, identity).
ir::Value resolve(const ir::Graph& graph, ir::Value value);

// The strides with which a view of `from` elements is read at indices of the shape `to` that it
// broadcasts to (NumPy's rule: aligned at the last dimension).
std::vector<std::int64_t> broadcast_strides(const View& view, const Shape& to);

}  // namespace tutti::codegen

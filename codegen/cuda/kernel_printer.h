#pragma once

#include <tutti/codegen/cuda/emit_scalar.h>
#include <tutti/codegen/cuda/mapping.h>
#include <tutti/codegen/cuda/source.h>
#include <tutti/codegen/kernel/kernel.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::codegen::cuda {

// The body of a kernel's function under construction. Names in the text: b2 a buffer, o1 and i0
// indices along axes, n3 a number that says where a buffer begins, v12 a value, p12 the pack that a
// value is an element of, s3 a pack that a store collects, k the element of a pack, c12 what a
// chunk of a loop adds to v12, w12 shared memory in which v12 is combined or turned.
class KernelPrinter {
 public:
  // `original` is the kernel before its axes were merged, which says what may run in place.
  KernelPrinter(const Kernel& kernel, const Mapping& mapping, const Kernel& original);

  // The whole function, to be asked for once.
  Source print();
  // Instead the body of an operator that does the same, without loops, for the points from number
  // `place` on: `mapping.lanes` of them, of which `left` exist, by packed accesses or one after
  // another. A buffer's elements may come in the pack `given` (-1: none does); the others have
  // their names.
  std::string print_operator(int given, bool packed);
  // The parameters' declarations without that buffer, and the texts that the body calls.
  std::vector<std::string> parameters_beside(int given) const;
  const std::set<std::string_view>& texts() const { return scalars_.texts(); }
  // A C identifier, after the ops.
  std::string name() const;

 private:
  // ---- kernel_printer.cpp ----
  void line(const std::string& text);
  void open(const std::string& text);  // and a brace
  void close(const std::string& behind = "");
  void set_blocks(std::int64_t x, std::int64_t y);
  std::string parameters() const;
  std::string header(const std::string& name) const;
  void find_in_place();
  void find_used_axes();
  void find_used_values();

  // ---- emit_body.cpp ----

  // Moves buffers to where they begin.
  void starts();

  // The type of indices, and of numbers of points.
  std::string index() const { return mapping_.wide ? "i64" : "i32"; }
  std::string number() const { return mapping_.wide ? "u64" : "u32"; }
  std::string unsigned_literal(std::int64_t value) const {
    return std::to_string(value) + (mapping_.wide ? "ULL" : "U");
  }
  // Defines the indices of some axes from a number in row-major order, the last one in steps of
  // `lanes`.
  void define_axes(char axis, const std::vector<std::int64_t>& extents,
                   const std::vector<bool>& used, const std::string& number, int lanes);
  // "o0 * 128 + i0 + 3"; for indices each factor is an i64.
  std::string address(const Affine& affine, bool loop, bool as_value = false) const;
  // Whether the indices are inside of bounds.
  std::string inside(const std::vector<Bound>& bounds) const;
  // The same of a load, with what its terms add.
  std::string address(const Instruction& load, bool loop) const;
  // A number of elements, clamped, as an index.
  std::string clamped(const std::string& number, DType dtype, std::int64_t most) const;
  std::string element(int buffer, const Affine& affine, bool loop) const;
  std::string expression(const Instruction& instruction, bool loop);
  void define(const Instruction& instruction, const std::string& text);
  void body(const Segment& segment);
  void stores(const Segment& segment);
  void store_value(const Store& store, bool loop);
  // What a store writes, narrowed.
  std::string stored(const Store& store);

  // The elements of packs, along the last outer or inner axis.
  struct Lanes {
    bool inner = false;
    std::string left;  // an expression for how many elements there are; empty: always all
  };
  bool is_packed(const Affine& affine, const Lanes& lanes) const;
  void load_packs(const Segment& segment, const Lanes& lanes);
  void declare_store_packs(const Segment& segment, const Lanes& lanes);
  void lane_body(const Segment& segment);
  void store_packs(const Segment& segment, const Lanes& lanes);
  void open_lanes();

  // ---- emit_points.cpp ----
  void points();
  void tiles();
  std::string given_element(int buffer);
  void load_tile(const Instruction& load);
  bool goes_through_tile(const Instruction& instruction) const;
  // Begins the rounds in which a block goes over its tile, with the names of the threads' indices
  // along the tile's axis and the last one.
  void open_tile_rounds(const std::string& along_tile_axis, const std::string& along_last);

  // ---- emit_teams.cpp ----
  void teams();
  void define_point();
  void point_segment(const Segment& segment);
  void loop_segment(const Segment& segment);
  void open_inner_loops(const Segment& segment);
  void open_chunks(const Segment& segment, const std::string& type, const std::string& first,
                   std::int64_t end, std::int64_t size);
  void add_chunk(const Segment& segment);
  std::string accumulator(const Reduction& reduction) const;
  void loop_body(const Segment& segment);
  void accumulate(const Segment& segment, const std::string& condition);
  void declare_reduction(const Reduction& reduction);
  void combine_team(const Reduction& reduction);
  void meet();
  std::string combined(const Reduction& reduction, const std::string& x, const std::string& y);
  void pass_on_parts(const Segment& segment);
  std::string leader() const;
  std::string team_rank() const;

  const Kernel& kernel_;
  const Mapping mapping_;
  const Kernel& original_;
  ScalarPrinter scalars_;
  std::string text_;
  int depth_ = 1;
  int opened_ = 0;                  // loops that open_inner_loops opened
  bool in_chunk_ = false;           // whether they go over a chunk, as the innermost ones do
  int around_chunk_ = 0;            // how many are around it then
  std::vector<std::string> names_;  // of values
  const std::vector<DType> types_;  // of them
  std::vector<bool> is_used_;       // whether a value's variable is; rounded ones are often not
  struct Unrounded {
    DType dtype = DType::f16;
    std::string name;
  };
  std::map<ValueId, Unrounded> unrounded_;  // what rounded values were before
  std::vector<bool> in_place_;              // whether a buffer may share memory with another
  std::vector<bool> used_outer_;
  std::vector<bool> used_inner_;
  int given_ = -1;              // the buffer whose elements are in a pack
  bool partial_block_ = false;  // threads without a point stay, as others wait for them
  Source source_;
};

}  // namespace tutti::codegen::cuda

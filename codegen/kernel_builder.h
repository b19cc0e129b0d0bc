#pragma once

#include <tutti/codegen/lower.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/graph.h>

#include <functional>
#include <utility>
#include <vector>

namespace tutti::codegen {

// Makes a kernel, segment by segment and in these instruction by instruction, and lists the values
// whose storage its buffers are.
class KernelBuilder {
 public:
  // The values that are read from peers outlive this.
  explicit KernelBuilder(const PeerReadings& peers) : peers_(peers) {}

  Kernel& kernel() { return lowered_.kernel; }
  LoweredKernel take() { return std::move(lowered_); }

  void begin_segment(bool loop);
  // That begun last, and to do without it.
  Segment& segment() { return kernel().segments.back(); }
  void drop_segment() { kernel().segments.pop_back(); }

  // Reads what a view is of at an address: within bounds, and outside of them what lies around it.
  // `indices`: by term of the view, what was read of its index. The same thing is read once a
  // segment.
  ValueId read(const View& view, const Affine& address, const std::vector<Bound>& bounds,
               const std::vector<ValueId>& indices);
  // The meaning of a node that works element by element, or that reduces over no axes: this is
  // given the values of its operands.
  ValueId elementwise(const ir::Graph& graph, ir::NodeId id,
                      const std::function<ValueId(ir::Value)>& operand);
  // A value of a compute dtype rounded to a narrower one.
  ValueId round(ValueId value, DType dtype);
  // Combines what the segment, a loop, has of a value at each of its points.
  ValueId reduce(ir::ScalarOp combine, DType dtype, ValueId value);
  // Writes what was computed of a value into its storage.
  void store(ir::Value value, DType dtype, const Affine& address, ValueId computed);

 private:
  // Something that was read.
  struct Reading {
    int buffer;
    DType dtype;
    Affine address;
    std::vector<Bound> bounds;
    std::vector<ValueId> indices;
    std::vector<Term> terms;  // what they are good for
    const ir::Array* around;  // where there are bounds: what is outside of them
    ValueId value;
  };

  ValueId emit(Instruction instruction);
  ValueId load(int buffer, DType dtype, const Affine& address);
  ValueId cast(ValueId value, DType from, DType to);
  ValueId combine(const PeerReading& peers, const View& view, const Affine& address, ValueId value);
  int add_buffer(ir::Value value, DType dtype, bool written, int member = -1,
                 const std::vector<Start>& starts = {});
  std::vector<Start> starts_of(const View& view);

  const PeerReadings& peers_;
  LoweredKernel lowered_;
  std::vector<Reading> readings_;  // of the segment begun last
};

}  // namespace tutti::codegen

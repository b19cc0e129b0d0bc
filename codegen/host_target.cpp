#include <tutti/codegen/conv_call.h>
#include <tutti/codegen/divided_call.h>
#include <tutti/codegen/fuse_epilogues.h>
#include <tutti/codegen/host_target.h>
#include <tutti/codegen/kernel/short_rows.h>
#include <tutti/codegen/library.h>
#include <tutti/codegen/schedule.h>

#include <utility>

namespace tutti::codegen {

namespace {

class HostTarget final : public Target {
 public:
  bool reads_view(const ir::Graph& graph, ir::NodeId id, const std::vector<View>&,
                  std::size_t operand) const override {
    return takes_strides(graph.node(id).op, operand);
  }
  bool works_in_place(ir::Op op) const override { return op == ir::Op::dynamic_update_slice; }
  std::optional<Preparation> preparation(const ir::Graph& graph, ir::NodeId id,
                                         const std::vector<View>& operands,
                                         const View& result) const override {
    if (graph.node(id).op == ir::Op::conv) return conv_parts_call(graph, id, operands, result);
    return dividing_call(graph, id, operands);
  }
  std::vector<PartialConcat> partial_concats(const ir::Graph&, ir::NodeId,
                                             const std::vector<View>&) const override {
    return {};
  }
  LaunchPart call(const ir::Graph& graph, ir::NodeId id, const std::vector<View>& operands,
                  const View& result) const override {
    return library_call(graph, id, operands, result);
  }
  LaunchPart copy(const View& view) const override { return strided_copy(view); }
  std::vector<LoweredKernel> schedule(LoweredKernel kernel) const override {
    turn_short_rows(kernel.kernel);
    lengthen_vectors(kernel.kernel);
    return split_reduction(std::move(kernel));
  }
  bool replays_steps() const override { return false; }
  void fuse_epilogues(Plan& plan, const PlannedMatmuls&,
                      const runtime::AlgorithmTable&) const override {
    codegen::fuse_epilogues(plan);
  }
};

}  // namespace

const Target& host_target() {
  static const HostTarget target;
  return target;
}

}  // namespace tutti::codegen

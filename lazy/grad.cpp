#include <tutti/ir/derive/gradient.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/grad.h>

namespace tutti::detail {

std::vector<Tensor> rename_leaves(TreeRef tree, Location where) {
  check_values(tree, "", where);
  std::vector<Tensor> out;
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (!leaf.is_tensor()) return;
    out.emplace_back(record(ir::Op::identity, {leaf.as_tensor().state()}, {}, where));
    leaf.assign(out.back());
  });
  return out;
}

std::vector<Tensor> gradients(const Tensor& value, const std::vector<Tensor>& wrt, Location where) {
  Trace& trace = RankContext::current().trace();
  std::vector<ir::Value> values;
  for (const Tensor& tensor : wrt) values.push_back(trace.value_of(*tensor.state(), where));
  const ir::Value output = trace.value_of(*value.state(), where);
  trace.builder().at(where);
  std::vector<Tensor> out;
  for (const ir::Value gradient : ir::gradient(trace.builder(), output, values)) {
    out.emplace_back(trace.handle(gradient, where));
  }
  RankContext::current().notice_collectives();
  return out;
}

KeepRecording::KeepRecording() { ++RankContext::current().keep_recording; }
KeepRecording::~KeepRecording() { --RankContext::current().keep_recording; }

CheckpointScope::CheckpointScope()
    : begin_(static_cast<std::uint32_t>(RankContext::current().trace().graph().node_count())) {}

CheckpointScope::~CheckpointScope() {
  RankContext& context = RankContext::current();
  // Where nothing is being differentiated the trace may have been evaluated in between.
  if (context.keep_recording == 0) return;
  ir::Builder& builder = context.trace().builder();
  builder.checkpoint({begin_, static_cast<ir::NodeId>(builder.graph().node_count())});
}

}  // namespace tutti::detail

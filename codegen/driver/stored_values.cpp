#include <tutti/codegen/driver/stored_values.h>

#include <algorithm>

namespace tutti::codegen {

using ir::NodeId;
using ir::Value;

StoredValues::StoredValues(const ir::Graph& graph, const Views& views)
    : stored_(graph.value_count(), false), last_reader_(graph.value_count(), 0) {
  for (NodeId id = 0; id < graph.node_count(); ++id) {
    if (!executes(graph, views, id)) continue;
    for (const Value operand : graph.operands(id)) {
      const NodeId producer = graph.producer(resolve(graph, operand));
      const bool inside =
          graph.node(id).fusion >= 0 && graph.node(producer).fusion == graph.node(id).fusion;
      if (!inside) demand(views[operand], id);
    }
  }
  for (const Value value : graph.results()) {
    demand(views[value], static_cast<NodeId>(graph.node_count()));
  }
}

void StoredValues::demand(const View& view, NodeId reader) {
  if (!view.reads_base()) return;
  const auto read = [&](Value base) {
    stored_[base.id] = true;
    last_reader_[base.id] = std::max(last_reader_[base.id], reader);
  };
  read(view.base);
  for (const View::Start& start : view.starts) read(start.index);
  for (const View::Term& term : view.terms) demand(*term.index, reader);
}

}  // namespace tutti::codegen

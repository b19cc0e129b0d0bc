#include <tutti/codegen/driver/control_of.h>
#include <tutti/ir/support/error.h>

namespace tutti::codegen {

Control control_of(const ir::Graph& graph, ir::NodeId node) {
  const ir::Attributes attributes = graph.attributes(node);
  Control out;
  out.location = graph.node(node).location;
  switch (graph.node(node).op) {
    case ir::Op::scan:
      out.kind = Control::Kind::scan;
      out.carries = attributes.integer("carries");
      out.sequences = attributes.integer("sequences");
      out.length = attributes.integer("length");
      out.reverse = attributes.flag("reverse");
      return out;
    case ir::Op::while_loop:
      out.kind = Control::Kind::while_loop;
      out.carries = attributes.integer("carries");
      return out;
    case ir::Op::conditional:
      out.kind = Control::Kind::conditional;
      return out;
    default:
      throw InternalError(std::string(name_of(graph.node(node).op)) + " runs no functions",
                          out.location);
  }
}

}  // namespace tutti::codegen

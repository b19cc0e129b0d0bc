#include <tutti/codegen/driver/control_of.h>
#include <tutti/codegen/driver/target_of.h>
#include <tutti/ir/support/error.h>

#include <algorithm>

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

std::vector<const PlanBuffer*> staged_pieces(const Control& scan, const Plan& body) {
  constexpr std::int64_t kLargestPiece = std::int64_t{1} << 20;
  std::vector<const PlanBuffer*> pieces;
  for (const PlanBuffer& buffer : body.buffers) {
    if (buffer.kind == PlanBuffer::Kind::parameter && buffer.index >= scan.carries &&
        buffer.index < scan.carries + scan.sequences) {
      pieces.push_back(&buffer);
    }
  }
  std::ranges::sort(pieces, {}, &PlanBuffer::index);
  for (auto i = static_cast<std::size_t>(scan.carries); i < body.results.size(); ++i) {
    pieces.push_back(&body.buffers[at(body.results[i].buffer)]);
  }
  const auto runs_anew = [](const PlanBuffer* piece) {
    return !target_of(piece->device).replays_steps();
  };
  const auto is_large = [](const PlanBuffer* piece) { return piece->bytes > kLargestPiece; };
  const auto is_aligned = [](const PlanBuffer* piece) {
    return piece->bytes % kDeviceAlignment == 0;
  };
  const bool anew =
      std::ranges::any_of(pieces, runs_anew) ||
      (std::ranges::any_of(pieces, is_large) && std::ranges::all_of(pieces, is_aligned));
  return anew ? std::vector<const PlanBuffer*>() : pieces;
}

}  // namespace tutti::codegen

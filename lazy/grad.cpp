#include <tutti/ir/collective.h>
#include <tutti/ir/derive/gradient.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/grad.h>
#include <tutti/lazy/redistribute.h>

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti::detail {

namespace {

// The gradients around answer the answers that were recorded from `begin` on, too.
void note_messages(RankContext& context, ir::NodeId begin) {
  if (context.gradients_around.empty()) return;
  const ir::Graph& graph = context.trace().graph();
  const auto end = static_cast<ir::NodeId>(graph.node_count());
  for (ir::NodeId id = begin; id < end; ++id) {
    if (!ir::is_point_to_point(graph.node(id).op)) continue;
    if (graph.attributes(id).integer("gradients") == 0) continue;  // a custom_vjp's own
    for (std::vector<ir::NodeId>* const messages : context.gradients_around) {
      messages->push_back(id);
    }
  }
}

}  // namespace

std::vector<Tensor> rename_leaves(TreeRef tree, Location where) {
  check_values(tree, "", where);
  std::vector<Tensor> out;
  std::optional<TreeLeaf> last;
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.is_tensor()) {
      out.emplace_back(record(ir::Op::identity, {leaf.as_tensor().state()}, {}, where));
      leaf.assign(out.back());
      last = leaf;
    } else if (leaf.is_fixed_text() && leaf.fixed_text().varying != 0) {
      // A part that happens to be the same on all ranks, such as zeros: its gradient is the part's.
      out.back() = vary(out.back(), leaf.fixed_text().varying, where);
      last->assign(out.back());
    }
  });
  return out;
}

std::vector<Tensor> rename_floating_leaves(TreeRef tree, Location where) {
  check_values(tree, "", where);
  bool has_tensors = false;
  std::optional<std::string> number;  // the path of the first one
  walk_named_tree(tree, [&](const std::string& path, const TreeLeaf& leaf) {
    const bool is_number = leaf.kind == TreeKind::floating || leaf.kind == TreeKind::integer;
    if (is_number && !number) number = path;
    if (!leaf.is_tensor()) return;
    has_tensors = true;
    const ir::Type& type = leaf.as_tensor().state()->type;
    if (is_floating(type.dtype)) return;
    throw TypeError(
        "no derivative with respect to " +
            (path.empty() ? type.text() : "'" + path + "', " + type.text()) +
            ": it is not floating-point; give it as another argument, or keep it out of "
            "the tree by left_out()",
        where);
  });
  if (number && !has_tensors) {
    throw TypeError("no derivative with respect to " +
                        (number->empty() ? "" : "'" + *number + "', ") +
                        "a C++ number; make it a tensor: tensor(x)",
                    where);
  }
  return rename_leaves(tree, where);
}

void forget_numbers(TreeRef tree) {
  const auto forget = []<class T>(std::type_identity<T>, const TreeLeaf& leaf) {
    *static_cast<T*>(leaf.place) = std::numeric_limits<T>::quiet_NaN();
  };
  walk_tree(tree, [&](const std::string&, const TreeLeaf& leaf) {
    if (leaf.kind != TreeKind::floating) return;
    if (leaf.type->bytes == sizeof(float)) return forget(std::type_identity<float>(), leaf);
    if (leaf.type->bytes == sizeof(double)) return forget(std::type_identity<double>(), leaf);
    forget(std::type_identity<long double>(), leaf);
  });
}

void set_gradients(TreeRef tree, const std::vector<Tensor>& gradients, std::size_t& next) {
  set_tensors(tree, gradients, next);
  forget_numbers(tree);
}

ApartFromGradients::ApartFromGradients() : ApartFromGradients(RankContext::current()) {}
ApartFromGradients::ApartFromGradients(RankContext& context) : context_(context) {
  around_.swap(context_.gradients_around);
}
ApartFromGradients::~ApartFromGradients() { around_.swap(context_.gradients_around); }

GradientScope::GradientScope() { RankContext::current().gradients_around.push_back(&messages_); }
GradientScope::~GradientScope() { end(); }

void GradientScope::end() {
  if (!std::exchange(ended_, true)) RankContext::current().gradients_around.pop_back();
}

std::vector<Tensor> GradientScope::gradients(const Tensor& value, const std::vector<Tensor>& wrt,
                                             Location where) {
  end();
  if (!value.defined()) {
    throw UsageError(
        without_value("the result of the function to differentiate", value.was_moved()), where);
  }
  RankContext& context = RankContext::current();
  const RankContext::Recording recording(context, where);
  Trace& trace = context.trace();
  trace.differentiate();
  std::vector<ir::Value> values;
  for (const Tensor& tensor : wrt) values.push_back(trace.value_of(*tensor.state(), where));
  const ir::Value output = trace.value_of(*value.state(), where);
  trace.builder().at(where);
  const auto begin = static_cast<ir::NodeId>(trace.graph().node_count());
  const ir::AnsweredMessages messages{
      .nodes = messages_,
      .gradients_around = static_cast<std::int64_t>(context.gradients_around.size())};
  std::vector<Tensor> out;
  for (const ir::Value gradient : ir::gradient(trace.builder(), output, values, messages)) {
    out.emplace_back(trace.handle(gradient, where));
  }
  note_messages(context, begin);
  context.notice_collectives();
  return out;
}

KeepRecording::KeepRecording()
    : claim_(RankContext::current().recorder()), lazily_(!RankContext::current().compiling()) {
  RankContext& context = RankContext::current();
  ++context.keep_recording;
  if (lazily_) ++context.keep_lazy_trace;
}
KeepRecording::~KeepRecording() {
  RankContext& context = RankContext::current();
  --context.keep_recording;
  if (lazily_) --context.keep_lazy_trace;
}

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

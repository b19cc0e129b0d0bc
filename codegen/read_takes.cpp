#include <tutti/codegen/around_axis.h>
#include <tutti/codegen/kernel/kernel.h>
#include <tutti/codegen/read_takes.h>
#include <tutti/ir/control.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::Value;

constexpr std::size_t kMostKernels = 2;  // that read the same rows

// Of a fused group, what decides how often it reads an element.
struct Loops {
  std::int64_t points = 0;  // of the loop nest
  NodeId last_full = 0;     // the last member that has a value at each of them
  NodeId first_reduction = ir::kNoNode;
};

class TakeReaders {
 public:
  TakeReaders(const ir::Graph& graph, const Views& views)
      : graph_(graph), views_(views), called_(graph.node_count(), false) {}

  std::vector<bool> run() {
    find_takes();
    if (takes_.empty()) return std::vector<bool>(graph_.node_count(), false);
    find_loops();
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (!executes(graph_, views_, id)) continue;
      for (const Value operand : graph_.operands(id)) {
        add_reader(views_[operand], id);
        add_writer(views_[operand], id);
      }
    }
    for (const Value result : graph_.results()) call_all(views_[result]);
    for (const auto& [id, readers] : takes_) {
      if (!called_[id]) called_[id] = !is_cheap(id, readers) || is_written_before(id, readers);
    }
    return called_;
  }

 private:
  struct Readers {
    std::set<std::int32_t> groups;
    NodeId last = 0;
  };

  void find_takes() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (!is_take(graph_.node(id).op)) continue;
      // One of what a take gives is a call, which it stays where that becomes a call, too.
      called_[id] = !views_.free(id);
      if (views_.free(id)) takes_.emplace(id, Readers());
    }
  }

  void find_loops() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const std::int32_t group = graph_.node(id).fusion;
      if (group < 0) continue;
      Loops& loops = loops_[group];
      const bool reduces = ir::definition(graph_.node(id).op).kind == OpClass::reduce;
      const Value widest = reduces ? graph_.operand(id, 0) : graph_.result(id);
      const std::int64_t points = graph_.type(widest).shape.elements();
      if (points > loops.points)
        loops = {.points = points, .first_reduction = loops.first_reduction};
      if (reduces) {
        loops.first_reduction = std::min(loops.first_reduction, id);
      } else if (points == loops.points) {
        loops.last_full = id;
      }
    }
  }

  // Calls f with the takes that a view is of.
  template <class F>
  void each_take(const View& view, F&& f) const {
    for (const View::Term& term : view.terms) {
      f(term.node);
      each_take(*term.index, f);
    }
  }

  void call_all(const View& view) {
    each_take(view, [&](NodeId take) { called_[take] = true; });
  }

  void add_reader(const View& view, NodeId reader) {
    const std::int32_t group = graph_.node(reader).fusion;
    if (group < 0) return call_all(view);
    each_take(view, [&](NodeId take) {
      Readers& readers = takes_.at(take);
      readers.groups.insert(group);
      readers.last = std::max(readers.last, reader);
    });
  }

  bool is_cheap(NodeId id, const Readers& readers) const {
    const View& x = views_[graph_.operand(id, 0)];
    const auto axis = static_cast<int>(graph_.attributes(id).integer("axis"));
    const int last = x.shape.rank() - 1;
    const bool takes_rows = graph_.node(id).op == Op::take && axis != last;
    if (takes_rows) {
      return AroundAxis(x.shape, axis).inner >= kLanes && x.shape[last] > 1 &&
             x.strides[static_cast<std::size_t>(last)] == 1 &&
             readers.groups.size() <= kMostKernels;
    }
    if (readers.groups.size() > 1) return false;
    return std::ranges::all_of(readers.groups, [&](std::int32_t group) {
      const Loops& loops = loops_.at(group);
      return loops.points <= graph_.type(graph_.result(id)).shape.elements() &&
             (loops.first_reduction == ir::kNoNode || loops.last_full < loops.first_reduction);
    });
  }

  // What may write over an operand: kernels, loops and others that work in place.
  void add_writer(const View& view, NodeId id) {
    const ir::Node& node = graph_.node(id);
    const bool may_write = node.fusion >= 0 || ir::is_control(node.op) ||
                           node.op == Op::dynamic_update_slice || node.op == Op::observe;
    if (!may_write || !view.reads_base() || !view.terms.empty()) return;
    writers_[view.base].push_back(id);
  }

  // Whether something that may do so, to the table or to indices, comes before the last reader, and
  // would have to copy it then.
  bool is_written_before(NodeId id, const Readers& readers) const {
    return is_written_before(views_[graph_.operand(id, 0)], id, readers) ||
           is_written_before(views_[graph_.operand(id, 1)], id, readers);
  }
  bool is_written_before(const View& view, NodeId id, const Readers& readers) const {
    if (std::ranges::any_of(view.terms, [&](const View::Term& term) {
          return is_written_before(*term.index, id, readers);
        })) {
      return true;
    }
    const auto found = view.reads_base() ? writers_.find(view.base) : writers_.end();
    if (found == writers_.end()) return false;
    const auto begin = std::ranges::upper_bound(found->second, id);
    return std::any_of(begin, found->second.end(), [&](NodeId writer) {
      return writer < readers.last && !readers.groups.contains(graph_.node(writer).fusion);
    });
  }

  const ir::Graph& graph_;
  const Views& views_;
  std::vector<bool> called_;
  std::map<NodeId, Readers> takes_;
  std::map<std::int32_t, Loops> loops_;           // by group
  std::map<Value, std::vector<NodeId>> writers_;  // by base, in order
};

}  // namespace

bool is_take(Op op) { return op == Op::take || op == Op::take_along_axis; }

std::vector<bool> find_called_takes(const ir::Graph& graph, const Views& views) {
  return TakeReaders(graph, views).run();
}

}  // namespace tutti::codegen

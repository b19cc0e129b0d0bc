#include <tutti/codegen/lower_collective.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/ir/control.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::Value;

constexpr int kMostMembers = 8;  // each is an argument of the kernel

struct Candidate {
  Value result;
  NodeId start = 0;
  std::int32_t group = -1;  // of fused nodes, that reads it
  bool fits = true;
};

class Finder {
 public:
  Finder(const ir::Graph& graph, const Views& views, std::int64_t rank,
         const runtime::Algorithms& algorithms)
      : graph_(graph), views_(views), rank_(rank), algorithms_(algorithms) {}

  PeerReadings run() {
    find_candidates();
    if (candidates_.empty()) return {};
    find_readers();
    keep_last_of_each_group();
    // Rounds find little after the first; what is left is read from copies, if at all too soon.
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds && drop_ended(); ++round) {
    }
    PeerReadings out;
    for (const Candidate& each : candidates_) {
      if (!each.fits) continue;
      const ir::Attributes attributes = graph_.attributes(each.start);
      out[each.result] = {.members = static_cast<int>(attributes.group("group")->size()),
                          .reduction = *kernels::reduction_from_name(attributes.text("op"))};
    }
    return out;
  }

 private:
  void find_candidates() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      const ir::Node& node = graph_.node(id);
      if (node.op != Op::all_reduce || node.operand_count != 1) continue;
      const ir::Attributes attributes = graph_.attributes(id);
      const ir::Group& group = *attributes.group("group");
      const Value result = graph_.result(id);
      const ir::Type& type = graph_.type(result);
      const auto reduction = *kernels::reduction_from_name(attributes.text("op"));
      const bool fits = group.size() > 1 && group.size() <= kMostMembers && type.bytes() > 0 &&
                        algorithms_.reads(reduction, type.dtype, group, type.bytes()) &&
                        can_combine(reduction, type.dtype) &&
                        graph_.device(graph_.operand(id, 0)).is_cpu() &&
                        graph_.device(result).is_cpu() &&
                        engine_of(group, Device::cpu()) == "shm" && group.position_of(rank_) >= 0;
      if (!fits) continue;
      numbers_[result.id] = candidates_.size();
      candidates_.push_back({.result = result, .start = id});
    }
  }

  Candidate* candidate_of(Value base) {
    const auto found = numbers_.find(base.id);
    return found == numbers_.end() ? nullptr : &candidates_[found->second];
  }

  void find_readers() {
    for (std::uint32_t id = 0; id < graph_.value_count(); ++id) {
      const View& view = views_[Value{id}];
      if (!view.reads_base()) continue;
      Candidate* const read = candidate_of(view.base);
      // Bits of another dtype can't be combined on the way.
      if (read != nullptr && view.dtype != graph_.type(view.base).dtype) read->fits = false;
    }
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (graph_.node(id).fusion >= 0) first_of_group_.try_emplace(graph_.node(id).fusion, id);
      if (views_.free(id) || graph_.node(id).op == Op::wait) continue;
      for (const Value operand : graph_.operands(id)) add_reader(operand, id);
    }
    // Results are copied out of the views that they are, which reads where those begin, too.
    for (const Value result : graph_.results()) {
      const View& view = views_[result];
      if (Candidate* const read = candidate_of(view.base)) read->fits = false;
      leave_numbers(view);
    }
    for (Candidate& each : candidates_) each.fits = each.fits && each.group >= 0;
  }

  // Numbers that say where a view begins, or its elements lie, are read as they are.
  void leave_numbers(const View& view) {
    for (const View::Start& start : view.starts) {
      if (Candidate* const index = candidate_of(start.index)) index->fits = false;
    }
    for (const View::Term& term : view.terms) {
      leave_numbers(*term.index);
      if (!term.index->reads_base()) continue;
      if (Candidate* const index = candidate_of(term.index->base)) index->fits = false;
    }
  }

  void add_reader(Value value, NodeId reader) {
    const View& view = views_[value];
    if (!view.reads_base()) return;
    leave_numbers(view);
    Candidate* const read = candidate_of(view.base);
    if (read == nullptr) return;
    // What lies around it is no sum; what is moved is read at a place of its own.
    if (view.source != View::Source::buffer) read->fits = false;
    const std::int32_t group = graph_.node(reader).fusion;
    if (group < 0 || (read->group >= 0 && read->group != group)) read->fits = false;
    read->group = group;
    // What is broadcast would be combined again for each element that it goes to.
    const std::int64_t elements = graph_.type(view.base).shape.elements();
    const bool reduces = ir::definition(graph_.node(reader).op).kind == ir::OpClass::reduce;
    if (view.shape.elements() > elements) read->fits = false;
    if (!reduces && graph_.type(graph_.result(reader)).shape.elements() > elements) {
      read->fits = false;
    }
  }

  // Of several that one kernel reads the last one alone: the others would have to be over first.
  void keep_last_of_each_group() {
    for (std::size_t i = candidates_.size(); i-- > 0;) {
      Candidate& each = candidates_[i];
      if (each.fits) each.fits = of_group_.emplace(each.group, i).second;
    }
  }

  // Drops candidates that something waited for before their reading would end; whether there was
  // one. What is dropped is waited for where the program says, which may end others.
  bool drop_ended() {
    bool dropped = false;
    std::map<NodeId, Candidate*> open;  // by start
    const auto end_before = [&](NodeId start) {
      for (auto each = open.begin(); each != open.end() && each->first < start;) {
        each->second->fits = false;
        dropped = true;
        each = open.erase(each);
      }
    };
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (Candidate* const read = read_at(id)) {
        open.erase(read->start);
        end_before(read->start);
      }
      if (Candidate* const started = started_by(id)) open.emplace(id, started);
      if (open.empty()) continue;
      if (graph_.node(id).op == Op::wait) {
        const Value base = views_[graph_.operand(id, 0)].base;
        const Candidate* const waited = candidate_of(base);
        const bool is_read = waited != nullptr && waited->fits;
        if (!is_read && base.valid()) end_before(graph_.producer(base));
      } else if (graph_.node(id).op == Op::barrier ||
                 (ir::is_control(graph_.node(id).op) && ir::communicates(graph_, id))) {
        end_before(id);
      }
    }
    return dropped;
  }

  // Of a group's candidates one is left.
  Candidate* read_at(NodeId id) {
    const std::int32_t group = graph_.node(id).fusion;
    if (group < 0 || first_of_group_.at(group) != id) return nullptr;
    const auto found = of_group_.find(group);
    if (found == of_group_.end() || !candidates_[found->second].fits) return nullptr;
    return &candidates_[found->second];
  }

  Candidate* started_by(NodeId id) {
    if (graph_.node(id).op != Op::all_reduce) return nullptr;
    Candidate* const found = candidate_of(graph_.result(id));
    return found != nullptr && found->fits ? found : nullptr;
  }

  const ir::Graph& graph_;
  const Views& views_;
  const std::int64_t rank_;
  const runtime::Algorithms& algorithms_;
  std::vector<Candidate> candidates_;                       // in the order of their starts
  std::unordered_map<std::uint32_t, std::size_t> numbers_;  // by result
  std::unordered_map<std::int32_t, NodeId> first_of_group_;
  std::unordered_map<std::int32_t, std::size_t> of_group_;  // the candidate that it reads
};

}  // namespace

bool can_combine(runtime::Reduction reduction, DType dtype) {
  using Reduction = runtime::Reduction;
  constexpr std::array kOfNumbers = {Reduction::sum, Reduction::product, Reduction::min,
                                     Reduction::max};
  if (reduction == Reduction::mean) return is_floating(dtype);
  return dtype != DType::boolean && std::ranges::find(kOfNumbers, reduction) != kOfNumbers.end();
}

PeerReadings find_peer_readings(const ir::Graph& graph, const Views& views, std::int64_t rank,
                                const runtime::Algorithms& algorithms) {
  return Finder(graph, views, rank, algorithms).run();
}

}  // namespace tutti::codegen

#include <tutti/codegen/count_work.h>
#include <tutti/codegen/driver/control_of.h>
#include <tutti/codegen/driver/function_plans.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_writer.h>
#include <tutti/codegen/driver/planned_collectives.h>
#include <tutti/codegen/driver/stored_values.h>
#include <tutti/codegen/driver/target_of.h>
#include <tutti/codegen/driver/value_buffers.h>
#include <tutti/codegen/group_launches.h>
#include <tutti/codegen/join_regions.h>
#include <tutti/codegen/lower.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan_memory.h>
#include <tutti/codegen/view.h>
#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/test_hook.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::Value;

class Planner {
 public:
  // `is_function`: whoever enters the plan says where its parameters and results lie.
  Planner(const ir::Graph& graph, std::int64_t rank, FunctionPlans& functions, bool is_function)
      : graph_(graph),
        functions_(functions),
        is_function_(is_function),
        views_(graph),
        peers_(find_peer_readings(graph, views_, rank, functions.algorithms())),
        stored_(graph, views_),
        values_(graph, views_, rank, writer_),
        collectives_(graph, views_, peers_, functions.algorithms(), plan_, writer_, values_) {
    plan_.name = graph.name;
    plan_.rank = rank;
    plan_.mesh = graph.mesh;
  }

  Plan run() {
    for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
      const Value value = graph_.parameters()[i].value;
      plan_.inputs.push_back(graph_.type(value));
      const Device device = values_.device(value);
      plan_.inputs.back().device = device;
      const auto kind = is_function_ ? PlanBuffer::Kind::parameter : PlanBuffer::Kind::input;
      values_.set_storage(
          value, writer_.add_buffer(kind, graph_.type(value).bytes(), device, static_cast<int>(i)));
    }
    for (NodeId id = 0; id < graph_.node_count();) id = visit(id);
    collectives_.read_others();
    for (const Value value : graph_.results()) {
      is_function_ ? add_function_result(value) : add_result(value);
    }
    if (is_function_) collectives_.wait_for_all();
    for (const Target* const target : targets()) {
      target->fuse_epilogues(plan_, matmuls_, *functions_.algorithms().table);
    }
    group_launches(plan_);
    plan_memory(plan_, functions_.algorithms());
    return std::move(plan_);
  }

  // Of the plan that run() gave, whose buffers begin at that of number `first` by now.
  std::vector<BufferId> buffers_by_value(const Plan& plan, BufferId first) const {
    return values_.by_value(plan, first);
  }

 private:
  // Adds the steps of a node, or of the whole group it begins; returns the next node to visit.
  NodeId visit(NodeId id) {
    const ir::Node& node = graph_.node(id);
    if (node.fusion >= 0) return visit_group(id);
    if (node.op == Op::wait) {
      collectives_.wait_for(graph_.operand(id, 0));
    } else if (ir::definition(node.op).kind == OpClass::collective) {
      collectives_.start(id, calls_of(id));
    } else if (ir::is_control(node.op)) {
      visit_control(id);
    } else if (is_transfer(id)) {
      visit_transfer(id);
    } else if (node.op == Op::observe) {
      visit_observe(id);
    } else if (executes(graph_, views_, id)) {
      visit_library(id);
    }
    return id + 1;
  }

  NodeId visit_group(NodeId id) {
    std::vector<NodeId> members;
    NodeId next = id;
    for (; next < graph_.node_count(); ++next) {
      // Nodes that cost nothing may stand between the members.
      if (graph_.node(next).fusion == graph_.node(id).fusion) {
        members.push_back(next);
      } else if (executes(graph_, views_, next)) {
        break;
      }
    }
    // What an optimization_barrier alone comes after.
    const auto is_stored = [&](NodeId member) {
      return stored_.stored()[graph_.result(member).id];
    };
    if (std::ranges::none_of(members, is_stored)) return next;
    std::map<std::size_t, BufferId> scratch;
    const Target& target = target_of(ir::device_of(graph_, members.front()));
    std::set<Value> read;
    for (LoweredKernel& part :
         lower_group(graph_, members, views_, stored_.stored(), peers_, target)) {
      std::vector<BufferId> buffers;
      std::size_t scratches = 0;
      for (const LoweredKernel::Argument& argument : part.arguments) {
        if (argument.member >= 0) {
          if (read.insert(argument.value).second) collectives_.begin_reading(argument.value);
          buffers.push_back(collectives_.peer(argument.value, argument.member));
          continue;
        }
        if (argument.value.valid()) {
          buffers.push_back(values_.storage(argument.value));
          continue;
        }
        const auto [found, inserted] = scratch.try_emplace(scratches++);
        if (inserted) {
          const Device place = values_.device(graph_.result(id));
          found->second = writer_.add_buffer(PlanBuffer::Kind::local, argument.scratch, place);
        }
        buffers.push_back(found->second);
      }
      writer_.add_kernel(std::move(part.kernel), std::move(buffers), graph_.node(id).location);
    }
    for (const Value value : read) collectives_.end_reading(value);
    return next;
  }

  void visit_control(NodeId id) {
    const ir::Node& node = graph_.node(id);
    Control step = control_of(graph_, id);
    step.calls = calls_of(id);
    for (const ir::Attribute& attribute : node.attributes) {
      for (const ir::FunctionPtr& function : functions_of(attribute)) {
        step.regions.push_back(functions_.number_of(*function));
      }
    }
    for (const Value operand : graph_.operands(id)) step.operands.push_back(values_.dense(operand));
    if (step.kind == Control::Kind::while_loop) {
      const Plan& condition = functions_.plan(step.regions.front());
      const PlanBuffer& goes_on = condition.buffers[at(condition.results[0].buffer)];
      step.condition = writer_.add_buffer(PlanBuffer::Kind::local, 1, goes_on.device);
    }
    add_spares(step);
    stage(step);
    std::map<BufferId, int> uses;
    for (const BufferId operand : step.operands) ++uses[operand];
    for (std::size_t i = 0; std::cmp_less(i, node.result_count); ++i) {
      const bool in_place = i < step.spares.size() && step.spares[i] < 0;
      if (in_place) update_in_place(id, i, step.operands[i], uses[step.operands[i]] > 1);
      step.results.push_back(values_.storage(graph_.result(id, i)));
    }
    plan_.steps.emplace_back(std::move(step));
  }

  // Where carries go by turns; -1 for those that the body computes in place.
  void add_spares(Control& step) {
    const Plan& body = functions_.plan(step.regions.back());
    const std::vector<bool> in_place = computed_in_place(body.donations, body.results);
    for (std::size_t i = 0; std::cmp_less(i, step.carries); ++i) {
      const PlanBuffer& buffer = body.buffers[at(body.results[i].buffer)];
      step.spares.push_back(
          in_place[i] ? -1
                      : writer_.add_buffer(PlanBuffer::Kind::local, buffer.bytes, buffer.device));
    }
  }

  void stage(Control& step) {
    if (step.kind != Control::Kind::scan) return;
    for (const PlanBuffer* const piece :
         staged_pieces(step, functions_.plan(step.regions.back()))) {
      step.staged.push_back(
          writer_.add_buffer(PlanBuffer::Kind::local, piece->bytes, piece->device));
    }
  }

  // Whether the node brings its operand to another device.
  bool is_transfer(NodeId id) const {
    return executes(graph_, views_, id) && graph_.node(id).operand_count == 1 &&
           values_.device(graph_.operand(id, 0)) != values_.device(graph_.result(id));
  }

  void visit_transfer(NodeId id) {
    const BufferId from = values_.dense(graph_.operand(id, 0));
    writer_.add_copy(from, values_.storage(graph_.result(id)), graph_.node(id).location);
  }

  void visit_observe(NodeId id) {
    const BufferId from = values_.dense(graph_.operand(id, 0));
    update_in_place(id, 0, from, false);
    plan_.steps.emplace_back(Observe::of(graph_, id, from, values_.storage(graph_.result(id))));
  }

  void visit_library(NodeId id) {
    const Location location = graph_.node(id).location;
    const Value result = graph_.result(id);
    if (ir::definition(graph_.node(id).op).kind == OpClass::view) {
      // A reshape that strides can't say: written out in the operand's order.
      if (graph_.type(result).async) collectives_.wait_for(graph_.operand(id, 0));
      values_.write_out(views_[graph_.operand(id, 0)], values_.storage(result), location);
      return;
    }
    const Target& target = target_of(values_.device(result));
    std::vector<View> views;
    for (const Value operand : graph_.operands(id)) views.push_back(views_[operand]);
    std::vector<BufferId> buffers;
    for (std::size_t i = 0; i < views.size(); ++i) {
      View& view = views[i];
      if (view.source == View::Source::buffer && target.reads_view(graph_, id, views, i)) {
        buffers.push_back(values_.storage(view.base));
      } else {
        buffers.push_back(values_.dense(graph_.operand(id, i)));
        view.source = View::Source::buffer;
        view.offset = 0;
        view.strides = view.shape.strides();
      }
    }
    runtime::WorkCounts counts = count_work(graph_, id, views);
    if (auto partial = target.partial_concats(graph_, id, views); !partial.empty()) {
      buffers = writer_.add_partial_concats(partial, buffers, values_.device(result), location);
      views.clear();
      for (const PartialConcat& each : partial) views.push_back(each.view);
    }
    if (auto before = target.preparation(graph_, id, views, views_[result])) {
      const BufferId prepared =
          writer_.add_buffer(PlanBuffer::Kind::local, before->bytes, values_.device(result));
      std::vector<BufferId> own = buffers;
      own.push_back(prepared);
      runtime::WorkCounts work = {.bytes_read = counts.bytes_read};
      if (before->is_most) {
        work = counts;
        counts = {.bytes_written = counts.bytes_written};
      }
      work.bytes_written = before->bytes;
      counts.bytes_read += before->bytes;
      writer_.add_call(std::move(before->call), std::move(own), location, work);
      buffers.push_back(prepared);
    }
    if (target.works_in_place(graph_.node(id).op)) {
      update_in_place(id, 0, buffers[0], std::ranges::count(buffers, buffers[0]) > 1);
    }
    const auto results = static_cast<int>(graph_.node(id).result_count);
    for (int i = 0; i < results; ++i) {
      buffers.push_back(values_.storage(graph_.result(id, static_cast<std::size_t>(i))));
    }
    if (graph_.node(id).op == Op::matmul) {
      matmuls_[buffers.back()] = {.result = graph_.type(result), .operands = views};
    }
    writer_.add_call(target.call(graph_, id, views, views_[result]), std::move(buffers), location,
                     counts, results);
  }

  // A node that may write its result i over its operand i does, where the operand is a value that
  // this run made and that nobody reads later, nor the node as another operand. (What a caller gave
  // may be somebody else's; arguments are taken over by donation.)
  void update_in_place(NodeId id, std::size_t i, BufferId operand, bool is_read_twice) {
    const View& view = views_[graph_.operand(id, i)];
    if (view.source != View::Source::buffer || !view.dense()) return;
    if (stored_.last_reader(view.base) > id || is_read_twice) return;
    const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(operand)];
    const bool whole = buffer.bytes == graph_.type(graph_.result(id, i)).bytes();
    if (whole && buffer.kind == PlanBuffer::Kind::local) {
      values_.set_storage(graph_.result(id, i), operand);
      collectives_.forget_copies(operand);
    }
  }

  // The traced program's; the calls of functions are known by their lines alone.
  std::vector<ir::CallId> calls_of(NodeId id) const {
    if (is_function_) return {};
    const std::span<const ir::CallId> calls = graph_.calls(id);
    return {calls.begin(), calls.end()};
  }

  void add_result(Value value) {
    // What comes from the host to a GPU is waited for: the copy needs it.
    const bool in_flight = graph_.type(value).async && views_[value].dense() &&
                           values_.device(value).is_cpu() && !collectives_.is_there(value);
    if (graph_.type(value).async && !in_flight) collectives_.wait_for(value);
    const BufferId id = values_.dense(value);
    PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::output;
    ir::Type type = graph_.type(value);
    type.device = buffer.device;
    const int work = in_flight ? collectives_.work_of(value) : -1;
    plan_.results.push_back({.buffer = id, .type = type, .work = work});
  }

  // Each result has a place of its own, which whoever enters the function gives.
  void add_function_result(Value value) {
    const ir::Type& type = graph_.type(value);
    BufferId id = values_.dense(value);
    PlanBuffer& buffer = plan_.buffers[at(id)];
    if (buffer.kind == PlanBuffer::Kind::local && buffer.bytes == type.bytes()) {
      buffer.kind = PlanBuffer::Kind::result;
    } else {
      const BufferId copy =
          writer_.add_buffer(PlanBuffer::Kind::result, type.bytes(), buffer.device);
      values_.copy_dense(id, copy, value);
      id = copy;
    }
    plan_.results.push_back({.buffer = id, .type = type});
  }

  const ir::Graph& graph_;
  FunctionPlans& functions_;
  const bool is_function_;
  const Views views_;
  const PeerReadings peers_;
  const StoredValues stored_;
  Plan plan_;
  PlanWriter writer_{plan_};
  ValueBuffers values_;
  PlannedCollectives collectives_;
  PlannedMatmuls matmuls_;
};

}  // namespace

Plan make_plan(const ir::Graph& graph, std::int64_t rank, const runtime::Algorithms& algorithms,
               std::vector<BufferId>* buffers) {
  ir::call_test_hook(graph);
  FunctionPlans functions(algorithms, [rank](const ir::Graph& function, FunctionPlans& others) {
    return Planner(function, rank, others, true).run();
  });
  Planner planner(graph, rank, functions, false);
  Plan plan = planner.run();
  plan = join_regions(functions.take(), std::move(plan));
  check(plan);
  if (buffers != nullptr) *buffers = planner.buffers_by_value(plan, plan.main_buffer());
  return plan;
}

}  // namespace tutti::codegen

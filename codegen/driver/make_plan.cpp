#include <tutti/codegen/count_work.h>
#include <tutti/codegen/driver/control_of.h>
#include <tutti/codegen/driver/function_plans.h>
#include <tutti/codegen/driver/make_plan.h>
#include <tutti/codegen/driver/plan_writer.h>
#include <tutti/codegen/driver/target_of.h>
#include <tutti/codegen/group_launches.h>
#include <tutti/codegen/join_regions.h>
#include <tutti/codegen/lower.h>
#include <tutti/codegen/lower_collective.h>
#include <tutti/codegen/peer_readings.h>
#include <tutti/codegen/plan/check_plan.h>
#include <tutti/codegen/plan_memory.h>
#include <tutti/ir/control.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/test_hook.h>
#include <tutti/runtime/comm/transports.h>

#include <map>
#include <set>
#include <utility>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::Value;

// To move no more than so many a kernel of ours is faster than a call of the library.
constexpr std::int64_t kFewElements = 1024;

class Planner {
 public:
  // `is_function`: whoever enters the plan says where its parameters and results lie.
  Planner(const ir::Graph& graph, std::int64_t rank, FunctionPlans& functions, bool is_function)
      : graph_(graph),
        functions_(functions),
        is_function_(is_function),
        views_(graph),
        peers_(find_peer_readings(graph, views_, rank, functions.algorithms())),
        stored_(graph.value_count(), false),
        last_reader_(graph.value_count(), 0) {
    plan_.name = graph.name;
    plan_.rank = rank;
    plan_.mesh = graph.mesh;
  }

  Plan run() {
    find_stored();
    for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
      const Value value = graph_.parameters()[i].value;
      plan_.inputs.push_back(graph_.type(value));
      plan_.inputs.back().device = device(value);
      const auto kind = is_function_ ? PlanBuffer::Kind::parameter : PlanBuffer::Kind::input;
      buffers_[value] =
          writer_.add_buffer(kind, graph_.type(value).bytes(), device(value), static_cast<int>(i));
    }
    for (NodeId id = 0; id < graph_.node_count();) id = visit(id);
    for (const auto& [value, peers] : peers_) {
      if (waited_.contains(works_.at(value))) continue;
      begin_reading(value);
      end_reading(value);
    }
    for (const Value value : graph_.results()) {
      is_function_ ? add_function_result(value) : add_result(value);
    }
    if (is_function_) wait_for_all();
    for (const Target* const target : targets()) target->fuse_epilogues(plan_, matmuls_);
    group_launches(plan_);
    plan_memory(plan_, functions_.algorithms());
    return std::move(plan_);
  }

  // Of the plan that run() gave, whose buffers begin at that of number `first` by now.
  std::vector<BufferId> buffers_by_value(const Plan& plan, BufferId first) const {
    std::vector<BufferId> out(graph_.value_count(), -1);
    for (std::uint32_t id = 0; id < graph_.value_count(); ++id) {
      const View& view = views_[Value{id}];
      // What pads put around a value is nowhere.
      const Value base = view.source == View::Source::buffer ? view.base : Value{id};
      // A convolution's that is stored as its readers want it: they have it.
      const bool is_own = view.source == View::Source::buffer && view.base == Value{id};
      if (is_own && !view.dense()) continue;
      const auto found = buffers_.find(base);
      const auto copy = copies_.find(Value{id});
      if (copy != copies_.end()) {
        out[id] = copy->second;
      } else if (found != buffers_.end()) {
        out[id] = found->second;
      }
      if (out[id] >= 0) out[id] += first;
      // Where calls took over what follows them, nobody uses what was between.
      if (out[id] >= 0 && plan.buffers[static_cast<std::size_t>(out[id])].last_use < 0) {
        out[id] = -1;
      }
    }
    return out;
  }

 private:
  // Whether the node does something at run time.
  bool executes(NodeId id) const {
    const OpClass kind = ir::definition(graph_.node(id).op).kind;
    return !views_.free(id) && kind != OpClass::parameter && kind != OpClass::make;
  }

  // Where the pass `place` left a value. What is still `any` lies on the default device, but for
  // numbers that the caller gives: those are on the host.
  Device device(Value value) const {
    const View& view = views_[value];
    const Value base = view.reads_base() ? view.base : value;
    const bool number = graph_.type(base).device.is_any() && graph_.op(base) == Op::parameter;
    return number ? Device::cpu() : graph_.device(base);
  }

  // A value needs storage if something outside its own kernel reads it through a view.
  void find_stored() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (!executes(id)) continue;
      for (const Value operand : graph_.operands(id)) {
        const NodeId producer = graph_.producer(resolve(graph_, operand));
        const bool inside =
            graph_.node(id).fusion >= 0 && graph_.node(producer).fusion == graph_.node(id).fusion;
        if (!inside) demand(operand, id);
      }
    }
    for (const Value value : graph_.results())
      demand(value, static_cast<NodeId>(graph_.node_count()));
  }
  void demand(Value value, NodeId reader) {
    const View& view = views_[value];
    if (!view.reads_base()) return;
    const auto read = [&](Value base) {
      stored_[base.id] = true;
      last_reader_[base.id] = std::max(last_reader_[base.id], reader);
    };
    read(view.base);
    for (const View::Start& start : view.starts) read(start.index);
  }

  // The storage of a base value; made when first named.
  BufferId storage(Value base) {
    if (const auto found = buffers_.find(base); found != buffers_.end()) return found->second;
    const NodeId producer = graph_.producer(base);
    const ir::Node& node = graph_.node(producer);
    const Device place = device(base);
    BufferId out = -1;
    if (node.op == Op::constant) {
      out = writer_.add_constant(std::get<ir::ArrayPtr>(node.attributes[0]), place);
    } else if (node.op == Op::rank_index) {
      const std::int64_t position =
          graph_.attributes(producer).group("group")->position_of(plan_.rank);
      if (position < 0) {
        throw TypeError("rank_index: rank " + std::to_string(plan_.rank) + " is in no group of \"" +
                            graph_.attributes(producer).group("group")->tag + "\"",
                        node.location);
      }
      out = writer_.add_constant(std::make_shared<const ir::Array>(ir::Array::scalar(position)),
                                 place);
    } else {
      out = writer_.add_buffer(PlanBuffer::Kind::local, graph_.type(base).bytes(), place);
    }
    buffers_[base] = out;
    return out;
  }

  // A buffer that holds the value densely: its storage, or a copy made once.
  BufferId dense(Value value) {
    const View& view = views_[value];
    if (view.dense()) return storage(view.base);
    const Value target = resolve(graph_, value);
    if (const auto found = copies_.find(target); found != copies_.end()) return found->second;
    const Device place = device(value);
    BufferId out = -1;
    if (view.source == View::Source::constant && view.shape.rank() == 0) {
      out = writer_.add_constant(std::make_shared<const ir::Array>(*view.scalar), place);
    } else {
      out = writer_.add_buffer(PlanBuffer::Kind::local, view.shape.elements() * size_of(view.dtype),
                               place);
      write_out(view, out, graph_.node(graph_.producer(value)).location);
    }
    copies_[target] = out;
    return out;
  }

  void write_out(const View& view, BufferId target, Location location) {
    if (view.source == View::Source::buffer) {
      copy(view, storage(view.base), target, location);
      return;
    }
    LoweredKernel copy = lower_copy(view, {});
    std::vector<BufferId> buffers;
    for (const LoweredKernel::Argument& argument : copy.arguments) {
      buffers.push_back(argument.value.valid() ? storage(argument.value) : target);
    }
    writer_.add_kernel(std::move(copy.kernel), std::move(buffers), location);
  }

  void copy(const View& view, BufferId from, BufferId to, Location location) {
    const Device device = writer_.device_of(to);
    const std::int64_t elements = view.shape.elements();
    if (device.is_cpu() && elements > 0 && elements <= kFewElements) {
      writer_.add_kernel(lower_copy(view, {}).kernel, {from, to}, location);
    } else {
      writer_.add_call(target_of(device).copy(view), {from, to}, location, count_copy(view));
    }
  }

  // Adds the steps of a node, or of the whole group it begins; returns the next node to visit.
  NodeId visit(NodeId id) {
    const ir::Node& node = graph_.node(id);
    if (node.fusion >= 0) return visit_group(id);
    if (node.op == Op::wait) {
      wait_for(graph_.operand(id, 0));
    } else if (ir::definition(node.op).kind == OpClass::collective) {
      visit_collective(id);
    } else if (ir::is_control(node.op)) {
      visit_control(id);
    } else if (is_transfer(id)) {
      visit_transfer(id);
    } else if (node.op == Op::observe) {
      visit_observe(id);
    } else if (executes(id)) {
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
      } else if (executes(next)) {
        break;
      }
    }
    // What an optimization_barrier alone comes after.
    const auto is_stored = [&](NodeId member) { return stored_[graph_.result(member).id]; };
    if (std::ranges::none_of(members, is_stored)) return next;
    std::map<std::size_t, BufferId> scratch;
    const Target& target = target_of(ir::device_of(graph_, members.front()));
    std::set<Value> read;
    for (LoweredKernel& part : lower_group(graph_, members, views_, stored_, peers_, target)) {
      std::vector<BufferId> buffers;
      std::size_t scratches = 0;
      for (const LoweredKernel::Argument& argument : part.arguments) {
        if (argument.member >= 0) {
          if (read.insert(argument.value).second) begin_reading(argument.value);
          buffers.push_back(starts_.at(argument.value).results[at(argument.member)]);
          continue;
        }
        if (argument.value.valid()) {
          buffers.push_back(storage(argument.value));
          continue;
        }
        const auto [found, inserted] = scratch.try_emplace(scratches++);
        if (inserted) {
          const Device place = device(graph_.result(id));
          found->second = writer_.add_buffer(PlanBuffer::Kind::local, argument.scratch, place);
        }
        buffers.push_back(found->second);
      }
      writer_.add_kernel(std::move(part.kernel), std::move(buffers), graph_.node(id).location);
    }
    for (const Value value : read) end_reading(value);
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
    for (const Value operand : graph_.operands(id)) step.operands.push_back(dense(operand));
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
      step.results.push_back(storage(graph_.result(id, i)));
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
    return executes(id) && graph_.node(id).operand_count == 1 &&
           device(graph_.operand(id, 0)) != device(graph_.result(id));
  }

  void visit_transfer(NodeId id) {
    const BufferId from = dense(graph_.operand(id, 0));
    writer_.add_copy(from, storage(graph_.result(id)), graph_.node(id).location);
  }

  void visit_observe(NodeId id) {
    const BufferId from = dense(graph_.operand(id, 0));
    update_in_place(id, 0, from, false);
    plan_.steps.emplace_back(Observe::of(graph_, id, from, storage(graph_.result(id))));
  }

  void visit_library(NodeId id) {
    const Location location = graph_.node(id).location;
    const Value result = graph_.result(id);
    if (ir::definition(graph_.node(id).op).kind == OpClass::view) {
      // A reshape that strides can't say: written out in the operand's order.
      if (graph_.type(result).async) wait_for(graph_.operand(id, 0));
      write_out(views_[graph_.operand(id, 0)], storage(result), location);
      return;
    }
    const Target& target = target_of(device(result));
    std::vector<View> views;
    for (const Value operand : graph_.operands(id)) views.push_back(views_[operand]);
    std::vector<BufferId> buffers;
    for (std::size_t i = 0; i < views.size(); ++i) {
      View& view = views[i];
      if (view.source == View::Source::buffer && target.reads_view(graph_, id, views, i)) {
        buffers.push_back(storage(view.base));
      } else {
        buffers.push_back(dense(graph_.operand(id, i)));
        view.source = View::Source::buffer;
        view.offset = 0;
        view.strides = view.shape.strides();
      }
    }
    const runtime::WorkCounts counts = count_work(graph_, id, views);
    if (auto partial = target.partial_concats(graph_, id, views); !partial.empty()) {
      buffers = writer_.add_partial_concats(partial, buffers, device(result), location);
      views.clear();
      for (const PartialConcat& each : partial) views.push_back(each.view);
    }
    if (auto before = target.preparation(graph_, id, views)) {
      const BufferId prepared =
          writer_.add_buffer(PlanBuffer::Kind::local, before->bytes, device(result));
      std::vector<BufferId> own = buffers;
      own.push_back(prepared);
      writer_.add_call(std::move(before->call), std::move(own), location, {});
      buffers.push_back(prepared);
    }
    if (target.works_in_place(graph_.node(id).op)) {
      update_in_place(id, 0, buffers[0], std::ranges::count(buffers, buffers[0]) > 1);
    }
    const auto results = static_cast<int>(graph_.node(id).result_count);
    for (int i = 0; i < results; ++i) {
      buffers.push_back(storage(graph_.result(id, static_cast<std::size_t>(i))));
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
    if (last_reader_[view.base.id] > id || is_read_twice) return;
    const PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(operand)];
    const bool whole = buffer.bytes == graph_.type(graph_.result(id, i)).bytes();
    if (whole && buffer.kind == PlanBuffer::Kind::local) {
      buffers_[graph_.result(id, i)] = operand;
      // Of what was there before.
      std::erase_if(reachable_, [&](const auto& each) { return each.first.buffer == operand; });
    }
  }

  void visit_collective(NodeId id) {
    const std::vector<ir::CallId> calls = calls_of(id);
    for (LoweredCollective& lowered :
         lower_collective(graph_, id, plan_.rank, functions_.algorithms())) {
      CollectiveStart start{.call = std::move(lowered.call),
                            .group = std::move(lowered.group),
                            .parent = std::move(lowered.parent),
                            .engine = std::move(lowered.engine),
                            .work = plan_.works++,
                            .calls = calls};
      const Location location = graph_.node(id).location;
      const bool on_device = runtime::moves_on_devices(start.engine);
      for (const Value operand : lowered.operands) {
        start.operands.push_back(reachable(operand, location, on_device));
      }
      for (const Value result : lowered.results) {
        works_[result] = start.work;
        if (const auto peers = peers_.find(result); peers != peers_.end()) {
          for (int member = 0; member < peers->second.members; ++member) {
            start.results.push_back(writer_.add_buffer(PlanBuffer::Kind::peer,
                                                       graph_.type(result).bytes(), {}, member));
          }
          starts_.emplace(result, start);
          continue;
        }
        BufferId target = storage(result);
        if (!writer_.device_of(target).is_cpu() && !on_device) {
          const BufferId arrived =
              writer_.add_buffer(PlanBuffer::Kind::comm, writer_.bytes_of(target), {});
          arrivals_[start.work].push_back({.from = arrived, .to = target, .location = location});
          target = arrived;
        }
        start.results.push_back(target);
      }
      for (const BufferId buffer : start.operands) make_comm(buffer);
      for (const BufferId buffer : start.results) make_comm(buffer);
      waits_.push_back(CollectiveWait::of(start));
      plan_.steps.emplace_back(std::move(start));
    }
    if (graph_.node(id).op == Op::barrier) wait(plan_.works - 1);
  }

  // The traced program's; the calls of functions are known by their lines alone.
  std::vector<ir::CallId> calls_of(NodeId id) const {
    if (is_function_) return {};
    const std::span<const ir::CallId> calls = graph_.calls(id);
    return {calls.begin(), calls.end()};
  }

  // A kernel reads what the members gave between the two.
  void begin_reading(Value value) {
    waited_.insert(works_.at(value));
    wait(works_.at(value));
  }
  void end_reading(Value value) { plan_.steps.emplace_back(Finish::of(starts_.at(value))); }

  void wait(int work) { plan_.steps.emplace_back(waits_[at(work)]); }

  // Nothing that comes is under way when a function ends: the next step of a loop starts it anew.
  void wait_for_all() {
    for (int work = 0; work < plan_.works; ++work) {
      if (!waits_[at(work)].results.empty() && waited_.insert(work).second) wait(work);
    }
  }

  // Where peers can reach it: a dense buffer of the value's, or a copy where that lies on a GPU and
  // the engine reads the host's memory, or where only the caller of a function knows.
  BufferId reachable(Value value, Location location, bool on_device) {
    const BufferId id = dense(value);
    const Device device = writer_.device_of(id);
    const bool is_there = device.is_cpu() || on_device;
    if (is_there && plan_.buffers[at(id)].kind != PlanBuffer::Kind::parameter) return id;
    // Of a buffer that begins with the value no more than that.
    const std::int64_t bytes = is_there ? graph_.type(value).bytes() : writer_.bytes_of(id);
    const auto [found, inserted] = reachable_.try_emplace({id, bytes, on_device}, -1);
    if (!inserted) return found->second;
    found->second =
        writer_.add_buffer(PlanBuffer::Kind::comm, bytes, on_device ? device : Device::cpu());
    is_there ? copy_dense(id, found->second, value) : writer_.add_copy(id, found->second, location);
    return found->second;
  }

  // What was written out behind a wait belongs to no collective any more.
  bool is_there(Value async) const { return !works_.contains(views_[async].base); }

  void wait_for(Value async) {
    if (is_there(async) || peers_.contains(views_[async].base)) return;
    const int work = works_.at(views_[async].base);
    if (!waited_.insert(work).second) return;  // for another of its results
    wait(work);
    const auto arrived = arrivals_.find(work);
    if (arrived == arrivals_.end()) return;
    for (const Copy& step : arrived->second) plan_.steps.emplace_back(step);
    arrivals_.erase(arrived);
  }

  // Memory of this run's own that peers touch outlives the run, so it can't lie in the arena.
  void make_comm(BufferId id) {
    PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::comm;
  }

  void add_result(Value value) {
    // What comes from the host to a GPU is waited for: the copy needs it.
    const bool in_flight = graph_.type(value).async && views_[value].dense() &&
                           device(value).is_cpu() && !is_there(value);
    if (graph_.type(value).async && !in_flight) wait_for(value);
    const BufferId id = dense(value);
    PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::output;
    ir::Type type = graph_.type(value);
    type.device = buffer.device;
    const int work = in_flight ? works_.at(views_[value].base) : -1;
    plan_.results.push_back({.buffer = id, .type = type, .work = work});
  }

  // Each result has a place of its own, which whoever enters the function gives.
  void add_function_result(Value value) {
    const ir::Type& type = graph_.type(value);
    BufferId id = dense(value);
    PlanBuffer& buffer = plan_.buffers[at(id)];
    if (buffer.kind == PlanBuffer::Kind::local && buffer.bytes == type.bytes()) {
      buffer.kind = PlanBuffer::Kind::result;
    } else {
      const BufferId copy =
          writer_.add_buffer(PlanBuffer::Kind::result, type.bytes(), buffer.device);
      copy_dense(id, copy, value);
      id = copy;
    }
    plan_.results.push_back({.buffer = id, .type = type});
  }

  void copy_dense(BufferId from, BufferId to, Value value) {
    const ir::Type& type = graph_.type(value);
    const Location location = graph_.node(graph_.producer(value)).location;
    const View view{
        .base = value, .dtype = type.dtype, .shape = type.shape, .strides = type.shape.strides()};
    copy(view, from, to, location);
  }

  // What a copy that peers can reach is of: how much of a buffer, and for whom.
  struct Reachable {
    BufferId buffer;
    std::int64_t bytes;
    bool on_device;
    auto operator<=>(const Reachable&) const = default;
  };

  const ir::Graph& graph_;
  FunctionPlans& functions_;
  const bool is_function_;
  const Views views_;
  const PeerReadings peers_;
  std::vector<bool> stored_;
  std::vector<NodeId> last_reader_;  // of base values; the number of nodes where it is the caller
  Plan plan_;
  PlanWriter writer_{plan_};
  std::map<Value, BufferId> buffers_;        // of base values
  std::map<Value, BufferId> copies_;         // of values that are not dense
  std::map<Value, int> works_;               // of collectives' results
  std::vector<CollectiveWait> waits_;        // by work
  std::map<Value, CollectiveStart> starts_;  // of those in peers_
  std::set<int> waited_;                     // works that a step waits for
  // By work: where results that belong on a GPU go from the host once they are there.
  std::map<int, std::vector<Copy>> arrivals_;
  PlannedMatmuls matmuls_;
  // Copies that peers can reach, in the host's memory or for engines of GPUs.
  std::map<Reachable, BufferId> reachable_;
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

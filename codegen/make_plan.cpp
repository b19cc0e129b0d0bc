#include <tutti/codegen/library.h>
#include <tutti/codegen/lower.h>
#include <tutti/codegen/make_plan.h>
#include <tutti/ir/support/error.h>

#include <map>

namespace tutti::codegen {

namespace {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::Value;

class Planner {
 public:
  Planner(const ir::Graph& graph, std::int64_t rank)
      : graph_(graph), views_(graph), stored_(graph.value_count(), false) {
    plan_.name = graph.name;
    plan_.rank = rank;
  }

  Plan run(KernelCompiler& compiler) {
    find_stored();
    for (std::size_t i = 0; i < graph_.parameters().size(); ++i) {
      const Value value = graph_.parameters()[i].value;
      plan_.inputs.push_back(graph_.type(value));
      buffers_[value] =
          add_buffer(PlanBuffer::Kind::input, graph_.type(value).bytes(), static_cast<int>(i));
    }
    for (NodeId id = 0; id < graph_.node_count();) id = visit(id);
    for (const Value value : graph_.results()) add_result(value);
    find_live_ranges(plan_);
    plan_memory(plan_);
    compile(compiler);
    check(plan_);
    return std::move(plan_);
  }

 private:
  // Whether the node does something at run time.
  bool executes(NodeId id) const {
    const OpClass kind = ir::definition(graph_.node(id).op).kind;
    return !views_.free(id) && kind != OpClass::parameter && kind != OpClass::make;
  }

  // A value needs storage if something outside its own kernel reads it through a view.
  void find_stored() {
    for (NodeId id = 0; id < graph_.node_count(); ++id) {
      if (!executes(id)) continue;
      for (const Value operand : graph_.operands(id)) {
        const NodeId producer = graph_.producer(resolve(graph_, operand));
        const bool inside =
            graph_.node(id).fusion >= 0 && graph_.node(producer).fusion == graph_.node(id).fusion;
        if (!inside) demand(operand);
      }
    }
    for (const Value value : graph_.results()) demand(value);
  }
  void demand(Value value) {
    const View& view = views_[value];
    if (view.source == View::Source::buffer) stored_[view.base.id] = true;
  }

  BufferId add_buffer(PlanBuffer::Kind kind, std::int64_t bytes, int index = -1) {
    plan_.buffers.push_back({.kind = kind, .bytes = bytes, .index = index});
    return static_cast<BufferId>(plan_.buffers.size()) - 1;
  }

  BufferId add_constant(ir::ArrayPtr array) {
    plan_.constants.push_back(std::move(array));
    return add_buffer(PlanBuffer::Kind::constant,
                      static_cast<std::int64_t>(plan_.constants.back()->bytes().size()),
                      static_cast<int>(plan_.constants.size()) - 1);
  }

  // The storage of a base value; made when first named.
  BufferId storage(Value base) {
    if (const auto found = buffers_.find(base); found != buffers_.end()) return found->second;
    const NodeId producer = graph_.producer(base);
    const ir::Node& node = graph_.node(producer);
    BufferId out = -1;
    if (node.op == Op::constant) {
      out = add_constant(std::get<ir::ArrayPtr>(node.attributes[0]));
    } else if (node.op == Op::rank_index) {
      const std::int64_t position =
          graph_.attributes(producer).group("group")->position_of(plan_.rank);
      if (position < 0) {
        throw TypeError("rank_index: rank " + std::to_string(plan_.rank) + " is in no group of \"" +
                            graph_.attributes(producer).group("group")->tag + "\"",
                        node.location);
      }
      out = add_constant(std::make_shared<const ir::Array>(ir::Array::scalar(position)));
    } else {
      out = add_buffer(PlanBuffer::Kind::local, graph_.type(base).bytes());
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
    BufferId out = -1;
    if (view.source == View::Source::constant && view.shape.rank() == 0) {
      out = add_constant(std::make_shared<const ir::Array>(*view.scalar));
    } else {
      out = add_buffer(PlanBuffer::Kind::local, view.shape.elements() * size_of(view.dtype));
      write_out(view, out, graph_.node(graph_.producer(value)).location);
    }
    copies_[target] = out;
    return out;
  }

  void write_out(const View& view, BufferId target, Location location) {
    if (view.source == View::Source::buffer) {
      add_call(strided_copy(view), {storage(view.base), target}, location);
      return;
    }
    LoweredKernel copy = lower_copy(view, {});
    add_kernel(std::move(copy.kernel), {target}, location);
  }

  void add_call(LibraryCall call, std::vector<BufferId> buffers, Location location) {
    plan_.steps.push_back(Launch{.name = std::move(call.name),
                                 .detail = std::move(call.detail),
                                 .kernel = -1,
                                 .code = std::move(call.code),
                                 .tiles = call.tiles,
                                 .buffers = std::move(buffers),
                                 .location = location});
  }

  void add_kernel(Kernel kernel, std::vector<BufferId> buffers, Location location) {
    plan_.steps.push_back(Launch{.name = kernel.name,
                                 .detail = {},
                                 .kernel = static_cast<int>(plan_.kernels.size()),
                                 .code = nullptr,
                                 .tiles = kernel.tiles(),
                                 .buffers = std::move(buffers),
                                 .location = location});
    plan_.kernels.push_back(std::move(kernel));
  }

  // Adds the steps of a node, or of the whole group it begins; returns the next node to visit.
  NodeId visit(NodeId id) {
    const ir::Node& node = graph_.node(id);
    if (node.fusion >= 0) return visit_group(id);
    if (node.op == Op::wait) {
      wait_for(graph_.operand(id, 0));
    } else if (ir::definition(node.op).kind == OpClass::collective) {
      visit_collective(id);
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
    std::map<std::size_t, BufferId> scratch;
    for (LoweredKernel& part : lower_group(graph_, members, views_, stored_)) {
      std::vector<BufferId> buffers;
      std::size_t scratches = 0;
      for (const LoweredKernel::Argument& argument : part.arguments) {
        if (argument.value.valid()) {
          buffers.push_back(storage(argument.value));
          continue;
        }
        const auto [found, inserted] = scratch.try_emplace(scratches++);
        if (inserted) found->second = add_buffer(PlanBuffer::Kind::local, argument.scratch);
        buffers.push_back(found->second);
      }
      add_kernel(std::move(part.kernel), std::move(buffers), graph_.node(id).location);
    }
    return next;
  }

  void visit_library(NodeId id) {
    const Location location = graph_.node(id).location;
    const Value result = graph_.result(id);
    if (ir::definition(graph_.node(id).op).kind == OpClass::view) {
      // A reshape that strides can't say: written out in the operand's order.
      if (graph_.type(result).async) {
        const Value async = graph_.operand(id, 0);
        wait_for(async);
        works_[result] = works_.at(views_[async].base);
      }
      write_out(views_[graph_.operand(id, 0)], storage(result), location);
      return;
    }
    std::vector<View> views;
    std::vector<BufferId> buffers;
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      View view = views_[operand];
      if (takes_strides(graph_.node(id).op, i) && view.source == View::Source::buffer) {
        buffers.push_back(storage(view.base));
      } else {
        buffers.push_back(dense(operand));
        view.source = View::Source::buffer;
        view.offset = 0;
        view.strides = view.shape.strides();
      }
      views.push_back(view);
    }
    buffers.push_back(storage(result));
    add_call(library_call(graph_, id, views), std::move(buffers), location);
  }

  void visit_collective(NodeId id) {
    const ir::Attributes attributes = graph_.attributes(id);
    const Op op = graph_.node(id).op;
    CollectiveStart start;
    start.group = attributes.group("group");
    start.work = plan_.works++;
    runtime::CollectiveCall& call = start.call;
    call.location = graph_.node(id).location;
    call.description = std::string(name_of(op));
    std::int64_t axis = 0;
    switch (op) {
      case Op::all_reduce:
        call.kind = runtime::CollectiveKind::all_reduce;
        break;
      case Op::all_gather:
        call.kind = runtime::CollectiveKind::all_gather;
        break;
      case Op::reduce_scatter:
        call.kind = runtime::CollectiveKind::reduce_scatter;
        break;
      case Op::broadcast:
        call.kind = runtime::CollectiveKind::broadcast;
        call.root = static_cast<int>(attributes.integer("root"));
        call.description += " root " + std::to_string(call.root);
        break;
      case Op::barrier:
        call.kind = runtime::CollectiveKind::barrier;
        break;
      default:
        throw InternalError("no runtime collective for " + std::string(name_of(op)));
    }
    if (kernels::reduces(call.kind)) {
      call.reduction = *kernels::reduction_from_name(attributes.text("op"));
      call.description += " " + attributes.text("op");
    }
    const bool along_axis = op == Op::all_gather || op == Op::reduce_scatter;
    if (along_axis) axis = attributes.integer("axis");
    for (std::size_t i = 0; i < graph_.node(id).operand_count; ++i) {
      const Value operand = graph_.operand(id, i);
      const ir::Type& type = graph_.type(operand);
      call.dtype = type.dtype;
      call.description +=
          (i == 0 ? " " : ", ") + ir::Type{.dtype = type.dtype, .shape = type.shape}.text();
      runtime::TensorPart part{.elements = type.shape.elements()};
      for (int d = 0; along_axis && d < type.shape.rank(); ++d) {
        (d < axis ? part.outer : d == axis ? part.axis_size : part.inner) *= type.shape[d];
      }
      call.parts.push_back(part);
      const BufferId from = dense(operand);
      make_comm(from);
      const BufferId to = storage(graph_.result(id, i));
      make_comm(to);
      start.operands.push_back(from);
      start.results.push_back(to);
      works_[graph_.result(id, i)] = start.work;
    }
    const int work = start.work;
    plan_.steps.push_back(std::move(start));
    if (op == Op::barrier) plan_.steps.push_back(CollectiveWait{work});
  }

  void wait_for(Value async) {
    plan_.steps.push_back(CollectiveWait{works_.at(views_[async].base)});
  }

  // Memory of this run's own that peers touch outlives the run, so it can't lie in the arena.
  void make_comm(BufferId id) {
    PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::comm;
  }

  void add_result(Value value) {
    const bool in_flight = graph_.type(value).async && views_[value].dense();
    if (graph_.type(value).async && !in_flight) wait_for(value);
    const BufferId id = dense(value);
    PlanBuffer& buffer = plan_.buffers[static_cast<std::size_t>(id)];
    if (buffer.kind == PlanBuffer::Kind::local) buffer.kind = PlanBuffer::Kind::output;
    const ir::Type& type = graph_.type(value);
    const int work = in_flight ? works_.at(views_[value].base) : -1;
    plan_.results.push_back({.buffer = id, .type = type, .work = work});
  }

  void compile(KernelCompiler& compiler) {
    const auto code = compiler.compile(plan_.kernels);
    for (Step& step : plan_.steps) {
      auto* launch = std::get_if<Launch>(&step);
      if (launch != nullptr && launch->kernel >= 0) {
        launch->code = code[static_cast<std::size_t>(launch->kernel)];
      }
    }
  }

  const ir::Graph& graph_;
  const Views views_;
  std::vector<bool> stored_;
  Plan plan_;
  std::map<Value, BufferId> buffers_;  // of base values
  std::map<Value, BufferId> copies_;   // of values that are not dense
  std::map<Value, int> works_;         // of collectives' results
};

}  // namespace

Plan make_plan(const ir::Graph& graph, std::int64_t rank, KernelCompiler& compiler) {
  return Planner(graph, rank).run(compiler);
}

}  // namespace tutti::codegen

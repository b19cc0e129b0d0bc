#include <tutti/codegen/driver/abandon.h>
#include <tutti/codegen/lower_collective.h>
#include <tutti/codegen/plan/communicator_of.h>
#include <tutti/ir/control.h>

#include <exception>

namespace tutti::codegen {

std::string not_started(const runtime::Context& context, const std::string& description,
                        const std::string& tag, const std::string& why) {
  return "rank " + std::to_string(context.rank()) + " did not start " + description + " over \"" +
         tag + "\", because its evaluation failed before: " + why;
}

namespace {

void abandon_call(const ir::Graph& graph, ir::NodeId id, runtime::Context& context,
                  ir::Algorithm algorithm, const std::string& why) {
  for (const LoweredCollective& call :
       lower_collective(graph, id, context.rank(), {.asked = algorithm})) {
    if (call.group->members_with(context.rank()).size() == 1) continue;  // nobody waits
    communicator_of(context, *call.group, call.parent.get(), call.engine)
        ->abandon(not_started(context, call.call.description, call.group->tag, why));
  }
}

// Nobody knows how many calls a loop would have made, so that none may follow in its groups.
void abandon_calls(const ir::Graph& graph, ir::NodeId id, runtime::Context& context,
                   ir::Algorithm algorithm, const std::string& why) {
  if (!ir::is_control(graph.node(id).op)) return abandon_call(graph, id, context, algorithm, why);
  for (const ir::FunctionPtr& function : ir::all_functions(graph.node(id))) {
    const ir::Graph& inside = function->graph();
    for (ir::NodeId call = 0; call < inside.node_count(); ++call) {
      const bool direct = !ir::is_control(inside.node(call).op);
      if (direct && ir::communicates(inside, call))
        abandon_call(inside, call, context, algorithm, why);
    }
  }
}

// Where the calls themselves are what fails: an engine that is not there, no memory.
void abandon_group(const ir::Graph& graph, ir::NodeId id, runtime::Context& context) {
  for (const ir::GroupPtr& group : groups_met_in(graph, id)) {
    for (const Device device : {Device::cpu(), Device::cuda(0)}) {
      try {
        context.backend
            ->communicator(group->members_with(context.rank()), group->tag,
                           engine_of(*group, device))
            ->abandon("a peer failed");  // short: without an allocation
      } catch (const std::exception&) {
        // The other engine, and other groups, may be told all the same.
      }
    }
  }
}

}  // namespace

void abandon_collective(const ir::Graph& graph, ir::NodeId id, runtime::Context& context,
                        ir::Algorithm algorithm, const std::string& why) noexcept {
  try {
    return abandon_calls(graph, id, context, algorithm, why);
  } catch (const std::exception&) {
    // The whole group then.
  }
  try {
    abandon_group(graph, id, context);
  } catch (const std::exception&) {
    // What can't be said now, peers find out by waiting.
  }
}

void abandon_collectives(const ir::Graph& graph, runtime::Context& context, ir::Algorithm algorithm,
                         const std::string& why) noexcept {
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    if (!ir::communicates(graph, id)) continue;
    abandon_collective(graph, id, context, algorithm, why);
  }
}

}  // namespace tutti::codegen

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/fake_cuda/driver/state.h"

// Recording what is put on a stream, and putting it there again.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::GraphNode;
using tutti::fake_cuda::Operation;
using tutti::fake_cuda::State;

namespace {

// Puts nodes on a stream in an order that their edges allow, and no other: the newest first, or the
// oldest, by turns, so that an edge that is missing shows.
void put(State& state, CUstream_st& stream, const std::vector<GraphNode>& nodes,
         bool newest_first) {
  std::vector<bool> done(nodes.size());
  for (std::size_t left = nodes.size(); left > 0; --left) {
    const auto can_come = [&](std::size_t number) {
      return !done[number] && std::ranges::all_of(nodes[number].behind,
                                                  [&](std::size_t other) { return done[other]; });
    };
    std::size_t next = newest_first ? nodes.size() - 1 : 0;
    while (!can_come(next)) newest_first ? --next : ++next;
    done[next] = true;
    const GraphNode& node = nodes[next];
    if (node.child != nullptr) {
      put(state, stream, *node.child, newest_first);
    } else {
      state.enqueue(stream, node.operation.again ? node.operation.again(&stream) : node.operation);
    }
  }
}

// "child of 3 kernels": what has to be the same in a graph and in what takes a node's place.
std::vector<std::string> kinds(const std::vector<GraphNode>& nodes) {
  std::vector<std::string> out;
  for (const GraphNode& node : nodes) {
    if (node.child != nullptr) {
      for (const std::string& kind : kinds(*node.child)) out.push_back("child " + kind);
    } else {
      const std::string& text = node.operation.text;
      out.push_back(text.substr(0, text.find(' ')));
    }
  }
  return out;
}

// What a node has to itself, with those of its child.
void add_exclusive(const GraphNode& node, std::set<const void*>& to) {
  if (node.child == nullptr) {
    if (node.operation.exclusive != nullptr) to.insert(node.operation.exclusive);
    return;
  }
  for (const GraphNode& each : *node.child) add_exclusive(each, to);
}

// Whether a node is behind an earlier one. (All are behind earlier ones alone.)
bool is_behind(const std::vector<GraphNode>& nodes, std::size_t node, std::size_t earlier) {
  std::vector<bool> reached(node + 1);
  reached[node] = true;
  for (std::size_t i = node; i > earlier; --i) {
    if (!reached[i]) continue;
    for (const std::size_t other : nodes[i].behind) reached[other] = true;
  }
  return reached[earlier];
}

// A GPU runs nodes at the same time that no edges keep apart: complains of those that may not be.
void check_exclusive(State& state, const Call& call, const std::vector<GraphNode>& nodes) {
  std::map<const void*, std::size_t> last;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::set<const void*> own;
    add_exclusive(nodes[i], own);
    for (const void* const what : own) {
      const auto [before, first] = last.try_emplace(what, i);
      if (!first && !is_behind(nodes, i, std::exchange(before->second, i))) {
        state.complain(call.text() + ": node " + std::to_string(i) +
                       " may run beside an earlier one that uses the same communicator or words");
      }
    }
  }
}

std::shared_ptr<const std::vector<GraphNode>> copy_of(const CUgraph_st& graph) {
  return std::make_shared<const std::vector<GraphNode>>(graph.nodes);
}

}  // namespace

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  return driver_call("cuStreamBeginCapture", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name << (mode == CU_STREAM_CAPTURE_MODE_RELAXED ? "relaxed" : "strict");
    if (stream.capture != nullptr) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, stream.name + " records already"};
    }
    stream.capture = state.make<CUgraph_st>("graph", stream.context);
    stream.capture_is_spoilt = false;
  });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  return driver_call("cuStreamEndCapture", [&](State& state, Call& call) {
    CUstream_st& stream = state.mine(handle);
    call << stream.name;
    *graph = nullptr;
    if (stream.capture == nullptr) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, stream.name + " does not record"};
    }
    CUgraph_st* const recorded = std::exchange(stream.capture, nullptr);
    if (stream.capture_is_spoilt) {
      recorded->live = false;
      throw Failure{CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, ""};
    }
    *graph = recorded;
    call.gives(recorded->name);
  });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned /*flags*/) {
  return driver_call("cuGraphCreate", [&](State& state, Call& call) {
    *graph = state.make<CUgraph_st>("graph", &state.current_context());
    call.gives((*graph)->name);
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph handle, const CUgraphNode* behind,
                                  std::size_t count, CUgraph of) {
  return driver_call("cuGraphAddChildGraphNode", [&](State& state, Call& call) {
    CUgraph_st& graph = state.mine(handle);
    const CUgraph_st& child = state.mine(of);
    call << graph.name << child.name;
    GraphNode node{.child = copy_of(child)};
    for (std::size_t i = 0; i < count; ++i) {
      const CUgraphNode_st& other = state.live(behind[i]);
      if (other.owner != &graph) {
        throw Failure{CUDA_ERROR_INVALID_VALUE, "behind a node of another graph"};
      }
      node.behind.push_back(other.number);
    }
    graph.nodes.push_back(std::move(node));
    *made = state.make_part<CUgraphNode_st>(&graph);
    (*made)->number = graph.nodes.size() - 1;
  });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode at, CUgraph of) {
  return driver_call("cuGraphExecChildGraphNodeSetParams", [&](State& state, Call& call) {
    CUgraphExec_st& graph = state.mine(handle);
    const CUgraphNode_st& node = state.live(at);
    const CUgraph_st& child = state.mine(of);
    call << graph.name << node.number << child.name;
    if (node.owner != graph.graph || graph.nodes.at(node.number).child == nullptr) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "no child of the graph that it was made of"};
    }
    if (kinds(*graph.nodes[node.number].child) != kinds(child.nodes)) {
      throw Failure{CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, ""};
    }
    graph.nodes[node.number].child = copy_of(child);
  });
}

CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph handle, unsigned long long /*flags*/) {
  return driver_call("cuGraphInstantiate", [&](State& state, Call& call) {
    CUgraph_st& graph = state.mine(handle);
    call << graph.name << graph.nodes.size() << "nodes";
    check_exclusive(state, call, graph.nodes);
    *made = state.make<CUgraphExec_st>("executable", graph.context);
    (*made)->nodes = graph.nodes;
    (*made)->graph = &graph;
    call.gives((*made)->name);
  });
}

CUresult cuGraphDestroy(CUgraph handle) {
  return driver_call("cuGraphDestroy", [&](State& state, Call& call) {
    CUgraph_st& graph = state.live(handle);
    call << graph.name;
    graph.live = false;
    graph.nodes.clear();
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return driver_call("cuGraphExecDestroy", [&](State& state, Call& call) {
    CUgraphExec_st& graph = state.live(handle);
    call << graph.name;
    graph.live = false;
    graph.nodes.clear();
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream on) {
  return driver_call("cuGraphLaunch", [&](State& state, Call& call) {
    CUgraphExec_st& graph = state.mine(handle);
    CUstream_st& stream = state.mine(on);
    call << graph.name << stream.name;
    if (stream.capture != nullptr) {
      throw Failure{CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a graph is put into a recording"};
    }
    put(state, stream, graph.nodes, graph.launches++ % 2 == 0);
  });
}

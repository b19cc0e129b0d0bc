#include "tests/fake_cuda/driver/state.h"

// Recording what is put on a stream, and putting it there again.

using tutti::fake_cuda::Call;
using tutti::fake_cuda::driver_call;
using tutti::fake_cuda::Failure;
using tutti::fake_cuda::Operation;
using tutti::fake_cuda::State;

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

CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph handle, unsigned long long /*flags*/) {
  return driver_call("cuGraphInstantiate", [&](State& state, Call& call) {
    CUgraph_st& graph = state.mine(handle);
    call << graph.name << graph.nodes.size() << "nodes";
    *made = state.make<CUgraphExec_st>("executable", graph.context);
    (*made)->nodes = graph.nodes;
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
    for (const Operation& node : graph.nodes) state.enqueue(stream, node);
  });
}

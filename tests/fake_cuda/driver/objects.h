#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cuda/driver/api.h"

// What the handles of the driver point to. They are never deleted, so that no handle is ever given
// twice; what was destroyed says so.
namespace tutti::fake_cuda {

struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  std::string name;  // "stream1"
  CUctx_st* context = nullptr;
  Object* owner = nullptr;  // what it goes with; null: it is destroyed on its own
  bool live = true;
};

struct DeviceRange {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
};

// Work of a device. What it reads and writes has to be there when it is put on a stream and when it
// runs.
struct Operation {
  std::string text;  // "cuMemcpyHtoDAsync memory1 pinned1 64"
  std::vector<DeviceRange> touches;
  CUmod_st* module = nullptr;  // of a kernel
  // Whether it can run now, of one that waits for somebody: another stream, another rank. It is
  // asked when all before it has run. Null: it can.
  std::function<bool()> is_ready = {};
  bool waits_for_ranks = false;
  // What no other operation may use at the same time; null: nothing.
  const void* exclusive = nullptr;
  std::function<void()> run;  // throws std::runtime_error
  // Of what was recorded: what a replay puts on that stream, where it is not the same each time.
  std::function<Operation(CUstream)> again = {};
};

// Behind those of the numbers that it says: an operation, or what another graph had when it became
// a node.
struct GraphNode {
  Operation operation = {};
  std::shared_ptr<const std::vector<GraphNode>> child = nullptr;  // null: an operation
  std::vector<std::size_t> behind = {};
};

}  // namespace tutti::fake_cuda

struct CUctx_st : tutti::fake_cuda::Object {
  int device = 0;
  int retained = 0;
  CUresult sticky = CUDA_SUCCESS;  // what all work says after some failed
};

struct CUgraph_st : tutti::fake_cuda::Object {
  std::vector<tutti::fake_cuda::GraphNode> nodes;
};

struct CUgraphNode_st : tutti::fake_cuda::Object {
  std::size_t number = 0;  // in the graph that owns it
};

struct CUgraphExec_st : tutti::fake_cuda::Object {
  std::vector<tutti::fake_cuda::GraphNode> nodes;
  CUgraph_st* graph = nullptr;  // that it was made of
  std::uint64_t launches = 0;
};

struct CUstream_st : tutti::fake_cuda::Object {
  std::deque<tutti::fake_cuda::Operation> queue;
  std::uint64_t done = 0;         // operations that ran
  CUgraph_st* capture = nullptr;  // where operations go instead
  bool capture_is_spoilt = false;
  // Events that note when it comes to them, by position.
  std::deque<std::pair<std::uint64_t, CUevent_st*>> timed;

  std::uint64_t position() const { return done + queue.size(); }
};

struct CUevent_st : tutti::fake_cuda::Object {
  CUstream_st* stream = nullptr;  // where it was recorded; null: nowhere
  std::uint64_t position = 0;
  bool has_time = false;   // and not only an order
  std::uint64_t time = 0;  // when the device came to it, see State::device_time
};

struct CUmod_st;

struct CUfunc_st : tutti::fake_cuda::Object {
  CUmod_st* module = nullptr;
  std::string kernel;
  void* entry = nullptr;
  bool waits = false;      // for other launches
  std::string parameters;  // 'p' or 'v' each, see Image
};

struct CUmod_st : tutti::fake_cuda::Object {
  std::map<std::string, std::string> kernels;  // of the Image
  void* library = nullptr;                     // of dlopen
};

#include <tutti/ir/support/error.h>
#include <tutti/runtime/cuda/graph.h>

#include <utility>

namespace tutti::runtime {

namespace {

CUgraph graph_of(const Accelerator::Part& part) {
  const auto* const graph = dynamic_cast<const CudaGraph*>(&part);
  if (graph == nullptr) throw InternalError("a part that is no graph of CUDA's");
  return graph->handle();
}

}  // namespace

CudaGraph::~CudaGraph() {
  if (from_ == nullptr && graph_ == nullptr) return;
  const CudaStream::Entered entered = stream_->try_enter();
  if (!entered) return;
  const CudaDriver& driver = stream_->driver();
  if (from_ != nullptr) driver.cuStreamEndCapture(from_, &graph_);
  if (graph_ != nullptr) driver.cuGraphDestroy(graph_);
}

void CudaGraph::begin(CUstream from) {
  const CudaDriver& driver = stream_->driver();
  // Relaxed: other ranks of this process may call what they like meanwhile.
  driver.check(driver.cuStreamBeginCapture(from, CU_STREAM_CAPTURE_MODE_RELAXED),
               "cuStreamBeginCapture");
  from_ = from;
}

void CudaGraph::end() {
  const CudaDriver& driver = stream_->driver();
  const CUstream from = std::exchange(from_, nullptr);
  const CUresult ended = driver.cuStreamEndCapture(from, &graph_);
  if (ended == CUDA_SUCCESS) return;
  // Whatever became of it, what comes next is to run.
  driver.cuStreamEndCapture(from, &graph_);
  driver.check(ended, "cuStreamEndCapture");
}

CudaRecording::CudaRecording(const CudaGraph& graph)
    : stream_(graph.stream()), used_(graph.used()) {
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuGraphInstantiate(&executable_, graph.handle(), 0), "cuGraphInstantiate");
}

CudaRecording::~CudaRecording() {
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) stream_->driver().cuGraphExecDestroy(executable_);
}

void CudaRecording::replay() {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuGraphLaunch(executable_, stream_->handle()), "cuGraphLaunch");
}

JoinedCudaRecording::JoinedCudaRecording(std::shared_ptr<CudaStream> stream,
                                         std::vector<Accelerator::JoinedPart> parts)
    : stream_(std::move(stream)), parts_(std::move(parts)) {
  try {
    build();
  } catch (...) {
    destroy();
    throw;
  }
}

JoinedCudaRecording::~JoinedCudaRecording() {
  const CudaStream::Entered entered = stream_->try_enter();
  if (entered) destroy();
}

void JoinedCudaRecording::destroy() noexcept {
  const CudaDriver& driver = stream_->driver();
  if (executable_ != nullptr) driver.cuGraphExecDestroy(std::exchange(executable_, nullptr));
  if (graph_ != nullptr) driver.cuGraphDestroy(std::exchange(graph_, nullptr));
  nodes_.clear();
}

void JoinedCudaRecording::build() {
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuGraphCreate(&graph_, 0), "cuGraphCreate");
  std::vector<CUgraphNode> behind;
  for (const Accelerator::JoinedPart& part : parts_) {
    behind.clear();
    for (const std::size_t number : part.behind) behind.push_back(nodes_.at(number));
    CUgraphNode node = nullptr;
    driver.check(driver.cuGraphAddChildGraphNode(&node, graph_, behind.data(), behind.size(),
                                                 graph_of(*part.part)),
                 "cuGraphAddChildGraphNode");
    nodes_.push_back(node);
  }
  driver.check(driver.cuGraphInstantiate(&executable_, graph_, 0), "cuGraphInstantiate");
}

void JoinedCudaRecording::replay() {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  driver.check(driver.cuGraphLaunch(executable_, stream_->handle()), "cuGraphLaunch");
}

void JoinedCudaRecording::exchange(std::size_t number,
                                   std::shared_ptr<const Accelerator::Part> part) {
  const CudaStream::Entered entered = stream_->enter();
  const CudaDriver& driver = stream_->driver();
  const CUresult result =
      driver.cuGraphExecChildGraphNodeSetParams(executable_, nodes_.at(number), graph_of(*part));
  // What runs now may use the old one: its memory is the stream's affair, its code the graph's.
  parts_.at(number).part = std::move(part);
  if (result == CUDA_SUCCESS) return;
  // Other kernels, maybe, than those that were there.
  destroy();
  build();
}

}  // namespace tutti::runtime

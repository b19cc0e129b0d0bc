#pragma once

#include <tutti/runtime/accelerator.h>
#include <tutti/runtime/cuda/stream.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tutti::runtime {

// What was put on a stream while it recorded: a graph of the driver's, and what its nodes use.
// Whoever calls it has entered (CudaStream::enter).
class CudaGraph final : public Accelerator::Part {
 public:
  explicit CudaGraph(std::shared_ptr<CudaStream> stream) : stream_(std::move(stream)) {}
  // Ends what it records.
  ~CudaGraph() override;

  // Records what is put on that stream between the two, of the same GPU. Throw EnvironmentError;
  // whatever fails, what is put there next runs.
  void begin(CUstream from);
  void end();

  // Has to live as long as what is made of the graph.
  void keep(std::shared_ptr<const void> used) { used_.push_back(std::move(used)); }

  const std::shared_ptr<CudaStream>& stream() const { return stream_; }
  CUgraph handle() const { return graph_; }
  const std::vector<std::shared_ptr<const void>>& used() const { return used_; }

 private:
  const std::shared_ptr<CudaStream> stream_;
  CUstream from_ = nullptr;  // where it records now
  CUgraph graph_ = nullptr;
  std::vector<std::shared_ptr<const void>> used_;
};

// A graph that can be launched. Whoever makes it has entered.
class CudaRecording final : public Accelerator::Recording {
 public:
  explicit CudaRecording(const CudaGraph& graph);
  ~CudaRecording() override;
  void replay() override;

 private:
  const std::shared_ptr<CudaStream> stream_;
  const std::vector<std::shared_ptr<const void>> used_;
  CUgraphExec executable_ = nullptr;
};

// Graphs as the nodes of one. Whoever makes it has entered.
class JoinedCudaRecording final : public Accelerator::JoinedRecording {
 public:
  // Throws EnvironmentError.
  JoinedCudaRecording(std::shared_ptr<CudaStream> stream,
                      std::vector<Accelerator::JoinedPart> parts);
  ~JoinedCudaRecording() override;
  void replay() override;
  void exchange(std::size_t number, std::shared_ptr<const Accelerator::Part> part) override;

 private:
  void build();
  void destroy() noexcept;

  const std::shared_ptr<CudaStream> stream_;
  std::vector<Accelerator::JoinedPart> parts_;
  CUgraph graph_ = nullptr;  // whose nodes are the executable's names for them
  std::vector<CUgraphNode> nodes_;
  CUgraphExec executable_ = nullptr;
};

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/comm/host_fabric.h>
#include <tutti/runtime/comm/shm/layout.h>
#include <tutti/runtime/comm/shm/peers.h>
#include <tutti/runtime/comm/shm/segment.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

struct ShmOptions {
  std::string rendezvous;  // a name that the ranks of this job share with nobody else
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  HostOptions host = {};          // its time-out is also that of the ranks' coming together
  kernels::NcclOfRank nccl = {};  // what the others are told
  // What is reserved for all ranks together. Sparse: what is not used costs nothing.
  std::size_t segment_bytes = std::size_t{64} << 30;
};

class ShmMemory;

// The fabric of ranks that are processes of one host, as one of them sees it.
class ShmFabric final : public HostFabric {
 public:
  // Comes together with the other ranks. Throws CommError if they do not all come in time,
  // EnvironmentError if this host does not have what it takes.
  explicit ShmFabric(const ShmOptions& options);
  ~ShmFabric() override;

  std::string_view name() const override { return "shm"; }
  const std::shared_ptr<CommMemory>& memory(std::int64_t /*own*/) const override { return memory_; }
  std::shared_ptr<HostGroup> group(const GroupKey& key) override;
  void forget(const GroupKey& key) override;
  void abort(const std::string& reason) override;
  void leave(std::int64_t rank, const std::string& message) override;
  void look_for_deaths() override;
  std::string describe(std::int64_t rank) const override;

 protected:
  kernels::RankPage& page_of(std::int64_t rank) override { return layout_.page(rank); }

 private:
  void wait_for_all(class SegmentServer* server);
  // Of those that all have left: what was kept for them. With the lock held.
  [[nodiscard]] std::vector<HostGroup::Kept> let_go_of_closed();
  std::string missing_ranks() const;

  const std::int64_t rank_;
  std::shared_ptr<const Segment> segment_;
  SegmentLayout layout_;
  std::shared_ptr<CommMemory> memory_;
  Peers peers_;
  std::mutex mutex_;  // of what follows
  std::map<GroupKey, std::shared_ptr<HostGroup>> groups_;
  std::vector<std::shared_ptr<HostGroup>> closed_;  // by this rank, but maybe not by all
};

}  // namespace tutti::runtime

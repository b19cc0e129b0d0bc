#pragma once

#include <tutti/runtime/comm/backend.h>
#include <tutti/runtime/comm/host_fabric.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

class GroupAgreement;
class GroupCommunicator;
struct Parent;
class Transport;

// A rank's access to the peers of its host, be they threads (local.h) or processes (shm/). Leaves
// the fabric when it is destroyed, if not before.
class HostBackend final : public Backend {
 public:
  HostBackend(std::shared_ptr<HostFabric> fabric, std::int64_t rank);
  ~HostBackend() override;

  std::string_view name() const override { return fabric_->name(); }
  std::int64_t rank() const override;
  std::int64_t ranks() const override { return fabric_->ranks(); }
  std::shared_ptr<Communicator> communicator(std::vector<std::int64_t> members, std::string tag,
                                             const std::string& wanted = "shm") override;
  std::shared_ptr<Communicator> messages(std::vector<std::int64_t> pair, std::string tag,
                                         const Communicator& group) override;
  void close(const std::vector<std::int64_t>& members, const std::string& tag) override;
  std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {}) override {
    return memory().allocate(bytes, label);
  }
  std::shared_ptr<MemoryUse> memory_use() const override { return memory().use(); }
  const AlgorithmTable& algorithms() const override { return fabric_->options().algorithms; }
  std::unique_ptr<BlockSource> large_blocks() override { return memory().large_blocks(); }
  bool peer_waits() const override {
    return page_.waiting_peers.load(std::memory_order_relaxed) != 0;
  }
  std::int64_t other_user_of_gpu(std::uint64_t gpu) override;
  void finish() override;
  void leave(const std::string& message) noexcept override;
  void abort(const std::vector<std::int64_t>& members, const std::string& tag,
             const std::string& reason) override;
  void abort(const std::string& reason) override;

 private:
  CommMemory& memory() const { return *fabric_->memory(rank()); }

  std::shared_ptr<HostFabric> fabric_;
  kernels::RankPage& page_;
  std::shared_ptr<HostRank> rank_;
  // Tag and members.
  using Key = std::pair<std::string, std::vector<std::int64_t>>;
  // By engine.
  using Communicators = std::map<std::string, std::shared_ptr<GroupCommunicator>, std::less<>>;

  using MakeTransport = std::function<std::unique_ptr<Transport>(GroupAgreement&)>;

  std::shared_ptr<GroupCommunicator> find(const Key& key, const std::string& engine) const;
  // Throws UsageError where this rank can not communicate in such a group.
  void check(const Key& key) const;
  // Its own part of close(), where this rank has no communicator for the runtime's own collectives.
  void close_unused(const Key& key);
  std::shared_ptr<HostGroup> page(const Key& key, const std::string& engine) const;
  std::shared_ptr<GroupCommunicator> make(const Key& key, const std::string& engine,
                                          std::vector<Parent> parents,
                                          const MakeTransport& transport) const;
  std::shared_ptr<GroupCommunicator> add(const Key& key, const std::string& engine,
                                         std::vector<Parent> parents,
                                         const MakeTransport& transport);

  std::map<Key, Communicators> communicators_;
  std::map<Key, std::vector<Key>> messages_;  // of each group
  std::set<Key> closed_;
};

}  // namespace tutti::runtime

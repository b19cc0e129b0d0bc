#pragma once

#include <tutti/kernels/host/collectives.h>
#include <tutti/runtime/comm/backend.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

class LocalGroup;
class LocalCommunicator;
struct LocalRank;

struct LocalOptions {
  // How long a wait may take where neither the group nor the call says otherwise.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  // How often a waiting rank looks before it gives its core away; negative: many times where every
  // rank can have a core, few where not.
  int spins = -1;
};

// What the ranks of one process share. Thread-safe; lives as long as one rank uses it.
class LocalFabric {
 public:
  explicit LocalFabric(std::int64_t ranks, LocalOptions options = {});
  LocalFabric(const LocalFabric&) = delete;
  LocalFabric& operator=(const LocalFabric&) = delete;
  ~LocalFabric();

  std::int64_t ranks() const { return static_cast<std::int64_t>(pages_.size()); }
  const LocalOptions& options() const { return options_; }

  // Frees every rank that is stuck in any group, and poisons all groups, future ones too.
  void abort(const std::string& reason);

 private:
  friend class LocalBackend;

  // The group's shared state, made by the first member that asks.
  std::shared_ptr<LocalGroup> group(const std::vector<std::int64_t>& members,
                                    const std::string& tag);
  void leave(std::int64_t rank, const std::string& message);
  kernels::RankPage& page(std::int64_t rank);

  LocalOptions options_;
  std::vector<kernels::RankPage> pages_;  // by rank
  std::mutex mutex_;                      // of what follows
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::shared_ptr<LocalGroup>> groups_;
  std::optional<std::string> aborted_;
};

// The backend for ranks that are threads of one process: peers read and write each other's tensors
// where they lie. Leaves the fabric when it is destroyed, if not before.
class LocalBackend final : public Backend {
 public:
  LocalBackend(std::shared_ptr<LocalFabric> fabric, std::int64_t rank);
  ~LocalBackend() override;

  std::string_view name() const override { return "local"; }
  Capabilities capabilities() const override { return {}; }
  std::int64_t rank() const override;
  std::int64_t ranks() const override { return fabric_->ranks(); }
  std::shared_ptr<Communicator> communicator(std::vector<std::int64_t> members,
                                             std::string tag) override;
  bool peer_waits() const override {
    return page_.waiting_peers.load(std::memory_order_relaxed) != 0;
  }
  void finish() override;
  void leave(const std::string& message) noexcept override;
  void abort(const std::string& reason) override { fabric_->abort(reason); }

 private:
  std::shared_ptr<LocalFabric> fabric_;
  const kernels::RankPage& page_;
  std::shared_ptr<LocalRank> rank_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::shared_ptr<LocalCommunicator>>
      communicators_;
};

}  // namespace tutti::runtime

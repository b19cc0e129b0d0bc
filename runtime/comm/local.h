#pragma once

#include <tutti/runtime/comm/host_fabric.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime {

// The fabric of ranks that are threads of one process: peers read and write each other's tensors
// where they lie. Lives as long as one rank uses it.
class LocalFabric final : public HostFabric {
 public:
  explicit LocalFabric(std::int64_t ranks, HostOptions options = {});
  ~LocalFabric() override;

  std::string_view name() const override { return "local"; }
  const std::shared_ptr<CommMemory>& memory(std::int64_t rank) const override {
    return (*memories_)[static_cast<std::size_t>(rank)];
  }
  std::shared_ptr<HostGroup> group(const GroupKey& key) override;
  void forget(const GroupKey& key) override;
  void abort(const std::string& reason) override;
  void leave(std::int64_t rank, const std::string& message) override;

 protected:
  kernels::RankPage& page_of(std::int64_t rank) override {
    return pages_[static_cast<std::size_t>(rank)];
  }

 private:
  struct Page;

  const std::shared_ptr<std::vector<std::shared_ptr<CommMemory>>> memories_;  // by rank
  std::vector<kernels::RankPage> pages_;                                      // by rank
  std::mutex mutex_;                                                          // of what follows
  std::map<GroupKey, std::shared_ptr<Page>> groups_;
  std::optional<std::string> aborted_;
};

}  // namespace tutti::runtime

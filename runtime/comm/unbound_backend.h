#pragma once

#include <tutti/runtime/comm/backend.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::runtime {

// The backend of a rank that programs are compiled for and that runs none: of a world that need not
// exist, and that may be far larger than any this machine could hold. It gives communicators whose
// calls can be prepared; to start one is an InternalError.
class UnboundBackend final : public Backend {
 public:
  UnboundBackend(std::int64_t ranks, std::int64_t rank) : ranks_(ranks), rank_(rank) {}

  std::string_view name() const override { return "unbound"; }
  std::int64_t rank() const override { return rank_; }
  std::int64_t ranks() const override { return ranks_; }
  // Throws like HostBackend's for an engine that is not in this version; that its rank is a member
  // was checked when the collective was recorded.
  std::shared_ptr<Communicator> communicator(std::vector<std::int64_t> members, std::string tag,
                                             const std::string& engine = "shm") override;
  std::shared_ptr<Communicator> messages(std::vector<std::int64_t> pair, std::string tag,
                                         const Communicator& group) override;
  void close(const std::vector<std::int64_t>& /*members*/, const std::string& /*tag*/) override {}
  std::shared_ptr<Buffer> allocate(std::size_t bytes, const MemoryLabel& label = {}) override;
  std::shared_ptr<MemoryUse> memory_use() const override { return memory_use_; }
  bool peer_waits() const override { return false; }
  void finish() override {}
  void leave(const std::string& /*message*/) noexcept override {}
  void abort(const std::vector<std::int64_t>& /*members*/, const std::string& /*tag*/,
             const std::string& /*reason*/) override {}
  void abort(const std::string& /*reason*/) override {}

 private:
  const std::int64_t ranks_;
  const std::int64_t rank_;
  const std::shared_ptr<MemoryUse> memory_use_ = std::make_shared<MemoryUse>();
  using Key = std::pair<std::string, std::vector<std::int64_t>>;  // tag and members
  std::map<Key, std::shared_ptr<Communicator>> communicators_;
};

}  // namespace tutti::runtime

#pragma once

#include <tutti/runtime/comm/asking.h>
#include <tutti/runtime/comm/engine.h>
#include <tutti/runtime/comm/host_call.h>
#include <tutti/runtime/comm/host_fabric.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tutti::runtime {

class HostCommunicator;

// One rank's end of a group that a user's engine serves (engine.h). The host's own communicator of
// the same ranks is used to set it up, and its page tells of aborts.
class EngineCommunicator final : public Communicator,
                                 public std::enable_shared_from_this<EngineCommunicator> {
 public:
  EngineCommunicator(std::string engine, std::shared_ptr<HostFabric> fabric,
                     std::shared_ptr<HostRank> rank, std::shared_ptr<HostCommunicator> host,
                     std::shared_ptr<HostGroup> group);

  std::shared_ptr<const PreparedCall> prepare(CollectiveCall call) override;
  std::shared_ptr<Work> start(const std::shared_ptr<const PreparedCall>& call,
                              std::span<const std::shared_ptr<Buffer>> operands,
                              const StartOptions& options) override;
  std::shared_ptr<Work> start(CollectiveCall call,
                              std::vector<std::shared_ptr<Buffer>> keep_alive) override;
  bool released(std::uint64_t sequence) override { return finished_ >= sequence; }
  void wait_released(std::uint64_t sequence) override;
  void abort(const std::string& reason) override;
  void abandon(const std::string& reason) override { group_->fail(started_ + 1, reason); }
  void set_timeout(std::chrono::milliseconds timeout) override { timeout_ = timeout; }
  void close() override;
  const std::string& tag() const override;
  const std::vector<std::int64_t>& members() const override;
  int position() const override;

 private:
  class EngineCollective;

  std::shared_ptr<Work> start_call(CollectiveCall call,
                                   std::vector<std::shared_ptr<Buffer>> keep_alive);
  // Made when it is first used: the group's first collective waits for its members.
  Engine& engine(const CollectiveCall& call);
  std::shared_ptr<Engine> current_engine();
  void set_engine(std::shared_ptr<Engine> engine);
  // Why the group failed: what was said first, or what this rank says.
  std::string why(std::uint64_t sequence, const std::string& own) const;
  // Throws CommError if the group fails at this collective or a member died.
  void check_alive(const CollectiveCall& call, std::uint64_t sequence);

  const std::string name_;
  const std::shared_ptr<HostFabric> fabric_;
  const std::shared_ptr<HostRank> rank_;
  const std::shared_ptr<HostCommunicator> host_;
  const std::shared_ptr<HostGroup> group_;
  std::chrono::milliseconds timeout_;
  std::uint64_t started_ = 0;
  std::uint64_t finished_ = 0;
  bool told_ = false;
  bool closed_ = false;
  std::mutex mutex_;  // aborts come from any thread
  std::shared_ptr<Engine> engine_;
  std::vector<kernels::RankPage*> pages_;  // by member
  std::vector<int> others_;
  std::vector<int> asked_;  // scratch
};

}  // namespace tutti::runtime

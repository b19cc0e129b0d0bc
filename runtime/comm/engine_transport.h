#pragma once

#include <tutti/runtime/comm/engine.h>
#include <tutti/runtime/comm/group_agreement.h>
#include <tutti/runtime/comm/transport.h>
#include <tutti/runtime/process_mark.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tutti::runtime {

class GroupCommunicator;

// One rank's end of a user's engine (engine.h) in a group: made when it is first used, together
// with the other members. A process that is forked off the rank leaves it alone: connections and
// memory that it shares with others are the rank's.
class EngineEnd {
 public:
  // `group` is what the engine serves. Its members tell each other where they are over `setup`, a
  // communicator of their own.
  EngineEnd(std::string name, std::shared_ptr<HostGroup> group,
            std::shared_ptr<GroupCommunicator> setup)
      : name_(std::move(name)),
        traits_(EngineRegistry::process().traits(name_)),
        group_(std::move(group)),
        setup_(std::move(setup)) {}
  EngineEnd(const EngineEnd&) = delete;
  EngineEnd& operator=(const EngineEnd&) = delete;
  ~EngineEnd() { leave(); }

  const std::string& name() const { return name_; }
  const EngineTraits& traits() const { return traits_; }
  // Throws what making it does, after which the group fails: another try would find nobody.
  Engine& engine();
  // From any thread.
  void abort(const std::string& reason) noexcept;
  void close();
  // Lets go of it: the group is closed, or its rank has left (GroupAgreement::check_usable refuses
  // what would want another one).
  void leave() noexcept { set(nullptr); }
  bool is_copy() const { return process_.is_copy(); }

 private:
  std::shared_ptr<Engine> current();
  void set(std::shared_ptr<Engine> engine) noexcept;

  const std::string name_;
  const EngineTraits traits_;
  const std::shared_ptr<HostGroup> group_;
  const std::shared_ptr<GroupCommunicator> setup_;
  const ProcessMark process_;
  std::mutex mutex_;  // aborts come from any thread
  std::shared_ptr<Engine> engine_;
};

// Over a user's engine.
class EngineTransport final : public Transport {
 public:
  // `message`: between which positions of the engine's group, if it is for messages.
  EngineTransport(GroupAgreement& agreement, std::shared_ptr<EngineEnd> end,
                  std::optional<std::pair<int, int>> message = {})
      : agreement_(agreement), end_(std::move(end)), message_(message) {}

  std::shared_ptr<GroupWork> new_work() override;
  void prepare(GroupWork& work, Keeping& keeping) override;
  kernels::PartPlace begin(GroupWork& work, Keeping& keeping) override;
  bool move(GroupWork& work, bool may_wait) override;
  bool carries_messages() const override { return end_->traits().messages; }
  std::unique_ptr<Transport> for_messages(GroupAgreement& pair) override;
  void fail(const std::string& reason) noexcept override { end_->abort(reason); }
  void give_up(GroupWork& work) noexcept override;
  void close() override {
    if (!message_) end_->close();
  }
  void leave() noexcept override { end_->leave(); }

 private:
  std::string text(const GroupWork& work) const;

  GroupAgreement& agreement_;
  const std::shared_ptr<EngineEnd> end_;
  const std::optional<std::pair<int, int>> message_;
};

}  // namespace tutti::runtime

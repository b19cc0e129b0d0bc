#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/engine_transport.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/comm/tell_each_other.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

// How long an engine that was aborted may take to end what it is at. One that takes longer keeps
// what the library gave it.
constexpr std::chrono::seconds kEnd{1};

// One that failed is over.
bool is_over(EngineWork& work) noexcept {
  try {
    return work.test();
  } catch (...) {
    return true;
  }
}

// Why what is being handled was thrown: engines are the users', and throw anything.
std::string reason_of_throw() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "what it threw is no std::exception";
  }
}

// What engines have not let go of, though nobody waits for it any more.
class Abandoned {
 public:
  struct Work {
    std::shared_ptr<EngineWork> work;
    std::vector<std::shared_ptr<Buffer>> results;
    std::vector<std::shared_ptr<Buffer>> operands;
  };

  static Abandoned& process() {
    static auto* const abandoned = new Abandoned;
    return *abandoned;
  }
  void add(Work work) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(works_, [](const Work& each) { return is_over(*each.work); });
    works_.push_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<Work> works_;
};

// What is another process's, of which this one has a copy: not even to be destroyed.
std::vector<std::shared_ptr<const void>>& left_alone() {
  static auto* const all = new std::vector<std::shared_ptr<const void>>;
  return *all;
}
void leave_alone(std::shared_ptr<const void> copy) noexcept {
  static std::mutex mutex;
  if (copy == nullptr) return;
  const std::scoped_lock lock(mutex);
  left_alone().push_back(std::move(copy));
}

// What an EngineTransport has under way.
class EngineGroupWork final : public GroupWork {
 public:
  EngineGroupWork(std::shared_ptr<EngineEnd> end, std::shared_ptr<HostGroup> group)
      : end_(std::move(end)), group_(std::move(group)) {}

  // One that is given up before it is over fails for the others, too; and the engine may still be
  // about to write what this holds.
  ~EngineGroupWork() override {
    if (end_->is_copy()) leave_alone(std::move(under_way));
    if (under_way == nullptr || is_over(*under_way)) return;
    group_->fail(sequence(), "a member gave it up before it was over");
    end_->abort("given up before it was over");
    if (!is_over(*under_way)) Abandoned::process().add({under_way, results, operands});
  }

  std::shared_ptr<EngineWork> under_way;
  Keeping operands;
  bool told_to_wake = false;

 private:
  const std::shared_ptr<EngineEnd> end_;
  const std::shared_ptr<HostGroup> group_;
};

}  // namespace

Engine& EngineEnd::engine() {
  if (engine_ != nullptr) return *engine_;
  const EngineFactory factory = EngineRegistry::process().factory(name_);
  try {
    set(factory(
        {.members = setup_->members(),
         .position = setup_->position(),
         .tag = setup_->tag(),
         .exchange = [this](const std::string& own) { return tell_each_other(*setup_, own); }}));
    if (engine_ == nullptr) throw EnvironmentError("engine \"" + name_ + "\" could not be made");
  } catch (...) {
    const std::int64_t rank = setup_->members()[static_cast<std::size_t>(setup_->position())];
    const std::string reason = "rank " + std::to_string(rank) + " could not set up engine \"" +
                               name_ + "\": " + reason_of_throw();
    group_->abort(reason);
    setup_->abort(reason);
    throw;
  }
  return *engine_;
}

std::shared_ptr<Engine> EngineEnd::current() {
  const std::scoped_lock lock(mutex_);
  return engine_;
}

void EngineEnd::set(std::shared_ptr<Engine> engine) noexcept {
  if (is_copy()) return leave_alone(std::move(engine_));  // the lock may be held, by nobody
  const std::scoped_lock lock(mutex_);
  engine_.swap(engine);
}

void EngineEnd::abort(const std::string& reason) noexcept {
  if (is_copy()) return;
  const std::shared_ptr<Engine> engine = current();
  if (engine != nullptr) engine->abort(reason);
}

void EngineEnd::close() {
  leave();
  try {
    setup_->close();
  } catch (const CommError&) {
    // What kept the members from setting it up, the group has said.
  }
}

std::shared_ptr<GroupWork> EngineTransport::new_work() {
  return std::make_shared<EngineGroupWork>(end_, agreement_.group());
}

void EngineTransport::prepare(GroupWork& work, Keeping& /*keeping*/) {
  const GroupCall& call = work.call();
  work.results.resize(work.parts.size());
  for (std::size_t i = 0; call.gets && i < work.parts.size(); ++i) {
    if (work.parts[i].result != nullptr) continue;
    work.results[i] = agreement_.memory()->allocate(call.result_bytes[i], work.label());
  }
}

kernels::PartPlace EngineTransport::begin(GroupWork& work, Keeping& keeping) {
  auto& own = static_cast<EngineGroupWork&>(work);
  CollectiveCall call = work.call().call();
  call.location = work.waiting().location;
  call.timeout = work.waiting().timeout;
  call.site = work.site();
  for (std::size_t i = 0; i < work.parts.size(); ++i) {
    call.parts[i].operand = work.parts[i].operand;
    call.parts[i].result =
        work.results[i] != nullptr ? work.results[i]->data() : work.parts[i].result;
  }
  if (message_) call.pairs = {*message_};
  own.operands = keeping;
  try {
    own.under_way = end_->engine().start(call);
  } catch (const UsageError&) {
    throw;
  } catch (...) {
    throw CommError(text(work) + reason_of_throw(), work.waiting().location);
  }
  if (own.under_way == nullptr) {
    throw CommError(text(work) + "it started nothing", work.waiting().location);
  }
  return {0, 0};
}

bool EngineTransport::move(GroupWork& work, bool may_wait) {
  auto& own = static_cast<EngineGroupWork&>(work);
  EngineWork& under_way = *own.under_way;
  const auto is_done = [&] {
    try {
      if (under_way.test() && under_way.wait(std::chrono::milliseconds(0))) return true;
    } catch (...) {
      // An abort breaks connections, too: its reason says more.
      const std::string reason = reason_of_throw();
      agreement_.check_peers(work);
      agreement_.fail(work.sequence(), work.waiting(),
                      text(work) + agreement_.names({agreement_.position()}) + ": " + reason);
    }
    agreement_.check_peers(work);
    return false;
  };
  if (is_done()) return true;
  if (!may_wait) {
    agreement_.fabric().look_for_deaths();
    return false;
  }
  agreement_.wait_elsewhere(work, "for engine " + end_->name(), is_done, [&] {
    if (std::exchange(own.told_to_wake, true)) return;
    try {
      under_way.on_complete([wake = agreement_.wake()](const std::exception_ptr&) { wake(); });
    } catch (...) {
      // A sleep ends after a while anyway.
    }
  });
  return true;
}

void EngineTransport::give_up(GroupWork& work) noexcept {
  try {
    static_cast<EngineGroupWork&>(work).under_way->wait(kEnd);
  } catch (...) {
    // It has ended.
  }
}

std::unique_ptr<Transport> EngineTransport::for_messages(GroupAgreement& pair) {
  const auto position_of = [&](std::int64_t rank) {
    const std::vector<std::int64_t>& members = agreement_.members();
    return static_cast<int>(std::ranges::find(members, rank) - members.begin());
  };
  return std::make_unique<EngineTransport>(
      pair, end_, std::pair{position_of(pair.members()[0]), position_of(pair.members()[1])});
}

std::string EngineTransport::text(const GroupWork& work) const {
  return agreement_.number(work.sequence()) + " (" + work.call().call().description + ", engine " +
         end_->name() + "): ";
}

}  // namespace tutti::runtime

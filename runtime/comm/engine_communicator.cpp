#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/deadline.h>
#include <tutti/runtime/comm/engine_communicator.h>
#include <tutti/runtime/comm/host_communicator.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tutti::runtime {

namespace {

// How long a rank waits before it looks whether its group was aborted.
constexpr std::chrono::milliseconds kLook{10};

// One that failed is over.
bool is_over(EngineWork& work) noexcept {
  try {
    return work.test();
  } catch (...) {
    return true;
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

// EngineGroup::exchange over the host's communicator.
std::vector<std::string> exchange(HostCommunicator& host, const std::string& own) {
  const auto gather = [&](const void* data, std::int64_t size, std::vector<std::int64_t> sizes,
                          DType dtype) {
    // Peers may read it after this rank is done.
    const auto bytes = static_cast<std::size_t>(size * size_of(dtype));
    const std::shared_ptr<Buffer> operand = Allocator(0).allocate(bytes);
    if (bytes > 0) std::memcpy(operand->data(), data, bytes);
    CollectiveCall call{.kind = CollectiveKind::all_gather, .dtype = dtype};
    call.description = "setting up an engine";
    call.parts.push_back({.operand = operand->data(),
                          .elements = size,
                          .axis_size = size,
                          .sizes = std::move(sizes)});
    const std::shared_ptr<Work> work = host.start(std::move(call), {operand});
    work->wait();
    return work->result(0);
  };
  const auto length = static_cast<std::int64_t>(own.size());
  const std::shared_ptr<Buffer> lengths = gather(&length, 1, {}, DType::i64);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(host.size()));
  std::memcpy(sizes.data(), lengths->data(), sizes.size() * sizeof(std::int64_t));
  const std::shared_ptr<Buffer> texts = gather(own.data(), length, sizes, DType::u8);
  std::vector<std::string> out;
  std::size_t at = 0;
  for (const std::int64_t size : sizes) {
    out.emplace_back(reinterpret_cast<const char*>(texts->data()) + at,
                     static_cast<std::size_t>(size));
    at += static_cast<std::size_t>(size);
  }
  return out;
}

}  // namespace

// A collective that the engine has under way, in the program order of its rank.
class EngineCommunicator::EngineCollective final : public OrderedWork {
 public:
  EngineCollective(std::shared_ptr<EngineCommunicator> by, CollectiveCall call,
                   std::vector<std::shared_ptr<Buffer>> results,
                   std::vector<std::shared_ptr<Buffer>> keep_alive)
      : by_(std::move(by)),
        call_(std::move(call)),
        results_(std::move(results)),
        keep_alive_(std::move(keep_alive)),
        sequence_(by_->started_ + 1) {
    try {
      work_ = by_->engine(call_).start(call_);
    } catch (const UsageError&) {
      throw;
    } catch (const std::exception& error) {
      throw CommError(text() + error.what(), call_.location);
    }
    if (work_ == nullptr) throw CommError(text() + "it started nothing", call_.location);
    by_->started_ = sequence_;
    start_in(by_->rank_->order, by_->told_);
  }

  // An engine may still be about to write what this holds, if it was given up before it was over.
  ~EngineCollective() override {
    if (work_ == nullptr || is_over(*work_)) return;
    by_->abort("given up before it was over");
    if (!is_over(*work_)) Abandoned::process().add({work_, results_, keep_alive_});
  }

  std::uint64_t sequence() const override { return sequence_; }
  std::shared_ptr<Buffer> result(std::size_t part) const override { return results_.at(part); }

 private:
  bool attempt(bool may_wait) override {
    // One that fails ends the engine, which earlier ones may still need.
    if (sequence_ != by_->finished_ + 1) return false;
    try {
      if (!work_->test()) {
        by_->check_alive(call_, sequence_);
        if (!may_wait) return false;
        wait_in_turn();
      }
      work_->wait(std::chrono::milliseconds(0));
    } catch (const std::exception& error) {
      by_->finished_ = sequence_;
      // An abort breaks connections, too: its reason says more.
      if (!by_->group_->page.failed(sequence_)) by_->abort(error.what());
      throw CommError(text() + by_->why(sequence_, error.what()), call_.location);
    }
    by_->finished_ = sequence_;
    return true;
  }

  void wait_in_turn() {
    std::chrono::milliseconds longest = by_->timeout_;
    if (call_.timeout.count() > 0) longest = call_.timeout;
    Deadline deadline(longest);
    Asking asking(by_->pages_, 0, by_->asked_);
    while (!work_->wait(kLook)) {
      by_->check_alive(call_, sequence_);
      asking.looked(by_->others_);
      if (!deadline.has_passed()) continue;
      const std::string reason = "time-out after " + std::to_string(longest.count()) + " ms";
      by_->abort(reason);
      throw CommError(reason);
    }
  }

  std::string text() const {
    return "collective #" + std::to_string(sequence_) + " of group \"" + by_->tag() + "\" (" +
           call_.description + ", engine " + by_->name_ + "): ";
  }

  const std::shared_ptr<EngineCommunicator> by_;
  const CollectiveCall call_;
  const std::vector<std::shared_ptr<Buffer>> results_;
  const std::vector<std::shared_ptr<Buffer>> keep_alive_;
  const std::uint64_t sequence_;
  std::shared_ptr<EngineWork> work_;
};

EngineCommunicator::EngineCommunicator(std::string engine, std::shared_ptr<HostFabric> fabric,
                                       std::shared_ptr<HostRank> rank,
                                       std::shared_ptr<HostCommunicator> host,
                                       std::shared_ptr<HostGroup> group)
    : name_(std::move(engine)),
      fabric_(std::move(fabric)),
      rank_(std::move(rank)),
      host_(std::move(host)),
      group_(std::move(group)),
      timeout_(fabric_->options().timeout) {
  for (int member = 0; member < size(); ++member) {
    pages_.push_back(&fabric_->page(members()[static_cast<std::size_t>(member)]));
    if (member != position()) others_.push_back(member);
  }
}

const std::string& EngineCommunicator::tag() const { return group_->tag; }
const std::vector<std::int64_t>& EngineCommunicator::members() const { return group_->members; }
int EngineCommunicator::position() const { return host_->position(); }

std::shared_ptr<const PreparedCall> EngineCommunicator::prepare(CollectiveCall call) {
  return std::make_shared<HostCall>(*this, std::move(call));
}

Engine& EngineCommunicator::engine(const CollectiveCall& call) {
  if (rank_->left) throw UsageError(call.description + ": this rank has left", call.location);
  if (closed_) {
    throw UsageError(call.description + ": group \"" + tag() + "\" was closed", call.location);
  }
  check_alive(call, started_ + 1);
  if (engine_ != nullptr) return *engine_;
  const EngineFactory factory = EngineRegistry::process().factory(name_);
  try {
    set_engine(
        factory({.members = members(),
                 .position = position(),
                 .tag = tag(),
                 .exchange = [this](const std::string& own) { return exchange(*host_, own); }}));
    if (engine_ == nullptr) throw EnvironmentError("engine \"" + name_ + "\" could not be made");
  } catch (const std::exception& error) {
    // The members set it up together, so that another try would find nobody.
    abandon(fabric_->describe(members()[static_cast<std::size_t>(position())]) +
            " could not set up engine \"" + name_ + "\": " + error.what());
    throw;
  }
  return *engine_;
}

std::shared_ptr<Work> EngineCommunicator::start(const std::shared_ptr<const PreparedCall>& prepared,
                                                std::span<const std::shared_ptr<Buffer>> operands,
                                                const StartOptions& options) {
  const auto& known = static_cast<const HostCall&>(*prepared);
  CollectiveCall call = known.call();
  if (options.location.known()) call.location = options.location;
  if (options.timeout.count() > 0) call.timeout = options.timeout;
  call.numbers = options.agreement.word();
  if (options.site != 0) call.site = options.site;
  if (operands.size() != call.parts.size()) {
    throw TypeError(call.description + ": " + std::to_string(operands.size()) + " operands",
                    call.location);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool read = known.gives && known.operand_bytes[i] > 0;
    if (read && (operands[i] == nullptr || operands[i]->bytes() < known.operand_bytes[i])) {
      throw TypeError(call.description + ": an operand is missing or too small", call.location);
    }
    if (operands[i] != nullptr) call.parts[i].operand = operands[i]->data();
  }
  return start_call(std::move(call), {operands.begin(), operands.end()});
}

std::shared_ptr<Work> EngineCommunicator::start(CollectiveCall call,
                                                std::vector<std::shared_ptr<Buffer>> keep_alive) {
  check_call(call, size(), position());
  call.description = describe(call);
  return start_call(std::move(call), std::move(keep_alive));
}

std::shared_ptr<Work> EngineCommunicator::start_call(
    CollectiveCall call, std::vector<std::shared_ptr<Buffer>> keep_alive) {
  const bool gets = call.kind != CollectiveKind::send_recv || position() == 1;
  std::vector<std::shared_ptr<Buffer>> results(call.parts.size());
  for (std::size_t i = 0; i < call.parts.size(); ++i) {
    TensorPart& part = call.parts[i];
    if (part.result != nullptr || !gets) continue;
    const std::int64_t elements = result_elements(call, part, size(), position());
    results[i] =
        fabric_->memory()->allocate(static_cast<std::size_t>(elements * size_of(call.dtype)));
    part.result = results[i]->data();
  }
  rank_->order.make_room();  // what has started must not be lost
  auto work = std::make_shared<EngineCollective>(shared_from_this(), std::move(call),
                                                 std::move(results), std::move(keep_alive));
  rank_->order.add(work);
  return work;
}

void EngineCommunicator::check_alive(const CollectiveCall& call, std::uint64_t sequence) {
  if (group_->page.failed(sequence)) {
    const std::string reason = group_->page.failure_text();
    // What was started before may still come to its end.
    if (engine_ != nullptr && finished_ + 1 == sequence) engine_->abort(reason);
    throw CommError(reason, call.location);
  }
  fabric_->look_for_deaths();
  for (const std::int64_t member : members()) {
    if (fabric_->page(member).presence.load() != kernels::RankPage::kDied) continue;
    abort(fabric_->describe(member) + " died");
    throw CommError(why(sequence, fabric_->describe(member) + " died"), call.location);
  }
}

std::string EngineCommunicator::why(std::uint64_t sequence, const std::string& own) const {
  return group_->page.failed(sequence) ? group_->page.failure_text() : own;
}

void EngineCommunicator::wait_released(std::uint64_t sequence) {
  while (finished_ < sequence && !rank_->order.empty()) rank_->order.complete_first();
}

void EngineCommunicator::abort(const std::string& reason) {
  group_->abort(reason);  // whoever waits looks there
  const std::shared_ptr<Engine> engine = current_engine();
  if (engine != nullptr) engine->abort(reason);
}

std::shared_ptr<Engine> EngineCommunicator::current_engine() {
  const std::scoped_lock lock(mutex_);
  return engine_;
}

void EngineCommunicator::set_engine(std::shared_ptr<Engine> engine) {
  const std::scoped_lock lock(mutex_);
  engine_.swap(engine);
}

void EngineCommunicator::close() {
  if (std::exchange(closed_, true)) return;
  wait_released(started_);
  set_engine(nullptr);
  host_->close();
}

}  // namespace tutti::runtime

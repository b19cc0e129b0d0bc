#include <tutti/ir/support/error.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/size_class.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace tutti::runtime {

namespace {

// So that programs that need little have one area.
constexpr std::size_t kLeastArea = std::size_t{64} << 10;

// Whether results in a group of one are the operands; else nobody's operand is in them.
bool gives_back(const CollectiveCall& call) {
  if (call.kind == CollectiveKind::scan_ranks) return !call.scan.exclusive;
  return call.kind != CollectiveKind::collective_permute || !call.pairs.empty();
}

}  // namespace

bool GroupWork::attempt(bool may_wait) { return communicator_->complete(*this, may_wait); }

std::shared_ptr<kernels::Signal> GroupWork::signal() const {
  const std::shared_ptr<HostGroup>& group = communicator_->agreement_.group();
  return {group, &group->page.signal()};
}

std::span<const void* const> GroupWork::arrive() {
  const OrderTurn turn(communicator_->agreement_.order());
  struct Arriving {
    bool& flag;
    ~Arriving() { flag = false; }
  } const arriving{arriving_};
  arriving_ = true;
  bring();
  return operands;
}

void GroupWork::finish() {
  const OrderTurn turn(communicator_->agreement_.order());
  read_ = true;
  wait();
}

void GroupWork::stop_reading() {
  const OrderTurn turn(communicator_->agreement_.order());
  given_up_ = true;
}

void GroupWork::lead_now() noexcept {
  const OrderTurn turn(communicator_->agreement_.order());
  communicator_->transport_->lead_now(*this);
}

GroupCommunicator::GroupCommunicator(std::shared_ptr<HostFabric> fabric,
                                     std::shared_ptr<HostRank> rank,
                                     std::shared_ptr<HostGroup> group, std::vector<Parent> parents,
                                     std::string engine, std::string recorded,
                                     const MakeTransport& transport)
    : engine_(std::move(engine)),
      agreement_(std::move(fabric), std::move(rank), std::move(group), std::move(parents),
                 std::move(recorded)),
      transport_(transport(agreement_)) {}

Waiting GroupCommunicator::waiting_for(const GroupCall& call, const StartOptions& options) {
  const CollectiveCall& of = call.call();
  return {of.description, options.location.known() ? options.location : of.location,
          options.timeout.count() > 0 ? options.timeout : of.timeout};
}

std::shared_ptr<const PreparedCall> GroupCommunicator::prepare(CollectiveCall call) {
  return std::make_shared<GroupCall>(*this, std::move(call));
}

std::shared_ptr<Work> GroupCommunicator::start(const std::shared_ptr<const PreparedCall>& call,
                                               std::span<const std::shared_ptr<Buffer>> operands,
                                               const StartOptions& options) {
  const auto& prepared = static_cast<const GroupCall&>(*call);
  const Waiting waiting = waiting_for(prepared, options);
  check_usable(prepared, waiting);
  const auto refuse = [&](const std::string& rule) {
    throw TypeError(std::string(waiting.description) + ": " + rule, waiting.location);
  };
  if (operands.size() != prepared.shapes.size()) {
    refuse("takes " + std::to_string(prepared.shapes.size()) + " operands, not " +
           std::to_string(operands.size()));
  }
  const auto address_of = [&](std::size_t i) -> const void* {
    const std::size_t needed = prepared.gives ? prepared.operand_bytes[i] : 0;
    if (operands[i] == nullptr) {
      if (needed > 0) refuse("an operand is missing");
      return nullptr;
    }
    if (operands[i]->bytes() < needed) {
      refuse("an operand has " + std::to_string(operands[i]->bytes()) + " bytes of " +
             std::to_string(needed));
    }
    return operands[i]->data();
  };
  if (options.reads) {
    const bool readable = prepared.call().kind == CollectiveKind::all_reduce &&
                          operands.size() == 1 && size() > 1 && transport_->is_readable();
    if (!readable) refuse("is no call whose operands a caller can read");
  }
  for (std::size_t i = 0; i < options.results.size(); ++i) {
    const Buffer* const result = options.results[i].get();
    if (result == nullptr || result->bytes() >= prepared.result_bytes.at(i)) continue;
    refuse("a place for a result has " + std::to_string(result->bytes()) + " bytes of " +
           std::to_string(prepared.result_bytes[i]));
  }
  for (std::size_t i = 0; i < options.common.size(); ++i) {
    const CommonPlace& place = options.common[i];
    if (!place.planned) continue;
    if (!prepared.common_results) refuse("has no results in common whose places could be planned");
    if (place.memory == nullptr || place.memory->bytes() >= prepared.result_bytes.at(i)) continue;
    refuse("a place for a result in common has " + std::to_string(place.memory->bytes()) +
           " bytes of " + std::to_string(prepared.result_bytes[i]));
  }
  if (size() == 1) {
    for (std::size_t i = 0; i < operands.size(); ++i) address_of(i);
    if (!gives_back(prepared.call())) {
      return start_alone(prepared, std::vector<PartAddresses>(operands.size()));
    }
    std::shared_ptr<LonelyWork> work = lonely_works_->take();
    work->results_.assign(operands.begin(), operands.end());
    return work;
  }
  const OrderTurn turn(agreement_.order());
  std::shared_ptr<GroupWork> work =
      new_work(std::static_pointer_cast<const GroupCall>(call), waiting);
  set_options(*work, options);
  work->results.resize(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::shared_ptr<Buffer>& result = work->results[i];
    work->parts.push_back({address_of(i), result == nullptr ? nullptr : result->data(),
                           operands[i] != nullptr && operands[i]->is_borrowed()});
  }
  keeping_.assign(operands.begin(), operands.end());
  announce(work);
  return work;
}

void GroupCommunicator::set_options(GroupWork& work, const StartOptions& options) {
  work.agreement_ = options.agreement;
  if (options.site != 0 && work.call().compares_positions) work.site_ = options.site;
  work.reads = options.reads;
  work.accelerator = options.accelerator;
  work.timed = options.timed;
  work.comm_kernels = options.comm_kernels;
  work.recorded = options.recorded;
  work.number_in_recording = options.number_in_recording;
  work.results.assign(options.results.begin(), options.results.end());
  work.common.assign(options.common.begin(), options.common.end());
}

std::shared_ptr<Work> GroupCommunicator::start(CollectiveCall call,
                                               std::vector<std::shared_ptr<Buffer>> keep_alive) {
  std::vector<PartAddresses> parts;
  for (const TensorPart& part : call.parts) parts.push_back({part.operand, part.result});
  const auto prepared = std::make_shared<GroupCall>(*this, std::move(call));
  const Waiting waiting = waiting_for(*prepared, {});
  check_usable(*prepared, waiting);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (prepared->gives && prepared->operand_bytes[i] > 0 && parts[i].operand == nullptr) {
      throw TypeError(std::string(waiting.description) + ": an operand is missing",
                      waiting.location);
    }
  }
  if (size() == 1) return start_alone(*prepared, parts);
  const OrderTurn turn(agreement_.order());
  std::shared_ptr<GroupWork> work = new_work(prepared, waiting);
  work->parts = std::move(parts);
  keeping_ = std::move(keep_alive);
  announce(work);
  return work;
}

bool GroupCommunicator::released(std::uint64_t sequence) {
  const OrderTurn turn(agreement_.order());
  return agreement_.released(sequence);
}

void GroupCommunicator::wait_released(std::uint64_t sequence, const Location& where) {
  const OrderTurn turn(agreement_.order());
  agreement_.wait_released(sequence, where);
}

std::shared_ptr<SymmetricMemory> GroupCommunicator::symmetric_memory(std::size_t bytes,
                                                                     Accelerator* on) {
  const std::size_t size = SizeClass(std::max(bytes, kLeastArea)).size;
  if (on != nullptr) return transport_->symmetric_memory(size, *on);
  std::weak_ptr<SymmetricMemory>& known = symmetric_[size];
  std::shared_ptr<SymmetricMemory> out = known.lock();
  if (out == nullptr || out->retired()) {
    CommMemory& memory = *agreement_.memory();
    out = std::make_shared<SymmetricMemory>(
        memory.allocate(size, {.what = "places of programs that communicate", .where = {}}),
        memory.keeps_pages());
    known = out;
  }
  return out;
}

// Programs of all sizes use the same memory, since records say where it is. New memory is twice as
// large as all before, so that what is outgrown is less than what is used.
std::shared_ptr<SymmetricMemory> GroupCommunicator::common_memory(std::size_t bytes) {
  agreement_.check_usable({.description = "results in common", .location = {}, .timeout = {}});
  std::vector<std::shared_ptr<SymmetricMemory>>& known =
      agreement_.group()->common.at(static_cast<std::size_t>(agreement_.position()));
  std::size_t largest = 0;
  for (const std::shared_ptr<SymmetricMemory>& each : known) {
    if (each->bytes() >= bytes) return each;
    largest = std::max(largest, each->bytes());
  }
  CommMemory& memory = *agreement_.memory();
  for (const std::size_t size : {std::max({bytes, 2 * largest, kLeastArea}), bytes}) {
    if (std::shared_ptr<Buffer> block = memory.try_to_allocate(
            size, {.what = "results that ranks have in common", .where = {}})) {
      return known.emplace_back(std::make_shared<SymmetricMemory>(std::move(block)));
    }
  }
  return nullptr;
}

void GroupCommunicator::check_usable(const GroupCall& call, const Waiting& waiting) const {
  if (call.made_by != this) {
    throw UsageError(std::string(waiting.description) + ": was prepared for another group than \"" +
                         tag() + "\"",
                     waiting.location);
  }
  agreement_.check_usable(waiting);
}

// Results are the operands, copied, or what a collective of nobody gives.
std::shared_ptr<Work> GroupCommunicator::start_alone(const GroupCall& call,
                                                     std::span<const PartAddresses> parts) const {
  CommMemory& memory = *agreement_.memory();
  // A result may lie over another's operand.
  std::vector<std::vector<std::byte>> operands;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto* const bytes = static_cast<const std::byte*>(parts[i].operand);
    const bool copied = call.gives && parts.size() > 1 && parts[i].result != nullptr;
    operands.emplace_back(bytes, bytes + (copied ? call.operand_bytes[i] : 0));
  }
  std::shared_ptr<LonelyWork> work = lonely_works_->take();
  std::vector<std::shared_ptr<Buffer>>& results = work->results_;
  const CollectiveCall& what = call.call();
  std::optional<kernels::CollectiveRun> run;
  if (!gives_back(what)) {
    run.emplace();
    run->reset(what.kind, what.reduction, what.dtype, what.root, what.pairs, 1, call.shapes,
               what.scan);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t bytes = call.result_bytes[i];
    results.push_back(parts[i].result == nullptr ? memory.allocate_anywhere(bytes) : nullptr);
    void* const result = parts[i].result != nullptr ? parts[i].result : results.back()->data();
    const void* const operand = operands[i].empty() ? parts[i].operand : operands[i].data();
    if (run) {
      run->place(0, i, nullptr, result);
    } else if (bytes != 0 && result != operand) {
      std::memmove(result, operand, bytes);
    }
  }
  if (run) run->compute_for(0);
  return work;
}

std::shared_ptr<GroupWork> GroupCommunicator::new_work(const std::shared_ptr<const GroupCall>& call,
                                                       const Waiting& waiting) {
  agreement_.make_room(waiting);
  std::shared_ptr<GroupWork> work = transport_->new_work();
  agreement_.number(*work);
  work->communicator_ = shared_from_this();
  if (work->call_ != call) work->call_ = call;
  work->waiting_ = waiting;
  work->agreement_ = {};
  work->reads = work->arrived_ = work->read_ = work->given_up_ = false;
  work->site_ = call->site;
  work->accelerator = nullptr;
  work->follower = nullptr;
  work->timed = false;
  work->recorded = nullptr;
  work->recording_word = 0;
  work->begun = GroupWork::Begun::no;
  work->why_given_up.clear();
  work->fingerprint = call->fingerprint;
  work->parts.clear();
  work->common.clear();
  return work;
}

void GroupCommunicator::announce(const std::shared_ptr<GroupWork>& work) {
  try {
    transport_->prepare(*work, keeping_);
    agreement_.reserve(keeping_);
    work->place_ = transport_->begin(*work, keeping_);
  } catch (...) {
    keeping_.clear();
    throw;
  }
  agreement_.announce(work, keeping_);
}

bool GroupCommunicator::complete(GroupWork& work, bool may_wait) {
  // Before the next line: what this fails does not become the group's last one that is over.
  agreement_.check_is_rank(work.waiting());
  if (!agreement_.is_first(work)) return false;
  if (agreement_.order().is_in_background() && !transport_->moves_in_background()) return false;
  const auto give_up = [&](const std::exception& error) {
    agreement_.finish(work, error);
    transport_->fail(error.what());
    transport_->give_up(work);
  };
  try {
    const bool is_begun = work.begun != GroupWork::Begun::no;
    if (!(work.reads ? read(work, may_wait)
          : is_begun ? go_on(work, may_wait)
                     : move(work, may_wait))) {
      return false;
    }
  } catch (const std::exception& error) {
    give_up(error);
    throw;
  } catch (...) {
    const CommError error(
        std::string(work.waiting().description) + ": what was thrown is no std::exception",
        work.waiting().location);
    give_up(error);
    throw error;
  }
  agreement_.finish(work);
  return true;
}

bool GroupCommunicator::move(GroupWork& work, bool may_wait) {
  return agreement_.arrive(work, may_wait) && transport_->move(work, may_wait);
}

bool GroupCommunicator::read(GroupWork& work, bool may_wait) {
  if (!work.arrived_) {
    if (!agreement_.arrive(work, may_wait)) return false;
    work.arrived_ = true;
    transport_->find_operands(work);
  }
  if (work.read_) return true;
  if (work.arriving_ || (!may_wait && !work.given_up_)) return false;
  // Something behind it is waited for, or it is itself.
  transport_->compute_result(work);
  const std::size_t bytes = work.call().operand_bytes[0];
  for (const void*& operand : work.operands) {
    const auto* const begin = static_cast<const std::byte*>(operand);
    operand = work.copies_.emplace_back(begin, begin + bytes).data();
  }
  return true;
}

void GroupCommunicator::abort(const std::string& reason) {
  if (agreement_.is_forked_off()) return;  // it has no say in what the rank does
  agreement_.group()->abort(reason);       // whoever waits looks there
  transport_->fail(reason);
}

void GroupCommunicator::abandon(const std::string& reason) {
  const OrderTurn turn(agreement_.order());
  agreement_.abandon(reason);
}

void GroupCommunicator::close() {
  const OrderTurn turn(agreement_.order());
  agreement_.close([&] { transport_->close(); });
}

}  // namespace tutti::runtime

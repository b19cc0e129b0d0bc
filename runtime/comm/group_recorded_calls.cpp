// What GroupCommunicator does for calls that members record together.

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/group_communicator.h>

#include <exception>
#include <utility>

namespace tutti::runtime {

std::shared_ptr<RecordedCalls> GroupCommunicator::record_calls(
    std::vector<std::shared_ptr<const PreparedCall>> calls, Accelerator& on) {
  return size() == 1 ? nullptr : transport_->record_calls(shared_from_this(), std::move(calls), on);
}

std::shared_ptr<GroupWork> GroupCommunicator::begin(
    const std::shared_ptr<const PreparedCall>& call, std::uint32_t word,
    std::span<const std::shared_ptr<Buffer>> operands, const StartOptions& options) {
  const auto& prepared = static_cast<const GroupCall&>(*call);
  const Waiting waiting = waiting_for(prepared, options);
  check_usable(prepared, waiting);
  const OrderTurn turn(agreement_.order());
  std::shared_ptr<GroupWork> work =
      new_work(std::static_pointer_cast<const GroupCall>(call), waiting);
  set_options(*work, options);
  work->recording_word = word;
  work->begun = GroupWork::Begun::waits;
  work->results.resize(prepared.shapes.size());
  for (std::size_t i = 0; i < work->results.size(); ++i) {
    const auto address_of = [](const std::shared_ptr<Buffer>& buffer) -> std::byte* {
      return buffer == nullptr ? nullptr : buffer->data();
    };
    work->parts.push_back({address_of(operands[i]), address_of(work->results[i])});
  }
  announce(work);
  try {
    work->bring();
  } catch (...) {
    work->begun = GroupWork::Begun::given_up;  // nobody else will say so
    throw;
  }
  return work;
}

void GroupCommunicator::supply(GroupWork& work, std::span<const std::shared_ptr<Buffer>> operands) {
  const OrderTurn turn(agreement_.order());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    work.parts[i].operand = operands[i] == nullptr ? nullptr : operands[i]->data();
  }
  keeping_.assign(operands.begin(), operands.end());
  try {
    transport_->supply(work, keeping_);
  } catch (const std::exception& error) {
    keeping_.clear();
    work.why_given_up = error.what();  // for the others, once it is
    throw;
  }
  keeping_.clear();
  work.begun = GroupWork::Begun::supplied;
}

void GroupCommunicator::end_begun(GroupWork& work, GroupWork::Begun how) {
  const OrderTurn turn(agreement_.order());
  work.begun = how;
  work.bring();
}

bool GroupCommunicator::go_on(GroupWork& work, bool may_wait) {
  if (!work.arrived_) {
    if (!agreement_.arrive(work, may_wait)) return false;
    work.arrived_ = true;
  }
  switch (work.begun) {
    case GroupWork::Begun::supplied:
      return transport_->move(work, may_wait);
    case GroupWork::Begun::replayed:
      transport_->replay(work);
      return true;
    case GroupWork::Begun::given_up:
      throw CommError(
          "its rank gave it up" + (work.why_given_up.empty() ? "" : ": " + work.why_given_up),
          work.waiting().location);
    default:
      // Whoever waits for what only he can end, or for what is behind it, hears of failures.
      if (may_wait) agreement_.check_all_live(work);
      return false;
  }
}

}  // namespace tutti::runtime

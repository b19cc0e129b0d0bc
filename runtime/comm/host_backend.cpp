#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/host_communicator.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::runtime {

namespace {

std::string listed(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

}  // namespace

HostBackend::HostBackend(std::shared_ptr<HostFabric> fabric, std::int64_t rank)
    : fabric_(std::move(fabric)),
      page_(fabric_->page(rank)),
      rank_(std::make_shared<HostRank>(HostRank{.rank = rank, .order = {}})) {}

HostBackend::~HostBackend() { leave(""); }

std::int64_t HostBackend::rank() const { return rank_->rank; }

std::shared_ptr<Communicator> HostBackend::communicator(std::vector<std::int64_t> members,
                                                        std::string tag) {
  if (const auto known = communicators_.find({tag, members}); known != communicators_.end()) {
    return known->second;
  }
  const auto refuse = [&](const std::string& rule) {
    throw UsageError("group \"" + tag + "\" " + listed(members) + ": " + rule);
  };
  std::vector<std::int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) refuse("a group has members");
  if (sorted.front() < 0 || sorted.back() >= ranks()) {
    refuse("ranks are 0.." + std::to_string(ranks() - 1));
  }
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    refuse("a rank is there twice");
  }
  const auto found = std::find(members.begin(), members.end(), rank());
  if (found == members.end()) refuse("rank " + std::to_string(rank()) + " is not a member");

  std::vector<kernels::RankPage*> pages;
  for (const std::int64_t member : members) pages.push_back(&fabric_->page(member));
  auto communicator = std::make_shared<HostCommunicator>(
      fabric_, rank_, fabric_->group(members, tag), std::move(pages),
      static_cast<int>(found - members.begin()));
  communicators_.emplace(std::pair{std::move(tag), std::move(members)}, communicator);
  return communicator;
}

std::shared_ptr<Communicator> HostBackend::messages(std::vector<std::int64_t> pair, std::string tag,
                                                    const Communicator& group) {
  auto made =
      std::static_pointer_cast<HostCommunicator>(communicator(std::move(pair), std::move(tag)));
  made->set_parent(fabric_->group(group.members(), group.tag()));
  return made;
}

void HostBackend::finish() { rank_->order.complete_all(); }

void HostBackend::leave(const std::string& message) noexcept {
  if (std::exchange(rank_->left, true)) return;
  rank_->order.abandon(std::make_exception_ptr(
      CommError("rank " + std::to_string(rank()) + " left before this collective was completed")));
  fabric_->leave(rank(), message);
}

}  // namespace tutti::runtime

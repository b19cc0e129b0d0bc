#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/comm/local_communicator.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/pause.h>

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

namespace tutti::runtime {

namespace {

constexpr std::align_val_t kPageAlignment{64};

std::string listed(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

// With more ranks than cores the one waited for can't run while we spin.
int default_spins(std::int64_t ranks) {
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  return ranks <= cores ? kSpinPauses : kSpinPauses / 100;
}

}  // namespace

LocalGroup::LocalGroup(std::vector<std::int64_t> ranks, std::string name)
    : members(std::move(ranks)),
      tag(std::move(name)),
      memory_(static_cast<std::byte*>(::operator new(
                  kernels::GroupPage::bytes(static_cast<int>(members.size())), kPageAlignment)),
              [](std::byte* memory) { ::operator delete(memory, kPageAlignment); }),
      page(memory_.get(), static_cast<int>(members.size())),
      kept(members.size()) {
  kernels::GroupPage::initialise(memory_.get(), static_cast<int>(members.size()));
}

void LocalGroup::fail(std::uint64_t from, const std::string& text) {
  page.fail(from, text);
  notify(page.signal());
}

void LocalGroup::abort(const std::string& reason) {
  fail(0, "group \"" + tag + "\" was aborted: " + reason);
}

void LocalGroup::member_left(int position) {
  page.progress(position).done_through.store(kernels::kLeft);
  notify(page.signal());
  if (++left_ < page.members()) return;
  for (KeptCollectives& collectives : kept) collectives.clear();
}

LocalFabric::LocalFabric(std::int64_t ranks, LocalOptions options)
    : options_(options), pages_(static_cast<std::size_t>(ranks)) {
  if (options_.spins < 0) options_.spins = default_spins(ranks);
}

LocalFabric::~LocalFabric() = default;

void LocalFabric::abort(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (!aborted_) aborted_ = reason;
  for (const auto& [key, group] : groups_) group->abort(reason);
}

std::shared_ptr<LocalGroup> LocalFabric::group(const std::vector<std::int64_t>& members,
                                               const std::string& tag) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<LocalGroup>& group = groups_[{tag, members}];
  if (group) return group;
  group = std::make_shared<LocalGroup>(members, tag);
  if (aborted_) group->abort(*aborted_);
  for (std::size_t position = 0; position < members.size(); ++position) {
    if (page(members[position]).left.load() != 0) group->member_left(static_cast<int>(position));
  }
  return group;
}

void LocalFabric::leave(std::int64_t rank, const std::string& message) {
  kernels::RankPage& own = page(rank);
  kernels::write_text(own.message, "rank " + std::to_string(rank) + " left" +
                                       (message.empty() ? "" : ": " + message));
  const std::scoped_lock lock(mutex_);
  own.left.store(1);
  for (const auto& [key, group] : groups_) {
    const auto found = std::find(group->members.begin(), group->members.end(), rank);
    if (found == group->members.end()) continue;
    group->member_left(static_cast<int>(found - group->members.begin()));
  }
}

kernels::RankPage& LocalFabric::page(std::int64_t rank) {
  if (rank < 0 || rank >= ranks()) {
    throw UsageError("rank " + std::to_string(rank) + " is not in 0.." +
                     std::to_string(ranks() - 1));
  }
  return pages_[static_cast<std::size_t>(rank)];
}

LocalBackend::LocalBackend(std::shared_ptr<LocalFabric> fabric, std::int64_t rank)
    : fabric_(std::move(fabric)),
      page_(fabric_->page(rank)),
      rank_(std::make_shared<LocalRank>(LocalRank{.rank = rank, .order = {}})) {}

LocalBackend::~LocalBackend() { leave(""); }

std::int64_t LocalBackend::rank() const { return rank_->rank; }

std::shared_ptr<Communicator> LocalBackend::communicator(std::vector<std::int64_t> members,
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
  auto communicator = std::make_shared<LocalCommunicator>(
      fabric_, rank_, fabric_->group(members, tag), std::move(pages),
      static_cast<int>(found - members.begin()));
  communicators_.emplace(std::pair{std::move(tag), std::move(members)}, communicator);
  return communicator;
}

void LocalBackend::finish() { rank_->order.complete_all(); }

void LocalBackend::leave(const std::string& message) noexcept {
  if (std::exchange(rank_->left, true)) return;
  rank_->order.abandon(std::make_exception_ptr(
      CommError("rank " + std::to_string(rank()) + " left before this collective was completed")));
  fabric_->leave(rank(), message);
}

}  // namespace tutti::runtime

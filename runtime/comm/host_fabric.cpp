#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/host_fabric.h>
#include <tutti/runtime/comm/signal.h>
#include <tutti/runtime/pause.h>

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

namespace tutti::runtime {

namespace {

// With more ranks than cores the one waited for can't run while we spin.
int default_spins(std::int64_t ranks) {
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  return ranks <= cores ? kSpinPauses : kSpinPauses / 100;
}

}  // namespace

void KeptCollectives::add(std::uint64_t sequence, std::vector<std::shared_ptr<Buffer>>& buffers) {
  collectives_.push_back() = {sequence, buffers.size()};
  for (std::shared_ptr<Buffer>& buffer : buffers) buffers_.push_back() = std::move(buffer);
  buffers.clear();
}

void KeptCollectives::drop_through(std::uint64_t sequence) {
  while (!collectives_.empty() && collectives_.front().sequence <= sequence) {
    // Code of a user's that runs where a buffer goes may come here again.
    const std::size_t count = collectives_.front().buffers;
    collectives_.pop_front();
    for (std::size_t i = 0; i < count; ++i) buffers_.pop_front();
  }
}

Hash128 GroupKey::hash() const {
  Hasher hasher;
  hasher.add(std::string_view(tag));
  for (const std::int64_t member : members) hasher.add(static_cast<std::uint64_t>(member));
  if (!purpose.empty()) hasher.add(std::string_view(purpose));
  return hasher.finish();
}

HostGroup::HostGroup(const GroupKey& key, void* memory, std::int64_t by)
    : members(key.members),
      tag(key.tag),
      id(key.hash().low),
      page(memory, static_cast<int>(members.size())),
      kept(members.size()),
      common(members.size()),
      by_(by) {}

HostGroup::Kept HostGroup::let_go() {
  Kept out;
  for (KeptCollectives& each : kept) out.collectives.push_back(std::exchange(each, {}));
  for (auto& each : common) out.common.push_back(std::exchange(each, {}));
  return out;
}

void HostGroup::fail(std::uint64_t from, const std::string& text) {
  page.fail(from, text, by_);
  notify(page.signal());
}

void HostGroup::abort(const std::string& reason) {
  fail(0, "group \"" + tag + "\" was aborted: " + reason);
}

void HostGroup::member_left(int position) {
  page.leave(position);
  notify(page.signal());
}

void HostGroup::rank_left(std::int64_t rank) {
  const auto found = std::find(members.begin(), members.end(), rank);
  if (found != members.end()) member_left(static_cast<int>(found - members.begin()));
}

HostFabric::HostFabric(HostOptions options, std::int64_t ranks)
    : options_(std::move(options)), ranks_(ranks) {
  options_.timeout = std::min(options_.timeout, kLongestWait);
  if (options_.spins < 0) options_.spins = default_spins(ranks);
}

kernels::RankPage& HostFabric::page(std::int64_t rank) {
  if (rank < 0 || rank >= ranks_) {
    throw UsageError("rank " + std::to_string(rank) + " is not in 0.." +
                     std::to_string(ranks_ - 1));
  }
  return page_of(rank);
}

void HostFabric::note_death(std::int64_t rank) {
  kernels::RankPage& dead = page(rank);
  std::uint32_t present = kernels::RankPage::kPresent;
  dead.presence.compare_exchange_strong(present, kernels::RankPage::kDied);
  // Also of one that had said that it leaves. Of several that see it, each bit is one's to undo.
  for (std::int64_t first = 0; first < ranks_; first += 64) {
    const auto word = static_cast<std::size_t>(first / 64);
    if (word == dead.asked.size()) return;
    for (std::uint64_t bits = dead.asked[word].exchange(0); bits != 0; bits &= bits - 1) {
      const std::int64_t peer = first + std::countr_zero(bits);
      if (peer < ranks_) page_of(peer).waiting_peers.fetch_sub(1);
    }
  }
}

std::string HostFabric::describe(std::int64_t rank) const { return "rank " + std::to_string(rank); }

void HostFabric::announce_departure(std::int64_t rank, const std::string& message) {
  kernels::RankPage& own = page(rank);
  kernels::write_text(own.message, "rank " + std::to_string(rank) + " left" +
                                       (message.empty() ? "" : ": " + message));
  own.presence.store(kernels::RankPage::kGone);
}

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/local.h>
#include <tutti/runtime/host_room.h>

#include <new>

namespace tutti::runtime {

namespace {

constexpr std::align_val_t kPageAlignment{64};

// A rank's. One address space: everybody reaches everything, and a place is an address.
class LocalMemory final : public CommMemory {
 public:
  // `all` are those of all ranks: what lies at a place may be another's.
  explicit LocalMemory(std::weak_ptr<const void> all) : CommMemory(0), all_(std::move(all)) {}
  bool reachable(const void* /*data*/, std::size_t /*bytes*/) const override { return true; }

 protected:
  std::shared_ptr<Buffer> take(std::size_t bytes, const MemoryLabel& label) override {
    return cache_->allocate(bytes, label);
  }
  std::string full(std::size_t /*bytes*/) const override { return host_room_text(); }
  std::shared_ptr<const void> keep_alive() override { return all_.lock(); }

 private:
  const std::weak_ptr<const void> all_;
  const std::unique_ptr<BlockCache, BlockCache::Close> cache_{
      new BlockCache(host_blocks(), Allocator::kDefaultCacheBytes, use())};
};

}  // namespace

struct LocalFabric::Page {
  explicit Page(const GroupKey& key)
      : memory(static_cast<std::byte*>(::operator new(
            kernels::GroupPage::bytes(static_cast<int>(key.members.size())), kPageAlignment))) {
    kernels::GroupPage::initialise(memory.get(), static_cast<int>(key.members.size()));
    group = std::make_shared<HostGroup>(key, memory.get(), 0);
  }

  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kPageAlignment); }
  };
  std::unique_ptr<std::byte, Free> memory;
  std::shared_ptr<HostGroup> group;
};

LocalFabric::LocalFabric(std::int64_t ranks, HostOptions options)
    : HostFabric(std::move(options), ranks),
      memories_(std::make_shared<std::vector<std::shared_ptr<CommMemory>>>()),
      pages_(static_cast<std::size_t>(ranks)) {
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    memories_->push_back(std::make_shared<LocalMemory>(memories_));
  }
}

LocalFabric::~LocalFabric() = default;

void LocalFabric::abort(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  if (!aborted_) aborted_ = reason;
  for (const auto& [key, page] : groups_) page->group->abort(reason);
}

std::shared_ptr<HostGroup> LocalFabric::group(const GroupKey& key) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Page>& page = groups_[key];
  if (page == nullptr) {
    page = std::make_shared<Page>(key);
    if (aborted_) page->group->abort(*aborted_);
  }
  return {page, page->group.get()};  // whoever has the group has its page
}

void LocalFabric::forget(const GroupKey& key) {
  std::shared_ptr<Page> page;  // these go after the lock
  HostGroup::Kept kept;
  const std::scoped_lock lock(mutex_);
  const auto found = groups_.find(key);
  if (found == groups_.end()) return;
  // The last to close it.
  if (found->second->group->page.done_by_all() != kernels::kLeft) return;
  page = std::move(found->second);
  kept = page->group->let_go();
  groups_.erase(found);
}

void LocalFabric::leave(std::int64_t rank, const std::string& message) {
  announce_departure(rank, message);
  std::vector<HostGroup::Kept> kept;  // goes after the lock
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, page] : groups_) {
    HostGroup& group = *page->group;
    group.rank_left(rank);
    // A peer may read what a rank that left has published; the last to leave clears all.
    if (group.page.done_by_all() == kernels::kLeft) kept.push_back(group.let_go());
  }
}

}  // namespace tutti::runtime

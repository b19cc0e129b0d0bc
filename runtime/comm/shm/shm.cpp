#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/shm/rendezvous.h>
#include <tutti/runtime/comm/shm/segment_blocks.h>
#include <tutti/runtime/comm/shm/shm.h>
#include <tutti/runtime/comm/signal.h>

#include <algorithm>
#include <optional>

#include <poll.h>
#include <unistd.h>

namespace tutti::runtime {

namespace {

// How long rank 0 looks for newcomers before it looks for deaths again.
constexpr int kServeMilliseconds = 10;

}  // namespace

// What is in use of a rank's part of the segment. A process that is forked off takes nothing of it
// and gives nothing back: another thread may have been at it. It goes on with what its caches have.
class PartBlocks final : public BlockSource {
 public:
  enum class Use : std::uint8_t { collectives, tensors };

  PartBlocks(Use use, std::shared_ptr<SegmentBlocks> blocks, std::shared_ptr<const Segment> segment)
      : use_(use), blocks_(std::move(blocks)), segment_(std::move(segment)) {}

  void* take(std::size_t size) override {
    if (segment_->is_copy()) return nullptr;
    void* const block = use_ == Use::tensors ? blocks_->take_from_end(size) : blocks_->take(size);
    if (block == nullptr) return nullptr;
    try {
      segment_->keep_in_forks(static_cast<std::byte*>(block), size);
    } catch (...) {
      blocks_->give_back(block, size);
      throw;
    }
    return block;
  }
  void give_back(void* block, std::size_t size) noexcept override {
    if (segment_->is_copy()) return;
    segment_->forget_in_forks(static_cast<std::byte*>(block));
    blocks_->give_back(block, size);
  }
  bool owns(const void* block) const override { return blocks_->owns(block); }
  void cached_by(const BlockCache* cache) override {
    if (cache != nullptr) segment_->add_cache(*cache);
    if (cache_ != nullptr) segment_->remove_cache(*cache_);
    cache_ = cache;
  }

 private:
  const Use use_;
  const BlockCache* cache_ = nullptr;
  const std::shared_ptr<SegmentBlocks> blocks_;
  const std::shared_ptr<const Segment> segment_;
};

// This rank's part of the segment, and the view of everybody's.
class ShmMemory final : public CommMemory {
 public:
  ShmMemory(std::shared_ptr<const Segment> segment, std::byte* part, std::size_t bytes)
      : CommMemory(reinterpret_cast<std::uintptr_t>(segment->data())),
        segment_(std::move(segment)),
        part_bytes_(bytes),
        blocks_(std::make_shared<SegmentBlocks>(part, bytes, segment_)),
        cache_(new BlockCache(
            std::make_unique<PartBlocks>(PartBlocks::Use::collectives, blocks_, segment_),
            Allocator::kDefaultCacheBytes, use())) {}

  std::unique_ptr<BlockSource> large_blocks() override {
    return std::make_unique<PartBlocks>(PartBlocks::Use::tensors, blocks_, segment_);
  }

  bool reachable(const void* data, std::size_t bytes) const override {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(segment_->data());
    return offset < segment_->bytes() && bytes <= segment_->bytes() - offset;
  }
  void close() override {
    blocks_->keep_pages();
    CommMemory::close();
  }
  bool keeps_pages() const override { return true; }
  bool is_forked_off() const override { return segment_->is_copy(); }

 protected:
  std::shared_ptr<Buffer> take(std::size_t bytes, const MemoryLabel& label) override {
    return cache_->allocate(bytes, label);
  }
  // Its own part is kept by blocks.
  void keep_in_forks(std::byte* data, std::size_t bytes) override {
    if (!blocks_->owns(data)) segment_->keep_in_forks(data, bytes);
  }
  void forget_in_forks(std::byte* data) noexcept override {
    if (!blocks_->owns(data)) segment_->forget_in_forks(data);
  }
  std::string full(std::size_t bytes) const override {
    if (is_forked_off()) {
      return "this process was forked off a rank, and gets nothing of the ranks' memory";
    }
    const std::size_t used = part_bytes_ - blocks_->free_bytes();
    return "no room for " + std::to_string(bytes) +
           " bytes in this rank's part of the communication memory: " + std::to_string(used >> 20) +
           " of " + std::to_string(part_bytes_ >> 20) +
           " MiB are in use by collectives and large tensors, or the host has no memory left";
  }

 private:
  const std::shared_ptr<const Segment> segment_;
  const std::size_t part_bytes_;
  const std::shared_ptr<SegmentBlocks> blocks_;
  std::unique_ptr<BlockCache, BlockCache::Close> cache_;
};

namespace {

// Rank 0 makes the segment and hands it out, unless whoever launched the ranks does.
std::shared_ptr<const Segment> common_segment(const ShmOptions& options,
                                              std::optional<SegmentServer>& server) {
  if (options.rank == 0) {
    auto segment = std::make_shared<Segment>(Segment::create(options.segment_bytes));
    SegmentLayout::initialise(segment->data(), segment->bytes(), options.ranks);
    server.emplace(options.rendezvous, *segment, options.ranks);
    if (server->listening()) {
      server->has_come(0);
      return segment;
    }
    server.reset();
  }
  auto segment =
      std::make_shared<Segment>(receive_segment(options.rendezvous, options.rank, options.ranks,
                                                std::min(options.host.timeout, kLongestWait)));
  if (!SegmentLayout::is_sound(segment->data(), segment->bytes()) ||
      SegmentLayout(segment->data()).header().ranks != options.ranks) {
    throw CommError("rank " + std::to_string(options.rank) +
                    ": the ranks were built from different versions of Tutti");
  }
  return segment;
}

}  // namespace

ShmFabric::ShmFabric(const ShmOptions& options)
    : HostFabric(options.host, options.ranks), rank_(options.rank), layout_(nullptr) {
  std::optional<SegmentServer> server;
  segment_ = common_segment(options, server);
  layout_ = SegmentLayout(segment_->data());
  memory_ = std::make_shared<ShmMemory>(segment_, layout_.part(rank_),
                                        static_cast<std::size_t>(layout_.header().part_bytes));
  auto& algorithms = layout_.header().algorithms;
  if (rank_ == 0) std::ranges::copy(this->options().algorithms.text(), algorithms.begin());
  page(rank_).nccl = options.nccl;
  page(rank_).process.store(getpid());
  notify(layout_.header().signal);
  try {
    wait_for_all(server ? &*server : nullptr);
    use(AlgorithmTable::parse(algorithms.data(), "the collectives of rank 0"));
  } catch (const Error& error) {
    announce_departure(rank_, error.what());
    throw;
  }
}

ShmFabric::~ShmFabric() = default;

void ShmFabric::wait_for_all(SegmentServer* server) {
  std::vector<bool> watched(static_cast<std::size_t>(ranks()));
  const auto all_here = [&] {
    if (server != nullptr) {
      pollfd newcomers{.fd = server->descriptor(), .events = POLLIN, .revents = 0};
      if (poll(&newcomers, 1, kServeMilliseconds) > 0) server->serve();
    }
    bool all = true;
    for (std::int64_t rank = 0; rank < ranks(); ++rank) {
      const std::int32_t process = page(rank).process.load();
      all = all && process != 0;
      const auto at = static_cast<std::size_t>(rank);
      if (process == 0 || watched[at] || rank == rank_) continue;
      peers_.watch(rank, process);
      watched[at] = true;
    }
    if (!all) {
      look_for_deaths();
      for (std::int64_t rank = 0; rank < ranks(); ++rank) {
        const std::uint32_t presence = page(rank).presence.load();
        // One that has come and gone since does not count as missing.
        if (presence == kernels::RankPage::kPresent || missing_ranks().empty()) continue;
        if (presence == kernels::RankPage::kGone)
          throw CommError(kernels::read_text(page(rank).message));
        if (page(rank).process.load() == 0) {
          throw CommError(HostFabric::describe(rank) +
                          " ended without coming to the others (init)");
        }
        throw CommError(describe(rank) +
                        " died before all ranks had come; missing: " + missing_ranks());
      }
    }
    return all;
  };
  const std::chrono::milliseconds timeout = this->options().timeout;
  if (wait_until(layout_.header().signal, 0, timeout, all_here, [] {})) return;
  throw CommError("time-out after " + std::to_string(timeout.count()) + " ms: of " +
                  std::to_string(ranks()) + " ranks " + missing_ranks() + " did not come" +
                  (server != nullptr ? server->strangers() : ""));
}

std::string ShmFabric::missing_ranks() const {
  std::string text;
  for (std::int64_t rank = 0; rank < ranks(); ++rank) {
    if (layout_.page(rank).process.load() != 0) continue;
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank);
  }
  return text;
}

std::shared_ptr<HostGroup> ShmFabric::group(const GroupKey& key) {
  std::vector<HostGroup::Kept> kept;  // goes after the lock
  const std::scoped_lock lock(mutex_);
  if (const auto known = groups_.find(key); known != groups_.end()) return known->second;
  kept = let_go_of_closed();
  SharedGroup& shared =
      layout_.group(key.hash(), static_cast<std::int64_t>(key.members.size()), key.tag.c_str());
  auto group = std::make_shared<HostGroup>(key, shared.page(), rank_);
  const kernels::Failure& aborted = layout_.header().aborted;
  if (aborted.state.load() == kernels::Failure::kWritten)
    group->abort(kernels::read_text(aborted.text));
  return groups_.emplace(key, std::move(group)).first->second;
}

void ShmFabric::forget(const GroupKey& key) {
  std::vector<HostGroup::Kept> kept;  // goes after the lock
  const std::scoped_lock lock(mutex_);
  if (const auto known = groups_.find(key); known != groups_.end())
    closed_.push_back(known->second);
  kept = let_go_of_closed();
}

std::vector<HostGroup::Kept> ShmFabric::let_go_of_closed() {
  std::vector<HostGroup::Kept> kept;
  std::erase_if(closed_, [&](const std::shared_ptr<HostGroup>& group) {
    if (group->page.done_by_all() != kernels::kLeft) return false;
    kept.push_back(group->let_go());
    return true;
  });
  return kept;
}

void ShmFabric::abort(const std::string& reason) {
  kernels::fail(layout_.header().aborted, 0, reason, rank_);
  // Groups of other ranks too.
  layout_.each_group([&](SharedGroup& shared) {
    const GroupKey key{
        .tag = kernels::read_line(shared.tag),
        .purpose = {},
        .members = std::vector<std::int64_t>(static_cast<std::size_t>(shared.members))};
    HostGroup(key, shared.page(), rank_).abort(reason);
  });
}

void ShmFabric::leave(std::int64_t rank, const std::string& message) {
  announce_departure(rank, message);
  memory_->close();
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, group] : groups_) group->rank_left(rank);
}

void ShmFabric::look_for_deaths() {
  for (const std::int64_t rank : peers_.ended()) note_death(rank);
}

std::string ShmFabric::describe(std::int64_t rank) const {
  return HostFabric::describe(rank) + " (" + describe_process(layout_.page(rank).process.load()) +
         ")";
}

}  // namespace tutti::runtime

#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/engine_transport.h>
#include <tutti/runtime/comm/group_communicator.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/site.h>
#include <tutti/runtime/comm/transports.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::runtime {

namespace {

constexpr const char* kOwn = "shm";
constexpr const char* kSetup = "set-up of ";

GroupKey page_key(const std::pair<std::string, std::vector<std::int64_t>>& group,
                  const std::string& engine) {
  return {.tag = group.first, .purpose = engine == kOwn ? "" : engine, .members = group.second};
}

std::function<std::unique_ptr<Transport>(GroupAgreement&)> maker_of(
    const TransportEntry& entry, std::shared_ptr<GroupCommunicator> setup) {
  return [make = entry.make, setup = std::move(setup)](GroupAgreement& agreement) {
    return make(agreement, setup);
  };
}

std::string listed_ranks(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

}  // namespace

HostBackend::HostBackend(std::shared_ptr<HostFabric> fabric, std::int64_t rank)
    : fabric_(std::move(fabric)),
      page_(fabric_->page(rank)),
      rank_(std::make_shared<HostRank>(rank, fabric_->ranks())) {
  page_.build.store(program_build());
  if (!fabric_->options().progress || ranks() == 1) return;
  try {
    rank_->order.start_progress();
  } catch (const std::exception& error) {
    leave(error.what());
    throw;
  }
}

HostBackend::~HostBackend() {
  leave("");
  if (rank_->is_forked_off()) return;
  for (const auto& [key, of_group] : communicators_) {
    for (const auto& [engine, communicator] : of_group) communicator->leave();
  }
}

std::int64_t HostBackend::rank() const { return rank_->rank; }

std::shared_ptr<GroupCommunicator> HostBackend::find(const Key& key,
                                                     const std::string& engine) const {
  const auto of_group = communicators_.find(key);
  if (of_group == communicators_.end()) return nullptr;
  const auto found = of_group->second.find(engine);
  return found == of_group->second.end() ? nullptr : found->second;
}

std::shared_ptr<Communicator> HostBackend::communicator(std::vector<std::int64_t> members,
                                                        std::string tag,
                                                        const std::string& wanted) {
  const Key key{std::move(tag), std::move(members)};
  require_engine(wanted, key.first);
  // Nobody has to be told where a group of one is.
  const std::string& engine = key.second.size() == 1 ? kOwn : wanted;
  if (std::shared_ptr<GroupCommunicator> known = find(key, engine)) return known;
  check(key);
  const TransportEntry* const own = find_transport(engine);
  if (own != nullptr && !own->on_devices) return add(key, engine, {}, maker_of(*own, nullptr));
  // Whoever sets the engine up must not wait for one who will not: the failure of the first call,
  // which that is for, is one of the set-up.
  const auto group = page(key, kOwn);
  const auto setup = make(key, kSetup + engine, {{group, 0}, {page(key, engine), 1}},
                          maker_of(*find_transport(kOwn), nullptr));
  if (own != nullptr) return add(key, engine, {{group, 0}}, maker_of(*own, setup));
  const auto end = std::make_shared<EngineEnd>(engine, page(key, engine), setup);
  return add(key, engine, {{group, 0}}, [&](GroupAgreement& agreement) {
    return std::make_unique<EngineTransport>(agreement, end);
  });
}

std::shared_ptr<Communicator> HostBackend::messages(std::vector<std::int64_t> pair, std::string tag,
                                                    const Communicator& group) {
  const Key key{std::move(tag), std::move(pair)};
  const Key of{group.tag(), group.members()};
  std::vector<Key>& of_group = messages_[of];
  if (std::find(of_group.begin(), of_group.end(), key) == of_group.end()) of_group.push_back(key);
  const auto& parent = static_cast<const GroupCommunicator&>(group);
  const std::string& engine = parent.transport().carries_messages() ? parent.engine() : kOwn;
  if (std::shared_ptr<GroupCommunicator> known = find(key, engine)) return known;
  check(of);
  check(key);
  std::vector<Parent> parents = {{page(of, kOwn), 0}};
  if (engine == kOwn) {
    return add(key, engine, std::move(parents), maker_of(*find_transport(kOwn), nullptr));
  }
  parents.push_back({page(of, engine), 0});
  return add(key, engine, std::move(parents),
             [&](GroupAgreement& agreement) { return parent.transport().for_messages(agreement); });
}

// What an engine carries has a page of its own, since it is numbered apart.
std::shared_ptr<HostGroup> HostBackend::page(const Key& key, const std::string& engine) const {
  return fabric_->group(page_key(key, engine));
}

std::shared_ptr<GroupCommunicator> HostBackend::make(const Key& key, const std::string& engine,
                                                     std::vector<Parent> parents,
                                                     const MakeTransport& transport) const {
  const auto& [tag, members] = key;
  std::string recorded = tag;
  if (std::ssize(members) != ranks() || !is_in_order(tag, members))
    recorded += " " + listed_ranks(members);
  if (engine != kOwn) recorded += ", " + engine;
  return std::make_shared<GroupCommunicator>(fabric_, rank_, page(key, engine), std::move(parents),
                                             engine, std::move(recorded), transport);
}

std::shared_ptr<GroupCommunicator> HostBackend::add(const Key& key, const std::string& engine,
                                                    std::vector<Parent> parents,
                                                    const MakeTransport& transport) {
  auto made = make(key, engine, std::move(parents), transport);
  communicators_[key].emplace(engine, made);
  return made;
}

void HostBackend::check(const Key& key) const {
  const auto& [tag, members] = key;
  const auto refuse = [&](const std::string& rule) {
    throw UsageError("group \"" + tag + "\" " + listed_ranks(members) + ": " + rule);
  };
  // Peers don't wait for it, and another thread may have had the fabric's lock.
  if (rank_->is_forked_off()) {
    refuse("this process was forked off rank " + std::to_string(rank()) + " and is no rank itself");
  }
  if (closed_.contains(key)) refuse("it was closed; make one with another tag");
  std::vector<std::int64_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) refuse("a group has members");
  if (sorted.front() < 0 || sorted.back() >= ranks()) {
    refuse("ranks are 0.." + std::to_string(ranks() - 1));
  }
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    refuse("a rank is there twice");
  }
  if (!std::binary_search(sorted.begin(), sorted.end(), rank())) {
    refuse("rank " + std::to_string(rank()) + " is not a member");
  }
}

void HostBackend::close(const std::vector<std::int64_t>& members, const std::string& tag) {
  if (rank_->is_forked_off()) return;  // the rank does that
  const Key group{tag, members};
  if (closed_.contains(group)) return;
  // Messages first: they may go through the group's engine. The group's own page last: once that
  // says that this rank has closed it, peers wait for nothing of it anywhere.
  std::vector<Key> keys;
  if (const auto found = messages_.find(group); found != messages_.end()) {
    keys = std::move(found->second);
    messages_.erase(found);
  }
  keys.push_back(group);
  std::exception_ptr failure;
  const auto close_one = [&](const Key& key, const std::string& engine,
                             GroupCommunicator& communicator) {
    try {
      communicator.close();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    fabric_->forget(page_key(key, engine));
    if (engine != kOwn) fabric_->forget(page_key(key, kSetup + engine));
  };
  for (const Key& key : keys) {
    closed_.insert(key);
    Communicators known;
    if (auto found = communicators_.extract(key)) known = std::move(found.mapped());
    for (const auto& [engine, communicator] : known) {
      if (engine != kOwn) close_one(key, engine, *communicator);
    }
    if (const auto own = known.find(kOwn); own != known.end()) {
      close_one(key, kOwn, *own->second);
    } else if (key == group) {
      try {
        close_unused(key);
      } catch (const EnvironmentError&) {
        // There is no room for more groups, so no peer can begin to use it either.
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// Peers may have used it all the same, or engines and messages of it that this rank has not.
void HostBackend::close_unused(const Key& key) {
  const auto& [tag, members] = key;
  if (members.size() == 1 || std::ranges::find(members, rank()) == members.end()) return;
  const std::shared_ptr<HostGroup> own = page(key, kOwn);
  own->fail(1, "rank " + std::to_string(rank()) + " closed group \"" + tag + "\"");
  own->rank_left(rank());
  fabric_->forget(page_key(key, kOwn));
}

void HostBackend::abort(const std::vector<std::int64_t>& members, const std::string& tag,
                        const std::string& reason) {
  if (rank_->is_forked_off()) return;  // it has no say in what the rank does
  fabric_->group({.tag = tag, .purpose = {}, .members = members})->abort(reason);
}

void HostBackend::abort(const std::string& reason) {
  if (!rank_->is_forked_off()) fabric_->abort(reason);
}

std::int64_t HostBackend::other_user_of_gpu(std::uint64_t gpu) {
  if (page_.process.load() == 0) return -1;  // threads of a process share what they like
  std::uint64_t none = 0;
  page_.gpu.compare_exchange_strong(none, gpu);
  // Of two that look at once, both see the other.
  for (std::int64_t other = 0; other < ranks(); ++other) {
    if (other == rank() || fabric_->page(other).gpu.load() != gpu) continue;
    return fabric_->page(0).sharing_is_told.exchange(true) ? -1 : other;
  }
  return -1;
}

void HostBackend::finish() {
  if (rank_->is_forked_off()) return;  // the rank does that
  const OrderTurn turn(rank_->order);
  rank_->order.complete_all();
}

void HostBackend::leave(const std::string& message) noexcept {
  if (std::exchange(rank_->left, true)) return;
  rank_->order.stop_progress();
  rank_->order.abandon(std::make_exception_ptr(
      CommError("rank " + std::to_string(rank()) + " left before this collective was completed")));
  if (rank_->is_forked_off()) return;  // no rank leaves with this process
  // By this thread, as far as peers are done with it: one that leaves later drops the rest.
  for (const auto& [key, of_group] : communicators_) {
    for (const auto& [engine, communicator] : of_group) communicator->drop_released();
  }
  fabric_->leave(rank(), message);
}

}  // namespace tutti::runtime

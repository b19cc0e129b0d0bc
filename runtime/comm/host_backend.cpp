#include <tutti/ir/support/error.h>
#include <tutti/runtime/comm/backend_config.h>
#include <tutti/runtime/comm/engine_communicator.h>
#include <tutti/runtime/comm/host_backend.h>
#include <tutti/runtime/comm/host_communicator.h>
#include <tutti/runtime/comm/site.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::runtime {

namespace {

std::string listed_ranks(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

}  // namespace

HostBackend::HostBackend(std::shared_ptr<HostFabric> fabric, std::int64_t rank)
    : fabric_(std::move(fabric)),
      page_(fabric_->page(rank)),
      rank_(std::make_shared<HostRank>(HostRank{.rank = rank, .order = {}})) {
  page_.build.store(program_build());
}

HostBackend::~HostBackend() { leave(""); }

std::int64_t HostBackend::rank() const { return rank_->rank; }

std::shared_ptr<Communicator> HostBackend::communicator(std::vector<std::int64_t> members,
                                                        std::string tag,
                                                        const std::string& engine) {
  const Key key{std::move(tag), std::move(members)};
  if (engine == "shm") return host_communicator(key);
  require_engine(engine, key.first);
  if (const auto known = engines_.find({engine, key}); known != engines_.end()) {
    return known->second;
  }
  std::shared_ptr<HostCommunicator> host = host_communicator(key);
  if (host->size() == 1) return host;
  auto made = std::make_shared<EngineCommunicator>(engine, fabric_, rank_, std::move(host),
                                                   fabric_->group(key.second, key.first));
  engines_.emplace(std::pair{engine, key}, made);
  return made;
}

std::shared_ptr<HostCommunicator> HostBackend::host_communicator(const Key& key) {
  if (const auto known = communicators_.find(key); known != communicators_.end()) {
    return known->second;
  }
  const auto& [tag, members] = key;
  const auto refuse = [&](const std::string& rule) {
    throw UsageError("group \"" + tag + "\" " + listed_ranks(members) + ": " + rule);
  };
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
  const auto found = std::find(members.begin(), members.end(), rank());
  if (found == members.end()) refuse("rank " + std::to_string(rank()) + " is not a member");

  std::vector<kernels::RankPage*> pages;
  for (const std::int64_t member : members) pages.push_back(&fabric_->page(member));
  auto communicator = std::make_shared<HostCommunicator>(
      fabric_, rank_, fabric_->group(members, tag), std::move(pages),
      static_cast<int>(found - members.begin()));
  communicators_.emplace(key, communicator);
  return communicator;
}

std::shared_ptr<Communicator> HostBackend::messages(std::vector<std::int64_t> pair, std::string tag,
                                                    const Communicator& group) {
  const Key key{std::move(tag), std::move(pair)};
  std::vector<Key>& of_group = messages_[{group.tag(), group.members()}];
  if (std::find(of_group.begin(), of_group.end(), key) == of_group.end()) of_group.push_back(key);
  const std::shared_ptr<HostCommunicator> made = host_communicator(key);
  made->set_parent(fabric_->group(group.members(), group.tag()));
  return made;
}

void HostBackend::close(const std::vector<std::int64_t>& members, const std::string& tag) {
  std::vector<Key> keys = {{tag, members}};
  if (const auto found = messages_.find(keys[0]); found != messages_.end()) {
    keys.insert(keys.end(), found->second.begin(), found->second.end());
    messages_.erase(found);
  }
  std::exception_ptr failure;
  const auto close = [&](Communicator& communicator) {
    try {
      communicator.close();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  for (const Key& key : keys) {
    closed_.insert(key);
    std::erase_if(engines_, [&](const auto& known) {
      if (known.first.second != key) return false;
      close(*known.second);
      return true;
    });
    if (const auto known = communicators_.find(key); known != communicators_.end()) {
      close(*known->second);
      communicators_.erase(known);
      fabric_->forget(key.second, key.first);
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void HostBackend::finish() { rank_->order.complete_all(); }

void HostBackend::leave(const std::string& message) noexcept {
  if (std::exchange(rank_->left, true)) return;
  rank_->order.abandon(std::make_exception_ptr(
      CommError("rank " + std::to_string(rank()) + " left before this collective was completed")));
  fabric_->leave(rank(), message);
}

}  // namespace tutti::runtime

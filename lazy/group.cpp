#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/coalesced_calls.h>
#include <tutti/lazy/collectives.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/create.h>
#include <tutti/lazy/group.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/world.h>
#include <tutti/runtime/comm/backend_config.h>

#include <algorithm>
#include <tuple>

namespace tutti {

Group::Group(const World& world)
    : data_(world.context()->world_group()), context_(world.context()) {}

namespace {

std::vector<std::int64_t> numbers(std::initializer_list<detail::Rank> ranks) {
  std::vector<std::int64_t> out;
  for (const detail::Rank rank : ranks) out.push_back(rank.value);
  return out;
}

}  // namespace

Group::Group(std::initializer_list<detail::Rank> ranks, detail::GroupTag tag,
             std::source_location at)
    : Group(numbers(ranks), std::move(tag), at) {}

Group::Group(std::vector<std::int64_t> ranks, detail::GroupTag tag, std::source_location at)
    : Group(std::vector<std::vector<std::int64_t>>{std::move(ranks)}, std::move(tag), at) {}

Group::Group(std::initializer_list<std::initializer_list<std::int64_t>> partition,
             detail::GroupTag tag, std::source_location at)
    : Group(std::vector<std::vector<std::int64_t>>(partition.begin(), partition.end()),
            std::move(tag), at) {}

Group::Group(const std::vector<std::vector<std::int64_t>>& partition, detail::GroupTag tag,
             std::source_location at)
    : context_(detail::RankContext::find_current()) {
  ir::Group group{.tag = std::move(tag.text), .ranks = {}, .stride = 1};
  if (!partition.empty()) group.stride = static_cast<std::int64_t>(partition[0].size());
  for (const auto& ranks : partition) {
    if (static_cast<std::int64_t>(ranks.size()) != group.stride) {
      throw TypeError("a partition's groups must have equally many ranks, not " +
                          std::to_string(partition[0].size()) + " and " +
                          std::to_string(ranks.size()),
                      at);
    }
    group.ranks.insert(group.ranks.end(), ranks.begin(), ranks.end());
  }
  ir::check_group(group, at);
  if (group.tag.empty()) group.tag = "ranks";
  data_ = std::make_shared<const ir::Group>(std::move(group));
}

Group::Group(const DeviceMesh& mesh, std::source_location at) : context_(mesh.context_) {
  if (mesh.names().size() != 1) {
    throw TypeError("a group is a mesh of one dimension; this one has " +
                        std::to_string(mesh.names().size()) + ": name one, {mesh, \"" +
                        mesh.names()[0] + "\"}, or flatten() it",
                    at);
  }
  data_ = std::make_shared<const ir::Group>(ir::Group{
      .tag = mesh.names()[0], .ranks = mesh.ranks(), .stride = mesh.size(), .timeout = 0});
}

Group::Group(const DeviceMesh& mesh, std::string_view dimension, std::source_location at)
    : Group(mesh.slice({std::string(dimension)}, at), at) {}

std::vector<std::int64_t> Group::ranks() const {
  return data_->members_with(detail::RankContext::current().runtime().rank());
}

std::int64_t Group::position() const {
  return data_->position_of(detail::RankContext::current().runtime().rank());
}

Group Group::with(ir::Group data) const {
  Group group = *this;
  group.data_ = std::make_shared<const ir::Group>(std::move(data));
  return group;
}

Group Group::with_timeout(std::chrono::milliseconds timeout, std::source_location at) const {
  if (timeout.count() <= 0) {
    throw UsageError(
        "a time-out of " + std::to_string(timeout.count()) + " ms; it must be positive", at);
  }
  ir::Group data = *data_;
  data.timeout = timeout.count();
  return with(std::move(data));
}

Group Group::with_backends(std::string_view backends, std::source_location at) const {
  ir::Group data = *data_;
  data.backends = runtime::BackendConfig::parse(backends, at).text();
  return with(std::move(data));
}

Group Group::named(std::string_view name, std::source_location at) const {
  if (name.empty()) throw UsageError("named: a name has at least one character", at);
  ir::Group data = *data_;
  data.name = name;
  return with(std::move(data));
}

Group Group::with_algorithm(std::string_view algorithm, std::source_location at) const {
  const auto known = ir::algorithm_from_name(algorithm);
  if (!known) {
    throw UsageError("with_algorithm: there is no '" + std::string(algorithm) +
                         "'; say auto, off, one_shot, two_shot or exact" +
                         ir::suggestion(algorithm, ir::kAlgorithmNames),
                     at);
  }
  ir::Group data = *data_;
  data.algorithm = known;
  return with(std::move(data));
}

Group Group::programs_differ() const {
  ir::Group data = *data_;
  data.programs_differ = true;
  return with(std::move(data));
}

std::string Group::backends() const {
  return data_->backends.empty() ? runtime::BackendConfig::process().text() : data_->backends;
}

void Group::close(std::source_location at) const {
  detail::RankContext& context = detail::RankContext::current();
  const std::vector<std::int64_t> members = data_->members_with(context.runtime().rank());
  if (members.empty()) {
    throw UsageError("close: group \"" + data_->tag + "\" does not include this rank, " +
                         std::to_string(context.runtime().rank()),
                     at);
  }
  if (context.compiling()) throw UsageError("close: a function is being compiled", at);
  context.check_idle(at);
  for (detail::CoalescedCalls* const open : *context.coalescing) {
    if (open->is_for(*data_)) open->launch();
  }
  context.flush();
  context.forget_programs_of(*data_);
  context.closed_groups.emplace(data_->tag, members);
  context.runtime().backend->close(members, data_->tag);
}

void Group::abort(const std::string& reason, std::source_location at) const {
  const auto context = context_.lock();
  if (context == nullptr) {
    throw UsageError("group \"" + data_->tag +
                         "\" was made without a World (or its World is gone): nobody to abort",
                     at);
  }
  const std::vector<std::int64_t> members = data_->members_with(context->runtime().rank());
  if (members.empty()) {
    throw UsageError("group \"" + data_->tag + "\" does not include this rank, " +
                         std::to_string(context->runtime().rank()),
                     at);
  }
  context->runtime().backend->abort(members, data_->tag, reason);
}

Group World::split(int color, int key, std::source_location at) {
  const Location noted = context()->replication_noted;  // these tensors are gone at the end
  const std::vector<std::int64_t> wanted = {color, key};
  const Tensor own(detail::RankContext::current().data(
      Array::from(std::span<const std::int64_t>(wanted), {1, 2}), Device::cpu(), at));
  const std::vector<std::int64_t> all =
      Tensor(all_gather(Operand(own, at), *this)).to_vector<std::int64_t>(at);
  std::vector<std::tuple<std::int64_t, std::int64_t>> chosen;  // key, rank
  for (std::int64_t other = 0; other < size(); ++other) {
    const auto row = static_cast<std::size_t>(2 * other);
    const bool alone = color < 0 && other == rank();
    if (alone || (color >= 0 && all[row] == color)) chosen.emplace_back(all[row + 1], other);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<std::int64_t> ranks;
  for (const auto& [ordered_by, other] : chosen) ranks.push_back(other);
  const auto number = context()->splits++;
  context()->replication_noted = noted;
  return Group(std::move(ranks), "split" + std::to_string(number));
}

}  // namespace tutti

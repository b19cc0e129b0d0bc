#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_tensor.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/redistribute.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace tutti {

namespace detail {

Tensor vary(const Tensor& x, std::uint8_t dimensions, Location where) {
  const StatePtr& state = x.state(where);
  const ir::Replication known = state->type.replication;
  const auto& mesh = RankContext::current().mesh();
  const auto changed =
      static_cast<std::uint8_t>(known.literal ? dimensions : dimensions & known.dimensions);
  if (mesh == nullptr || (changed == 0 && !known.literal)) return x;
  return Tensor(record(ir::Op::vary, {state}, {ir::dimension_names(*mesh, changed)}, where));
}

bool may_be_hidden() {
  RankContext& context = RankContext::current();
  if (!context.trace().replicates_alike()) return false;
  if (context.keep_recording == 0) context.trace().tell_apart();
  return true;
}

// ---- Which steps.

namespace {

enum class Cost : std::uint8_t { own_part, scatter, exchange, sum, gather, spread, none };

Cost cost_of(const Placement& from, const Placement& to) {
  if (from == to) return Cost::none;
  if (from.is_replicate()) return to.is_shard() ? Cost::own_part : Cost::spread;
  if (from.is_partial()) return to.is_shard() ? Cost::scatter : Cost::sum;
  return to.is_shard() ? Cost::exchange : Cost::gather;
}

class Planner {
 public:
  Planner(Placements from, const Placements& to) : now_(std::move(from)), to_(to) {}

  std::vector<Step> plan() {
    std::vector<Step> steps;
    while (now_ != to_) {
      steps.push_back(next());
      for (const std::size_t d : steps.back().dimensions) now_[d] = steps.back().to;
    }
    return steps;
  }

 private:
  // Only the last of an axis's shards can be given up,
  bool can_leave(std::size_t d) const {
    if (!now_[d].is_shard()) return true;
    return std::none_of(now_.begin() + static_cast<std::ptrdiff_t>(d) + 1, now_.end(),
                        [&](const Placement& p) { return p == now_[d]; });
  }
  // and only behind the last can one be added, when those before it are what they shall be.
  bool can_enter(std::size_t d) const {
    if (!to_[d].is_shard()) return true;
    for (std::size_t e = 0; e < now_.size(); ++e) {
      if (e > d && now_[e] == to_[d]) return false;
      if (e < d && (now_[e] == to_[d]) != (to_[e] == to_[d])) return false;
    }
    return true;
  }

  Step next() const {
    Cost least = Cost::none;
    std::vector<std::size_t> dimensions;
    for (std::size_t d = 0; d < now_.size(); ++d) {
      const Cost cost = cost_of(now_[d], to_[d]);
      if (cost > least || cost == Cost::none || !can_leave(d) || !can_enter(d)) continue;
      if (cost < least) dimensions.clear();
      least = cost;
      if (dimensions.empty() || cost == Cost::sum) dimensions.push_back(d);
    }
    if (!dimensions.empty()) {
      // A shard becomes a partial sum by way of the whole.
      const Placement& to = to_[dimensions[0]];
      return {.dimensions = dimensions, .to = least == Cost::gather ? Replicate() : to};
    }
    return {.dimensions = {in_the_way()}, .to = Replicate()};
  }

  // A shard that keeps others from changing.
  std::size_t in_the_way() const {
    for (std::size_t d = 0; d < now_.size(); ++d) {
      if (now_[d] == to_[d]) continue;
      for (std::size_t e = now_.size(); e-- > d;) {
        if (now_[e].is_shard() && (now_[e] == now_[d] || (e > d && now_[e] == to_[d]))) return e;
      }
    }
    throw InternalError("no way from " + text(now_) + " to " + text(to_));
  }

  Placements now_;
  const Placements& to_;
};

}  // namespace

std::vector<Step> steps_between(Placements from, const Placements& to) {
  return Planner(std::move(from), to).plan();
}

// ---- What they are.

namespace {

// One step along one dimension of the mesh.
class StepAlong {
 public:
  StepAlong(const Tensor& local, const Layout& from, std::size_t dimension, std::source_location at)
      : x_(local),
        from_(from),
        d_(dimension),
        group_(from.on->groups[dimension]),
        ranks_(from.on->ranks(dimension)),
        own_(from.on->coordinate(dimension)),
        at_(at) {}

  // Into or out of the parts of an axis.
  AsyncTensor gather(std::int64_t axis) const {
    return all_gather(Operand(x_, at_), group_, axis, uneven_sizes(axis));
  }
  AsyncTensor scatter(std::int64_t axis) const {
    return reduce_scatter(Operand(x_, at_), group_, Reduce::sum, axis, uneven_sizes(axis));
  }
  Tensor own_part(std::int64_t axis) const {
    const Part part = part_of(from_.size_before(axis, d_), ranks_, own_);
    std::vector<Range> ranges(static_cast<std::size_t>(x_.rank()));
    ranges[static_cast<std::size_t>(axis)] = {.start = part.start, .stop = part.start + part.size};
    return slice(Operand(varied(), at_), std::move(ranges));
  }
  // The value at the first rank, zeros elsewhere.
  Tensor spread() const {
    if (x_.dtype() == DType::boolean) {
      throw TypeError("bool " + x_.shape().text() + " can't be a partial sum; cast it first", at_);
    }
    return select(Operand(own_ == 0, at_), Operand(varied(), at_), Operand(0, at_));
  }

  // From parts of one axis to parts of another.
  AsyncTensor exchange(std::int64_t source, std::int64_t target) const {
    if (is_even(source) && is_even(target)) {
      return all_to_all(Operand(x_, at_), group_, target, source);
    }
    // The pieces for the others, one after another without a shape.
    const Sizes sent = parts_of(from_.size_before(target, d_), ranks_);
    const Sizes received = parts_of(from_.size_before(source, d_), ranks_);
    std::vector<Tensor> pieces = split(Operand(x_, at_), sent, target);
    for (Tensor& piece : pieces) piece = reshape(Operand(piece, at_), {piece.elements()});
    Sizes send;
    for (const Tensor& piece : pieces) send.push_back(piece.elements());
    Sizes receive;
    std::vector<std::vector<std::int64_t>> shapes;
    for (const std::int64_t size : received) {
      std::vector<std::int64_t> shape(x_.shape().begin(), x_.shape().end());
      shape[static_cast<std::size_t>(source)] = size;
      shape[static_cast<std::size_t>(target)] = sent[static_cast<std::size_t>(own_)];
      receive.push_back(
          std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
      shapes.push_back(std::move(shape));
    }
    const AsyncTensor flat =
        all_to_all(Operand(concat(pieces, 0, at_), at_), group_, send, receive, 0);
    return flat.then(
        [=, at = at_](const Tensor& tensor) {
          std::vector<Tensor> parts = split(Operand(tensor, at), receive, 0);
          for (std::size_t i = 0; i < parts.size(); ++i) {
            parts[i] = reshape(Operand(parts[i], at), shapes[i]);
          }
          return concat(parts, source, at);
        },
        at_);
  }

 private:
  bool is_even(std::int64_t axis) const { return from_.size_before(axis, d_) % ranks_ == 0; }
  Sizes uneven_sizes(std::int64_t axis) const {
    return is_even(axis) ? Sizes() : parts_of(from_.size_before(axis, d_), ranks_);
  }
  Tensor varied() const { return vary(x_, from_.on->spanned(d_), at_); }

  const Tensor& x_;
  const Layout& from_;
  std::size_t d_;
  const Group& group_;
  std::int64_t ranks_;
  std::int64_t own_;
  std::source_location at_;
};

}  // namespace

Stepped take_step(const Tensor& local, const Layout& from, const Step& step,
                  std::source_location at) {
  const std::size_t d = step.dimensions[0];
  const Placement& source = from.placements[d];
  if (step.dimensions.size() == 1 && from.on->ranks(d) == 1) return {.tensor = local, .async = {}};
  const StepAlong along(local, from, d, at);
  switch (cost_of(source, step.to)) {
    case Cost::own_part:
      return {.tensor = along.own_part(step.to.axis()), .async = {}};
    case Cost::scatter:
      return {.tensor = {}, .async = along.scatter(step.to.axis())};
    case Cost::exchange:
      return {.tensor = {}, .async = along.exchange(source.axis(), step.to.axis())};
    case Cost::sum:
      return {.tensor = {},
              .async = all_reduce(Operand(local, at), from.on->along(step.dimensions))};
    case Cost::gather:
      return {.tensor = {}, .async = along.gather(source.axis())};
    case Cost::spread:
      return {.tensor = along.spread(), .async = {}};
    case Cost::none:
      break;
  }
  return {.tensor = local, .async = {}};
}

}  // namespace detail

DistributedTensor DistributedTensor::redistribute(const Placements& placements,
                                                  std::source_location at) const {
  const Placements target = detail::counted(placements, *layout().on, shape(), at);
  DistributedTensor out = *this;
  for (const detail::Step& step : detail::steps_between(layout().placements, target)) {
    const detail::Stepped stepped = detail::take_step(out.local(at), out.layout(), step, at);
    Placements next = out.placements();
    for (const std::size_t d : step.dimensions) next[d] = step.to;
    detail::LayoutPtr layout = detail::Layout::make(layout_->on, std::move(next), shape(), at);
    out = stepped.async.defined() ? DistributedTensor(stepped.async, std::move(layout), at)
                                  : DistributedTensor(stepped.tensor, std::move(layout), at);
  }
  return out;
}

}  // namespace tutti

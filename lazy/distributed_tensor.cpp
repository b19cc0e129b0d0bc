#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_tensor.h>
#include <tutti/lazy/redistribute.h>

#include <ostream>

namespace tutti {

namespace {

using detail::Layout;
using detail::LayoutPtr;
using detail::MeshGroups;
using detail::RankContext;

// The local tensor with the type that the placements say: varying over what is not in `same`, and
// the same over what is.
Tensor typed_as(const Tensor& local, const MeshGroups& on, const Placements& placements,
                std::source_location at) {
  std::uint8_t varying = 0;
  for (std::size_t d = 0; d < on.size(); ++d) {
    if (!placements[d].is_replicate()) varying |= on.spanned(d);
  }
  const Tensor varied = detail::vary(local, varying, at);
  const std::uint8_t known = varied.state(at)->type.replication.dimensions;
  std::vector<std::size_t> unknown;
  for (std::size_t d = 0; d < on.size(); ++d) {
    if (placements[d].is_replicate() && (on.spanned(d) & ~known) != 0) unknown.push_back(d);
  }
  return unknown.empty() ? varied : replicated(varied, on.along(unknown), at);
}

// How a local tensor is not what its layout says; empty if it is.
std::string what_differs(const Tensor& local, const Layout& layout, std::source_location at) {
  const ir::Type& type = local.state(at)->type;
  std::string out;
  const std::uint8_t unknown =
      type.replication.literal ? 0 : layout.fixed.same & ~type.replication.dimensions;
  if (type.shape != layout.local_shape()) {
    out = "should have shape " + layout.local_shape().text();
  } else if (unknown != 0 && !detail::may_be_hidden()) {
    std::size_t d = 0;
    while (!layout.placements[d].is_replicate() || (layout.on->spanned(d) & unknown) == 0) ++d;
    out = "is not known to be the same over \"" + layout.on->mesh.names()[d] + "\"";
  } else {
    return {};
  }
  return "the local tensor " + type.text() + " of a distributed tensor " +
         describe(*layout.on, layout.placements, layout.shape) + " " + out;
}

void check_local(const Tensor& local, const Layout& layout, std::source_location at) {
  const std::string differs = what_differs(local, layout, at);
  if (!differs.empty()) throw InternalError(differs, at);
}

}  // namespace

DistributedTensor::DistributedTensor(Tensor local, LayoutPtr layout, std::source_location at)
    : local_(std::move(local)), at_(at), layout_(std::move(layout)) {
  check_local(local_, *layout_, at_);
}

DistributedTensor::DistributedTensor(AsyncTensor local, LayoutPtr layout, std::source_location at)
    : pending_(std::move(local)), at_(at), layout_(std::move(layout)) {}

DistributedTensor DistributedTensor::from_local(const Tensor& local, const DeviceMesh& mesh,
                                                const Placements& placements,
                                                const std::optional<Shape>& shape,
                                                std::source_location at) {
  const auto on = std::make_shared<const MeshGroups>(mesh, at);
  const Shape own = Tensor(local.state(at)).shape();
  Shape whole = shape.value_or(own);
  if (!shape) {
    const Placements known = detail::counted(placements, *on, own, at);
    std::vector<std::int64_t> sizes(own.begin(), own.end());
    for (std::size_t d = 0; d < on->size(); ++d) {
      if (known[d].is_shard()) sizes[static_cast<std::size_t>(known[d].axis())] *= on->ranks(d);
    }
    whole = Shape(sizes);
  }
  LayoutPtr layout = Layout::make(on, placements, whole, at);
  if (layout->local_shape() != own) {
    throw TypeError("from_local: the local tensor " + local.state(at)->type.text() +
                        " should have shape " + layout->local_shape().text() +
                        " on this rank, of " + describe(*on, layout->placements, whole),
                    at);
  }
  Tensor typed = typed_as(local, *on, layout->placements, at);
  return DistributedTensor(std::move(typed), std::move(layout), at);
}

DistributedTensor distribute(const Tensor& whole, const DeviceMesh& mesh,
                             const Placements& placements, std::source_location at) {
  whole.state(at);
  const Placements same(mesh.names().size(), Replicate());
  const auto from = DistributedTensor::from_local(whole, mesh, same, std::nullopt, at);
  return from.redistribute(placements, at);
}

Tensor& DistributedTensor::settled() const {
  if (pending_.defined()) {
    local_ = pending_.wait(at_);
    pending_ = {};
    check_local(local_, *layout_, at_);
  }
  return local_;
}

const detail::FixedText& DistributedTensor::fixed_text() const {
  static const detail::FixedText none;
  return layout_ == nullptr ? none : layout_->fixed;
}

const Tensor& DistributedTensor::local(std::source_location at) const {
  const Layout& own = layout(at);
  const Tensor& out = settled();
  const std::string differs = what_differs(out, own, at);
  if (differs.empty()) return out;
  throw UsageError(differs + ", as it was last assigned through a tree (by map, with_tensors, " +
                       "an optimiser, a loop inside of grad); what is the same on all ranks is "
                       "marked by replicated(tree, group)",
                   at);
}

const Layout& DistributedTensor::layout(Location where) const {
  if (layout_ == nullptr) throw UsageError("a distributed tensor that has no value", where);
  return *layout_;
}

std::string DistributedTensor::text() const {
  return std::string(name_of(dtype())) + describe(*layout().on, placements(), shape());
}

Tensor DistributedTensor::full(std::source_location at) const {
  layout(at);  // throws if there is no value
  return redistribute(Placements(mesh().names().size(), Replicate()), at).local(at);
}

std::ostream& operator<<(std::ostream& out, const DistributedTensor& tensor) {
  return out << tensor.text();
}

}  // namespace tutti

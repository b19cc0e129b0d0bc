#pragma once

#include <tutti/lazy/distributed_layout.h>
#include <tutti/lazy/mesh.h>
#include <tutti/lazy/placement.h>
#include <tutti/lazy/tensor.h>
#include <tutti/lazy/tree.h>

#include <concepts>
#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tutti {

// A tensor that is spread over a mesh: this rank's local tensor, and for each dimension of the mesh
// how the whole lies along it. The ops of distributed_ops.h compute with the whole.
//
//   DeviceMesh mesh(world, {{"dp", 2}, {"tp", 2}});
//   const DistributedTensor x = distribute(batch, mesh, {Shard(0), Replicate()});
//   const DistributedTensor w = distribute(weight, mesh, {Replicate(), Shard(1)});
//   const Tensor y = matmul(x, w).full();
//
// A placement says no more than the local tensor's type (see replicated()): it is known to be the
// same along a dimension of Replicate and varies along one of Shard or Partial. So gradients are
// those of the program of a single rank.
//
// It is a tree whose one leaf is the local tensor, so that grad, compile, eval and optimisers take
// it as a member of a model. Of a compiled function's signature mesh, placements and shape are
// part. A gradient is placed like its tensor, which must not be Partial where one is taken. Ops on
// trees (map, an optimiser's update) work on the local tensors and keep the placements, which must
// be the same in all of them: do nothing to a Partial tensor in that way that is not linear. What
// they assign must be as the placements say, which its next use checks: with_tensors gives tensors
// that replicated(tree, group) has to mark where a placement is Replicate.
class DistributedTensor {
 public:
  // No value.
  DistributedTensor() = default;

  // Of this rank's part. Where it is placed as Replicate and not known to be the same on all ranks
  // it is marked with replicated(), which compares it with theirs; then UsageError if they differ,
  // or in a function that is being compiled. `shape` is that of the whole; without one all parts
  // are as large as this one. Throws TypeError for placements that do not fit the mesh or the shape
  // and for a part that is not of the size it should be, UsageError for a mesh that is not made of
  // dimensions of the program's.
  static DistributedTensor from_local(const Tensor& local, const DeviceMesh& mesh,
                                      const Placements& placements,
                                      const std::optional<Shape>& shape = std::nullopt,
                                      std::source_location at = std::source_location::current());

  bool defined() const { return layout_ != nullptr; }
  // This rank's part. A collective that gives it is waited for. Throws UsageError if it was
  // assigned through a tree and is not what the placements say: of another shape, or not known to
  // be the same along a dimension of Replicate.
  const Tensor& local(std::source_location at = std::source_location::current()) const;
  // Metadata never computes and never waits. Throws UsageError if there is no value.
  const DeviceMesh& mesh(std::source_location at = std::source_location::current()) const {
    return layout(at).on->mesh;
  }
  const Placements& placements(std::source_location at = std::source_location::current()) const {
    return layout(at).placements;
  }
  // Of the whole.
  const Shape& shape(std::source_location at = std::source_location::current()) const& {
    return layout(at).shape;
  }
  Shape shape(std::source_location at = std::source_location::current()) const&& {
    return shape(at);
  }
  int rank(std::source_location at = std::source_location::current()) const {
    return shape(at).rank();
  }
  DType dtype(std::source_location at = std::source_location::current()) const {
    return pending_.defined() ? pending_.dtype(at) : local_.dtype(at);
  }
  // "f32[8,4] as [Shard(0), Replicate] over dp=2, tp=2".
  std::string text() const;

  // The whole tensor, the same on all ranks of the mesh and known to be.
  Tensor full(std::source_location at = std::source_location::current()) const;

  // The same tensor placed otherwise, with as few collectives as its dimensions need. Nobody waits
  // for the last of them before the result is used. One dimension:
  //   Shard(a) -> Replicate  all_gather     Partial -> Replicate   all_reduce
  //   Shard(a) -> Shard(b)   all_to_all     Partial -> Shard(a)    reduce_scatter
  //   Replicate -> Shard(a)  the own part   Replicate -> Partial   the value at the first rank,
  //   Shard(a) -> Partial    all_gather                            zeros elsewhere
  // The sums of several dimensions are one all_reduce. Where several dimensions shard one axis,
  // those that divide it after one that changes are gathered first and divided again. Gradients go
  // the way back; that of the own part is an all_reduce. Throws TypeError for placements that do
  // not fit.
  DistributedTensor redistribute(const Placements& placements,
                                 std::source_location at = std::source_location::current()) const;

  // For ops: a local tensor that must be what the layout says. InternalError if its shape is not,
  // or if it is not known to be the same where it is placed as Replicate.
  DistributedTensor(Tensor local, detail::LayoutPtr layout, std::source_location at);
  // The same of a collective's result.
  DistributedTensor(AsyncTensor local, detail::LayoutPtr layout, std::source_location at);
  const detail::Layout& layout(Location where = {}) const;
  const detail::LayoutPtr& layout_pointer() const { return layout_; }

  // A tree of the local tensor and, as a fixed text, the layout.
  auto tutti_fields() {
    return detail::Fields<void, Tensor, detail::FixedText>{
        {detail::place_of(settled()), detail::place_of(fixed_text()), nullptr}};
  }
  static constexpr std::string_view tutti_field_names() { return "local, layout"; }

 private:
  Tensor& settled() const;
  const detail::FixedText& fixed_text() const;

  mutable Tensor local_;
  mutable AsyncTensor pending_;  // while defined: the local tensor, not waited for
  std::source_location at_;      // where it was made
  detail::LayoutPtr layout_;
};

// A whole tensor, that all ranks have, spread over a mesh. If it is not known to be the same on all
// ranks of the mesh it is marked with replicated(), as in from_local, with the same errors.
DistributedTensor distribute(const Tensor& whole, const DeviceMesh& mesh,
                             const Placements& placements,
                             std::source_location at = std::source_location::current());

// Prints what it is, not its elements: "f32[8,4] as [Shard(0), Replicate] over dp=2, tp=2".
std::ostream& operator<<(std::ostream& out, const DistributedTensor& tensor);

}  // namespace tutti

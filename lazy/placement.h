#pragma once

#include <tutti/lazy/axis.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

// Along a mesh dimension each rank holds its part of that axis. Parts are as in PyTorch: of size
// ceil(size / ranks), the last ones smaller or empty. Negative axes count from the end.
struct Shard {
  explicit Shard(Axis the_axis) : axis(the_axis.value) {}
  std::int64_t axis;
};
// All ranks hold the same value.
struct Replicate {};
// The value is the sum of what the ranks hold.
struct Partial {};

// How a tensor lies along one dimension of a mesh.
class Placement {
 public:
  enum class Kind : std::uint8_t { shard, replicate, partial };

  Placement(Shard shard) : kind_(Kind::shard), axis_(shard.axis) {}  // NOLINT
  Placement(Replicate) : kind_(Kind::replicate) {}                   // NOLINT
  Placement(Partial) : kind_(Kind::partial) {}                       // NOLINT

  Kind kind() const { return kind_; }
  bool is_shard() const { return kind_ == Kind::shard; }
  bool is_shard(std::int64_t axis) const { return is_shard() && axis_ == axis; }
  bool is_replicate() const { return kind_ == Kind::replicate; }
  bool is_partial() const { return kind_ == Kind::partial; }
  // Of a shard; else -1.
  std::int64_t axis() const { return axis_; }
  // "Shard(0)", "Replicate", "Partial".
  std::string text() const;

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  Kind kind_;
  std::int64_t axis_ = -1;
};

// One for each dimension of a mesh, in its order. Where several shard one axis, the first divides
// the whole axis, the next the part that is left, and so on.
using Placements = std::vector<Placement>;

// "[Shard(0), Replicate]".
std::string text(const Placements& placements);

}  // namespace tutti

#pragma once

#include <tutti/kernels/host/collective_kinds.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::kernels {

// One tensor of a collective, as the members agree on it: the operand is row-major
// [outer, axis_size, inner] and has `elements` elements. Kinds without an axis read `elements`
// alone.
struct PartShape {
  std::int64_t elements;
  std::int64_t outer;
  std::int64_t axis_size;
  std::int64_t inner;
  // The members' shares of the axis where they are uneven (runtime/comm/collective.h); then
  // `elements` and `axis_size` are one member's own and not used. Empty: equal shares. Of
  // all_to_all not read: CollectiveBoxes::split says who sends what.
  std::span<const std::int64_t> sizes = {};
};

inline constexpr int kAllMembers = -1;

// Rows of elements on their way from one member's operand, or from a combination, to one member's
// result, or to all.
struct CollectiveBox {
  int source;   // the first of them
  int sources;  // 0: a combination of none
  int target;
  std::int64_t from;  // the first element's place in the operand
  std::int64_t to;    // and in the result
  std::int64_t rows;
  std::int64_t length;       // of a row
  std::int64_t from_stride;  // from row to row
  std::int64_t to_stride;
};

// How long the axis is where it is whole: in the result of a join, in the operand of a cut.
std::int64_t whole_axis(CollectiveKind kind, const PartShape& part, int members);

// The elements of all the members' operands together. Of an uneven all_to_all only the members'
// lists tell.
std::int64_t operand_elements(CollectiveKind kind, const PartShape& part, int members);
// The same of what nobody has checked, and no integer may hold.
double unchecked_operand_elements(CollectiveKind kind, const PartShape& part, int members);

// What goes where in a collective, as boxes that together fill every result but for its zeros.
class CollectiveBoxes {
 public:
  // `pairs` and `parts` stay in use until the next reset.
  void reset(CollectiveKind kind, int root, std::span<const std::pair<int, int>> pairs, int members,
             std::span<const PartShape> parts, ScanRange scan = {});
  // Of an uneven all_to_all, once for each member: what it sends to and receives from each. Copied.
  void split(int member, std::size_t part, std::span<const std::int64_t> send,
             std::span<const std::int64_t> receive);

  // Of all members and parts.
  std::int64_t operand_elements() const { return operand_elements_; }
  // Of all boxes.
  std::int64_t elements() const { return elements_; }
  // How many zeros a member's result consists of; none where something arrives at it.
  std::int64_t zeros(std::size_t part, int member) const;

  // Calls take(box) for the boxes of a part that arrive at the member `target`, or for all of them.
  // Always in the same order.
  template <class Take>
  void for_each(std::size_t part, int target, Take take) const;

 private:
  // A stretch of an axis of `axis` places begins at `begin`.
  struct Stretch {
    std::int64_t begin;
    std::int64_t axis;
  };
  // All elements of a part, in one row.
  static CollectiveBox whole_box(const PartShape& part, int source, int sources, int target) {
    return {.source = source,
            .sources = sources,
            .target = target,
            .from = 0,
            .to = 0,
            .rows = 1,
            .length = part.elements,
            .from_stride = 0,
            .to_stride = 0};
  }
  CollectiveBox box(const PartShape& part, int source, int target, Stretch from, Stretch to,
                    std::int64_t size) const;

  template <class Take>
  void join(const PartShape& part, int target, Take take) const;
  template <class Take>
  void cut(const PartShape& part, int source, int target, Take take) const;
  template <class Take>
  void exchange(std::size_t part, int target, Take take) const;

  // Where in `begins` a member's list of a part lies: members_ beginnings, then the end.
  const std::int64_t* list(const std::vector<std::int64_t>& begins, std::size_t part,
                           int member) const {
    const auto members = static_cast<std::size_t>(members_);
    return begins.data() + (part * members + static_cast<std::size_t>(member)) * (members + 1);
  }

  CollectiveKind kind_ = CollectiveKind::barrier;
  int root_ = 0;
  ScanRange scan_;
  int members_ = 0;
  std::span<const std::pair<int, int>> pairs_;
  std::span<const PartShape> parts_;
  std::int64_t operand_elements_ = 0;
  std::int64_t elements_ = 0;
  std::vector<bool> uneven_;  // by part, of all_to_all
  // Where on the axis begins what a member sends to each, and what it receives from each.
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> received_;
};

template <class Take>
void CollectiveBoxes::for_each(std::size_t part, int target, Take take) const {
  const PartShape& shape = parts_[part];
  const auto whole = [&](int source, int to) {
    if (target != kAllMembers && to != kAllMembers && target != to) return;
    const bool all = source == kAllMembers;
    take(whole_box(shape, all ? 0 : source, all ? members_ : 1, to));
  };
  switch (kind_) {
    case CollectiveKind::all_reduce:
      return whole(kAllMembers, kAllMembers);
    case CollectiveKind::reduce:
      return whole(kAllMembers, root_);
    case CollectiveKind::broadcast:
      return whole(root_, kAllMembers);
    case CollectiveKind::send_recv:
      return whole(0, 1);
    case CollectiveKind::collective_permute:
      for (const auto& [from, to] : pairs_) whole(from, to);
      return;
    case CollectiveKind::scan_ranks:
      for (int to = 0; to < members_; ++to) {
        if (target != kAllMembers && target != to) continue;
        const int first = scan_.reverse ? to + (scan_.exclusive ? 1 : 0) : 0;
        const int last = scan_.reverse ? members_ : to + (scan_.exclusive ? 0 : 1);
        take(whole_box(shape, first, last - first, to));
      }
      return;
    case CollectiveKind::all_gather:
      return join(shape, kAllMembers, take);
    case CollectiveKind::gather:
      if (target == kAllMembers || target == root_) join(shape, root_, take);
      return;
    case CollectiveKind::reduce_scatter:
      return cut(shape, kAllMembers, target, take);
    case CollectiveKind::scatter:
      return cut(shape, root_, target, take);
    case CollectiveKind::all_to_all:
      return exchange(part, target, take);
    case CollectiveKind::barrier:
      return;
  }
}

template <class Take>
void CollectiveBoxes::join(const PartShape& part, int target, Take take) const {
  const std::int64_t axis = whole_axis(kind_, part, members_);
  std::int64_t begin = 0;
  for (int member = 0; member < members_; ++member) {
    const std::int64_t size =
        part.sizes.empty() ? part.axis_size : part.sizes[static_cast<std::size_t>(member)];
    take(box(part, member, target, {0, size}, {begin, axis}, size));
    begin += size;
  }
}

template <class Take>
void CollectiveBoxes::cut(const PartShape& part, int source, int target, Take take) const {
  const std::int64_t axis = whole_axis(kind_, part, members_);
  std::int64_t begin = 0;
  for (int member = 0; member < members_; ++member) {
    const std::int64_t size =
        part.sizes.empty() ? axis / members_ : part.sizes[static_cast<std::size_t>(member)];
    if (target == kAllMembers || target == member) {
      take(box(part, source, member, {begin, axis}, {0, size}, size));
    }
    begin += size;
  }
}

template <class Take>
void CollectiveBoxes::exchange(std::size_t part, int target, Take take) const {
  const PartShape& shape = parts_[part];
  const int first = target == kAllMembers ? 0 : target;
  const int last = target == kAllMembers ? members_ - 1 : target;
  for (int to = first; to <= last; ++to) {
    for (int from = 0; from < members_; ++from) {
      if (uneven_[part]) {
        const std::int64_t* sent = list(sent_, part, from);
        const std::int64_t* received = list(received_, part, to);
        take(box(shape, from, to, {sent[to], sent[members_]}, {received[from], received[members_]},
                 sent[to + 1] - sent[to]));
      } else {
        const std::int64_t share = shape.axis_size / members_;
        take(box(shape, from, to, {to * share, shape.axis_size}, {from * share, shape.axis_size},
                 share));
      }
    }
  }
}

}  // namespace tutti::kernels

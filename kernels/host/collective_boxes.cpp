#include <tutti/kernels/host/collective_boxes.h>

#include <algorithm>
#include <numeric>

namespace tutti::kernels {

namespace {

template <class Number>
Number whole_axis_as(CollectiveKind kind, const PartShape& part, int members) {
  if (!part.sizes.empty()) return std::accumulate(part.sizes.begin(), part.sizes.end(), Number{0});
  const auto size = static_cast<Number>(part.axis_size);
  return joins_operands(kind) ? size * static_cast<Number>(members) : size;
}

template <class Number>
Number operand_elements_as(CollectiveKind kind, const PartShape& part, int members) {
  const auto count = static_cast<Number>(members);
  if (!joins_operands(kind) && !cuts_results(kind)) {
    return static_cast<Number>(part.elements) * count;
  }
  const Number all = static_cast<Number>(part.outer) * whole_axis_as<Number>(kind, part, members) *
                     static_cast<Number>(part.inner);
  return cuts_results(kind) ? all * count : all;
}

}  // namespace

std::int64_t whole_axis(CollectiveKind kind, const PartShape& part, int members) {
  return whole_axis_as<std::int64_t>(kind, part, members);
}

std::int64_t operand_elements(CollectiveKind kind, const PartShape& part, int members) {
  return operand_elements_as<std::int64_t>(kind, part, members);
}

double unchecked_operand_elements(CollectiveKind kind, const PartShape& part, int members) {
  return operand_elements_as<double>(kind, part, members);
}

void CollectiveBoxes::reset(CollectiveKind kind, int root,
                            std::span<const std::pair<int, int>> pairs, int members,
                            std::span<const PartShape> parts, ScanRange scan) {
  kind_ = kind;
  root_ = root;
  scan_ = scan;
  pairs_ = pairs;
  members_ = members;
  parts_ = parts;
  operand_elements_ = 0;
  for (const PartShape& part : parts) {
    operand_elements_ += kernels::operand_elements(kind, part, members);
  }
  if (joins_operands(kind) || kind == CollectiveKind::all_to_all ||
      kind == CollectiveKind::scan_ranks) {
    elements_ = operand_elements_;
  } else {
    elements_ = operand_elements_ / members;
    if (kind == CollectiveKind::collective_permute) {
      elements_ *= static_cast<std::int64_t>(pairs.size());
    }
  }
  if (kind == CollectiveKind::all_to_all) uneven_.assign(parts.size(), false);
}

void CollectiveBoxes::split(int member, std::size_t part, std::span<const std::int64_t> send,
                            std::span<const std::int64_t> receive) {
  const auto members = static_cast<std::size_t>(members_);
  uneven_[part] = true;
  sent_.resize(parts_.size() * members * (members + 1));
  received_.resize(sent_.size());
  const auto own = static_cast<std::ptrdiff_t>((part * members + static_cast<std::size_t>(member)) *
                                               (members + 1));
  sent_[static_cast<std::size_t>(own)] = 0;
  received_[static_cast<std::size_t>(own)] = 0;
  std::partial_sum(send.begin(), send.end(), sent_.begin() + own + 1);
  std::partial_sum(receive.begin(), receive.end(), received_.begin() + own + 1);
  // The lists take the place of what reset() took for this member's operand.
  const PartShape& shape = parts_[part];
  const std::int64_t sends = shape.outer * list(sent_, part, member)[members] * shape.inner;
  operand_elements_ += sends - shape.elements;
  elements_ += sends - shape.elements;
}

std::int64_t CollectiveBoxes::zeros(std::size_t part, int member) const {
  const PartShape& shape = parts_[part];
  switch (kind_) {
    case CollectiveKind::reduce:
      return member == root_ ? 0 : shape.elements;
    case CollectiveKind::gather:
      return member == root_ ? 0 : kernels::operand_elements(kind_, shape, members_);
    case CollectiveKind::collective_permute: {
      const bool arrives = std::any_of(pairs_.begin(), pairs_.end(),
                                       [&](const auto& pair) { return pair.second == member; });
      return arrives ? 0 : shape.elements;
    }
    default:
      return 0;
  }
}

CollectiveBox CollectiveBoxes::box(const PartShape& part, int source, int target, Stretch from,
                                   Stretch to, std::int64_t size) const {
  const bool all = source == kAllMembers;
  CollectiveBox box{.source = all ? 0 : source,
                    .sources = all ? members_ : 1,
                    .target = target,
                    .from = from.begin * part.inner,
                    .to = to.begin * part.inner,
                    .rows = part.outer,
                    .length = size * part.inner,
                    .from_stride = from.axis * part.inner,
                    .to_stride = to.axis * part.inner};
  if (box.length == box.from_stride && box.length == box.to_stride) {  // the rows adjoin
    box.length *= box.rows;
    box.rows = 1;
  }
  return box;
}

}  // namespace tutti::kernels

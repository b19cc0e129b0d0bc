#include <tutti/ir/support/error.h>
#include <tutti/ir/support/hash.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/kernels/host/reduce_elements.h>
#include <tutti/runtime/comm/collective.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace tutti::runtime {

namespace {

std::int64_t sum(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}
// The same, and a product; nothing where the result can't be counted.
std::optional<std::int64_t> counted_sum(std::span<const std::int64_t> numbers) {
  std::int64_t total = 0;
  for (const std::int64_t number : numbers) {
    if (__builtin_add_overflow(total, number, &total)) return std::nullopt;
  }
  return total;
}
std::optional<std::int64_t> counted_product(std::initializer_list<std::int64_t> numbers) {
  std::int64_t total = 1;
  for (const std::int64_t number : numbers) {
    if (__builtin_mul_overflow(total, number, &total)) return std::nullopt;
  }
  return total;
}

std::string text(std::span<const std::int64_t> sizes) {
  std::string text = "{";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return text + "}";
}

bool is_uneven(const TensorPart& part) {
  return !part.sizes.empty() || !part.receive_sizes.empty();
}

void add_part(Hasher& hasher, CollectiveKind kind, const TensorPart& part) {
  const auto add = [&](std::int64_t value) { hasher.add(static_cast<std::uint64_t>(value)); };
  const bool uneven = is_uneven(part);
  // The whole axis of uneven parts is the sum of the sizes.
  if (!uneven) add(part.elements);
  if (!kernels::has_axis(kind)) return;
  add(uneven ? 1 : 0);
  add(part.outer);
  add(part.inner);
  if (!uneven) return add(part.axis_size);
  if (kind == CollectiveKind::all_to_all) return;
  add(static_cast<std::int64_t>(part.sizes.size()));
  for (const std::int64_t size : part.sizes) add(size);
}

// check_call's rules. Texts are only put together for a call that breaks one.
class Checker {
 public:
  Checker(const CollectiveCall& call, int members, int position)
      : call_(call), members_(members), position_(static_cast<std::size_t>(position)) {}

  void check() const;

 private:
  [[noreturn]] void fail(const std::string& rule) const {
    throw TypeError(describe(call_) + ": " + rule, call_.location);
  }
  std::string group() const { return "the group's " + std::to_string(members_) + " members"; }
  std::int64_t counted(std::optional<std::int64_t> number) const {
    if (!number) fail("more elements than can be counted");
    return *number;
  }

  void check_position(int position, const char* what) const;
  void check_pairs() const;
  void check_part(const TensorPart& part) const;
  void check_sizes(const TensorPart& part) const;
  void check_list(std::span<const std::int64_t> sizes, const char* what) const;
  void check_sum(const TensorPart& part) const;
  void check_total() const;
  std::int64_t larger(const TensorPart& part) const;

  const CollectiveCall& call_;
  const int members_;
  const std::size_t position_;
};

void Checker::check() const {
  if (kernels::reduces(call_.kind) &&
      kernels::reduce_elements(call_.reduction, call_.dtype) == nullptr) {
    fail("\"" + std::string(name_of(call_.reduction)) + "\" has no meaning for " +
         std::string(name_of(call_.dtype)));
  }
  if (call_.kind == CollectiveKind::scan_ranks && call_.reduction == Reduction::mean) {
    fail("a mean is of all members");
  }
  if (kernels::has_root(call_.kind)) check_position(call_.root, "root");
  if (call_.kind == CollectiveKind::collective_permute) check_pairs();
  if (call_.kind == CollectiveKind::send_recv && members_ != 2) {
    fail("goes from the first of two members to the second; the group has " +
         std::to_string(members_));
  }
  if (call_.kind == CollectiveKind::barrier && !call_.parts.empty()) {
    fail("a barrier takes no tensors");
  }
  for (const TensorPart& part : call_.parts) check_part(part);
  check_total();
}

void Checker::check_position(int position, const char* what) const {
  if (position >= 0 && position < members_) return;
  fail(what + (" " + std::to_string(position)) + " is not among " + group());
}

void Checker::check_pairs() const {
  for (auto pair = call_.pairs.begin(); pair != call_.pairs.end(); ++pair) {
    const auto [source, target] = *pair;
    check_position(source, "source");
    check_position(target, "target");
    for (auto earlier = call_.pairs.begin(); earlier != pair; ++earlier) {
      if (earlier->first == source) fail("position " + std::to_string(source) + " sends twice");
      if (earlier->second == target) {
        fail("position " + std::to_string(target) + " receives twice");
      }
    }
  }
}

void Checker::check_part(const TensorPart& part) const {
  if (part.elements < 0) fail("a tensor of negative size");
  if (!kernels::has_axis(call_.kind)) {
    if (is_uneven(part)) fail("has no axis that sizes could cut");
    return;
  }
  if (part.outer < 0 || part.axis_size < 0 || part.inner < 0) fail("a dimension of negative size");
  if (counted(counted_product({part.outer, part.axis_size, part.inner})) != part.elements) {
    fail("outer * axis_size * inner is not the number of elements");
  }
  if (is_uneven(part)) {
    check_sizes(part);
  } else if (!kernels::joins_operands(call_.kind) && part.axis_size % members_ != 0) {
    fail(group() + " do not divide the " + std::to_string(part.axis_size) + " of the axis");
  }
}

void Checker::check_sizes(const TensorPart& part) const {
  check_list(part.sizes, "sizes");
  if (call_.kind == CollectiveKind::all_to_all) {
    check_list(part.receive_sizes, "receive_sizes");
    check_sum(part);
    const std::int64_t kept = part.sizes[position_];
    const std::int64_t taken = part.receive_sizes[position_];
    if (kept == taken) return;
    fail("position " + std::to_string(position_) + " sends itself " + std::to_string(kept) +
         " and receives " + std::to_string(taken) + " from itself");
  }
  if (!part.receive_sizes.empty()) fail("receive_sizes are for all_to_all alone");
  if (kernels::cuts_results(call_.kind)) return check_sum(part);
  if (part.sizes[position_] != part.axis_size) {
    fail("sizes " + text(part.sizes) + " give position " + std::to_string(position_) + " " +
         std::to_string(part.sizes[position_]) + " of the axis; its operand has " +
         std::to_string(part.axis_size));
  }
}

void Checker::check_list(std::span<const std::int64_t> sizes, const char* what) const {
  if (sizes.size() != static_cast<std::size_t>(members_)) {
    fail(what + (" " + text(sizes)) + " should have one for each of " + group());
  }
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; })) {
    fail(what + (" " + text(sizes)) + " are not all at least 0");
  }
  counted(counted_sum(sizes));
}

void Checker::check_sum(const TensorPart& part) const {
  if (sum(part.sizes) == part.axis_size) return;
  fail("sizes " + text(part.sizes) + " do not add up to the " + std::to_string(part.axis_size) +
       " of the axis");
}

// The bytes of all members' tensors together have to be a number.
void Checker::check_total() const {
  std::int64_t elements = 0;
  for (const TensorPart& part : call_.parts) {
    elements = counted(counted_sum(std::array{elements, larger(part)}));
  }
  counted(counted_product({elements, members_, size_of(call_.dtype)}));
}

// Of the elements of operand and result.
std::int64_t Checker::larger(const TensorPart& part) const {
  if (!kernels::has_axis(call_.kind)) return part.elements;
  std::int64_t axis = std::max(sum(part.sizes), sum(part.receive_sizes));
  if (!is_uneven(part)) {
    axis = part.axis_size;
    if (kernels::joins_operands(call_.kind)) axis = counted(counted_product({axis, members_}));
  }
  return counted(counted_product({part.outer, axis, part.inner}));
}

}  // namespace

std::int64_t result_elements(const CollectiveCall& call, const TensorPart& part, int members,
                             int position) {
  const auto with_axis = [&](std::int64_t axis) { return part.outer * axis * part.inner; };
  if (kernels::joins_operands(call.kind)) {
    return part.sizes.empty() ? part.elements * members : with_axis(sum(part.sizes));
  }
  if (kernels::cuts_results(call.kind)) {
    return part.sizes.empty() ? part.elements / members
                              : with_axis(part.sizes[static_cast<std::size_t>(position)]);
  }
  if (call.kind == CollectiveKind::all_to_all && is_uneven(part)) {
    return with_axis(sum(part.receive_sizes));
  }
  if (call.kind == CollectiveKind::send_recv && position == 0) return 0;
  return part.elements;
}

bool gives(const CollectiveCall& call, int position) {
  switch (call.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return position == call.root;
    case CollectiveKind::collective_permute:
      return std::any_of(call.pairs.begin(), call.pairs.end(),
                         [&](const auto& pair) { return pair.first == position; });
    case CollectiveKind::send_recv:
      return position == 0;
    case CollectiveKind::barrier:
      return false;
    default:
      return true;
  }
}

bool is_one_shot(const CollectiveCall& call, int members) {
  std::vector<kernels::PartShape> shapes;
  for (const TensorPart& part : call.parts) {
    if (call.kind == CollectiveKind::all_to_all && is_uneven(part)) return false;
    shapes.push_back({part.elements, part.outer, part.axis_size, part.inner, part.sizes});
  }
  return kernels::is_one_shot(call.kind, call.dtype, shapes, members, call.one_shot_up_to);
}

bool common_result(const CollectiveCall& call, int members) {
  return kernels::has_common_result(call.kind) && !is_one_shot(call, members);
}

std::uint64_t fingerprint(const CollectiveCall& call) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(call.kind))
      .add(static_cast<std::uint64_t>(call.dtype))
      .add(kernels::reduces(call.kind) ? static_cast<std::uint64_t>(call.reduction) + 1 : 0)
      .add(kernels::has_root(call.kind) ? static_cast<std::uint64_t>(call.root) + 1 : 0)
      .add(call.agreement)
      .add(static_cast<std::uint64_t>(call.one_shot_up_to))
      .add(call.parts.size());
  if (call.kind == CollectiveKind::collective_permute) {
    hasher.add(call.pairs.size());
    for (const auto& [source, target] : call.pairs) {
      hasher.add(static_cast<std::uint64_t>(source)).add(static_cast<std::uint64_t>(target));
    }
  }
  for (const TensorPart& part : call.parts) add_part(hasher, call.kind, part);
  if (call.kind == CollectiveKind::scan_ranks) {
    hasher.add(std::uint64_t{call.scan.exclusive}).add(std::uint64_t{call.scan.reverse});
  }
  if (call.programs_differ) hasher.add(std::uint64_t{1});
  return hasher.finish().low;
}

std::string describe(const CollectiveCall& call) {
  std::string text = call.description;
  if (text.empty()) {
    text = name_of(call.kind);
    if (kernels::reduces(call.kind)) text += " " + std::string(name_of(call.reduction));
    if (call.scan.exclusive) text += " exclusive";
    if (call.scan.reverse) text += " reverse";
    for (const TensorPart& part : call.parts) {
      text += " " + std::string(name_of(call.dtype)) + "[" + std::to_string(part.elements) + "]";
    }
  }
  return text;
}

void check_call(const CollectiveCall& call, int members, int position) {
  Checker(call, members, position).check();
}

}  // namespace tutti::runtime

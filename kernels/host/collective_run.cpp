#include <tutti/ir/collective.h>
#include <tutti/ir/neutral.h>
#include <tutti/kernels/host/collective_run.h>
#include <tutti/kernels/host/copy_past_caches.h>

#include <algorithm>
#include <cstring>

namespace tutti::kernels {

namespace {

// From this size on results won't be in a cache when somebody reads them. Below, and for short
// rows, writing past the caches costs more than it saves.
constexpr std::int64_t kStreamFrom = 8 << 20;
constexpr std::size_t kShortRow = 256;

}  // namespace

bool is_one_shot(CollectiveKind kind, DType dtype, std::span<const PartShape> parts, int members,
                 std::int64_t one_shot_up_to) {
  double elements = 0;
  for (const PartShape& part : parts) {
    elements += unchecked_operand_elements(kind, part, members);
  }
  return fits_one_shot(elements, size_of(dtype), one_shot_up_to, members);
}

void CollectiveRun::reset(CollectiveKind kind, Reduction reduction, DType dtype, int root,
                          std::span<const std::pair<int, int>> pairs, int members,
                          std::span<const PartShape> parts, ScanRange scan,
                          std::int64_t one_shot_up_to) {
  members_ = members;
  one_shot_up_to_ = one_shot_up_to;
  element_bytes_ = size_of(dtype);
  reduce_ = reduces(kind) ? reduce_elements(reduction, dtype) : nullptr;
  parts_ = parts;
  boxes_.reset(kind, root, pairs, members, parts, scan);
  if (kind == CollectiveKind::scan_ranks && scan.exclusive) {
    const ir::ScalarOp combination = ir::combination_of(name_of(reduction));
    std::ranges::copy(ir::empty_combination(combination, dtype).bytes(), none_.begin());
  }
  const std::size_t places = parts.size() * static_cast<std::size_t>(members);
  operands_.resize(places);
  results_.resize(places);
  common_results_.assign(parts.size(), nullptr);
  sources_.resize(static_cast<std::size_t>(members));
  targets_.resize(static_cast<std::size_t>(members));
  if (reduce_ != nullptr && past_caches()) chunk_.resize(static_cast<std::size_t>(kChunkBytes));
}

void CollectiveRun::place(int member, std::size_t part, const void* operand, void* result) {
  operands_[index(part, member)] = static_cast<const std::byte*>(operand);
  results_[index(part, member)] = static_cast<std::byte*>(result);
}

void CollectiveRun::place_common(std::size_t part, void* result) {
  common_results_[part] = static_cast<std::byte*>(result);
}

bool CollectiveRun::past_caches() const {
  return boxes_.elements() * element_bytes_ >= kStreamFrom;
}

void CollectiveRun::compute_for(int member) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    boxes_.for_each(part, member, [&](const CollectiveBox& box) {
      run(part, box, 0, box.rows * box.length, member);
    });
  }
  write_zeros(member);
  if (past_caches()) finish_copies_past_caches();
}

void CollectiveRun::write_zeros(int member) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::int64_t zeros = boxes_.zeros(part, member);
    if (zeros == 0) continue;
    std::memset(results_[index(part, member)], 0, static_cast<std::size_t>(zeros * element_bytes_));
  }
}

std::int64_t CollectiveRun::chunks() const {
  return (boxes_.elements() + chunk_elements() - 1) / chunk_elements();
}

std::int64_t CollectiveRun::take_chunks(std::atomic<std::int64_t>& claimed) {
  const std::int64_t all = chunks();
  std::int64_t taken = 0;
  std::int64_t claim = claimed.fetch_add(1, std::memory_order_relaxed);
  // Claims only grow, so one walk over the boxes meets all of them.
  std::int64_t box_begin = 0;
  for (std::size_t part = 0; part < parts_.size() && claim < all; ++part) {
    boxes_.for_each(part, kAllMembers, [&](const CollectiveBox& box) {
      const std::int64_t box_end = box_begin + box.rows * box.length;
      while (claim < all) {
        const std::int64_t begin = claim * chunk_elements();
        const std::int64_t end = std::min(begin + chunk_elements(), boxes_.elements());
        if (begin >= box_end) break;
        run(part, box, std::max(begin, box_begin) - box_begin, std::min(end, box_end) - box_begin,
            box.target);
        if (end > box_end) break;  // the chunk goes on in the next box
        ++taken;
        claim = claimed.fetch_add(1, std::memory_order_relaxed);
      }
      box_begin = box_end;
    });
  }
  if (past_caches()) finish_copies_past_caches();
  return taken;
}

void CollectiveRun::run(std::size_t part, const CollectiveBox& box, std::int64_t begin,
                        std::int64_t end, int target) {
  if (begin == end) return;
  const std::span<std::byte* const> results = results_of(part, target);
  std::int64_t row = begin / box.length;
  std::int64_t column = begin % box.length;
  while (begin < end) {
    const std::int64_t count = std::min({end - begin, box.length - column, chunk_elements()});
    const std::int64_t from = box.from + row * box.from_stride + column;
    const std::int64_t to = box.to + row * box.to_stride + column;
    if (box.sources == 0) {
      fill(results, to, count);
    } else if (box.sources > 1 || reduce_ != nullptr) {
      combine(part, box, from, results, to, count);
    } else {
      copy(operands_[index(part, box.source)] + from * element_bytes_, results, to, count);
    }
    begin += count;
    column += count;
    if (column == box.length) {
      column = 0;
      ++row;
    }
  }
}

std::span<std::byte* const> CollectiveRun::results_of(std::size_t part, int target) const {
  if (common_results_[part] != nullptr) return {&common_results_[part], 1};
  if (target != kAllMembers) return {&results_[index(part, target)], 1};
  return {&results_[index(part, 0)], static_cast<std::size_t>(members_)};
}

void CollectiveRun::copy(const std::byte* operand, std::span<std::byte* const> results,
                         std::int64_t to, std::int64_t count) const {
  for (std::byte* const result : results) {
    std::byte* place = result + to * element_bytes_;
    if (place != operand) write(place, operand, count);  // equal: in place
  }
}

void CollectiveRun::fill(std::span<std::byte* const> results, std::int64_t to,
                         std::int64_t count) const {
  for (std::byte* const result : results) {
    std::byte* place = result + to * element_bytes_;
    for (std::int64_t i = 0; i < count; ++i, place += element_bytes_) {
      std::memcpy(place, none_.data(), static_cast<std::size_t>(element_bytes_));
    }
  }
}

void CollectiveRun::combine(std::size_t part, const CollectiveBox& box, std::int64_t from,
                            std::span<std::byte* const> results, std::int64_t to,
                            std::int64_t count) {
  for (int i = 0; i < box.sources; ++i) {
    sources_[static_cast<std::size_t>(i)] =
        operands_[index(part, box.source + i)] + from * element_bytes_;
  }
  for (std::size_t target = 0; target < results.size(); ++target) {
    targets_[target] = results[target] + to * element_bytes_;
  }
  if (!past_caches()) {
    reduce_(sources_.data(), box.sources, targets_.data(), static_cast<int>(results.size()), count);
    return;
  }
  void* chunk = chunk_.data();
  reduce_(sources_.data(), box.sources, &chunk, 1, count);
  for (std::size_t target = 0; target < results.size(); ++target) {
    write(static_cast<std::byte*>(targets_[target]), chunk_.data(), count);
  }
}

void CollectiveRun::write(std::byte* to, const std::byte* from, std::int64_t elements) const {
  const auto bytes = static_cast<std::size_t>(elements * element_bytes_);
  if (bytes >= kShortRow && past_caches()) {
    copy_past_caches(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace tutti::kernels

#include <tutti/kernels/host/collective_run.h>

#include <algorithm>
#include <cstring>

// TSan does not see these stores.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define TUTTI_STREAMING_STORES 1
#include <immintrin.h>
#endif

namespace tutti::kernels {

namespace {

// Results that won't be in a cache when somebody reads them are better written past the caches: the
// old contents need not be fetched first. Below this size that costs more than it saves.
constexpr std::int64_t kStreamFrom = 8 << 20;

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef TUTTI_STREAMING_STORES
  constexpr std::size_t kVector = sizeof(__m128i);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(to) % kVector;
  const std::size_t head = misaligned == 0 ? 0 : std::min(bytes, kVector - misaligned);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kVector <= bytes; at += kVector) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

// Rule 2: to be called before others are told of what copy_past_caches wrote.
void finish_copies_past_caches() {
#ifdef TUTTI_STREAMING_STORES
  _mm_sfence();
#endif
}

}  // namespace

void CollectiveRun::reset(CollectiveKind kind, Reduction reduction, DType dtype, int root,
                          int members, std::span<const PartShape> parts) {
  kind_ = kind;
  root_ = root;
  members_ = members;
  element_bytes_ = size_of(dtype);
  reduce_ = reduces(kind) ? reduce_elements(reduction, dtype) : nullptr;
  parts_ = parts;
  const std::size_t places = parts.size() * static_cast<std::size_t>(members);
  operands_.resize(places);
  results_.resize(places);
  sources_.resize(static_cast<std::size_t>(members));
  targets_.resize(static_cast<std::size_t>(members));
  std::int64_t bytes = 0;
  for (const PartShape& part : parts) bytes += part.elements * element_bytes_;
  one_shot_ = bytes <= kOneShotBytes;
  past_caches_ = bytes >= kStreamFrom;
  if (past_caches_ && reduce_ != nullptr) {
    chunk_.resize(static_cast<std::size_t>(kChunkBytes / element_bytes_ * element_bytes_));
  }
}

void CollectiveRun::place(int member, std::size_t part, const void* operand, void* result) {
  operands_[index(part, member)] = static_cast<const std::byte*>(operand);
  results_[index(part, member)] = static_cast<std::byte*>(result);
}

std::int64_t CollectiveRun::work_elements(const PartShape& part) const {
  return kind_ == CollectiveKind::all_gather ? part.elements * members_ : part.elements;
}

void CollectiveRun::compute_for(int member) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::int64_t work = work_elements(parts_[part]);
    if (kind_ == CollectiveKind::reduce_scatter) {
      const std::int64_t own = work / members_;
      run(part, member * own, (member + 1) * own, member);
    } else {
      run(part, 0, work, member);
    }
  }
}

std::int64_t CollectiveRun::chunks() const {
  std::int64_t work = 0;
  for (const PartShape& part : parts_) work += work_elements(part);
  const std::int64_t chunk = kChunkBytes / element_bytes_;
  return (work + chunk - 1) / chunk;
}

std::int64_t CollectiveRun::take_chunks(std::atomic<std::int64_t>& claimed) {
  const std::int64_t chunk = kChunkBytes / element_bytes_;
  const std::int64_t all = chunks();
  std::int64_t taken = 0;
  // Chunks cut the parts' work, laid end to end, into equal lengths. Claims only grow, so the walk
  // over the parts never goes back.
  std::size_t part = 0;
  std::int64_t part_begin = 0;
  for (;;) {
    const std::int64_t claim = claimed.fetch_add(1, std::memory_order_relaxed);
    if (claim >= all) break;
    std::int64_t begin = claim * chunk;
    const std::int64_t end = begin + chunk;
    while (part < parts_.size() && part_begin < end) {
      const std::int64_t part_end = part_begin + work_elements(parts_[part]);
      if (begin < part_end) {
        run(part, begin - part_begin, std::min(end, part_end) - part_begin, kEverybody);
        begin = std::min(end, part_end);
      }
      if (part_end > end) break;  // the next chunk goes on in this part
      part_begin = part_end;
      ++part;
    }
    ++taken;
  }
  if (past_caches_) finish_copies_past_caches();
  return taken;
}

void CollectiveRun::run(std::size_t part, std::int64_t begin, std::int64_t end, int member) {
  switch (kind_) {
    case CollectiveKind::all_reduce:
      combine(part, begin, begin, end - begin, member);
      return;
    case CollectiveKind::broadcast:
      copy(part, root_, begin, begin, end - begin, member);
      return;
    case CollectiveKind::barrier:
      return;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      break;
  }
  // The members' shares lie one after another.
  const std::int64_t share = work_elements(parts_[part]) / members_;
  while (begin < end) {
    const auto owner = static_cast<int>(begin / share);
    const std::int64_t share_begin = owner * share;
    const std::int64_t share_end = std::min(end, share_begin + share);
    if (kind_ == CollectiveKind::all_gather) {
      gather(part, owner, begin - share_begin, share_end - share_begin, member);
    } else {
      scatter(part, owner, begin - share_begin, share_end - share_begin);
    }
    begin = share_end;
  }
}

void CollectiveRun::gather(std::size_t part, int source, std::int64_t begin, std::int64_t end,
                           int member) {
  // A row of the operand is contiguous in the result too.
  const std::int64_t row = parts_[part].axis_size * parts_[part].inner;
  while (begin < end) {
    const std::int64_t outer = begin / row;
    const std::int64_t row_end = std::min(end, (outer + 1) * row);
    const std::int64_t to = begin + (outer * (members_ - 1) + source) * row;
    copy(part, source, begin, to, row_end - begin, member);
    begin = row_end;
  }
}

void CollectiveRun::scatter(std::size_t part, int target, std::int64_t begin, std::int64_t end) {
  const std::int64_t row = parts_[part].axis_size / members_ * parts_[part].inner;
  while (begin < end) {
    const std::int64_t outer = begin / row;
    const std::int64_t row_end = std::min(end, (outer + 1) * row);
    const std::int64_t from = begin + (outer * (members_ - 1) + target) * row;
    combine(part, from, begin, row_end - begin, target);
    begin = row_end;
  }
}

void CollectiveRun::copy(std::size_t part, int source, std::int64_t from, std::int64_t to,
                         std::int64_t count, int member) {
  if (count == 0) return;
  const std::byte* operand = operands_[index(part, source)] + from * element_bytes_;
  const int first = member == kEverybody ? 0 : member;
  const int last = member == kEverybody ? members_ - 1 : member;
  for (int target = first; target <= last; ++target) {
    std::byte* result = results_[index(part, target)] + to * element_bytes_;
    if (result != operand) {  // equal: the root of a broadcast in place
      write(result, operand, count);
    }
  }
}

void CollectiveRun::combine(std::size_t part, std::int64_t from, std::int64_t to,
                            std::int64_t count, int member) {
  if (count == 0) return;
  for (int source = 0; source < members_; ++source) {
    sources_[static_cast<std::size_t>(source)] =
        operands_[index(part, source)] + from * element_bytes_;
  }
  const int first = member == kEverybody ? 0 : member;
  const int last = member == kEverybody ? members_ - 1 : member;
  for (int target = first; target <= last; ++target) {
    targets_[static_cast<std::size_t>(target - first)] =
        results_[index(part, target)] + to * element_bytes_;
  }
  const int targets = last - first + 1;
  if (!past_caches_) return reduce_(sources_.data(), members_, targets_.data(), targets, count);

  void* chunk = chunk_.data();
  reduce_(sources_.data(), members_, &chunk, 1, count);
  for (int target = 0; target < targets; ++target) {
    write(static_cast<std::byte*>(targets_[static_cast<std::size_t>(target)]), chunk_.data(),
          count);
  }
}

void CollectiveRun::write(std::byte* to, const std::byte* from, std::int64_t elements) const {
  const auto bytes = static_cast<std::size_t>(elements * element_bytes_);
  if (past_caches_) {
    copy_past_caches(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace tutti::kernels

#include <tutti/ir/support/bytes_text.h>
#include <tutti/runtime/memory_use.h>

#include <mutex>
#include <utility>

namespace tutti::runtime {

namespace {

std::string amount(std::size_t bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); }

}  // namespace

std::string MemoryLabel::text() const {
  const std::string name = what == nullptr ? "something" : what;
  return where.known() ? name + " (" + where.text() + ")" : name;
}

std::string text_of(const std::vector<MemoryBlock>& blocks) {
  std::string out;
  for (const MemoryBlock& block : blocks) {
    out += (out.empty() ? "" : ", ") + amount(block.bytes) + " for " + block.label.text();
  }
  return out;
}

MemoryUse::Counted::Counted(std::shared_ptr<MemoryUse> use, std::size_t bytes,
                            const MemoryLabel& label)
    : use_(std::move(use)) {
  const std::scoped_lock lock(use_->lock());
  use_->open(entry_, bytes, SizeClass(bytes).index);  // so many, and no more
  use_->begin_use(entry_, label);
}

MemoryUse::Counted::~Counted() {
  const std::scoped_lock lock(use_->lock());
  use_->end_use(entry_);
  use_->close(entry_);
}

void MemoryUse::open(Entry& entry, std::size_t bytes, std::size_t index) noexcept {
  entry.bytes_ = bytes;
  entry.index_ = static_cast<std::uint32_t>(index);
  Entry*& newest = newest_[index];
  entry.older_ = newest;
  if (newest != nullptr) newest->newer_ = &entry;
  newest = &entry;
  known_ += bytes;
  ++new_blocks_;
}

void MemoryUse::close(Entry& entry) noexcept {
  (entry.newer_ == nullptr ? newest_[entry.index_] : entry.newer_->older_) = entry.older_;
  if (entry.older_ != nullptr) entry.older_->newer_ = entry.newer_;
  known_ -= entry.bytes_;
}

MemoryUse::Largest MemoryUse::largest() const {
  Largest out;
  for (std::size_t index = newest_.size(); index-- > 0;) {
    for (const Entry* entry = newest_[index]; entry != nullptr; entry = entry->older_) {
      if (!entry->in_use_) continue;
      if (out.count == kMostBlocks) return out;
      out.blocks[out.count++] = {.bytes = entry->bytes_, .label = entry->label_};
    }
  }
  return out;
}

void MemoryUse::note_largest() noexcept {
  at_peak_ = largest();
  has_largest_ = true;
}

MemoryReport MemoryUse::report() const {
  MemoryReport out;
  Largest now;
  Largest at_peak;
  {
    const std::scoped_lock lock(lock_);
    now = largest();
    at_peak = has_largest_ ? at_peak_ : now;
    out.in_use = in_use_;
    out.cached = known_ - in_use_;
    out.allocations = allocations_;
    out.new_blocks = new_blocks_;
    out.peak = peak_;
    out.peak_label = peak_label_;
  }
  out.largest.assign(now.blocks.begin(), now.blocks.begin() + now.count);
  out.largest_at_peak.assign(at_peak.blocks.begin(), at_peak.blocks.begin() + at_peak.count);
  return out;
}

void MemoryUse::reset_peak() {
  const std::scoped_lock lock(lock_);
  peak_ = in_use_;
  at_peak_ = largest();
  // What was allocated last is not known any more; the largest tells most.
  peak_label_ = at_peak_.count == 0 ? MemoryLabel() : at_peak_.blocks[0].label;
  has_largest_ = true;
}

std::string out_of_memory_text(std::size_t bytes, const MemoryLabel& label, const MemoryUse& use,
                               const std::string& where_and_room) {
  const MemoryReport report = use.report();
  std::string out = "out of memory: no " + std::to_string(bytes) + " bytes (" + amount(bytes) +
                    ") to be had" +
                    (label.what == nullptr ? "" : " for " + std::string(label.what)) + "; " +
                    amount(report.in_use) + " are in use by this rank";
  if (!report.largest.empty()) out += ", most of it " + text_of(report.largest);
  if (!where_and_room.empty()) out += "; " + where_and_room;
  return out +
         "; smaller batches, checkpoint() and arguments that are moved into the call need less";
}

}  // namespace tutti::runtime

#include <tutti/ir/support/bytes_text.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/at_line.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/memory.h>

#include <utility>

namespace tutti {

using detail::RankContext;

namespace {

std::string bytes_as_text(std::size_t bytes) {
  return bytes_text(static_cast<std::int64_t>(bytes));
}

MemoryBlock block_of(std::size_t bytes, const runtime::MemoryLabel& label) {
  return {.bytes = bytes, .op = label.what == nullptr ? "" : label.what, .where = label.where};
}

std::vector<MemoryBlock> blocks_of(const std::vector<runtime::MemoryBlock>& blocks) {
  std::vector<MemoryBlock> out;
  for (const runtime::MemoryBlock& block : blocks)
    out.push_back(block_of(block.bytes, block.label));
  return out;
}

runtime::Context& context_for(const char* call, Device device, Location where) {
  if (device.is_any()) throw UsageError(std::string(call) + ": the device is cpu or a GPU", where);
  return RankContext::current().runtime();
}

void append_blocks(std::string& out, const char* title, const std::vector<MemoryBlock>& blocks) {
  if (!blocks.empty()) out += std::string(title) + "\n";
  for (const MemoryBlock& block : blocks) out += "  " + block.text() + "\n";
}

}  // namespace

std::string MemoryBlock::text() const {
  return bytes_as_text(bytes) + " for " + (op.empty() ? "something" : op) +
         (where.known() ? " (" + where.text() + ")" : "");
}

std::string MemoryStats::text() const {
  std::string out = device.text() + ": " + bytes_as_text(bytes_in_use) + " in use, " +
                    bytes_as_text(bytes_cached) + " kept for later";
  if (bytes_free && bytes_limit) {
    out += "; " + bytes_as_text(*bytes_free) + " of " + bytes_as_text(*bytes_limit) +
           " free for all programs";
  }
  out += "\nat most " + peak.text() + "\n" + std::to_string(allocations) + " allocations, " +
         std::to_string(new_blocks) + " of them of new memory\n";
  append_blocks(out, "the largest at that time:", largest_at_peak);
  append_blocks(out, "the largest now:", largest);
  append_blocks(out, "the largest that programs keep while they run:", largest_in_programs);
  return out;
}

MemoryStats memory_stats(Device device, std::source_location at) {
  runtime::Context& context = context_for("memory_stats", device, at);
  return detail::at_line<EnvironmentError>(
      at, [&] { return detail::memory_stats_of(context, device); });
}

MemoryStats detail::memory_stats_of(runtime::Context& context, Device device) {
  const runtime::Allocator& allocator = context.allocator_of(device);
  const runtime::MemoryReport report = allocator.use()->report();
  MemoryStats out{.device = device,
                  .bytes_in_use = report.in_use,
                  .peak_bytes_in_use = report.peak,
                  .bytes_cached = report.cached,
                  .allocations = report.allocations,
                  .new_blocks = report.new_blocks,
                  .bytes_free = std::nullopt,
                  .bytes_limit = std::nullopt,
                  .largest = blocks_of(report.largest),
                  .peak = block_of(report.peak, report.peak_label),
                  .largest_at_peak = blocks_of(report.largest_at_peak),
                  .largest_in_programs = blocks_of(context.arena_contents(device))};
  if (const auto room = allocator.room()) {
    out.bytes_free = room->free;
    out.bytes_limit = room->total;
  }
  return out;
}

void reset_peak_memory_stats(Device device, std::source_location at) {
  runtime::Context& context = context_for("reset_peak_memory_stats", device, at);
  detail::at_line<EnvironmentError>(at, [&] { context.allocator_of(device).use()->reset_peak(); });
}

}  // namespace tutti

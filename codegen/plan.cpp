#include <tutti/codegen/plan.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/buffer.h>

#include <algorithm>
#include <map>

namespace tutti::codegen {

namespace {

const char* kind_text(PlanBuffer::Kind kind) {
  switch (kind) {
    case PlanBuffer::Kind::input:
      return "input";
    case PlanBuffer::Kind::constant:
      return "constant";
    case PlanBuffer::Kind::local:
      return "local";
    case PlanBuffer::Kind::comm:
      return "comm";
    case PlanBuffer::Kind::output:
      return "output";
  }
  __builtin_unreachable();
}

// Calls f(buffer, written) for every buffer of a step.
template <class F>
void each_buffer(const Plan& plan, const Step& step, F&& f) {
  if (const auto* launch = std::get_if<Launch>(&step)) {
    for (std::size_t i = 0; i < launch->buffers.size(); ++i) {
      f(launch->buffers[i], writes(plan, *launch, i));
    }
  } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
    for (const BufferId buffer : start->operands) f(buffer, false);
    for (const BufferId buffer : start->results) f(buffer, true);
  }
}

std::string list(const std::vector<BufferId>& buffers) {
  std::string out;
  for (const BufferId buffer : buffers) out += (out.empty() ? "b" : ", b") + std::to_string(buffer);
  return out;
}

std::string step_text(const Plan& plan, const Step& step) {
  if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
    return "wait w" + std::to_string(wait->work);
  }
  if (const auto* start = std::get_if<CollectiveStart>(&step)) {
    return "start w" + std::to_string(start->work) + " = " + start->call.description + " over " +
           start->group->tag + " (" + list(start->operands) + ") -> " + list(start->results);
  }
  const auto& launch = std::get<Launch>(step);
  std::vector<BufferId> read;
  std::vector<BufferId> written;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    (writes(plan, launch, i) ? written : read).push_back(launch.buffers[i]);
  }
  std::string out = launch.kernel < 0
                        ? "call " + launch.name + " [" + launch.detail + "]"
                        : "launch " + launch.name + " k" + std::to_string(launch.kernel);
  out += " x" + std::to_string(launch.tiles) + " (" + list(read) + ") -> " + list(written);
  if (launch.location.known()) out += "  // " + launch.location.text();
  return out;
}

}  // namespace

bool writes(const Plan& plan, const Launch& launch, std::size_t i) {
  if (launch.kernel < 0) return i + 1 == launch.buffers.size();
  return plan.kernels[static_cast<std::size_t>(launch.kernel)].buffers[i].written;
}

std::string print(const Plan& plan) {
  std::string out = "plan @" + plan.name + " rank " + std::to_string(plan.rank) + " arena " +
                    std::to_string(plan.arena_bytes) + " bytes {\n";
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    out += "  b" + std::to_string(i) + " = " + kind_text(buffer.kind);
    if (buffer.index >= 0) out += " " + std::to_string(buffer.index);
    if (buffer.kind == PlanBuffer::Kind::local) out += " @" + std::to_string(buffer.offset);
    out += ", " + std::to_string(buffer.bytes) + " bytes\n";
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    out += "  " + std::to_string(i) + ": " + step_text(plan, plan.steps[i]) + "\n";
  }
  out += "  return";
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    const PlanResult& result = plan.results[i];
    out += (i == 0 ? " b" : ", b") + std::to_string(result.buffer) + ": " + result.type.text();
    if (result.work >= 0) out += " of w" + std::to_string(result.work);
  }
  return out + "\n}\n";
}

void find_live_ranges(Plan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const int at = static_cast<int>(i);
    each_buffer(plan, plan.steps[i], [&](BufferId id, bool written) {
      PlanBuffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
      if (written && buffer.defined_at < 0) buffer.defined_at = at;
      buffer.last_use = std::max(buffer.last_use, at);
    });
  }
  const int end = static_cast<int>(plan.steps.size());
  for (const PlanResult& result : plan.results) {
    plan.buffers[static_cast<std::size_t>(result.buffer)].last_use = end;
  }
  // A collective's buffers are in use until its wait.
  std::vector<int> waited(static_cast<std::size_t>(plan.works), end);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (const auto* wait = std::get_if<CollectiveWait>(&plan.steps[i])) {
      waited[static_cast<std::size_t>(wait->work)] = static_cast<int>(i);
    }
  }
  for (const Step& step : plan.steps) {
    const auto* start = std::get_if<CollectiveStart>(&step);
    if (start == nullptr) continue;
    each_buffer(plan, step, [&](BufferId id, bool) {
      int& last = plan.buffers[static_cast<std::size_t>(id)].last_use;
      last = std::max(last, waited[static_cast<std::size_t>(start->work)]);
    });
  }
}

void plan_memory(Plan& plan) {
  constexpr auto kAlignment = static_cast<std::int64_t>(runtime::kBufferAlignment);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].kind == PlanBuffer::Kind::local) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return plan.buffers[a].defined_at < plan.buffers[b].defined_at;
  });
  std::map<std::int64_t, std::int64_t> free;  // offset -> size; neighbours are joined
  std::multimap<int, std::pair<std::int64_t, std::int64_t>> ending;  // last use -> block
  const auto release = [&](std::int64_t offset, std::int64_t size) {
    auto next = free.lower_bound(offset);
    if (next != free.end() && next->first == offset + size) {
      size += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += size;
        return;
      }
    }
    free.emplace(offset, size);
  };
  for (const std::size_t i : order) {
    PlanBuffer& buffer = plan.buffers[i];
    while (!ending.empty() && ending.begin()->first < buffer.defined_at) {
      release(ending.begin()->second.first, ending.begin()->second.second);
      ending.erase(ending.begin());
    }
    const std::int64_t size = std::max<std::int64_t>(
        (buffer.bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    auto place = free.begin();
    while (place != free.end() && place->second < size) ++place;
    if (place != free.end()) {
      buffer.offset = place->first;
      const std::int64_t rest = place->second - size;
      free.erase(place);
      if (rest > 0) free.emplace(buffer.offset + size, rest);
    } else {
      // Grow the arena, from its last hole if it ends in one.
      std::int64_t begin = plan.arena_bytes;
      if (!free.empty()) {
        const auto last = std::prev(free.end());
        if (last->first + last->second == plan.arena_bytes) {
          begin = last->first;
          free.erase(last);
        }
      }
      buffer.offset = begin;
      plan.arena_bytes = begin + size;
    }
    ending.emplace(buffer.last_use, std::pair(buffer.offset, size));
  }
}

void check(const Plan& plan) {
  const auto fail = [&](std::size_t step, const std::string& message) {
    throw InternalError("plan @" + plan.name + ", step " + std::to_string(step) + ": " + message);
  };
  std::vector<bool> written(plan.buffers.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    written[i] = plan.buffers[i].kind == PlanBuffer::Kind::input ||
                 plan.buffers[i].kind == PlanBuffer::Kind::constant;
  }
  std::vector<bool> started(static_cast<std::size_t>(plan.works));
  // Live local buffers by offset; a new one may overlap none of them.
  std::map<std::int64_t, std::size_t> live;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    for (auto it = live.begin(); it != live.end();) {
      it = plan.buffers[it->second].last_use < static_cast<int>(i) ? live.erase(it) : std::next(it);
    }
    if (const auto* wait = std::get_if<CollectiveWait>(&plan.steps[i])) {
      if (!started[static_cast<std::size_t>(wait->work)]) fail(i, "waits before the start");
    }
    if (const auto* start = std::get_if<CollectiveStart>(&plan.steps[i])) {
      started[static_cast<std::size_t>(start->work)] = true;
    }
    each_buffer(plan, plan.steps[i], [&](BufferId id, bool writes) {
      const auto at = static_cast<std::size_t>(id);
      const PlanBuffer& buffer = plan.buffers[at];
      if (!writes) {
        if (!written[at]) fail(i, "reads b" + std::to_string(id) + " before it is written");
        return;
      }
      if (buffer.kind == PlanBuffer::Kind::input || buffer.kind == PlanBuffer::Kind::constant) {
        fail(i, "writes b" + std::to_string(id) + ", which is not its own");
      }
      if (buffer.kind == PlanBuffer::Kind::local && !written[at]) {
        const auto next = live.lower_bound(buffer.offset);
        const bool hits_next = next != live.end() && next->first < buffer.offset + buffer.bytes;
        bool hits_previous = false;
        if (next != live.begin()) {
          const PlanBuffer& previous = plan.buffers[std::prev(next)->second];
          hits_previous = previous.offset + previous.bytes > buffer.offset;
        }
        if (hits_next || hits_previous) {
          fail(i, "b" + std::to_string(id) + " overlaps a live buffer");
        }
        live.emplace(buffer.offset, at);
      }
      written[at] = true;
    });
  }
  for (const PlanResult& result : plan.results) {
    if (!written[static_cast<std::size_t>(result.buffer)]) {
      fail(plan.steps.size(), "returns b" + std::to_string(result.buffer) + " unwritten");
    }
  }
}

}  // namespace tutti::codegen

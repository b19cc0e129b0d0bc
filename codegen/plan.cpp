#include <tutti/codegen/plan.h>

#include <algorithm>

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
    case PlanBuffer::Kind::owned:
      return "owned";
    case PlanBuffer::Kind::output:
      return "output";
  }
  __builtin_unreachable();
}

std::string list(const std::vector<BufferId>& buffers) {
  std::string out;
  for (const BufferId buffer : buffers) out += (out.empty() ? "b" : ", b") + std::to_string(buffer);
  return out;
}

std::string device_text(Device device) { return device.is_cpu() ? "" : " on " + device.text(); }

std::string part_text(const Plan& plan, const LaunchPart& part, Device device) {
  std::vector<BufferId> read;
  std::vector<BufferId> written;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    (writes(plan, part, i) ? written : read).push_back(part.buffers[i]);
  }
  std::string out = part.kernel < 0 ? "call " + part.name + " [" + part.detail + "]"
                                    : "launch " + part.name + " k" + std::to_string(part.kernel);
  if (part.epilogue >= 0) {
    out += " then " + plan.kernels[static_cast<std::size_t>(part.epilogue)].name + " k" +
           std::to_string(part.epilogue);
  }
  if (device.is_cpu()) out += " x" + std::to_string(part.tiles);
  out += " (" + list(read) + ") -> " + list(written);
  out += device_text(device);
  if (part.location.known()) out += "  // " + part.location.text();
  return out;
}

std::string control_text(const Plan& plan, const Control& control) {
  const auto function = [&](std::size_t i) {
    const int number = control.functions[i];
    return "f" + std::to_string(number) + " @" +
           plan.functions[static_cast<std::size_t>(number)]->name;
  };
  std::string out;
  switch (control.kind) {
    case Control::Kind::scan:
      out = "scan " + function(0) + " x" + std::to_string(control.length) +
            (control.reverse ? " reverse" : "") + " [" + std::to_string(control.carries) +
            " carries, " + std::to_string(control.sequences) + " sequences]";
      break;
    case Control::Kind::while_loop:
      out = "while " + function(0) + " do " + function(1) + " [" + std::to_string(control.carries) +
            " carries]";
      break;
    case Control::Kind::conditional:
      out = "conditional";
      for (std::size_t i = 0; i < control.functions.size(); ++i) {
        out += (i == 0 ? " " : ", ") + function(i);
      }
  }
  out += " (" + list(control.operands) + ") -> " + list(control.results);
  if (control.location.known()) out += "  // " + control.location.text();
  return out;
}

std::string step_text(const Plan& plan, const Step& step) {
  if (const auto* allocate = std::get_if<Allocate>(&step)) {
    return "allocate b" + std::to_string(allocate->buffer);
  }
  if (const auto* free = std::get_if<Free>(&step)) return "free b" + std::to_string(free->buffer);
  if (const auto* wait = std::get_if<CollectiveWait>(&step)) {
    return "wait w" + std::to_string(wait->work);
  }
  if (const auto* start = std::get_if<CollectiveStart>(&step)) {
    return "start w" + std::to_string(start->work) + " = " + start->call.description + " over " +
           start->group->tag + (start->engine == "shm" ? "" : " by " + start->engine) + " (" +
           list(start->operands) + ")" +
           (start->results.empty() ? "" : " -> " + list(start->results));
  }
  if (const auto* copy = std::get_if<Copy>(&step)) {
    const auto place = [&](BufferId id) {
      return "b" + std::to_string(id) + " on " +
             plan.buffers[static_cast<std::size_t>(id)].device.text();
    };
    std::string out = "copy " + place(copy->from) + " -> " + place(copy->to);
    if (copy->location.known()) out += "  // " + copy->location.text();
    return out;
  }
  if (const auto* control = std::get_if<Control>(&step)) return control_text(plan, *control);
  const auto& launch = std::get<Launch>(step);
  if (launch.parts.size() == 1) return part_text(plan, launch.parts[0], launch.device);
  std::string out = "together";
  for (const LaunchPart& part : launch.parts) out += "\n       " + part_text(plan, part, {});
  return out;
}

}  // namespace

bool writes(const Plan& plan, const LaunchPart& part, std::size_t i) {
  if (part.kernel >= 0)
    return plan.kernels[static_cast<std::size_t>(part.kernel)].buffers[i].written;
  const std::size_t own = call_buffers(plan, part);
  if (i < own) return i + static_cast<std::size_t>(part.results) >= own;
  return plan.kernels[static_cast<std::size_t>(part.epilogue)].buffers[i - own].written;
}

std::size_t call_buffers(const Plan& plan, const LaunchPart& part) {
  if (part.epilogue < 0) return part.buffers.size();
  return part.buffers.size() - plan.kernels[static_cast<std::size_t>(part.epilogue)].buffers.size();
}

void for_each_access(const Plan& plan, const Step& step,
                     const std::function<void(BufferId, bool)>& f) {
  if (const auto* launch = std::get_if<Launch>(&step)) {
    for (const bool written : {false, true}) {
      for (const LaunchPart& part : launch->parts) {
        for (std::size_t i = 0; i < part.buffers.size(); ++i) {
          if (writes(plan, part, i) != written) continue;
          // What an epilogue reads of its own call is no read of what was there before.
          const bool own = !written && part.epilogue >= 0 &&
                           part.buffers[i] == part.buffers[call_buffers(plan, part) - 1];
          if (!own) f(part.buffers[i], written);
        }
      }
    }
  } else if (const auto* start = std::get_if<CollectiveStart>(&step)) {
    for (const BufferId buffer : start->operands) f(buffer, false);
    for (const BufferId buffer : start->results) f(buffer, true);
  } else if (const auto* copy = std::get_if<Copy>(&step)) {
    f(copy->from, false);
    f(copy->to, true);
  } else if (const auto* control = std::get_if<Control>(&step)) {
    for (const BufferId buffer : control->operands) f(buffer, false);
    for (const BufferId buffer : control->results) f(buffer, true);
  }
}

std::string print(const Plan& plan) {
  std::string out = "plan @" + plan.name + " rank " + std::to_string(plan.rank) + " arena " +
                    std::to_string(plan.arena_bytes) + " bytes";
  for (const PlanDevice& device : plan.devices) {
    out += ", " + std::to_string(device.arena_bytes) + " bytes on " + device.device.text();
  }
  out += " {\n";
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers[i];
    out += "  b" + std::to_string(i) + " = " + kind_text(buffer.kind);
    if (buffer.index >= 0) out += " " + std::to_string(buffer.index);
    if (buffer.kind == PlanBuffer::Kind::local) out += " @" + std::to_string(buffer.offset);
    out += ", " + std::to_string(buffer.bytes) + " bytes" + device_text(buffer.device) + "\n";
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    out += "  " + std::to_string(i) + ": " + step_text(plan, plan.steps[i]) + "\n";
  }
  for (const Donation& donation : plan.donations) {
    out += "  b" + std::to_string(donation.buffer) + " may take over input " +
           std::to_string(donation.input) + "\n";
  }
  out += "  return";
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    const PlanResult& result = plan.results[i];
    out += (i == 0 ? " b" : ", b") + std::to_string(result.buffer) + ": " + result.type.text();
    if (result.work >= 0) out += " of w" + std::to_string(result.work);
  }
  out += "\n}\n";
  for (std::size_t i = 0; i < plan.functions.size(); ++i) {
    out += "\nf" + std::to_string(i) + ": " + print(*plan.functions[i]);
  }
  return out;
}

bool uses_group(const Plan& plan, const ir::Group& group) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* const start = std::get_if<CollectiveStart>(&step);
    if (start == nullptr) return false;
    const ir::Group& of = start->parent != nullptr ? *start->parent : *start->group;
    return of.tag == group.tag && of.ranks == group.ranks && of.stride == group.stride;
  });
}

}  // namespace tutti::codegen

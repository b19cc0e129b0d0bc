#include <tutti/codegen/plan/device_span.h>
#include <tutti/ir/support/error.h>
#include <tutti/runtime/log.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::codegen {

namespace {

using runtime::Accelerator;
using runtime::RecordedCalls;

// Each once.
void sort_out(std::vector<std::size_t>& numbers) {
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
}

}  // namespace

DeviceSpan::DeviceSpan(const Plan& plan, Device device, std::vector<Step> steps,
                       std::size_t first_step, std::size_t last_step)
    : device_(device), steps_(std::move(steps)), first_step_(first_step), last_step_(last_step) {
  for (const PlanBuffer& buffer : plan.buffers) {
    placed_.push_back(buffer.kind == PlanBuffer::Kind::symmetric);
  }
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::start) works_.push_back(step.number);
  }
  calls_.resize(works_.size());
  for (const codegen::Step& step : plan.steps) {
    const CollectiveStart* const start = start_of(step);
    if (start == nullptr || std::ranges::find(works_, start->work) == works_.end()) continue;
    Call& call = calls_[call_of(start->work)];
    call = {.work = start->work,
            .operands = start->operands,
            .results = start->results,
            .has_leader = start->leader.has_value(),
            .has_follower = start->follower.has_value()};
    const std::int64_t size = size_of(start->call.dtype);
    for (const runtime::TensorPart& part : start->call.parts) {
      call.operand_bytes.push_back(static_cast<std::size_t>(part.elements * size));
    }
  }
  plan_nodes(plan);
}

std::size_t DeviceSpan::call_of(std::int32_t work) const {
  return static_cast<std::size_t>(std::ranges::find(works_, work) - works_.begin());
}

// Launches come behind each other, and behind the collectives that were waited for before them;
// collectives behind each other, and behind the launches before their start.
void DeviceSpan::plan_nodes(const Plan& plan) {
  std::map<std::size_t, std::size_t> node_of;  // by call
  std::vector<std::size_t> stream;             // what the next launch is behind
  std::vector<std::size_t> lane;               // the last collective
  const auto add = [&](Node node, std::vector<std::size_t> behind) {
    sort_out(behind);
    node.behind = std::move(behind);
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  };
  const auto launch = [&](Node node) { stream = {add(std::move(node), stream)}; };
  const auto launch_copies = [&](Node::Kind kind, std::size_t call,
                                 const std::vector<BufferId>& buffers) {
    Node node{.kind = kind, .call = call};
    for (std::size_t part = 0; part < buffers.size(); ++part) {
      if (is_placed(buffers[part])) continue;
      // An operand may be what a larger buffer begins with.
      const bool in = kind == Node::Kind::copies_in;
      node.bytes.push_back(in ? calls_[call].operand_bytes[part]
                              : static_cast<std::size_t>(plan.buffers[at(buffers[part])].bytes));
    }
    const auto is_some = [](std::size_t bytes) { return bytes > 0; };
    if (std::ranges::any_of(node.bytes, is_some)) launch(std::move(node));
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::region:
        if (step.region->launches_something()) launch({.region = step.region});
        break;
      case Step::Kind::start: {
        const std::size_t call = call_of(step.number);
        if (calls_[call].has_leader) launch({.kind = Node::Kind::leader, .call = call});
        launch_copies(Node::Kind::copies_in, call, calls_[call].operands);
        std::vector<std::size_t> behind = stream;
        behind.insert(behind.end(), lane.begin(), lane.end());
        node_of[call] = add({.kind = Node::Kind::collective, .call = call}, std::move(behind));
        lane = {node_of[call]};
        calls_[call].node = node_of[call];
        break;
      }
      case Step::Kind::wait: {
        const std::size_t call = call_of(step.number);
        stream.push_back(node_of.at(call));
        if (calls_[call].has_follower) {
          // Which alone reads the result, where that is.
          launch({.kind = Node::Kind::follower, .call = call});
          break;
        }
        launch_copies(Node::Kind::copies_out, call, calls_[call].results);
        break;
      }
      default:
        break;
    }
  }
}

bool DeviceSpan::make_calls(Accelerator& accelerator, runtime::PlanFrame& frame) {
  std::vector<std::shared_ptr<const runtime::PreparedCall>> prepared;
  for (const std::int32_t work : works_) prepared.push_back(frame.collectives[at(work)].call);
  const auto& communicator = frame.collectives[at(works_[0])].communicator;
  recorded_ = communicator->record_calls(std::move(prepared), accelerator);
  if (recorded_ == nullptr) return false;
  for (std::size_t i = 0; i < works_.size(); ++i) {
    runtime::BoundCollective& collective = frame.collectives[at(works_[i])];
    collective.recorded = recorded_;
    collective.number_in_recording = i;
    calls_[i].leader = collective.leader;
    calls_[i].follower = collective.follower;
  }
  return true;
}

std::vector<RecordedCalls::Places> DeviceSpan::places(const runtime::PlanFrame& frame) const {
  std::vector<RecordedCalls::Places> out;
  const auto fill = [&](const std::vector<BufferId>& buffers,
                        std::vector<std::shared_ptr<runtime::Buffer>>& into) {
    for (const BufferId id : buffers) into.push_back(is_placed(id) ? frame.held(id) : nullptr);
  };
  for (const Call& call : calls_) {
    RecordedCalls::Places& each = out.emplace_back();
    fill(call.operands, each.operands);
    fill(call.results, each.results);
  }
  return out;
}

bool DeviceSpan::replay(runtime::Context& context, runtime::PlanFrame& frame) {
  if (!records_) return false;
  Accelerator& accelerator = context.accelerator(device_);
  if (recorded_ == nullptr) {
    records_ = make_calls(accelerator, frame);
    return false;  // what the first run gets ready is there in the next
  }
  const std::vector<RecordedCalls::Places> places = this->places(frame);
  if (!recorded_->is_warm(places)) return false;
  // Whatever may fail on this rank alone comes before the others hear of it.
  frame.begin_trial();
  try {
    if (recorded_->is_recorded(places)) {
      find_addresses(accelerator, frame);
      join(accelerator);
    } else {
      recorded_->get_ready(places);
    }
  } catch (const EnvironmentError& error) {
    frame.undo_trial();
    recorded_->drop();
    // Memory may be there in the next run; other things won't.
    if (dynamic_cast<const OutOfMemoryError*>(&error) == nullptr) stop(error.what());
    return false;
  }
  const RecordedCalls::Way way = frame.begin(works_);
  if (way != RecordedCalls::Way::replayed) {
    frame.undo_trial();
    return false;
  }
  recorded_->replay();
  frame.keep_trial();
  return true;
}

void DeviceSpan::end() {
  if (recorded_ == nullptr) return;
  try {
    recorded_->end();
  } catch (const EnvironmentError& error) {
    stop(error.what());
  }
}

// Takes the steps that allocate and free, as regions do (DeviceRegion): what they put on the GPU
// comes after all of them, in their order.
void DeviceSpan::find_addresses(Accelerator& accelerator, runtime::PlanFrame& frame) {
  std::size_t node = 0;
  const auto copies = [&](const std::vector<BufferId>& buffers, auto&& own_place, bool in) {
    std::vector<void*>& out = nodes_[node].addresses;
    out.clear();
    for (std::size_t part = 0; part < buffers.size(); ++part) {
      if (is_placed(buffers[part])) continue;
      void* const outside = frame.memory().addresses[buffers[part]];
      void* const own = own_place(part);
      out.push_back(in ? outside : own);
      out.push_back(in ? own : outside);
    }
    ++node;
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::allocate:
        frame.allocate(step.number);
        break;
      case Step::Kind::free:
        frame.free(step.number);
        break;
      case Step::Kind::region:
        step.region->find_addresses(frame);
        if (step.region->launches_something()) {
          nodes_[node++].addresses = step.region->addresses();
        }
        break;
      case Step::Kind::start: {
        const std::size_t call = call_of(step.number);
        nodes_[calls_[call].node].addresses.clear();
        if (calls_[call].has_leader) {
          frame.allocate_for(*calls_[call].leader);
          find_companion(frame, node++, frame.memory().addresses[calls_[call].operands[0]]);
        }
        if (nodes_[node].kind == Node::Kind::copies_in) {
          copies(
              calls_[call].operands,
              [&](std::size_t part) { return recorded_->operand(call, part); }, true);
        }
        ++node;  // itself
        if (calls_[call].has_follower) frame.allocate_for(*calls_[call].follower);
        break;
      }
      case Step::Kind::wait: {
        const std::size_t call = call_of(step.number);
        if (calls_[call].has_follower) {
          find_companion(frame, node++, recorded_->result(call, 0));
          break;
        }
        for (const BufferId id : calls_[call].results) {
          if (is_placed(id)) continue;
          const runtime::PlanFrame::Allocation& wanted = frame.allocations[at(id)];
          frame.bind(id, accelerator.memory().allocate(wanted.bytes, wanted.label));
        }
        // That of the next wait may be next to it.
        const bool copied = node < nodes_.size() && nodes_[node].kind == Node::Kind::copies_out &&
                            nodes_[node].call == call;
        if (copied) {
          copies(
              calls_[call].results, [&](std::size_t part) { return recorded_->result(call, part); },
              false);
        }
        break;
      }
    }
  }
}

const runtime::FusedCommKernels& DeviceSpan::kernels_with(const Call& call) {
  return call.leader != nullptr ? *call.leader->fused : *call.follower->fused;
}

bool DeviceSpan::is_fused(const Node& companion) const {
  const runtime::Companions fused = recorded_->fused(companion.call);
  return companion.kind == Node::Kind::leader ? fused.leader : fused.follower;
}

const runtime::BoundCompanion& DeviceSpan::companion_at(const Node& node) const {
  const Call& call = calls_[node.call];
  return node.kind == Node::Kind::leader ? *call.leader : *call.follower;
}

// The part that the arguments belong to has them: other ones may be as they were.
void DeviceSpan::find_companion(const runtime::PlanFrame& frame, std::size_t node, void* shared) {
  Node& own = nodes_[node];
  const bool fused = is_fused(own);
  std::vector<void*> arguments = frame.arguments_of(companion_at(own), fused ? nullptr : shared);
  if (!fused) {
    own.addresses = std::move(arguments);
    return;
  }
  std::vector<void*>& all = nodes_[calls_[own.call].node].addresses;
  all.insert(all.end(), arguments.begin(), arguments.end());
}

std::shared_ptr<const Accelerator::Part> DeviceSpan::part_of(Accelerator& accelerator,
                                                             const Node& node) const {
  switch (node.kind) {
    case Node::Kind::region:
      return node.region->part(accelerator);
    case Node::Kind::collective:
      if (!recorded_->fused(node.call).any()) return recorded_->part(node.call);
      return recorded_->fused_part(node.call, kernels_with(calls_[node.call]), node.addresses);
    case Node::Kind::leader:
    case Node::Kind::follower:
      if (is_fused(node)) return nullptr;
      return accelerator.record_part(
          [&] { companion_at(node).code->launch(accelerator, node.addresses.data()); });
    default:
      return accelerator.record_part([&] {
        for (std::size_t i = 0; i < node.bytes.size(); ++i) {
          accelerator.copy(node.addresses[2 * i + 1], node.addresses[2 * i], node.bytes[i]);
        }
      });
  }
}

void DeviceSpan::join(Accelerator& accelerator) {
  std::unique_ptr<Accelerator::JoinedRecording>& joined = recorded_->joined();
  if (joined == nullptr) {
    std::vector<Accelerator::JoinedPart> parts;
    std::vector<std::vector<std::size_t>> ends;  // by node: the parts that stand for it
    for (Node& node : nodes_) {
      std::vector<std::size_t> behind;
      for (const std::size_t other : node.behind) {
        behind.insert(behind.end(), ends[other].begin(), ends[other].end());
      }
      sort_out(behind);
      node.part = parts.size();
      node.recorded = node.addresses;
      std::shared_ptr<const Accelerator::Part> part = part_of(accelerator, node);
      ends.push_back(part == nullptr ? behind : std::vector{node.part});
      if (part != nullptr) parts.push_back({.part = std::move(part), .behind = std::move(behind)});
    }
    joined = accelerator.join(std::move(parts));
    return;
  }
  for (Node& node : nodes_) {
    if (node.addresses == node.recorded) continue;
    joined->exchange(node.part, part_of(accelerator, node));
    node.recorded = node.addresses;
  }
}

void DeviceSpan::stop(const std::string& why) {
  records_ = false;
  runtime::Log::process().write(
      runtime::LogTopic::gpu, -1,
      std::to_string(calls_.size()) + " collectives on " + device_.text() +
          " and what is between "
          "them are not recorded any more, but put on the stream one by one: " +
          why);
}

}  // namespace tutti::codegen

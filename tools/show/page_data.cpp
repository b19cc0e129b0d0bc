#include "tools/show/page_data.h"

#include <tutti/codegen/driver/artifacts.h>
#include <tutti/ir/support/error.h>

#include <unordered_map>
#include <utility>

#include "tools/show/format.h"
#include "tools/show/function_text.h"
#include "tools/show/match.h"
#include "tools/show/picture.h"
#include "tools/show/plan_memory.h"
#include "tools/show/stages.h"
#include "tools/show/usage.h"
#include <nlohmann/json.hpp>

namespace tutti::tools::show {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestCode = 2000;  // constants may have a million elements

class Strings {
 public:
  int add(std::string_view text) {
    const auto [known, is_new] =
        numbers_.try_emplace(std::string(text), static_cast<int>(numbers_.size()));
    if (is_new) all_.push_back(text);
    return known->second;
  }
  json take() { return std::move(all_); }

 private:
  std::unordered_map<std::string, int> numbers_;
  json all_ = json::array();
};

json empty_columns(std::initializer_list<const char*> names) {
  json out = json::object();
  for (const char* const name : names) out[name] = json::array();
  return out;
}

json picture_data(const ir::Graph& graph, const FunctionText& text) {
  // As wide as the wider one of folded and not: a click then changes heights alone.
  Picture picture = picture_of(graph, text, false);
  const Picture folded = picture_of(graph, text, true);
  std::vector<int> widths;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    widths.push_back(std::max(width_of(picture.boxes[i]), width_of(folded.boxes[i])));
  }
  std::vector<LayoutEdge> edges;
  for (const Arrow& arrow : picture.arrows) edges.push_back({.from = arrow.from, .to = arrow.to});
  const Layout layout = lay_out(widths, edges);
  json boxes = empty_columns({"nodes", "row", "left", "width"});
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    boxes["nodes"].push_back(picture.boxes[i].nodes);
    boxes["row"].push_back(layout.rows[i]);
    boxes["left"].push_back(layout.lefts[i]);
    boxes["width"].push_back(widths[i]);
  }
  json arrows = empty_columns({"from", "to", "async", "cut", "bends", "node"});
  for (std::size_t i = 0; i < edges.size(); ++i) {
    arrows["from"].push_back(edges[i].from);
    arrows["to"].push_back(edges[i].to);
    arrows["async"].push_back(graph.type(picture.arrows[i].value).async ? 1 : 0);
    arrows["cut"].push_back(layout.cut[i] ? 1 : 0);
    arrows["bends"].push_back(layout.bends[i]);
    arrows["node"].push_back(graph.producer(picture.arrows[i].value));
  }
  return {{"boxes", std::move(boxes)},
          {"arrows", std::move(arrows)},
          {"rows", layout.row_count},
          {"width", layout.width}};
}

json graph_data(const ir::Graph& graph, const ir::Graph* before, Strings& strings) {
  const FunctionText text(graph);
  const Usage usage = find_usage(graph);
  json out = empty_columns({"code", "name", "op", "kind", "attributes", "type", "source",
                            "operands", "bytes", "uses", "last", "live", "kernel", "returned"});
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const NodeText& node = text.node(id);
    const NodeUse& use = usage.nodes[id];
    json operands = json::array();
    for (const ir::Value operand : graph.operands(id)) operands.push_back(graph.producer(operand));
    out["code"].push_back(shortened(node.code, kLongestCode));
    out["name"].push_back(node.names);
    out["op"].push_back(strings.add(ir::name_of(graph.node(id).op)));
    out["kind"].push_back(strings.add(name_of(kind_of(graph.node(id).op))));
    out["attributes"].push_back(strings.add(shortened(node.attributes, kLongestCode)));
    out["type"].push_back(strings.add(node.types));
    out["source"].push_back(strings.add(node.source));
    out["operands"].push_back(std::move(operands));
    out["bytes"].push_back(use.bytes);
    out["uses"].push_back(use.uses);
    out["last"].push_back(use.last_use);
    out["live"].push_back(use.live);
    out["kernel"].push_back(graph.node(id).fusion);
  }
  for (const ir::Value result : graph.results()) out["returned"].push_back(graph.producer(result));
  out["signature"] = text.signature();
  out["parameterBytes"] = usage.parameter_bytes;
  out["peak"] = usage.peak;
  out["peakAt"] = usage.peak_at;
  if (before != nullptr) out["before"] = match_nodes(*before, graph);
  out["picture"] = picture_data(graph, text);
  return out;
}

const char* kind_text(codegen::PlanBuffer::Kind kind) {
  switch (kind) {
    case codegen::PlanBuffer::Kind::input:
      return "input";
    case codegen::PlanBuffer::Kind::constant:
      return "constant";
    case codegen::PlanBuffer::Kind::local:
      return "local";
    case codegen::PlanBuffer::Kind::comm:
      return "comm";
    case codegen::PlanBuffer::Kind::symmetric:
      return "symmetric";
    case codegen::PlanBuffer::Kind::peer:
      return "peer";
    case codegen::PlanBuffer::Kind::parameter:
      return "parameter";
    case codegen::PlanBuffer::Kind::output:
      return "output";
    case codegen::PlanBuffer::Kind::result:
      return "result";
  }
  __builtin_unreachable();
}

// By buffer: the first node whose result it holds, or -1.
std::vector<std::int64_t> nodes_of_buffers(const Stages& stages) {
  const ir::Graph& graph = *stages.graphs.back().graph;
  std::vector<std::int64_t> out(stages.plan->buffers.size(), -1);
  for (std::uint32_t id = 0; id < graph.value_count(); ++id) {
    const codegen::BufferId buffer = stages.buffers[id];
    if (buffer < 0) continue;
    std::int64_t& node = out[static_cast<std::size_t>(buffer)];
    if (node < 0) node = graph.producer(ir::Value{id});
  }
  return out;
}

json step_data(const codegen::Plan& plan) {
  json out = empty_columns({"text", "reads", "writes"});
  out["text"] = step_texts(plan);
  out["enteredBy"] = entering_steps(plan);
  for (const codegen::Step& step : plan.steps) {
    json reads = json::array();
    json writes = json::array();
    codegen::for_each_access(plan, step, [&](codegen::BufferId buffer, bool written) {
      (written ? writes : reads).push_back(buffer);
    });
    out["reads"].push_back(std::move(reads));
    out["writes"].push_back(std::move(writes));
  }
  return out;
}

// The number of what a buffer has its place in: of the arenas, then the groups' areas; -1: nowhere.
std::int64_t space_of(const codegen::Plan& plan, const codegen::PlanBuffer& buffer) {
  const std::int64_t areas = 1 + std::ssize(plan.devices);
  if (buffer.kind == codegen::PlanBuffer::Kind::symmetric) return areas + buffer.index;
  if (buffer.kind != codegen::PlanBuffer::Kind::local) return -1;
  if (buffer.device.is_cpu()) return 0;
  const auto used = std::ranges::find(plan.devices, buffer.device, &codegen::PlanDevice::device);
  return 1 + (used - plan.devices.begin());
}

// What buffers have places in, in that order.
json spaces_of(const codegen::Plan& plan) {
  json out = json::array();
  const auto add = [&](const std::string& name, std::int64_t bytes) {
    const auto number = std::ssize(out);
    const auto inside = [&](const codegen::PlanBuffer& buffer) {
      return space_of(plan, buffer) == number;
    };
    out.push_back({{"name", name}, {"bytes", bytes}, {"live", held_bytes(plan, inside)}});
  };
  add("arena of cpu", plan.arena_bytes);
  for (const codegen::PlanDevice& used : plan.devices) {
    add("arena of " + used.device.text(), used.arena_bytes);
  }
  for (const codegen::PlanArea& area : plan.areas) {
    const std::string whose =
        area.member < 0 ? (area.device.is_cpu() ? "" : " on " + area.device.text())
                        : ", results in common that member " + std::to_string(area.member) + " has";
    add("memory of group " + area.group->tag + whose, area.bytes);
  }
  return out;
}

json plan_data(const Stages& stages) {
  const codegen::Plan& plan = *stages.plan;
  json buffers =
      empty_columns({"kind", "index", "bytes", "device", "space", "offset", "first", "last"});
  for (const codegen::PlanBuffer& buffer : plan.buffers) {
    buffers["kind"].push_back(kind_text(buffer.kind));
    buffers["index"].push_back(buffer.index);
    buffers["bytes"].push_back(buffer.bytes);
    buffers["device"].push_back(buffer.device.text());
    buffers["space"].push_back(space_of(plan, buffer));
    buffers["offset"].push_back(buffer.offset);
    buffers["first"].push_back(buffer.defined_at);
    buffers["last"].push_back(buffer.last_use);
  }
  buffers["node"] = nodes_of_buffers(stages);
  json donations = json::array();
  for (const codegen::Donation& donation : plan.donations) {
    donations.push_back({donation.buffer, donation.input});
  }
  const PlanMemory memory = find_memory(plan);
  return {{"buffers", std::move(buffers)},
          {"spaces", spaces_of(plan)},
          {"donations", std::move(donations)},
          {"steps", step_data(plan)},
          {"local", memory.local},
          {"comm", memory.comm},
          {"output", memory.output},
          {"kernels", codegen::kernels_text(plan)}};
}

// The buffers of a graph's nodes: of their first results.
json buffers_of_nodes(const ir::Graph& graph, const std::vector<codegen::BufferId>& buffers) {
  json out = json::array();
  for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
    const bool has_result = graph.node(id).result_count != 0;
    out.push_back(has_result ? buffers[graph.result(id).id] : -1);
  }
  return out;
}

json function_data(const ir::Graph& function, const PageOptions& options, Strings& strings) {
  const Stages stages = find_stages(function, options.rank, options.disabled);
  json out = {{"name", function.name},
              {"failure", stages.failure_text()},
              {"stages", json::array()},
              {"graphs", json::array()},
              {"plan", nullptr}};
  const ir::Graph* before = nullptr;
  for (const GraphStage& stage : stages.graphs) {
    if (stage.graph.get() != before) {
      out["graphs"].push_back(graph_data(*stage.graph, before, strings));
      before = stage.graph.get();
    }
    out["stages"].push_back({{"name", stage.name},
                             {"does", stage.does},
                             {"changed", stage.changed},
                             {"graph", out["graphs"].size() - 1}});
  }
  if (stages.plan) {
    out["plan"] = plan_data(stages);
    out["graphs"].back()["buffer"] = buffers_of_nodes(*before, stages.buffers);
  }
  return out;
}

}  // namespace

std::string page_data(std::span<const ir::Graph* const> functions, const PageOptions& options) {
  Strings strings;
  json all = {{"file", options.file},
              {"stage", options.stage},
              {"rank", options.rank},
              {"functions", json::array()}};
  for (const ir::Graph* const function : functions) {
    all["functions"].push_back(function_data(*function, options, strings));
  }
  all["strings"] = strings.take();
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tutti::tools::show

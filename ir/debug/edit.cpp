#include <tutti/ir/builder.h>
#include <tutti/ir/debug/edit.h>
#include <tutti/ir/debug/edit_plan.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/passes/trim_loops.h>
#include <tutti/ir/rewrite.h>
#include <tutti/ir/support/error.h>
#include <tutti/ir/text/print.h>
#include <tutti/ir/verify/verify.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tutti::ir {

namespace {

constexpr std::int64_t kMostElementsInText = 16;  // of a constant; a larger one is repeated

// What all functions of a program have in common in a change.
class Shared {
 public:
  Shared(const Graph& graph, const Edit& edit) : edit(edit) {
    if (edit.functions.empty()) return;
    const std::vector<FunctionPtr> functions = all_functions(graph);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      edits_.emplace(functions[i].get(), &edit.functions[i]);
    }
  }

  // Equal groups stay one.
  GroupPtr of_two(const GroupPtr& group) {
    GroupPtr& smaller = groups_[group];
    if (smaller == nullptr) {
      Group two = *group;
      two.ranks = {0, 1};
      two.stride = std::min<std::int64_t>(two.stride, 2);
      smaller = std::make_shared<const Group>(std::move(two));
    }
    return smaller;
  }

  Shape resized(const Shape& shape) const {
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    for (std::int64_t& size : sizes) size = resized(size);
    return Shape(sizes);
  }
  std::int64_t resized(std::int64_t size) const {
    const auto found = edit.sizes.find(size);
    return found == edit.sizes.end() ? size : found->second;
  }

  const FunctionEdit& edit_of(const FunctionPtr& function) const {
    static const FunctionEdit nothing;
    const auto found = edits_.find(function.get());
    return found == edits_.end() ? nothing : *found->second;
  }
  FunctionPtr changed(const FunctionPtr& function);
  // Of a changed function.
  bool keeps(const Function& function, std::size_t parameter) const {
    const auto found = kept_.find(&function);
    return found != kept_.end() && parameter < found->second->size() && (*found->second)[parameter];
  }

  const Edit& edit;

 private:
  std::unordered_map<const Function*, const FunctionEdit*> edits_;
  std::unordered_map<const Function*, FunctionPtr> changed_;
  std::unordered_map<Hash128, FunctionPtr, Hash128Hasher> by_hash_;
  std::unordered_map<const Function*, const std::vector<bool>*> kept_;  // by changed function
  std::map<GroupPtr, GroupPtr> groups_;                                 // by what they were
};

// Builds the changed function.
class Editor {
 public:
  Editor(const Graph& graph, EditPlan plan, Shared& shared)
      : from_(graph),
        shared_(shared),
        plan_(std::move(plan)),
        to_(graph.name),
        builder_(to_),
        values_(graph.value_count()) {
    if (!shared.edit.without_mesh) to_.mesh = graph.mesh;
    to_.default_device = graph.default_device;
  }

  Graph run() {
    parameters();
    for (NodeId id = 0; id < from_.node_count(); ++id) {
      if (!plan_.is_needed(id)) continue;
      builder_.at(from_.node(id).location);
      if (plan_.fate(id) == Fate::zero) {
        for (std::uint32_t i = 0; i < from_.node(id).result_count; ++i) {
          const Value old = from_.result(id, i);
          if (plan_.is_needed(old)) values_[old.id] = zeros(from_.type(old));
        }
      } else if (plan_.fate(id) == Fate::stays && from_.node(id).op != Op::parameter) {
        if (!inlines(id)) copy(id);
      }
    }
    std::vector<Value> results;
    for (std::size_t i = 0; i < plan_.results().size(); ++i) {
      const Value result = plan_.results()[i];
      results.push_back(result.valid() ? map(result) : zeros(from_.type(from_.results()[i])));
    }
    to_.set_results(std::move(results));
    return std::move(to_);
  }

 private:
  Value map(Value old) const { return values_[plan_.source(old).id]; }

  Type resized(Type type) const {
    type.shape = shared_.resized(type.shape);
    if (shared_.edit.without_mesh) type.replication.dimensions = 0;
    return type;
  }

  void parameters() {
    for (const Parameter& parameter : from_.parameters()) {
      const NodeId id = from_.producer(parameter.value);
      if (!plan_.has_parameter(id)) continue;
      values_[parameter.value.id] =
          to_.add_parameter(names_.add(parameter.name), resized(from_.type(parameter.value)),
                            parameter.donate, from_.node(id).location);
    }
    const std::vector<std::string> known = value_names(from_);
    for (std::uint32_t id = 0; id < from_.value_count(); ++id) {
      const Value value{id};
      if (from_.op(value) == Op::parameter || plan_.fate(value) != Fate::cut ||
          !plan_.is_needed(value)) {
        continue;
      }
      Type type = resized(from_.type(value));
      if (type.device.is_any() && !is_number(type)) type.device = from_.default_device;
      values_[id] = to_.add_parameter(names_.add("v" + known[id]), type);
    }
  }

  std::vector<Attribute> attributes_of(NodeId id) {
    std::vector<Attribute> out = from_.node(id).attributes;
    const auto& specs = definition(from_.node(id).op).attributes;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (auto* const list = std::get_if<std::vector<std::int64_t>>(&out[i])) {
        if (specs[i].name == "shape" || specs[i].name == "stop" || specs[i].name == "sizes") {
          for (std::int64_t& size : *list) size = shared_.resized(size);
        }
      } else if (auto* const number = std::get_if<std::int64_t>(&out[i])) {
        if (specs[i].name == "length") *number = shared_.resized(*number);
      } else if (auto* const group = std::get_if<GroupPtr>(&out[i])) {
        if (shared_.edit.two_ranks) *group = shared_.of_two(*group);
      } else if (const auto* const array = std::get_if<ArrayPtr>(&out[i])) {
        const Shape shape = shared_.resized((*array)->shape());
        if (shape == (*array)->shape()) continue;
        Array smaller((*array)->dtype(), shape);
        const auto bytes = (*array)->bytes();
        std::ranges::copy(bytes.first(std::min(bytes.size(), smaller.bytes().size())),
                          smaller.bytes().begin());
        out[i] = share(std::move(smaller));
      } else if (auto* const function = std::get_if<FunctionPtr>(&out[i])) {
        *function = shared_.changed(*function);
      } else if (auto* const branches = std::get_if<std::vector<FunctionPtr>>(&out[i])) {
        const auto alone = std::ranges::find_if(
            *branches, [&](const FunctionPtr& branch) { return shared_.edit_of(branch).alone; });
        if (alone != branches->end()) *branches = {*alone};
        for (FunctionPtr& branch : *branches) branch = shared_.changed(branch);
      }
    }
    return out;
  }

  // Whether one of the node's functions comes in its place.
  bool inlines(NodeId id) {
    for (const Attribute& attribute : from_.node(id).attributes) {
      for (const FunctionPtr& function : functions_of(attribute)) {
        if (!shared_.edit_of(function).inlined) continue;
        // Of a loop what it goes on for says nothing about what it gives.
        const bool is_condition = from_.node(id).op == Op::while_loop &&
                                  function == std::get<FunctionPtr>(from_.node(id).attributes[0]);
        if (is_condition) continue;
        inline_function(id, shared_.changed(function)->graph());
        return true;
      }
    }
    return false;
  }

  // The first step of a loop; what a scan stacks is the same for each.
  void inline_function(NodeId id, const Graph& function) {
    std::vector<Value> arguments;
    for (const Value operand : from_.operands(id)) arguments.push_back(map(operand));
    const bool is_scan = from_.node(id).op == Op::scan;
    std::size_t carries = function.results().size();
    std::int64_t length = 0;
    if (from_.node(id).op == Op::conditional) arguments.erase(arguments.begin());
    if (is_scan) {
      const Attributes attributes = from_.attributes(id);
      carries = static_cast<std::size_t>(attributes.integer("carries"));
      length = shared_.resized(attributes.integer("length"));
      const std::size_t end = carries + static_cast<std::size_t>(attributes.integer("sequences"));
      const std::int64_t first = attributes.flag("reverse") ? length - 1 : 0;
      for (std::size_t i = carries; i < end; ++i) arguments[i] = step_of(arguments[i], first);
    }
    std::vector<Value> results = inline_into(builder_, function, arguments);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (is_scan && i >= carries) results[i] = stacked(results[i], length);
      values_[from_.result(id, static_cast<std::uint32_t>(i)).id] = results[i];
    }
  }

  Value step_of(Value sequence, std::int64_t at) {
    const Shape whole = to_.type(sequence).shape;
    std::vector<std::int64_t> start(whole.rank(), 0);
    std::vector<std::int64_t> stop(whole.begin(), whole.end());
    start[0] = at;
    stop[0] = at + 1;
    const Value step = builder_.add(Op::slice, {sequence},
                                    {start, stop, std::vector<std::int64_t>(whole.rank(), 1)});
    return builder_.add(Op::reshape, {step},
                        {std::vector<std::int64_t>(whole.begin() + 1, whole.end())});
  }

  Value stacked(Value step, std::int64_t length) {
    const Shape shape = to_.type(step).shape;
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    sizes.insert(sizes.begin(), 1);
    const Value one = builder_.add(Op::reshape, {step}, {sizes});
    sizes[0] = length;
    return length == 1 ? one : builder_.add(Op::broadcast_to, {one}, {sizes});
  }

  // Where a node fits as it is, it stays so, with its device and its kernel; otherwise the builder
  // makes its operands vary alike.
  void copy(NodeId id) {
    const Node& node = from_.node(id);
    std::vector<Value> operands;
    std::vector<Type> types;
    for (const Value operand : from_.operands(id)) {
      operands.push_back(map(operand));
      types.push_back(to_.type(operands.back()));
    }
    if (node.op == Op::vary && shared_.edit.without_mesh) {
      values_[from_.result(id).id] = operands[0];
      return;
    }
    std::vector<Attribute> attributes = attributes_of(id);
    const Mesh* const mesh = to_.mesh.get();
    bool fits = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      fits = fits && dimensions_to_vary(node.op, types, i, attributes, mesh) == 0;
    }
    NodeId made = 0;
    if (fits) {
      const std::vector<Type> inferred = infer_types(node.op, types, attributes, mesh);
      made = to_.append(node.op, operands, std::move(attributes), inferred, node.location);
    } else {
      made = builder_.node(node.op, operands, std::move(attributes));
    }
    keep_places(from_, id, to_, made);
    to_.set_fusion(made, node.fusion);
    for (std::uint32_t i = 0; i < node.result_count; ++i) {
      values_[from_.result(id, i).id] = to_.result(made, i);
    }
  }

  Value zeros(const Type& type) {
    if (type.async) throw TypeError("a collective cannot be a constant");
    const Shape shape = shared_.resized(type.shape);
    if (shape.elements() <= kMostElementsInText) return builder_.constant(Array(type.dtype, shape));
    const Value zero = builder_.constant(Array(type.dtype, {}));
    return builder_.add(Op::broadcast_to, {zero},
                        {std::vector<std::int64_t>(shape.begin(), shape.end())});
  }

  const Graph& from_;
  Shared& shared_;
  const EditPlan plan_;
  Graph to_;
  Builder builder_;
  std::vector<Value> values_;  // [old value]
  UniqueNames names_;
};

// Each function is changed once, and where functions change at all equal ones become one.
FunctionPtr Shared::changed(const FunctionPtr& function) {
  if (edit.functions.empty() && edit.sizes.empty() && !edit.without_mesh && !edit.two_ranks) {
    return function;
  }
  if (const auto known = changed_.find(function.get()); known != changed_.end()) {
    return known->second;
  }
  const Graph& graph = function->graph();
  auto out = std::make_shared<const Function>(
      Editor(graph, EditPlan(graph, edit_of(function)), *this).run());
  const Hash128 hash = out->hash();
  const FunctionPtr one = by_hash_.try_emplace(hash, std::move(out)).first->second;
  kept_.emplace(one.get(), &edit_of(function).kept);
  return changed_.emplace(function.get(), one).first->second;
}

// Inside first, since that may need less then.
void trim_all(Graph& graph, const Shared& shared) {
  const auto stays = [&](const Function& function, std::size_t parameter) {
    return shared.keeps(function, parameter);
  };
  change_functions(graph, [&](Graph& function) { return trim_loops(function, stays); });
  trim_loops(graph, stays);
}

}  // namespace

std::optional<Graph> edited(const Graph& graph, const Edit& edit) {
  try {
    Shared shared(graph, edit);
    Graph out = Editor(graph, EditPlan(graph, edit), shared).run();
    verify(out);
    if (edit.trims) {
      trim_all(out, shared);
      verify(out);
    }
    return out;
  } catch (const TypeError&) {
    return std::nullopt;
  } catch (const VerifyError&) {
    return std::nullopt;
  }
}

double most_nodes_after(const Graph& graph, const Edit& edit) {
  std::unordered_map<const Function*, double> inlined;
  const auto count = [&](const Graph& in) {
    auto out = static_cast<double>(in.node_count());
    for (NodeId id = 0; id < in.node_count(); ++id) {
      for (const Attribute& attribute : in.node(id).attributes) {
        for (const FunctionPtr& function : functions_of(attribute)) {
          const auto known = inlined.find(function.get());
          if (known != inlined.end()) out += known->second;
        }
      }
    }
    return out;
  };
  const std::vector<FunctionPtr> functions = all_functions(graph);
  double out = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const double nodes = count(functions[i]->graph());
    const bool goes = !edit.functions.empty() && edit.functions[i].inlined;
    if (goes) inlined.emplace(functions[i].get(), nodes);
    out += nodes;
  }
  return out + count(graph);
}

}  // namespace tutti::ir

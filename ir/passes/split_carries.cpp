#include <tutti/ir/function.h>
#include <tutti/ir/passes/parts.h>
#include <tutti/ir/passes/passes.h>
#include <tutti/ir/passes/split_carries.h>
#include <tutti/ir/rewrite.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::ir {

namespace {

using Splits = std::vector<std::optional<Split>>;  // of a function's parameters

class LoopOfParts {
 public:
  LoopOfParts(const Graph& graph, NodeId loop)
      : graph_(graph),
        loop_(loop),
        body_(graph.attributes(loop).function("body").graph()),
        splits_(body_.parameters().size()) {
    const auto carries = static_cast<std::size_t>(graph.attributes(loop).integer("carries"));
    for (std::size_t i = 0; i < carries; ++i) {
      const NodeId result = body_.producer(body_.results()[i]);
      if (body_.node(result).op == Op::concat) splits_[i] = split_of(body_, result);
    }
    keep_what_is_taken_apart(body_);
    if (graph.node(loop).op == Op::while_loop) {
      keep_what_is_taken_apart(graph.attributes(loop).function("condition").graph());
    }
  }

  bool empty() const {
    return std::ranges::none_of(splits_, [](const auto& split) { return split.has_value(); });
  }

  // False where a type would be another one: nothing is changed then.
  bool apply(Rewriter& rewriter) const {
    Builder& builder = rewriter.builder();
    std::vector<Value> operands;
    std::int64_t carries = graph_.attributes(loop_).integer("carries");
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      const Value operand = rewriter.map(graph_.operand(loop_, i));
      if (!splits_[i]) {
        operands.push_back(operand);
        continue;
      }
      carries += std::ssize(splits_[i]->ends) - 1;
      for (std::size_t part = 0; part < splits_[i]->count(); ++part) {
        const Value own = cut(builder, operand, *splits_[i], part);
        operands.push_back(as_type(builder, own, parameter_type(i, part)));
        if (!operands.back().valid()) return false;
      }
    }
    std::vector<Attribute> attributes = graph_.node(loop_).attributes;
    for (Attribute& attribute : attributes) {
      const auto* const function = std::get_if<FunctionPtr>(&attribute);
      if (function == nullptr) continue;
      std::optional<Graph> made = of_parts((*function)->graph());
      if (!made) return false;
      attribute = FunctionPtr(std::make_shared<const Function>(*std::move(made)));
    }
    const auto& names = definition(graph_.node(loop_).op).attributes;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].name == "carries") attributes[i] = carries;
    }
    const NodeId made = builder.node(graph_.node(loop_).op, operands, std::move(attributes));
    return give_results(rewriter, made);
  }

 private:
  void keep_what_is_taken_apart(const Graph& function) {
    for (NodeId id = 0; id < function.node_count(); ++id) {
      for (const Value operand : function.operands(id)) {
        const std::optional<std::size_t> i = parameter_number(function, operand);
        if (i && splits_[*i] && !part_of_slice(function, id, *splits_[*i])) splits_[*i].reset();
      }
    }
    for (const Value result : function.results()) {
      if (const auto i = parameter_number(function, result)) splits_[*i].reset();
    }
  }

  static std::optional<std::size_t> parameter_number(const Graph& function, Value value) {
    if (function.op(value) != Op::parameter) return std::nullopt;
    const auto& parameters = function.parameters();
    const auto found = std::ranges::find(parameters, value, &Parameter::value);
    return static_cast<std::size_t>(found - parameters.begin());
  }

  Type parameter_type(std::size_t i, std::size_t part) const {
    Type out = body_.type(body_.parameters()[i].value);
    out.shape = part_shape(out.shape, *splits_[i], part);
    return out;
  }

  // One of the loop's functions that takes the parts; the body gives them, too.
  std::optional<Graph> of_parts(const Graph& function) const {
    Graph out(function.name);
    out.mesh = function.mesh;
    out.default_device = function.default_device;
    std::vector<Value> values(function.value_count());
    std::vector<std::vector<Value>> parts(splits_.size());
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      const Parameter& parameter = function.parameters()[i];
      if (!splits_[i]) {
        values[parameter.value.id] =
            out.add_parameter(parameter.name, function.type(parameter.value));
        continue;
      }
      for (std::size_t part = 0; part < splits_[i]->count(); ++part) {
        parts[i].push_back(out.add_parameter(parameter.name + "_" + std::to_string(part),
                                             parameter_type(i, part)));
      }
    }
    Builder builder(out);
    for (NodeId id = 0; id < function.node_count(); ++id) {
      if (function.node(id).op == Op::parameter) continue;
      builder.at(function.node(id).location).calls(function.calls(id));
      if (!copy(function, id, builder, values, parts)) return std::nullopt;
    }
    if (!set_results(function, out, builder, values)) return std::nullopt;
    canonicalize_function(out);
    cse(out);
    dce(out);
    return out;
  }

  bool copy(const Graph& function, NodeId id, Builder& builder, std::vector<Value>& values,
            const std::vector<std::vector<Value>>& parts) const {
    for (const Value operand : function.operands(id)) {
      const std::optional<std::size_t> i = parameter_number(function, operand);
      if (!i || !splits_[*i]) continue;
      const std::size_t part = *part_of_slice(function, id, *splits_[*i]);
      const Value own = slice_of_part(builder, function, id, parts[*i][part], *splits_[*i], part);
      Value& result = values[function.result(id).id];
      result = as_type(builder, own, function.type(function.result(id)));
      return result.valid();
    }
    append_node(builder, function, id, values);
    return true;
  }

  bool set_results(const Graph& function, Graph& out, Builder& builder,
                   const std::vector<Value>& values) const {
    std::vector<Value> results;
    const bool is_body = &function == &body_;
    for (std::size_t i = 0; i < function.results().size(); ++i) {
      const Value result = function.results()[i];
      if (!is_body || i >= splits_.size() || !splits_[i]) {
        results.push_back(values[result.id]);
        continue;
      }
      const NodeId concat = function.producer(result);
      for (std::size_t part = 0; part < splits_[i]->count(); ++part) {
        Value own = values[function.operand(concat, part).id];
        const Split alone{.axis = splits_[i]->axis, .ends = {splits_[i]->size(part)}};
        if (splits_[i]->thin()) own = cut(builder, own, alone, 0);
        own = as_type(builder, own, parameter_type(i, part));
        if (!own.valid()) return false;
        results.push_back(own);
      }
    }
    out.set_results(std::move(results));
    return true;
  }

  bool give_results(Rewriter& rewriter, NodeId made) const {
    std::vector<Value> results;
    std::size_t next = 0;
    for (std::size_t i = 0; i < graph_.node(loop_).result_count; ++i) {
      const Type& type = graph_.type(graph_.result(loop_, i));
      Value value;
      if (i < splits_.size() && splits_[i]) {
        std::vector<Value> parts;
        for (std::size_t part = 0; part < splits_[i]->count(); ++part) {
          parts.push_back(rewriter.to().result(made, next++));
        }
        value = put_together(rewriter.builder(), parts, type.shape, *splits_[i]);
      } else {
        value = rewriter.to().result(made, next++);
      }
      results.push_back(as_type(rewriter.builder(), value, type));
      if (!results.back().valid()) return false;
    }
    rewriter.replace(loop_, results);
    return true;
  }

  const Graph& graph_;
  const NodeId loop_;
  const Graph& body_;
  Splits splits_;
};

}  // namespace

bool split_carries(Graph& graph) {
  return rewrite(graph, [&](Rewriter& rewriter, NodeId id) {
    const Op op = graph.node(id).op;
    if ((op != Op::scan && op != Op::while_loop) || communicates(graph, id)) return false;
    const LoopOfParts loop(graph, id);
    return !loop.empty() && loop.apply(rewriter);
  });
}

}  // namespace tutti::ir

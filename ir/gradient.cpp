#include <tutti/ir/gradient.h>
#include <tutti/ir/term.h>

#include <algorithm>

namespace tutti::ir {

namespace {

// One backward sweep over the nodes between `wrt` and `output`.
class Sweep {
 public:
  Sweep(Builder& builder, Value output, std::span<const Value> wrt)
      : builder_(builder),
        graph_(builder.graph()),
        output_(output),
        depends_(graph_.value_count(), false),
        cotangents_(graph_.value_count()) {
    for (const Value value : wrt) depends_[value.id] = true;
  }

  // `seed` is the output's own cotangent.
  std::vector<Value> run(std::span<const Value> wrt, Term seed) {
    const NodeId last = graph_.producer(output_);
    mark_dependents(last);
    if (depends_[output_.id]) {
      cotangents_[output_.id] = seed;
      for (NodeId id = last + 1; id-- > 0;) visit(id);
    }
    std::vector<Value> out;
    for (const Value value : wrt) {
      const Term x(&builder_, value);
      const Term cotangent = cotangents_[value.id];
      out.push_back((cotangent.valid() ? cotangent : x.apply(Op::zeros_like)).value());
    }
    return out;
  }

 private:
  // Floating-point values on a path from `wrt`; the rest have no derivative.
  void mark_dependents(NodeId last) {
    for (NodeId id = 0; id <= last; ++id) {
      const Node& node = graph_.node(id);
      const auto operands = graph_.operands(id);
      if (std::none_of(operands.begin(), operands.end(), [&](Value v) { return depends_[v.id]; })) {
        continue;
      }
      for (std::uint32_t i = 0; i < node.result_count; ++i) {
        const Value result = graph_.result(id, i);
        if (is_floating(graph_.type(result).dtype)) depends_[result.id] = true;
      }
    }
  }

  void visit(NodeId id) {
    const std::uint32_t result_count = graph_.node(id).result_count;
    std::vector<Term> results(result_count);
    bool reached = false;
    for (std::uint32_t i = 0; i < result_count; ++i) {
      results[i] = cotangents_[graph_.result(id, i).id];
      reached = reached || results[i].valid();
    }
    if (!reached || graph_.node(id).operand_count == 0) return;
    std::vector<bool> wants;
    for (const Value operand : graph_.operands(id)) wants.push_back(depends_[operand.id]);
    if (std::none_of(wants.begin(), wants.end(), [](bool wanted) { return wanted; })) return;

    const Definition& entry = definition(graph_.node(id).op);
    const Location here = builder_.location();
    builder_.at(graph_.node(id).location);
    if (entry.gradient != nullptr) {
      Gradient rule(&builder_, id, results, wants);
      try {
        entry.gradient(rule);
      } catch (const TypeError& error) {
        if (error.where().known() || !graph_.node(id).location.known()) throw;
        throw TypeError(error.what(), graph_.node(id).location);
      }
      for (std::size_t i = 0; i < wants.size(); ++i) {
        const Term cotangent = rule.operand_cotangents()[i];
        if (wants[i] && cotangent.valid()) accumulate(graph_.operand(id, i), cotangent);
      }
    } else if (entry.decompose != nullptr) {
      through_decomposition(id, results);
    } else {
      throw TypeError(std::string(entry.name) + " has no gradient", graph_.node(id).location);
    }
    builder_.at(here);
  }

  // A composite's operands get the cotangents that its decomposition, recomputed here, gives them.
  // Common subexpressions with the forward pass merge later.
  void through_decomposition(NodeId id, std::span<const Term> results) {
    std::vector<Value> operands;  // fresh names, so that only paths through the composite count
    for (const Value operand :
         std::vector<Value>(graph_.operands(id).begin(), graph_.operands(id).end())) {
      operands.push_back(builder_.add(Op::identity, {operand}));
    }
    Decomposition parts(&builder_, graph_.node(id).op, operands, graph_.node(id).attributes);
    definition(graph_.node(id).op).decompose(parts);
    std::vector<Value> wanted;
    std::vector<Value> targets;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!depends_[graph_.operand(id, i).id]) continue;
      wanted.push_back(operands[i]);
      targets.push_back(graph_.operand(id, i));
    }
    const std::vector<Value> inner = vjp(builder_, parts.results()[0], results[0].value(), wanted);
    for (std::size_t i = 0; i < targets.size(); ++i)
      accumulate(targets[i], Term(&builder_, inner[i]));
  }

  void accumulate(Value value, Term cotangent) {
    if (cotangent.shape() != graph_.type(value).shape ||
        cotangent.dtype() != graph_.type(value).dtype) {
      throw InternalError("a cotangent of type " + cotangent.type().text() +
                          " for a value of type " + graph_.type(value).text());
    }
    // What varies has a cotangent that does, or a number of this rank's that multiplies it next
    // would be taken as the same on all ranks.
    const Replication known = graph_.type(value).replication;
    const Replication own = cotangent.type().replication;
    if (!known.literal && !own.literal) {
      const auto extra = static_cast<std::uint8_t>(own.dimensions & ~known.dimensions);
      if (extra != 0) cotangent = {&builder_, builder_.vary(cotangent.value(), extra)};
    }
    Term& total = cotangents_[value.id];
    total = total.valid() ? total + cotangent : cotangent;
  }

  Builder& builder_;
  Graph& graph_;
  const Value output_;
  std::vector<bool> depends_;
  std::vector<Term> cotangents_;
};

}  // namespace

std::vector<Value> gradient(Builder& builder, Value output, std::span<const Value> wrt) {
  const Type& type = builder.type(output);
  if (type.shape.rank() != 0 || !is_floating(type.dtype) || type.async) {
    throw TypeError("the gradient is taken of a floating-point scalar, not of " + type.text(),
                    builder.location());
  }
  for (const Value value : wrt) {
    if (!is_floating(builder.type(value).dtype)) {
      throw TypeError("no gradient with respect to " + builder.type(value).text() +
                          ": it is not floating-point",
                      builder.location());
    }
  }
  const Term seed = Term(&builder, output).apply(Op::ones_like);
  return vjp(builder, output, seed.value(), wrt);
}

std::vector<Value> vjp(Builder& builder, Value output, Value cotangent,
                       std::span<const Value> wrt) {
  return Sweep(builder, output, wrt).run(wrt, Term(&builder, cotangent));
}

}  // namespace tutti::ir

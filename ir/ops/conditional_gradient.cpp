#include <tutti/ir/control.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/ops/control.h>
#include <tutti/ir/ops/control_draft.h>
#include <tutti/ir/ops/kept_values.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>
#include <numeric>

namespace tutti::ir::family::control {

namespace {

class ConditionalGradient {
 public:
  explicit ConditionalGradient(Gradient& gradient)
      : gradient_(gradient),
        builder_(*gradient.builder()),
        branches_(gradient.attributes.functions("branches")),
        kept_(gradient.attributes.integers("kept")),
        communicates_(ir::communicates(branches_)) {
    results_ = graph(0).results().size() - static_cast<std::size_t>(sum_of(kept_));
    if (!communicates_) {
      require_alike(gradient);
    } else if (sum_of(kept_) == 0) {
      // Inside of grad it would have kept what its gradient needs, if that is anything.
      const auto needs = [](const FunctionPtr& branch) {
        return needs_kept(branch->graph(), branch->graph().parameters().size(), false);
      };
      if (std::ranges::any_of(branches_, needs)) {
        refuse_gradient(gradient, "a branch that communicates, and was recorded outside of grad,");
      }
    }
    require_shared_choice();
  }

  void run() {
    std::vector<FunctionPtr> functions;
    for (std::size_t i = 0; i < branches_.size(); ++i) functions.push_back(backward(i));
    Values operands;
    for (int i = 0; i < gradient_.count(); ++i) operands.push_back(gradient_.value(i));
    for (std::size_t i = 0; i < graph(0).results().size(); ++i) {
      if (has_cotangent(i)) operands.push_back(cotangent(i).value());
    }
    for (std::size_t i = results_; communicates_ && i < graph(0).results().size(); ++i) {
      operands.push_back(gradient_.result(static_cast<int>(i)).value());
    }
    std::vector<std::int64_t> kept;
    if (ir::communicates(functions)) kept = keep_results(functions);
    const NodeId node = builder_.node(Op::conditional, operands, {std::move(functions), kept});
    std::uint32_t result = 0;
    for (int i = 1; i < gradient_.count(); ++i) {
      if (!gradient_.wants(i)) continue;
      gradient_.operand_cotangent(i, Term(&builder_, builder_.graph().result(node, result++)));
    }
  }

 private:
  static std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }
  const Graph& graph(std::size_t branch) const { return branches_[branch]->graph(); }
  Term cotangent(std::size_t result) const { return gradient_.cotangent(static_cast<int>(result)); }
  bool has_cotangent(std::size_t result) const { return cotangent(result).valid(); }

  // Ranks that take different branches have different cotangents: nothing that goes in may be the
  // same on more ranks than the choice.
  void require_shared_choice() const {
    const Replication& index = gradient_.operand(0).type().replication;
    if (index.literal) return;
    const auto require = [&](const Type& type) {
      if (type.replication.literal || (type.replication.dimensions & ~index.dimensions) == 0) {
        return;
      }
      refuse_gradient(gradient_, "a branch that ranks choose which share its arguments");
    };
    for (std::size_t i = 0; i < branches_.size(); ++i) {
      for (const Type& type : branches_[i]->parameter_types()) require(type);
      for (std::size_t r = results_; r < graph(i).results().size(); ++r) {
        require(graph(i).type(graph(i).results()[r]));
      }
    }
  }

  // Takes the arguments, the cotangents of the results, and what each branch has kept.
  FunctionPtr backward(std::size_t branch) const {
    const Graph& from = graph(branch);
    Draft draft(from, from.name + "_gradient", communicates_);
    Values arguments;
    Values wrt;
    for (const Parameter& parameter : from.parameters()) {
      arguments.push_back(draft.parameter(parameter.name, from.type(parameter.value)));
      if (gradient_.wants(static_cast<int>(arguments.size()))) wrt.push_back(arguments.back());
    }
    Values cotangents(from.results().size());
    for (std::size_t i = 0; i < cotangents.size(); ++i) {
      if (!has_cotangent(i)) continue;
      const Type& type = gradient_.result(static_cast<int>(i)).type();
      cotangents[i] = draft.parameter("d_" + std::to_string(i), type);
    }
    std::size_t behind = draft.builder().graph().parameters().size();
    std::size_t at = results_;
    Values own;  // what this branch has kept
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      for (std::int64_t k = 0; k < kept_[i]; ++k, ++at) {
        if (i == branch) {
          own.push_back(from.results()[at]);
        } else {
          draft.parameter("kept_" + std::to_string(at), graph(i).type(graph(i).results()[at]));
          behind += i < branch ? 1 : 0;
        }
      }
    }
    Values places;
    const Values results = inline_into(draft.builder(), from, arguments, &places);
    const auto forward_end = static_cast<NodeId>(draft.builder().graph().node_count());
    Graph out = draft.take(pull_back(draft, results, cotangents, wrt));
    if (communicates_) {
      for (Value& value : own) value = places[value.id];
      out = with_parameters_for(out, own, behind, forward_end);
    }
    dce(out);
    return std::make_shared<const Function>(std::move(out));
  }

  Gradient& gradient_;
  Builder& builder_;
  const std::vector<FunctionPtr>& branches_;
  const std::vector<std::int64_t>& kept_;  // by branch, results behind the others
  const bool communicates_;
  std::size_t results_ = 0;  // but for those that are kept for gradients
};

}  // namespace

// A branch of each branch's vector-Jacobian product. One that communicates has kept what it can't
// compute again.
void gradient_conditional(Gradient& gradient) { ConditionalGradient(gradient).run(); }

}  // namespace tutti::ir::family::control

#include <tutti/ir/control.h>
#include <tutti/ir/derive/linearize.h>
#include <tutti/ir/ops/control.h>
#include <tutti/ir/ops/control_draft.h>
#include <tutti/ir/ops/kept_values.h>
#include <tutti/ir/passes/passes.h>

#include <algorithm>

namespace tutti::ir::family::control {

namespace {

bool floats(const Graph& graph, Value value) { return is_floating(graph.type(value).dtype); }

// Appends the scan, without the sequences and invariants that its body never looks at.
NodeId append_scan(Builder& builder, const Graph& body, const Values& operands,
                   std::int64_t carries, std::int64_t sequences, std::int64_t length, bool reverse,
                   bool recompute) {
  const std::vector<std::uint32_t> uses = count_uses(body);
  std::vector<bool> keep;
  Values kept;
  std::int64_t kept_sequences = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_carry = std::cmp_less(i, carries);
    const bool is_sequence = !is_carry && std::cmp_less(i, carries + sequences);
    keep.push_back(is_carry || uses[body.parameters()[i].value.id] != 0);
    if (!keep.back()) continue;
    kept.push_back(operands[i]);
    kept_sequences += is_sequence ? 1 : 0;
  }
  FunctionPtr function = std::make_shared<const Function>(with_parameters(body, keep));
  // For a gradient of its own; without one nobody uses it, and the passes drop it.
  std::int64_t of_gradient = 0;
  if (!function->groups().empty()) {
    const auto invariants = static_cast<std::size_t>(carries + kept_sequences);
    function =
        with_kept_results(*function, static_cast<std::size_t>(carries), invariants, recompute);
    of_gradient = std::ssize(function->graph().results()) - std::ssize(body.results());
  }
  return builder.node(
      Op::scan, kept,
      {std::move(function), carries, kept_sequences, length, reverse, recompute, of_gradient});
}

// One step of a scan's gradient, and where in it the values of the scan's body are.
struct BackwardStep {
  Graph body;
  Values places;
  NodeId forward_end = 0;  // the first node that is none of the scan's body
};

// Where the carries before each step of a scan are, and behind them what was kept of it.
struct Forward {
  NodeId node;
  std::size_t first;
};

// A value of a step, as it is stacked over the steps: an operand of the scan (of a carry: what it
// was before each step), or a result of the backward loop for this alone.
struct StackedValue {
  bool is_operand = false;
  std::size_t number = 0;
};

// transpose(rows) times columns, added up over the steps: the gradient of a weight that each step
// multiplies by. One product of all steps' rows, after the loop, is the same sum.
struct SummedProduct {
  std::size_t operand;  // of the scan
  StackedValue rows;
  StackedValue columns;
};

class ScanGradient {
 public:
  explicit ScanGradient(Gradient& gradient)
      : gradient_(gradient),
        builder_(*gradient.builder()),
        function_(std::get<FunctionPtr>(gradient.attributes.values()[0])),
        body_(function_->graph()),
        carries_(static_cast<std::size_t>(gradient.attributes.integer("carries"))),
        sequences_(static_cast<std::size_t>(gradient.attributes.integer("sequences"))),
        results_(body_.results().size() -
                 static_cast<std::size_t>(gradient.attributes.integer("kept"))) {
    for (int i = 0; i < gradient.count(); ++i) operands_.push_back(gradient.value(i));
    if (!communicates()) {
      require_alike(gradient);
      return;
    }
    if (results_ != body_.results().size()) return;
    // Inside of grad it would have kept what its gradient needs, if that is anything: the carries
    // before each step, and the rest.
    if (carries_ != 0 || needs_kept(body_, carries_ + sequences_, recompute())) {
      refuse_gradient(gradient, "a loop that communicates, and was recorded outside of grad,");
    }
  }

  void run() {
    BackwardStep step = backward();
    const Values kept = kept_of(step);
    Values places;
    for (const Value value : kept) places.push_back(step.places[value.id]);
    if (!kept.empty() || communicates()) {
      const std::size_t behind = step.body.parameters().size() - invariants();
      const NodeId calls_end = communicates() ? step.forward_end : 0;
      step.body = with_parameters_for(step.body, places, behind, calls_end);
    }
    dce(step.body);
    drop_sums(step.body);
    const Forward forward = forward_of(kept);
    hand_out(append_backward(step.body, forward, kept.size()), forward);
  }

 private:
  bool communicates() const { return !function_->groups().empty(); }
  // Values of the body.
  Values kept_of(const BackwardStep& step) const {
    if (communicates()) {
      const auto first = static_cast<std::ptrdiff_t>(results_ + carries_);
      return {body_.results().begin() + first, body_.results().end()};
    }
    if (recompute()) return {};
    return kept_values(body_, carries_ + sequences_, step.body, step.places);
  }
  Forward forward_of(const Values& kept) const {
    if (!communicates()) return {again(kept), carries_};
    return {builder_.graph().producer(gradient_.result(0).value()), results_};
  }
  std::size_t invariants() const { return operands_.size() - carries_ - sequences_; }
  std::int64_t length() const { return gradient_.attributes.integer("length"); }
  bool reverse() const { return gradient_.attributes.flag("reverse"); }
  bool recompute() const { return gradient_.attributes.flag("recompute"); }
  Value result(NodeId node, std::size_t i) const { return builder_.graph().result(node, i); }
  const Type& type_of(std::size_t parameter) const {
    return body_.type(body_.parameters()[parameter].value);
  }
  // In which the cotangents of an invariant add up: narrow floats would stop at a few hundred
  // steps.
  Type type_of_sum(std::size_t invariant) const {
    Type type = type_of(invariant);
    type.dtype = compute_dtype(type.dtype);
    return type;
  }
  const std::string& name_of_parameter(std::size_t i) const { return body_.parameters()[i].name; }
  bool wanted(std::size_t i) const {
    return gradient_.wants(static_cast<int>(i)) && is_floating(type_of(i).dtype);
  }
  // Whether what the scan stacks as a result has one.
  bool has_cotangent(std::size_t result) const {
    return gradient_.cotangent(static_cast<int>(result)).valid() &&
           floats(body_, body_.results()[result]);
  }
  // Whether an operand gets a cotangent of the backward loop.
  bool differentiated(std::size_t i) const {
    return i < carries_ ? is_floating(type_of(i).dtype) : wanted(i);
  }

  bool is_product(std::size_t operand) const {
    return std::ranges::find(products_, operand, &SummedProduct::operand) != products_.end();
  }

  // Takes the gradient of an invariant of the step for a product after the loop, if it is one.
  bool is_taken_out(const Graph& step, const Values& arguments, std::size_t operand, Value own) {
    if (recompute()) return false;  // which wants as little memory as can be
    const Node& product = step.node(step.producer(own));
    if (product.op != Op::matmul || step.type(own).shape.rank() != 2) return false;
    const Value left = step.operand(step.producer(own), 0);
    const Value columns = step.operand(step.producer(own), 1);
    if (step.op(left) != Op::transpose) return false;
    const Attributes turned = step.attributes(step.producer(left));
    if (turned.integers("permutation") != std::vector<std::int64_t>{1, 0}) return false;
    const Value rows = step.operand(step.producer(left), 0);
    const auto is_invariant = [&](Value value) {
      return std::find(arguments.begin() + static_cast<std::ptrdiff_t>(carries_ + sequences_),
                       arguments.end(), value) != arguments.end();
    };
    if (is_invariant(rows) || is_invariant(columns)) return false;
    products_.push_back({operand, stacked(arguments, rows), stacked(arguments, columns)});
    return true;
  }
  StackedValue stacked(const Values& arguments, Value value) {
    const auto behind = arguments.begin() + static_cast<std::ptrdiff_t>(carries_ + sequences_);
    const auto own = std::find(arguments.begin(), behind, value);
    if (own != behind) return {true, static_cast<std::size_t>(own - arguments.begin())};
    auto known = std::ranges::find(stacked_, value);
    if (known == stacked_.end()) known = stacked_.insert(known, value);
    return {false, static_cast<std::size_t>(known - stacked_.begin())};
  }
  // The carries of sums that are products after the loop.
  void drop_sums(Graph& body) const {
    if (products_.empty()) return;
    std::vector<bool> keep(body.parameters().size(), true);
    std::size_t carry = 0;
    for (std::size_t i = 0; i < carries_; ++i) carry += is_floating(type_of(i).dtype) ? 1U : 0U;
    for (std::size_t i = carries_ + sequences_; i < operands_.size(); ++i) {
      if (wanted(i)) keep[carry++] = !is_product(i);
    }
    body = with_parameters(body, keep);
  }

  // The loop once more: its carries, those before each step, and what is kept of each.
  NodeId again(const Values& kept) const {
    Draft draft(body_, body_.name + "_carries");
    Values arguments;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      arguments.push_back(draft.parameter(name_of_parameter(i), type_of(i)));
    }
    Values places;
    Values next = inline_into(draft.builder(), body_, arguments, &places);
    next.resize(carries_);
    next.insert(next.end(), arguments.begin(),
                arguments.begin() + static_cast<std::ptrdiff_t>(carries_));
    for (const Value value : kept) next.push_back(places[value.id]);
    return append_scan(builder_, draft.finish(next), operands_,
                       gradient_.attributes.integer("carries"),
                       gradient_.attributes.integer("sequences"), length(), reverse(), recompute());
  }

  // The loop of the steps backwards.
  NodeId append_backward(const Graph& body, Forward forward, std::size_t kept) const {
    Values operands;
    for (std::size_t i = 0; i < carries_; ++i) {
      if (!is_floating(type_of(i).dtype)) continue;
      const Term given = gradient_.cotangent(static_cast<int>(i));
      const Term zeros =
          given.valid() ? given : gradient_.result(static_cast<int>(i)).apply(Op::zeros_like);
      operands.push_back(zeros.value());
    }
    for (std::size_t i = carries_ + sequences_; i < operands_.size(); ++i) {
      if (!wanted(i) || is_product(i)) continue;
      const Term zeros = Term(&builder_, operands_[i]).apply(Op::zeros_like);
      operands.push_back(cast(zeros, type_of_sum(i).dtype).value());
    }
    const auto carries = std::ssize(operands);
    const auto of_step = [&](std::size_t i) { return of_each_step(forward, i); };
    for (std::size_t i = 0; i < carries_; ++i) operands.push_back(of_step(i));
    for (std::size_t i = carries_; i < carries_ + sequences_; ++i) operands.push_back(operands_[i]);
    for (std::size_t i = carries_; i < body_.results().size(); ++i) {
      if (has_cotangent(i)) operands.push_back(gradient_.cotangent(static_cast<int>(i)).value());
    }
    for (std::size_t i = 0; i < kept; ++i) operands.push_back(of_step(carries_ + i));
    const auto sequences = std::ssize(operands) - carries;
    for (std::size_t i = carries_ + sequences_; i < operands_.size(); ++i) {
      operands.push_back(operands_[i]);
    }
    return append_scan(builder_, body, operands, carries, sequences, length(), !reverse(),
                       recompute());
  }

  // What is stacked of each step's carries and kept values.
  Value of_each_step(Forward forward, std::size_t i) const {
    return result(forward.node, forward.first + i);
  }

  // A step backwards. Carries: cotangents of the carries, sums for the invariants. Sequences: the
  // carries, what was taken, cotangents of what was stacked. Invariants as before.
  BackwardStep backward() {
    BackwardStep out;
    Draft draft(body_, body_.name + "_gradient", communicates());
    Values cotangents(body_.results().size());
    Values sums;
    for (std::size_t i = 0; i < carries_; ++i) {
      if (!is_floating(type_of(i).dtype)) continue;
      cotangents[i] = draft.parameter("d_" + name_of_parameter(i), type_of(i));
    }
    for (std::size_t i = carries_ + sequences_; i < operands_.size(); ++i) {
      if (wanted(i)) sums.push_back(draft.parameter("d_" + name_of_parameter(i), type_of_sum(i)));
    }
    Values arguments;
    for (std::size_t i = 0; i < carries_ + sequences_; ++i) {
      arguments.push_back(draft.parameter(name_of_parameter(i), type_of(i)));
    }
    for (std::size_t i = carries_; i < body_.results().size(); ++i) {
      if (!has_cotangent(i)) continue;
      cotangents[i] = draft.parameter("d_" + std::to_string(i), body_.type(body_.results()[i]));
    }
    for (std::size_t i = carries_ + sequences_; i < operands_.size(); ++i) {
      arguments.push_back(draft.parameter(name_of_parameter(i), type_of(i)));
    }
    const Values results = inline_into(draft.builder(), body_, arguments, &out.places);
    out.forward_end = static_cast<NodeId>(draft.builder().graph().node_count());
    Values wrt;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (differentiated(i)) wrt.push_back(arguments[i]);
    }
    const Values pulled = pull_back(draft, results, cotangents, wrt);
    Values carried;
    Values of_sequences;
    std::size_t at = 0;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (!differentiated(i)) continue;
      const Value own = pulled[at++];
      if (i < carries_) {
        carried.push_back(own);
      } else if (i < carries_ + sequences_) {
        of_sequences.push_back(own);
      } else {
        const Term before(&draft.builder(), sums[sum++]);
        if (is_taken_out(draft.builder().graph(), arguments, i, own)) continue;
        carried.push_back((before + cast(Term(&draft.builder(), own), before.dtype())).value());
      }
    }
    of_stacked_ = carried.size();
    carried.insert(carried.end(), of_sequences.begin(), of_sequences.end());
    of_products_ = carried.size();
    carried.insert(carried.end(), stacked_.begin(), stacked_.end());
    out.body = draft.take(std::move(carried));
    return out;
  }

  // [steps, rows, n] as [steps * rows, n].
  Term all_rows(StackedValue value, NodeId loop, Forward forward) const {
    const Value stacked = !value.is_operand         ? result(loop, of_products_ + value.number)
                          : value.number < carries_ ? of_each_step(forward, value.number)
                                                    : operands_[value.number];
    const Term x(&builder_, stacked);
    return reshape(x, {x.shape()[0] * x.shape()[1], x.shape()[2]});
  }

  // Each operand's own.
  void hand_out(NodeId loop, Forward forward) const {
    std::size_t of_carries = 0;
    std::size_t of_stacked = of_stacked_;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (!differentiated(i)) continue;
      if (const auto product = std::ranges::find(products_, i, &SummedProduct::operand);
          product != products_.end()) {
        gradient_.operand_cotangent(static_cast<int>(i),
                                    matmul(transpose_last(all_rows(product->rows, loop, forward)),
                                           all_rows(product->columns, loop, forward)));
        continue;
      }
      const bool is_sequence = i >= carries_ && i < carries_ + sequences_;
      const Term own(&builder_, result(loop, is_sequence ? of_stacked++ : of_carries++));
      gradient_.operand_cotangent(static_cast<int>(i), cast(own, type_of(i).dtype));
    }
  }

  Gradient& gradient_;
  Builder& builder_;
  const FunctionPtr function_;
  const Graph& body_;
  const std::size_t carries_;
  const std::size_t sequences_;
  const std::size_t results_;  // but for those that are kept for gradients
  Values operands_;
  std::vector<SummedProduct> products_;
  Values stacked_;               // of a step backwards, for them
  std::size_t of_stacked_ = 0;   // results of the backward loop in front of those it stacks
  std::size_t of_products_ = 0;  // and of those for products after it
};

}  // namespace

// A loop in the opposite direction takes each step's vector-Jacobian product where the step was;
// what the invariants get adds up over the steps, but for products, which are one after the loop.
// The carries before each step come from the loop
// once more, and so does what is costly to compute again (kept_values.h): the passes make one loop
// of it and the scan itself. A loop that communicates runs once, and has kept all that.
void gradient_scan(Gradient& gradient) { ScanGradient(gradient).run(); }

}  // namespace tutti::ir::family::control

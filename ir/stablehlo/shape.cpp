#include <tutti/ir/stablehlo/layout.h>
#include <tutti/ir/stablehlo/rules.h>

#include <algorithm>

namespace tutti::ir::stablehlo {

namespace {

void broadcast_in_dim(Step& step) {
  const List dimensions = step.integers("dims", "broadcast_dimensions");
  step.result(broadcast_in(step.operand(0), dimensions, step.shape()));
}

// The older op, whose new dimensions come first.
void broadcast(Step& step) { step.result(broadcast_to(step.operand(0), step.shape())); }

void reshaped(Step& step) { step.result(reshape(step.operand(0), step.shape())); }

void transposition(Step& step) {
  step.result(transposed(step.operand(0), step.integers("dims", "permutation")));
}

void reverse(Step& step) {
  step.result(reversed(step.operand(0), step.integers("dims", "dimensions")));
}

void iota(Step& step) {
  const std::int64_t axis = step.integer("dim", "iota_dimension");
  if (axis < 0 || axis >= step.shape().rank()) step.fail("a dimension that is not in the result");
  const DType dtype = step.dtype();
  if (dtype == DType::boolean) {
    step.result(cast(step.iota(DType::u8, step.shape(), axis), dtype));
    return;
  }
  step.result(step.iota(dtype, step.shape(), axis));
}

// [0:4, 0:8:2]
void slice(Step& step) {
  const Term x = step.operand(0);
  const Attribute* const ranges = step.find("ranges");
  if (ranges == nullptr) {
    step.result(sliced(x, step.integers("start_indices"), step.integers("limit_indices"),
                       step.integers("strides")));
    return;
  }
  List start;
  List stop;
  List steps;
  for (const Attribute& range : ranges->items) {
    const List numbers = step.integers_of(range);
    if (numbers.size() < 2) step.fail("expected a range, as in 0:4");
    start.push_back(numbers[0]);
    stop.push_back(numbers[1]);
    steps.push_back(numbers.size() > 2 ? numbers[2] : 1);
  }
  step.result(sliced(x, start, stop, steps));
}

void pad(Step& step) {
  step.result(padded(step.operand(0), step.operand(1), step.integers("low", "edge_padding_low"),
                     step.integers("high", "edge_padding_high"),
                     step.integers("interior", "interior_padding")));
}

void concatenate(Step& step) {
  step.result(concatenated(step.operands(), step.integer("dim", "dimension")));
}

// Starts from several scalars, of any integer dtype.
Term starts_from(Step& step, int first, int rank) {
  if (step.count() - first != rank) step.fail("one start for each dimension is needed");
  if (rank == 0) return step.constant(Array(DType::i32, {0}));
  std::vector<Term> out;
  for (int i = first; i < step.count(); ++i) out.push_back(reshape(step.operand(i), {1}));
  return concatenated(out, 0);
}

void dynamic_slice(Step& step) {
  const Term x = step.operand(0);
  const Term starts = starts_from(step, 1, x.shape().rank());
  step.result(apply(Op::dynamic_slice, x, starts, {step.integers("sizes", "slice_sizes")}));
}

void dynamic_update_slice(Step& step) {
  const Term x = step.operand(0);
  const Term starts = starts_from(step, 2, x.shape().rank());
  step.result(apply(Op::dynamic_update_slice, x, step.operand(1), starts));
}

void tuple(Step& step) {
  // As deep as types go: destructors follow the parts.
  constexpr int kDeepestTuple = 64;
  std::vector<Bound> parts;
  int depth = 1;
  for (int i = 0; i < step.count(); ++i) {
    parts.push_back(step.translator.lookup(step.reference(i)));
    depth = std::max(depth, parts.back().depth + 1);
  }
  if (depth > kDeepestTuple) {
    step.fail("tuples within tuples, more than " + std::to_string(kDeepestTuple) + " deep");
  }
  step.result(Bound{.value = {},
                    .parts = std::make_shared<const std::vector<Bound>>(std::move(parts)),
                    .depth = depth});
}

void get_tuple_element(Step& step) {
  const Bound& given = step.translator.lookup(step.reference(0));
  const Attribute* const pretty = step.find("ranges");
  const List index = pretty == nullptr || pretty->items.empty()
                         ? List{step.integer("index")}
                         : step.integers_of(pretty->items[0]);
  const bool has = given.parts != nullptr && !index.empty() && index[0] >= 0 &&
                   index[0] < std::ssize(*given.parts);
  if (!has) {
    step.fail("an element that the tuple does not have");
  }
  step.result(Bound((*given.parts)[static_cast<std::size_t>(index[0])]));
}

// Several values at once: nothing is computed of one before all are there.
void optimization_barrier(Step& step) {
  const std::vector<Term> operands = step.operands();
  std::vector<Value> values;
  for (const Term& operand : operands) values.push_back(operand.value());
  Value first;  // behind all; the others are behind it
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value passed = i == 0 ? step.builder().add(Op::optimization_barrier, values)
                                : step.builder().add(Op::optimization_barrier, {values[i], first});
    if (i == 0) first = passed;
    step.result(Term(&step.builder(), passed));
  }
}

void token(Step& step) { step.result(Bound{}); }

constexpr Rule kShapeRules[] = {
    {"stablehlo.after_all", token},
    {"stablehlo.broadcast", broadcast},
    {"stablehlo.broadcast_in_dim", broadcast_in_dim},
    {"stablehlo.concatenate", concatenate},
    {"stablehlo.create_token", token},
    {"stablehlo.dynamic_slice", dynamic_slice},
    {"stablehlo.dynamic_update_slice", dynamic_update_slice},
    {"stablehlo.get_tuple_element", get_tuple_element},
    {"stablehlo.iota", iota},
    {"stablehlo.optimization_barrier", optimization_barrier},
    {"stablehlo.pad", pad},
    {"stablehlo.reshape", reshaped},
    {"stablehlo.reverse", reverse},
    {"stablehlo.slice", slice},
    {"stablehlo.transpose", transposition},
    {"stablehlo.tuple", tuple},
};

}  // namespace

std::span<const Rule> shape_rules() { return kShapeRules; }

}  // namespace tutti::ir::stablehlo

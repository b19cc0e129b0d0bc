#include <tutti/ir/ops/collective.h>

// Gradients of the collectives.
namespace tutti::ir::family::collective {

namespace {

using List = std::vector<std::int64_t>;

// The result of another collective of `x`, waited for.
Term communicated(Term x, Op op, std::vector<Attribute> attributes) {
  return x.apply(op, std::move(attributes)).apply(Op::wait);
}

// The cotangents of the operands of one collective, for those that are wanted and depended on.
template <class F>
void each_operand(Gradient& gradient, F&& rule) {
  for (int i = 0; i < gradient.count(); ++i) {
    if (gradient.wants(i) && gradient.cotangent(i).valid()) {
      gradient.operand_cotangent(i, rule(i, gradient.cotangent(i)));
    }
  }
}

// Over a group that carries no replication each rank's result is its own, as in PyTorch.
bool carries_replication(const Gradient& gradient) {
  const auto& mesh = gradient.builder()->graph().mesh;
  return mesh != nullptr && dimensions_of(gradient.attributes.group("group"), *mesh) != 0;
}

[[noreturn]] void refuse_reduction(const Gradient& gradient, std::string_view name,
                                   std::string_view which) {
  throw TypeError(std::string(name) + ": \"" + gradient.attributes.text("op") +
                      "\" has no gradient; " + std::string(which) + " have",
                  gradient.builder()->location());
}

// Rounded once: a narrow float may not hold the divisor.
Term divided(Term x, double by) { return cast(widened(x) / by, x.dtype()); }

// Of a reduction, from `total(g)`, the cotangent of the combination as every rank knows it, and
// `known(i)`, the i-th combination on every rank.
template <class Total, class Known>
void gradient_of_reduction(Gradient& gradient, std::string_view name, Total&& total,
                           Known&& known) {
  const std::string op = gradient.attributes.text("op");
  const GroupPtr group = gradient.attributes.group("group");
  const auto members = static_cast<double>(group->size());
  if (op == "sum" || op == "mean") {
    each_operand(gradient,
                 [&](int, Term g) { return op == "mean" ? divided(total(g), members) : total(g); });
  } else if (op == "max" || op == "min") {
    // The holders of the extreme share evenly.
    each_operand(gradient, [&](int i, Term g) {
      const Term x = gradient.operand(i);
      const Term holds = cast(x == known(i), compute_dtype(x.dtype()));
      const Term holders = communicated(holds, Op::all_reduce, {std::string("sum"), group});
      return cast(holds * (widened(total(g)) / holders), x.dtype());
    });
  } else if (op == "product") {
    // The product of the others' operands: of those before times those behind, since a zero divides
    // nothing.
    each_operand(gradient, [&](int i, Term g) {
      const Term x = widened(gradient.operand(i));
      const auto others = [&](bool reverse) {
        return communicated(x, Op::scan_ranks, {std::string("product"), group, true, reverse});
      };
      // One after the other: collectives have an order.
      const Term whole = widened(total(g));
      const Term before = others(false);
      const Term behind = others(true);
      return cast(whole * (before * behind), gradient.operand(i).dtype());
    });
  } else {
    refuse_reduction(gradient, name, "sum, mean, product, max and min");
  }
}

Term position_in(Builder* builder, const GroupPtr& group) {
  return {builder, builder->add(Op::rank_index, std::span<const Value>(), {group})};
}

// The part of `x` along `axis` that this rank gave to an all_gather: `own` slices.
Term own_part(Term x, std::int64_t axis, const GroupPtr& group, const List& sizes,
              std::int64_t own) {
  Builder* const builder = x.builder();
  List begins = {0};
  for (std::int64_t i = 0; i + 1 < group->size(); ++i) {
    begins.push_back(begins.back() + (sizes.empty() ? own : sizes[static_cast<std::size_t>(i)]));
  }
  const Array table = Array::from(std::span<const std::int64_t>(begins), {group->size()});
  // Where x differs between ranks, where the parts begin may, too.
  const Value begins_of = builder->adapt(builder->constant(table), x.type().replication);
  const Term begin =
      apply(Op::take, {builder, begins_of}, position_in(builder, group), {std::int64_t{0}});
  const Term indices = begin + iota_like(x, {own}, 0, DType::i64);
  return apply(Op::take, x, indices, {axis});
}

[[noreturn]] void refuse(std::string_view name) {
  throw TypeError(std::string(name) +
                  " has no gradient here: what it moves leaves one rank's program for another's. "
                  "It has one straight in a function that grad differentiates on both ranks; in "
                  "loops, branches, checkpoints, vjp and jvp use collective_permute, or take a vjp "
                  "of each pipeline stage");
}

}  // namespace

void gradient_all_reduce(Gradient& gradient) {
  const GroupPtr group = gradient.attributes.group("group");
  const bool shared = carries_replication(gradient);
  gradient_of_reduction(
      gradient, "all_reduce",
      [&](Term g) {
        return shared ? g : communicated(g, Op::all_reduce, {std::string("sum"), group});
      },
      [&](int i) { return gradient.result(i).apply(Op::wait); });
}

void gradient_reduce(Gradient& gradient) {
  const std::int64_t root = gradient.attributes.integer("root");
  const GroupPtr group = gradient.attributes.group("group");
  gradient_of_reduction(
      gradient, "reduce", [&](Term g) { return communicated(g, Op::broadcast, {root, group}); },
      [&](int i) {
        return communicated(gradient.result(i).apply(Op::wait), Op::broadcast, {root, group});
      });
}

// An operand is in the results of the members from its own on.
void gradient_scan_ranks(Gradient& gradient) {
  const GroupPtr group = gradient.attributes.group("group");
  const bool exclusive = gradient.attributes.flag("exclusive");
  const bool reverse = gradient.attributes.flag("reverse");
  if (gradient.attributes.text("op") != "sum") refuse_reduction(gradient, "scan_ranks", "sums");
  each_operand(gradient, [&](int, Term g) {
    return communicated(g, Op::scan_ranks, {std::string("sum"), group, exclusive, !reverse});
  });
}

void gradient_all_gather(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const GroupPtr group = gradient.attributes.group("group");
  const List sizes = gradient.attributes.integers("sizes");
  each_operand(gradient, [&](int i, Term g) {
    const std::int64_t own = gradient.operand(i).shape()[static_cast<int>(axis)];
    if (carries_replication(gradient)) return own_part(g, axis, group, sizes, own);
    return communicated(g, Op::reduce_scatter,
                        {std::string("sum"), axis, group, sizes, sizes.empty() ? -1 : own});
  });
}

void gradient_gather(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const std::int64_t root = gradient.attributes.integer("root");
  const GroupPtr group = gradient.attributes.group("group");
  const List sizes = gradient.attributes.integers("sizes");
  each_operand(gradient, [&](int i, Term g) {
    const std::int64_t own = gradient.operand(i).shape()[static_cast<int>(axis)];
    return communicated(g, Op::scatter, {axis, root, group, sizes, sizes.empty() ? -1 : own});
  });
}

void gradient_reduce_scatter(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const GroupPtr group = gradient.attributes.group("group");
  const List sizes = gradient.attributes.integers("sizes");
  const auto gathered = [&](Term x) {
    return communicated(x, Op::all_gather, {axis, group, sizes});
  };
  gradient_of_reduction(gradient, "reduce_scatter", gathered,
                        [&](int i) { return gathered(gradient.result(i).apply(Op::wait)); });
}

void gradient_scatter(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const std::int64_t root = gradient.attributes.integer("root");
  const GroupPtr group = gradient.attributes.group("group");
  const List sizes = gradient.attributes.integers("sizes");
  each_operand(gradient, [&](int, Term g) {
    return communicated(g, Op::gather, {axis, root, group, sizes});
  });
}

void gradient_broadcast(Gradient& gradient) {
  const std::int64_t root = gradient.attributes.integer("root");
  const GroupPtr group = gradient.attributes.group("group");
  each_operand(gradient, [&](int, Term g) {
    if (!carries_replication(gradient)) {
      return communicated(g, Op::reduce, {std::string("sum"), root, group});
    }
    const Term own = position_in(g.builder(), group);
    return select(own == static_cast<double>(root), g, 0);
  });
}

void gradient_all_to_all(Gradient& gradient) {
  const std::int64_t axis = gradient.attributes.integer("axis");
  const GroupPtr group = gradient.attributes.group("group");
  const List sent = gradient.attributes.integers("send_sizes");
  const List received = gradient.attributes.integers("receive_sizes");
  each_operand(gradient, [&](int, Term g) {
    return communicated(g, Op::all_to_all, {axis, group, received, sent});
  });
}

void gradient_collective_permute(Gradient& gradient) {
  List back = gradient.attributes.integers("pairs");
  for (std::size_t i = 0; i < back.size(); i += 2) std::swap(back[i], back[i + 1]);
  const GroupPtr group = gradient.attributes.group("group");
  each_operand(gradient,
               [&](int, Term g) { return communicated(g, Op::collective_permute, {back, group}); });
}

// Where grad does not answer them (ir/derive/message_answers.h).
void gradient_send(Gradient&) { refuse("send"); }
void gradient_recv(Gradient&) { refuse("recv"); }
void gradient_batch_send_recv(Gradient&) { refuse("batch_send_recv"); }

// Without operands there is nothing to say.
void gradient_barrier(Gradient&) {}

}  // namespace tutti::ir::family::collective

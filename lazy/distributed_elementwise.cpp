#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/distributed_ops.h>
#include <tutti/lazy/distributed_strategy.h>

#include <algorithm>
#include <string_view>

namespace tutti {

namespace {

using detail::DistributedOp;
using detail::Linear;
using detail::Strategy;

// A number, or a tensor that is the same everywhere, beside distributed tensors.
DistributedTensor beside(const Operand& operand, const DistributedTensor& other,
                         std::string_view name, std::source_location at) {
  const detail::MeshGroupsPtr& on = other.layout().on;
  Tensor tensor = operand.tensor(other.dtype());
  const ir::Replication known = tensor.state(at)->type.replication;
  for (std::size_t d = 0; d < on->size(); ++d) {
    if (known.literal || (on->spanned(d) & ~known.dimensions) == 0) continue;
    throw TypeError(std::string(name) + " of " + other.text() + " and a tensor " +
                        tensor.state(at)->type.text() +
                        " that is not known to be the same over \"" + on->mesh.names()[d] +
                        "\"; distribute() it, or say with from_local() what "
                        "part of what it is",
                    at);
  }
  auto layout = detail::Layout::make(on, Placements(on->size(), Replicate()), tensor.shape(), at);
  return DistributedTensor(std::move(tensor), std::move(layout), at);
}

// The ways of an op that is linear in partial sums.
void add_linear(DistributedOp& op, Linear linear) {
  const std::size_t count = op.operands.size();
  if (linear == Linear::together) {
    op.strategies.push_back(
        {.operands = std::vector<Placement>(count, Partial()), .result = Partial()});
  }
  if (linear != Linear::first && linear != Linear::each) return;
  for (std::size_t i = 0; i < (linear == Linear::first ? 1 : count); ++i) {
    Strategy strategy{.operands = std::vector<Placement>(count, Replicate()), .result = Partial()};
    strategy.operands[i] = Partial();
    bool scalars = true;
    for (std::size_t j = 0; j < count; ++j) {
      scalars = scalars && (j == i || op.operands[j].shape().elements() == 1);
    }
    if (scalars) op.strategies.push_back(std::move(strategy));
  }
}

Linear linearity(std::string_view name) {
  if (name == "neg" || name == "add" || name == "sub") return Linear::together;
  if (name == "mul") return Linear::each;
  return name == "div" ? Linear::first : Linear::none;
}

}  // namespace

DistributedTensor detail::elementwise(std::string_view name,
                                      const std::vector<DistributedOperand>& x, Linear linear,
                                      const ElementwiseFunction& f) {
  const auto first = std::ranges::find_if(x, [](const auto& each) { return each.distributed(); });
  const std::source_location at = x[0].at();
  if (first == x.end()) throw TypeError(std::string(name) + ": no distributed tensor", at);
  // Numbers take the dtype of the first tensor among the operands.
  const DistributedTensor& like = *first->distributed();
  DistributedOp op{.name = name, .operands = {}, .shape = {}, .strategies = {}, .at = at};
  for (const DistributedOperand& each : x) {
    const DistributedTensor* tensor = each.distributed();
    op.operands.push_back(tensor != nullptr ? *tensor : beside(each.operand(), like, name, at));
  }
  op.shape = broadcast_shape(op);
  for (std::int64_t axis = 0; axis < op.shape.rank(); ++axis) {
    Strategy strategy{.operands = {}, .result = Shard(axis)};
    for (const DistributedTensor& operand : op.operands) {
      strategy.operands.push_back(shard_or_replicate(axis_in(operand.shape(), op.shape, axis)));
    }
    op.strategies.push_back(std::move(strategy));
  }
  // Integers round each part's quotient.
  const bool rounds = name == "div" && !is_floating(like.dtype());
  add_linear(op, rounds ? Linear::none : linear);
  return apply_op(op, f);
}

#define TUTTI_UNARY(name, ...)                                                                     \
  DistributedTensor name(const DistributedValue& x) {                                              \
    return detail::elementwise(#name, {x}, linearity(#name),                                       \
                               [&](const auto& in) { return tutti::name(Operand(in[0], x.at)); }); \
  }
#define TUTTI_BINARY(name, ...)                                                                    \
  static DistributedTensor binary_##name(const DistributedOperand& x, const DistributedOperand& y, \
                                         std::source_location at) {                                \
    return detail::elementwise(#name, {x, y}, linearity(#name), [&](const auto& in) {              \
      return tutti::name(Operand(in[0], at), Operand(in[1], at));                                  \
    });                                                                                            \
  }                                                                                                \
  DistributedTensor name(const DistributedValue& x, const DistributedValue& y) {                   \
    return binary_##name(x, y, x.at);                                                              \
  }                                                                                                \
  DistributedTensor name(const DistributedValue& x, const Operand& y) {                            \
    return binary_##name(x, {y, x.at}, x.at);                                                      \
  }                                                                                                \
  DistributedTensor name(const Operand& x, const DistributedValue& y) {                            \
    return binary_##name({x, y.at}, y, y.at);                                                      \
  }
#define TUTTI_TERNARY(name, ...)
#include <tutti/ir/table/elementwise.def>
#undef TUTTI_UNARY
#undef TUTTI_BINARY
#undef TUTTI_TERNARY

DistributedTensor gelu(const DistributedValue& x, Gelu approximate) {
  return detail::elementwise("gelu", {x}, Linear::none, [&](const auto& in) {
    return tutti::gelu(Operand(in[0], x.at), approximate);
  });
}

DistributedTensor cast(const DistributedValue& x, DType dtype) {
  return detail::elementwise("cast", {x}, Linear::none, [&](const auto& in) {
    return tutti::cast(Operand(in[0], x.at), dtype);
  });
}

DistributedTensor stop_gradient(const DistributedValue& x) {
  return detail::elementwise("stop_gradient", {x}, Linear::together, [&](const auto& in) {
    return tutti::stop_gradient(Operand(in[0], x.at));
  });
}

}  // namespace tutti

#pragma once

#include <tutti/ir/builder.h>
#include <tutti/ir/derive/message_answers.h>

#include <span>
#include <vector>

namespace tutti::ir {

// Reverse-mode differentiation: appends to the builder's graph the nodes that compute the
// derivative of `output` (a floating-point scalar) with respect to each value of `wrt`, and returns
// these derivatives: same shapes and dtypes as `wrt`, zeros where `output` does not depend on it.
// Of a varying scalar it is the derivative of the sum over ranks, of a replicated one of that
// scalar. Throws TypeError, naming op and line, where an op on the way has no gradient. Linear in
// the graph.
//
// `messages` are answered; others are refused where their derivative would be needed.
std::vector<Value> gradient(Builder& builder, Value output, std::span<const Value> wrt,
                            const AnsweredMessages& messages = {});

// The vector-Jacobian product: the same for outputs of any shapes, each weighted by a cotangent of
// its type; an invalid one stands for zeros. What a checkpoint (Builder::checkpoint) computed is
// computed again where it is needed.
std::vector<Value> vjp(Builder& builder, std::span<const Value> outputs,
                       std::span<const Value> cotangents, std::span<const Value> wrt);

// The operands of a node that have a derivative in its results at all, which are its first ones. Of
// the others nothing is to be computed, nor communicated, nor refused.
std::span<const Value> carrying_operands(const Graph& graph, NodeId id);

}  // namespace tutti::ir

#pragma once

#include <tutti/ir/builder.h>

#include <vector>

namespace tutti::ir {

// A value of a graph under construction, with operators: the notation in which gradients and
// decompositions are written. Operators broadcast like the ops they record; a double becomes a
// scalar constant of the other operand's dtype.
class Term {
 public:
  Term() = default;
  Term(Builder* builder, Value value) : builder_(builder), value_(value) {}

  bool valid() const { return builder_ != nullptr; }
  Builder* builder() const { return builder_; }
  Value value() const { return value_; }
  const Type& type() const { return builder_->type(value_); }
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }

  Term constant(double value) const { return {builder_, builder_->scalar(dtype(), value)}; }
  Term apply(Op op, std::vector<Attribute> attributes = {}) const {
    return {builder_, builder_->add(op, {value_}, std::move(attributes))};
  }

 private:
  Builder* builder_ = nullptr;
  Value value_;
};

inline Term apply(Op op, Term a, Term b, std::vector<Attribute> attributes = {}) {
  return {a.builder(), a.builder()->add(op, {a.value(), b.value()}, std::move(attributes))};
}
inline Term apply(Op op, Term a, Term b, Term c, std::vector<Attribute> attributes = {}) {
  return {a.builder(),
          a.builder()->add(op, {a.value(), b.value(), c.value()}, std::move(attributes))};
}

#define TUTTI_TERM_UNARY(name) \
  inline Term name(Term a) { return a.apply(Op::name); }
TUTTI_TERM_UNARY(neg)
TUTTI_TERM_UNARY(abs)
TUTTI_TERM_UNARY(sign)
TUTTI_TERM_UNARY(exp)
TUTTI_TERM_UNARY(exp2)
TUTTI_TERM_UNARY(log)
TUTTI_TERM_UNARY(log1p)
TUTTI_TERM_UNARY(sqrt)
TUTTI_TERM_UNARY(rsqrt)
TUTTI_TERM_UNARY(sin)
TUTTI_TERM_UNARY(cos)
TUTTI_TERM_UNARY(tanh)
TUTTI_TERM_UNARY(sigmoid)
TUTTI_TERM_UNARY(erf)
#undef TUTTI_TERM_UNARY
inline Term operator-(Term a) { return a.apply(Op::neg); }

#define TUTTI_TERM_BINARY(name, op)                                              \
  inline Term name(Term a, Term b) { return apply(Op::op, a, b); }               \
  inline Term name(Term a, double b) { return apply(Op::op, a, a.constant(b)); } \
  inline Term name(double a, Term b) { return apply(Op::op, b.constant(a), b); }
TUTTI_TERM_BINARY(operator+, add)
TUTTI_TERM_BINARY(operator-, sub)
TUTTI_TERM_BINARY(operator*, mul)
TUTTI_TERM_BINARY(operator/, div)
TUTTI_TERM_BINARY(operator<, lt)
TUTTI_TERM_BINARY(operator<=, le)
TUTTI_TERM_BINARY(operator>, gt)
TUTTI_TERM_BINARY(operator>=, ge)
TUTTI_TERM_BINARY(operator==, eq)
TUTTI_TERM_BINARY(operator!=, ne)
TUTTI_TERM_BINARY(maximum, maximum)
TUTTI_TERM_BINARY(minimum, minimum)
TUTTI_TERM_BINARY(pow, pow)
#undef TUTTI_TERM_BINARY
inline Term select(Term p, Term a, Term b) { return apply(Op::select, p, a, b); }
inline Term select(Term p, Term a, double b) { return select(p, a, a.constant(b)); }

Term cast(Term a, DType dtype);
Term reshape(Term a, const Shape& shape);
Term transpose(Term a, std::vector<std::int64_t> permutation);
// The permutation that undoes one.
std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation);
Term broadcast_to(Term a, const Shape& shape);
// On a device; itself if it lies there.
Term to_device(Term a, Device device);
// Reductions over `axes`, which are kept with size 1 if keepdims.
Term sum(Term a, std::vector<std::int64_t> axes, bool keepdims = false);
Term max(Term a, std::vector<std::int64_t> axes, bool keepdims = false);
Term matmul(Term a, Term b);
// Swaps the last two dimensions.
Term transpose_last(Term a);
// Sums `a` down to `shape`, from which NumPy broadcasting led to a's shape.
Term sum_to(Term a, const Shape& shape);
// An iota along one axis of `shape`, replicated like a.
Term iota_like(Term a, const Shape& shape, std::int64_t axis, DType dtype);

// What an op's decomposition sees.
class Decomposition {
 public:
  Decomposition(Builder* builder, Op op, std::span<const Value> operands,
                std::span<const Attribute> attributes)
      : attributes(definition(op).attributes, attributes), builder_(builder), operands_(operands) {
    for (const Value operand : operands) {
      replication_ = intersect(replication_, builder->type(operand).replication);
    }
  }
  Builder* builder() const { return builder_; }
  int count() const { return static_cast<int>(operands_.size()); }
  Term operand(int i) const {
    return {builder_, builder_->adapt(operands_[static_cast<std::size_t>(i)], replication_)};
  }
  void result(Term term) { results_.push_back(term.value()); }
  const std::vector<Value>& results() const { return results_; }

  const Attributes attributes;

 private:
  Builder* builder_;
  std::span<const Value> operands_;
  Replication replication_{.dimensions = 0, .literal = true};  // of what they have in common
  std::vector<Value> results_;
};

// What an op's gradient rule sees: its operands and results, and the cotangents of its results. The
// rule says each operand's cotangent, of the operand's shape.
class Gradient {
 public:
  Gradient(Builder* builder, NodeId node, std::span<const Term> cotangents, std::vector<bool> wants)
      : attributes(builder->graph().attributes(node)),
        builder_(builder),
        node_(node),
        cotangents_(cotangents),
        wants_(std::move(wants)),
        operand_cotangents_(wants_.size()) {}

  Builder* builder() const { return builder_; }
  int count() const { return static_cast<int>(operand_cotangents_.size()); }
  Term operand(int i) const {
    return {builder_, builder_->adapt(value(i), result().type().replication)};
  }
  // The operand as it is, literal or not.
  Value value(int i) const { return builder_->graph().operand(node_, static_cast<std::size_t>(i)); }
  Term result(int i = 0) const {
    return {builder_, builder_->graph().result(node_, static_cast<std::size_t>(i))};
  }
  // Invalid if nothing depends on that result.
  Term cotangent(int i = 0) const { return cotangents_[static_cast<std::size_t>(i)]; }
  // Whether anybody asks for that operand's cotangent; computing another costs only time.
  bool wants(int i) const { return wants_[static_cast<std::size_t>(i)]; }
  void operand_cotangent(int i, Term term) {
    operand_cotangents_[static_cast<std::size_t>(i)] = term;
  }
  const std::vector<Term>& operand_cotangents() const { return operand_cotangents_; }

  const Attributes attributes;

 private:
  Builder* builder_;
  NodeId node_;
  std::span<const Term> cotangents_;
  std::vector<bool> wants_;
  std::vector<Term> operand_cotangents_;
};

}  // namespace tutti::ir

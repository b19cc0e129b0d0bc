#pragma once

#include <tutti/lazy/distributed_tensor.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/ops.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Ops on distributed tensors: each means what the op of the same name (ops.h) means for the whole
// tensors. The result lies where computing it needs no communication, if there is such a place;
// else an operand is moved first, by the rules below. A mistake is a TypeError with the operands'
// types and placements and your line. Operands lie on one mesh.
//
// Along each dimension of the mesh:
// - what all operands have in common is kept: replicated ones give a replicated result, those
//   sharded along one axis a sharded one; of a replicated one that meets a sharded one each rank
//   takes its part;
// - partial sums go through what is linear in them: x + y and x - y of two, x * s, s * x and x / s
//   with a replicated s of one element, -x, sum, mean, transpose, reshape; before anything else
//   they are added up, scattered where another operand is sharded;
// - of two that are sharded differently the one that is cheaper to move is moved.
namespace tutti {

// What these ops take, with the line of the user's program.
class DistributedValue {
 public:
  DistributedValue(const DistributedTensor& the_tensor,  // NOLINT(google-explicit-constructor)
                   std::source_location where = std::source_location::current())
      : tensor(the_tensor), at(where) {}
  const DistributedTensor& tensor;
  std::source_location at;
};

// Beside a distributed tensor: a number, or a tensor that is known to be the same on all ranks of
// the mesh. Else TypeError: distribute() it.
class DistributedOperand {
 public:
  DistributedOperand(const DistributedTensor& tensor,  // NOLINT(google-explicit-constructor)
                     std::source_location where = std::source_location::current())
      : value_(&tensor), at_(where) {}
  DistributedOperand(const DistributedValue& value)  // NOLINT(google-explicit-constructor)
      : value_(&value.tensor), at_(value.at) {}
  DistributedOperand(const Operand& operand,  // NOLINT(google-explicit-constructor)
                     std::source_location where = std::source_location::current())
      : value_(operand), at_(where) {}
  template <class T>
    requires(std::is_arithmetic_v<T> || std::same_as<T, Tensor> || std::same_as<T, AsyncTensor>)
  DistributedOperand(const T& value,  // NOLINT(google-explicit-constructor)
                     std::source_location where = std::source_location::current())
      : value_(Operand(value, where)), at_(where) {}

  // Null if it is none.
  const DistributedTensor* distributed() const {
    const auto* tensor = std::get_if<const DistributedTensor*>(&value_);
    return tensor == nullptr ? nullptr : *tensor;
  }
  const Operand& operand() const { return std::get<Operand>(value_); }
  std::source_location at() const { return at_; }

 private:
  std::variant<const DistributedTensor*, Operand> value_;
  std::source_location at_;
};

namespace detail {

// In what an elementwise op of several operands is linear: nothing; all of them together; the first
// alone, the others being of one element; any alone.
enum class Linear : std::uint8_t { none, together, first, each };

using ElementwiseFunction = std::function<Tensor(const std::vector<Tensor>&)>;
DistributedTensor elementwise(std::string_view name, const std::vector<DistributedOperand>& x,
                              Linear linear, const ElementwiseFunction& f);

}  // namespace detail

// ---- Elementwise: f(x...) for a function of one to three tensors that does nothing but
// elementwise ops on them and on numbers; operands broadcast. Partial sums are added up first.
//
//   elementwise([](const Tensor& a, const Tensor& b) { return exp(a) * b; }, x, y)
template <class F>
DistributedTensor elementwise(F f, const DistributedValue& x) {
  return detail::elementwise("elementwise", {x}, detail::Linear::none,
                             [&](const auto& local) -> Tensor { return f(local[0]); });
}
template <class F>
DistributedTensor elementwise(F f, const DistributedOperand& x, const DistributedOperand& y) {
  return detail::elementwise("elementwise", {x, y}, detail::Linear::none,
                             [&](const auto& local) -> Tensor { return f(local[0], local[1]); });
}
template <class F>
DistributedTensor elementwise(F f, const DistributedOperand& x, const DistributedOperand& y,
                              const DistributedOperand& z) {
  return detail::elementwise(
      "elementwise", {x, y, z}, detail::Linear::none,
      [&](const auto& local) -> Tensor { return f(local[0], local[1], local[2]); });
}

// All ops of one and two operands of ops.h: exp(x), relu(x), maximum(x, y), lt(x, 1.F), ...
#define TUTTI_UNARY(name, ...) DistributedTensor name(const DistributedValue& x);
#define TUTTI_BINARY(name, ...)                                                 \
  DistributedTensor name(const DistributedValue& x, const DistributedValue& y); \
  DistributedTensor name(const DistributedValue& x, const Operand& y);          \
  DistributedTensor name(const Operand& x, const DistributedValue& y);
#define TUTTI_TERNARY(name, ...)
#include <tutti/ir/table/elementwise.def>
#undef TUTTI_UNARY
#undef TUTTI_BINARY
#undef TUTTI_TERNARY
DistributedTensor gelu(const DistributedValue& x, Gelu approximate = Gelu::none);
DistributedTensor cast(const DistributedValue& x, DType dtype);
DistributedTensor stop_gradient(const DistributedValue& x);

inline DistributedTensor operator-(const DistributedValue& x) { return neg(x); }
#define TUTTI_OPERATOR(symbol, name)                                                               \
  inline DistributedTensor operator symbol(const DistributedValue& x, const DistributedValue& y) { \
    return name(x, y);                                                                             \
  }                                                                                                \
  inline DistributedTensor operator symbol(const DistributedValue& x, const Operand& y) {          \
    return name(x, y);                                                                             \
  }                                                                                                \
  inline DistributedTensor operator symbol(const Operand& x, const DistributedValue& y) {          \
    return name(x, y);                                                                             \
  }
TUTTI_OPERATOR(+, add)
TUTTI_OPERATOR(-, sub)
TUTTI_OPERATOR(*, mul)
TUTTI_OPERATOR(/, div)
#undef TUTTI_OPERATOR

// ---- Products. [..., m, k] x [..., k, n], as in ops.h. Where the rows of x, the columns of y or a
// leading dimension are sharded, so is the result; where k is, the result is Partial.
DistributedTensor matmul(const DistributedValue& x, const DistributedValue& y);

// ---- Reductions. Over a sharded axis the result of sum and mean is Partial; the others reduce it
// with one all_reduce. A max or min over an axis some of whose parts are empty gathers it first.
DistributedTensor sum(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);
DistributedTensor mean(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);
DistributedTensor max(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);
DistributedTensor min(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);
DistributedTensor any(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);
DistributedTensor all(const DistributedValue& x, const Axes& axes = {}, bool keepdims = false);

// ---- Shape. No communication, except where a reshape divides or joins a sharded axis so that the
// parts are not parts of an axis any more: that is gathered first. An axis stays sharded if it
// stays as it is, or if it is the first of those that are joined, or becomes the first of those it
// is divided into, and the parts are equal.
DistributedTensor transpose(const DistributedValue& x, std::vector<std::int64_t> permutation = {});
DistributedTensor reshape(const DistributedValue& x, const std::vector<std::int64_t>& shape);

// ---- Along an axis, which is gathered first if it is sharded.
DistributedTensor softmax(const DistributedValue& x, Axis axis = -1);
DistributedTensor log_softmax(const DistributedValue& x, Axis axis = -1);
DistributedTensor layer_norm(const DistributedValue& x, const DistributedValue& scale,
                             const DistributedValue& shift, double epsilon = 1e-5);
DistributedTensor rms_norm(const DistributedValue& x, const DistributedValue& scale,
                           double epsilon = 1e-6);
DistributedTensor cross_entropy(const DistributedValue& logits, const DistributedValue& labels);

}  // namespace tutti

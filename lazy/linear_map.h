#pragma once

#include <tutti/lazy/tensor.h>

#include <memory>
#include <vector>

namespace tutti::detail {

// The derivative of some tensors with respect to others, at the place where it was taken: a linear
// function that may be called later, in any order with evaluations, and more than once. It keeps
// the tensors in between that it needs.
class LinearMap {
 public:
  // From cotangents of the floating-point outputs to those of `wrt`.
  static LinearMap pullback(const std::vector<Tensor>& outputs, const std::vector<Tensor>& wrt,
                            Location where);
  // From tangents of `wrt` to those of the floating-point outputs.
  static LinearMap pushforward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& wrt,
                               Location where);

  // Throws TypeError if the operands are not of the types that they are derivatives of.
  std::vector<Tensor> operator()(const std::vector<Tensor>& operands, Location where) const;

 private:
  struct Function;
  explicit LinearMap(std::shared_ptr<const Function> function) : function_(std::move(function)) {}

  std::shared_ptr<const Function> function_;
};

}  // namespace tutti::detail

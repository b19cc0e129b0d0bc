#pragma once

#include <tutti/lazy/empty_function.h>
#include <tutti/lazy/grad.h>

#include <source_location>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

// Whether a gradient may be taken of what is recorded now.
bool is_being_differentiated();

// What a function records while this lives, and what it uses that is none of its arguments.
class CustomScope {
 public:
  CustomScope();
  // The results, with a gradient of their own. `backward` records the cotangents of the
  // floating-point arguments from the residuals and the cotangents of the floating-point results.
  using Backward = runtime::FunctionRef<std::vector<Tensor>(const std::vector<Tensor>& residuals,
                                                            const std::vector<Tensor>& cotangents)>;
  std::vector<Tensor> finish(const std::vector<Tensor>& results,
                             const std::vector<std::pair<std::string, Tensor>>& arguments,
                             const std::vector<Tensor>& residuals, Backward backward,
                             Location where) const;

 private:
  const ApartFromGradients apart_;
  std::uint32_t begin_;
};

}  // namespace detail

// A function with a gradient of its own:
//   auto log1pexp = custom_vjp(
//       [](const Tensor& x) { return std::pair(log1p(exp(x)), x); },
//       [](const Tensor& x, const Tensor& cotangent) { return cotangent * sigmoid(x); });
// forward(arguments...) gives a pair: the value, and what backward needs, the residuals; arguments,
// value and residuals are trees (a number is one, too). backward(residuals, cotangent), the
// cotangent being a tree like the value, gives the cotangents of the floating-point leaves of the
// arguments, in their order: a tree like the argument, or a tuple of such.
//
// It is used by grad, value_and_grad, vjp and jvp (which needs it to be linear in the cotangent),
// in loops and branches too (there backward may not communicate yet). Derivatives of higher order
// are those of backward's ops, residuals included, and backward may communicate: of an argument
// that is the same on several ranks the cotangent has to be, and the sum over them is backward's to
// make. What forward uses that is no argument has no gradient: to ask for one is a TypeError. Both
// see the same program on all ranks.
template <class Forward, class Backward>
auto custom_vjp(Forward forward, Backward backward,
                std::source_location at = std::source_location::current()) {
  detail::check_function(forward, "custom_vjp", at);
  detail::check_function(backward, "custom_vjp", at);
  return [forward = std::move(forward), backward = std::move(backward),
          at]<class... Arguments>(const Arguments&... arguments) {
    using Result = detail::Waited<std::decay_t<decltype(forward(arguments...).first)>>;
    if (!detail::is_being_differentiated()) return Result(forward(arguments...).first);
    std::tuple<Arguments...> inner(arguments...);
    detail::rename_leaves(detail::tree_ref(inner), at);
    const detail::CustomScope scope;
    auto [value, kept] =
        std::apply([&](const auto&... each) { return forward(each...); }, std::as_const(inner));
    Result result = value;
    const std::vector<Tensor> found = scope.finish(
        detail::tensors_of(detail::tree_ref(result), at),
        detail::named_tensors_of(detail::tree_ref(inner)),
        detail::tensors_of(detail::tree_ref(kept), at),
        [&](const std::vector<Tensor>& residuals, const std::vector<Tensor>& cotangents) {
          auto own = kept;
          detail::set_tensors(detail::tree_ref(own), residuals);
          Result cotangent = result;
          detail::set_floating_tensors(detail::tree_ref(cotangent), cotangents);
          detail::forget_numbers(detail::tree_ref(cotangent));
          const auto given = backward(std::as_const(own), std::as_const(cotangent));
          return detail::waited_tensors_of(detail::tree_ref(given), at);
        },
        at);
    detail::set_tensors(detail::tree_ref(result), found);
    return result;
  };
}

}  // namespace tutti

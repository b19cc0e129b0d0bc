#pragma once

#include <tutti/lazy/create.h>
#include <tutti/lazy/empty_function.h>
#include <tutti/lazy/operand.h>
#include <tutti/lazy/ops.h>
#include <tutti/lazy/tree.h>
#include <tutti/runtime/function_ref.h>

#include <cstdint>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

// Loops and branches that stay loops and branches in the program: f is called to record what a step
// does, once or a few times, and neither the program nor the time to compile it grows with the
// number of steps. (A C++ `for` is recorded step by step, which is as good for a few.)
//
// What a function is given and gives are trees of tensors (tree.h); other members of a tree are
// carried along as they were first. Distributed tensors keep their placements from step to step,
// and branches give them placed alike (TypeError); a scan does not go over them or stack them. A
// function may use tensors from outside. It may not read tensors. All that it takes and gives lies
// on one device, where it runs.
//
// It may call collectives. All ranks of their groups have to take part in all steps, so the
// condition of such a while_loop, and the index of such a conditional, must be known to be the same
// on them: of an all_reduce, say, and not of data that each rank has of its own (TypeError). Where
// a rank fails in the middle of a loop, its groups are of no use any more, and the others get the
// reason. Scans, for_loops and branches that communicate have gradients of any order where they are
// recorded inside of grad.
namespace tutti {

struct ScanOptions {
  bool reverse = false;  // from the last step to the first
};

namespace detail {

using ControlBody = runtime::FunctionRef<std::vector<Tensor>(const std::vector<Tensor>&)>;

// body(carries..., a step of each sequence...) gives the next carries and what is stacked; so does
// the result.
std::vector<Tensor> record_scan(const std::vector<Tensor>& carries,
                                const std::vector<Tensor>& sequences, std::int64_t length,
                                bool reverse, ControlBody body, Location where);
// The same over the numbers of the steps, i64[].
std::vector<Tensor> record_counted(const std::vector<Tensor>& carries, std::int64_t length,
                                   ControlBody body, std::source_location at);
std::vector<Tensor> record_while(const std::vector<Tensor>& carries, ControlBody condition,
                                 ControlBody body, Location where);
// Has the function that gives the tree recorded again if types do not say that its distributed
// tensors are the same where they are placed so. Not for a gradient, which wants all parameters
// replicated alike.
void keep_placements(TreeRef given);
// The tensors that a step gives for a carry. Throws TypeError, with the path of the first, if they
// have other shapes, dtypes or placements than the carry's.
std::vector<Tensor> next_carries(std::string_view call, TreeRef carry, TreeRef next,
                                 Location where);
// The index of what a condition chooses, of false and true.
Tensor branch_index(const Operand& condition);
// `names`: of the branches, or empty.
std::vector<Tensor> record_conditional(const Tensor& index, const std::vector<Tensor>& arguments,
                                       const std::vector<ControlBody>& branches,
                                       const std::vector<std::string>& names, Location where);

// Throws TypeError if branches give trees with other tensors, which may be as many, or that are
// placed otherwise.
void check_branches_agree(std::string_view call, TreeRef first, TreeRef other, Location where);
// Throws TypeError for distributed tensors that a scan "goes over" or "stacks".
void refuse_distributed(std::string_view does, TreeRef tree, Location where);

// The steps that sequences have in common, their first axis.
std::int64_t common_length(const std::vector<Tensor>& sequences, Location where);

template <class T>
std::vector<Tensor> tensors_of(const T& tree, Location where) {
  return tensors_of(tree_ref(tree), where);
}

// The tree with other tensors, from the one at `next` on.
template <class T>
T with_tensors(T tree, const std::vector<Tensor>& tensors, std::size_t& next) {
  set_tensors(tree_ref(tree), tensors, next);
  return tree;
}
template <class T>
T with_tensors(T tree, const std::vector<Tensor>& tensors) {
  set_tensors(tree_ref(tree), tensors);
  return tree;
}

inline void append(std::vector<Tensor>& to, const std::vector<Tensor>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// What a scan's body gives.
template <class T>
inline constexpr bool is_step_result = false;
template <class Carry, class Y>
inline constexpr bool is_step_result<std::pair<Carry, Y>> = true;

template <class Y, class F, class Carry, class Xs>
std::pair<Carry, Y> scan_of(F& f, const Carry& init, const Xs& xs, ScanOptions options,
                            std::source_location at) {
  const std::vector<Tensor> carries = tensors_of(init, at);
  const std::vector<Tensor> sequences = tensors_of(xs, at);
  refuse_distributed("goes over", tree_ref(xs), at);
  Y form{};
  const std::vector<Tensor> results = record_scan(
      carries, sequences, common_length(sequences, at), options.reverse,
      [&](const std::vector<Tensor>& arguments) {
        std::size_t next = 0;
        const Carry carry = with_tensors(init, arguments, next);
        const Xs x = with_tensors(xs, arguments, next);
        auto out = f(carry, x);
        std::vector<Tensor> given = next_carries("scan", tree_ref(init), tree_ref(out.first), at);
        append(given, tensors_of(out.second, at));
        refuse_distributed("stacks", tree_ref(out.second), at);
        form = std::move(out.second);
        return given;
      },
      at);
  std::size_t next = 0;
  Carry carry = with_tensors(init, results, next);
  return std::pair<Carry, Y>(std::move(carry), with_tensors(std::move(form), results, next));
}

}  // namespace detail

// A loop over the first axis of the tensors of `xs`, with state: f(carry, x) gives a pair (next
// carry, y), x being a step of xs. Gives the pair (last carry, the ys stacked along a new first
// axis). The next carry has the types of the carry. Differentiable: a gradient keeps of each step
// what would be costly to compute again (products, reductions). Where f is, or has in it, a
// checkpoint(), it keeps the carries alone and computes the step again.
//   auto [h, ys] = scan([&](Tensor h, Tensor x) { h = tanh(matmul(h, w) + x); return std::pair(h,
//   h); },
//                       h0, xs);
template <class F, class Carry, class Xs>
auto scan(F f, const Carry& init, const Xs& xs, ScanOptions options = {},
          std::source_location at = std::source_location::current()) {
  constexpr bool kTakes = std::is_invocable_v<F&, const Carry&, const Xs&>;
  static_assert(kTakes, "the body of a scan takes the carry and a step of what it goes over");
  if constexpr (kTakes) {
    using Pair = std::decay_t<decltype(f(init, xs))>;
    static_assert(detail::is_step_result<Pair>,
                  "the body of a scan gives a pair, std::pair(next carry, y)");
    if constexpr (detail::is_step_result<Pair>) {
      detail::check_function(f, "scan", at);
      return detail::scan_of<typename Pair::second_type>(f, init, xs, options, at);
    }
  }
}

// A loop of `count` steps: f(i, carry) gives the next carry, i being i64[] from 0 to count - 1.
// Differentiable.
template <class F, class Carry>
Carry for_loop(std::int64_t count, F f, const Carry& init,
               std::source_location at = std::source_location::current()) {
  constexpr bool kFits = std::is_invocable_r_v<Carry, F&, const Tensor&, Carry>;
  static_assert(kFits,
                "the body of a for_loop takes the step's number and the carry, and gives it");
  if constexpr (kFits) {
    detail::check_function(f, "for_loop", at);
    const std::vector<Tensor> carries = detail::tensors_of(init, at);
    const std::vector<Tensor> results = detail::record_counted(
        carries, count,
        [&](const std::vector<Tensor>& arguments) {
          const Carry next = f(arguments.back(), detail::with_tensors(init, arguments));
          return detail::next_carries("for_loop", detail::tree_ref(init), detail::tree_ref(next),
                                      at);
        },
        at);
    return detail::with_tensors(init, results);
  } else {
    return init;
  }
}

// body(carry) again and again, as long as condition(carry), a bool[], holds before. It has a
// derivative forwards and backwards only as a scan with a fixed number of steps.
template <class Condition, class Body, class Carry>
Carry while_loop(Condition condition, Body body, const Carry& init,
                 std::source_location at = std::source_location::current()) {
  constexpr bool kFits = std::is_invocable_r_v<Tensor, Condition&, Carry> &&
                         std::is_invocable_r_v<Carry, Body&, Carry>;
  static_assert(kFits,
                "a while_loop's condition takes the carry and gives a bool[], its body gives the "
                "next carry");
  if constexpr (kFits) {
    detail::check_function(condition, "while_loop", at);
    detail::check_function(body, "while_loop", at);
    const auto carry = [&](const std::vector<Tensor>& arguments) {
      return detail::with_tensors(init, arguments);
    };
    const std::vector<Tensor> results = detail::record_while(
        detail::tensors_of(init, at),
        [&](const std::vector<Tensor>& arguments) {
          return std::vector<Tensor>{condition(carry(arguments))};
        },
        [&](const std::vector<Tensor>& arguments) {
          const Carry next = body(carry(arguments));
          return detail::next_carries("while_loop", detail::tree_ref(init), detail::tree_ref(next),
                                      at);
        },
        at);
    return detail::with_tensors(init, results);
  } else {
    return init;
  }
}

namespace detail {

template <class Branch, class... T>
auto conditional_of(const Tensor& index, const std::vector<Branch>& branches,
                    const std::vector<std::string>& names, Location where, const T&... arguments) {
  using Result = std::decay_t<decltype(branches[0](arguments...))>;
  std::vector<Tensor> given;
  (append(given, tensors_of(arguments, where)), ...);
  Result form{};
  bool is_first = true;
  const auto call = [&](const Branch& branch, const std::vector<Tensor>& tensors) {
    [[maybe_unused]] std::size_t next = 0;  // of no arguments: none
    // In braces, so that the arguments are put together from left to right.
    const std::tuple<T...> own{with_tensors(arguments, tensors, next)...};
    Result out = std::apply(branch, own);
    std::vector<Tensor> results = tensors_of(out, where);
    keep_placements(tree_ref(out));
    if (is_first) {
      form = std::move(out);
      is_first = false;
    } else {
      check_branches_agree(names.empty() ? "conditional" : "cond", tree_ref(form), tree_ref(out),
                           where);
    }
    return results;
  };
  std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>> calls;
  for (const Branch& branch : branches) {
    calls.push_back([&](const std::vector<Tensor>& tensors) { return call(branch, tensors); });
  }
  const std::vector<ControlBody> bodies(calls.begin(), calls.end());
  const std::vector<Tensor> results = record_conditional(index, given, bodies, names, where);
  return with_tensors(std::move(form), results);
}

}  // namespace detail

// branches[index](arguments...), index being an integer of rank 0; the last one if there is no such
// branch. Nothing of the other branches is computed (select(p, a, b) computes both a and b). All
// give trees of the same types. Differentiable.
template <class Branch, class... T>
auto conditional(const Operand& index, const std::vector<Branch>& branches, const T&... arguments) {
  for (const Branch& branch : branches) {
    detail::check_function(branch, "conditional", index.where());
  }
  return detail::conditional_of(index.tensor(), branches, {}, index.where(), arguments...);
}

// on_true(arguments...) or on_false(arguments...), as the bool[] says; of integers 0 is false.
// Throws TypeError for a condition of another dtype.
template <class OnTrue, class OnFalse, class... T>
auto cond(const Operand& condition, OnTrue on_true, OnFalse on_false, const T&... arguments) {
  using Result = std::decay_t<decltype(on_true(arguments...))>;
  using Branch = std::function<Result(const T&...)>;
  detail::check_function(on_true, "cond", condition.where());
  detail::check_function(on_false, "cond", condition.where());
  return detail::conditional_of(detail::branch_index(condition),
                                std::vector<Branch>{Branch(on_false), Branch(on_true)},
                                {"on_false", "on_true"}, condition.where(), arguments...);
}

}  // namespace tutti

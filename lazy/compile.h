#pragma once

#include <tutti/lazy/tree.h>

#include <deque>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

// What a compiled function does that does not depend on its type: signatures, tracing, replay.
class CompiledFunction {
 public:
  struct TensorArgument {
    std::string name;
    StatePtr state;
  };
  struct ScalarArgument {
    std::string name;
    double value;
    bool single;  // float; else double
  };
  struct Arguments {
    std::vector<TensorArgument> tensors;
    std::vector<ScalarArgument> scalars;  // floating-point numbers: run-time parameters
    std::vector<std::string> statics;     // "3.name = 7": part of the program
  };
  // Runs the user's function on formal arguments; `tagged`: floating-point arguments are
  // placeholders.
  using Body = std::function<std::vector<StatePtr>(
      std::size_t program, const std::vector<StatePtr>& tensors, bool tagged)>;
  struct Results {
    std::size_t program;
    std::vector<StatePtr> states;
  };

  explicit CompiledFunction(Location where);
  ~CompiledFunction();

  Results call(const Arguments& arguments, const Body& body);
  // Whether the calling rank is tracing already, so that the body is just called.
  static bool inlined();

  std::string ir() const;
  std::string plan() const;
  std::string explain() const;
  std::int64_t calls() const { return calls_; }
  std::size_t programs() const;

 private:
  struct Program;
  Program& trace(const Arguments& arguments, const Body& body, bool tagged, std::size_t index);

  Location where_;
  std::uint64_t context_ = 0;  // of the rank that called it first
  std::int64_t calls_ = 0;
  std::deque<std::unique_ptr<Program>> programs_;
  std::size_t last_ = 0;
  std::string why_ = "it was never called";
  bool static_scalars_ = false;
};

// The decayed parameter types of a function that is not overloaded or generic; else void.
template <class F>
struct ParameterTypes {
  using Type = void;
};
template <class R, class... P>
struct ParameterTypes<R (*)(P...)> {
  using Type = std::tuple<std::decay_t<P>...>;
};
template <class C, class R, class... P>
struct ParameterTypes<R (C::*)(P...) const> {
  using Type = std::tuple<std::decay_t<P>...>;
};
template <class C, class R, class... P>
struct ParameterTypes<R (C::*)(P...)> {
  using Type = std::tuple<std::decay_t<P>...>;
};
template <class F>
  requires requires { &F::operator(); }
struct ParameterTypes<F> : ParameterTypes<decltype(&F::operator())> {};

float scalar_placeholder(float, int number);
double scalar_placeholder(double, int number);
// The argument that a number stands for in the function being compiled; -1 for an ordinary one.
int placeholder_number(float value);
int placeholder_number(double value);

template <class T>
std::string static_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    return "\"" + value + "\"";
  } else {
    return std::to_string(value);
  }
}

}  // namespace detail

// See compile().
template <class F>
class Compiled {
 public:
  Compiled(F f, std::source_location at)
      : f_(std::move(f)), core_(std::make_unique<detail::CompiledFunction>(Location(at))) {}

  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    using Given = std::tuple<std::decay_t<Arguments>...>;
    using Declared = typename detail::ParameterTypes<F>::Type;
    using Formal = std::conditional_t<std::is_void_v<Declared>, Given, Declared>;
    Formal formal(std::forward<Arguments>(arguments)...);
    return run(formal);
  }

  // The program as traced for the last call, and the plan it became, as text.
  std::string ir() const { return core_->ir(); }
  std::string plan() const { return core_->plan(); }
  // Why the last compilation happened.
  std::string explain() const { return core_->explain(); }
  // How often the function was called, and how many programs it was compiled to.
  std::int64_t calls() const { return core_->calls(); }
  std::size_t programs() const { return core_->programs(); }

 private:
  template <class Formal>
  auto run(Formal& formal) {
    using Result = std::decay_t<decltype(std::apply(f_, formal))>;
    if (detail::CompiledFunction::inlined()) return Result(std::apply(f_, formal));
    static_assert(!std::is_void_v<Result>, "a compiled function returns a tree");

    detail::CompiledFunction::Arguments arguments = describe(formal);
    const auto body = [&](std::size_t program, const std::vector<detail::StatePtr>& tensors,
                          bool tagged) {
      set(formal, tensors, arguments.scalars, tagged);
      Result result = std::apply(f_, formal);
      std::vector<detail::StatePtr> states;
      for_each_leaf(result, [&](auto& leaf) { states.push_back(leaf.state()); });
      for_each_leaf(result, [&](auto& leaf) { leaf = {}; });
      if (shapes_.size() <= program) shapes_.resize(program + 1);
      shapes_[program] = {std::make_shared<Result>(std::move(result)), {}};
      Result& shape = *std::static_pointer_cast<Result>(shapes_[program].tree);
      each_number(shape, [&](auto& number) {
        shapes_[program].numbers.push_back(tagged ? detail::placeholder_number(number) : -1);
      });
      return states;
    };
    const auto [program, states] = core_->call(arguments, body);
    Result out = *std::static_pointer_cast<Result>(shapes_[program].tree);
    std::size_t next = 0;
    each_number(out, [&](auto& number) {
      const int argument = shapes_[program].numbers[next++];
      if (argument < 0) return;
      number = static_cast<std::decay_t<decltype(number)>>(
          arguments.scalars[static_cast<std::size_t>(argument)].value);
    });
    next = 0;
    for_each_leaf(out, [&](auto& leaf) { leaf = std::decay_t<decltype(leaf)>(states[next++]); });
    return out;
  }

  template <class Formal>
  static detail::CompiledFunction::Arguments describe(Formal& formal) {
    detail::CompiledFunction::Arguments out;
    detail::Path path(true);
    auto visit = [&]<class T>(const std::string& name, T&& value) {
      using Leaf = std::remove_reference_t<T>;
      Leaf& leaf = value;
      if constexpr (detail::TensorLeaf<Leaf>) {
        out.tensors.push_back({name, leaf.state()});
      } else if constexpr (std::same_as<std::remove_const_t<Leaf>, detail::ContainerSize>) {
        out.statics.push_back(name + " has " + std::to_string(leaf.size) + " elements");
      } else if constexpr (std::is_floating_point_v<Leaf>) {
        out.scalars.push_back({name, static_cast<double>(leaf), std::same_as<Leaf, float>});
      } else {
        out.statics.push_back(name + " = " + detail::static_text(leaf));
      }
    };
    detail::walk_tree(formal, path, visit);
    return out;
  }

  template <class Formal>
  static void set(Formal& formal, const std::vector<detail::StatePtr>& tensors,
                  const std::vector<detail::CompiledFunction::ScalarArgument>& scalars,
                  bool tagged) {
    detail::Path path(false);
    std::size_t tensor = 0;
    std::size_t scalar = 0;
    auto visit = [&]<class T>(const std::string&, T&& leaf) {
      using Leaf = std::remove_reference_t<T>;
      if constexpr (detail::TensorLeaf<Leaf>) {
        leaf = Leaf(tensors[tensor++]);
      } else if constexpr (std::is_floating_point_v<Leaf>) {
        leaf = tagged ? detail::scalar_placeholder(leaf, static_cast<int>(scalar))
                      : static_cast<Leaf>(scalars[scalar].value);
        ++scalar;
      }
    };
    detail::walk_tree(formal, path, visit);
  }

  F f_;
  std::unique_ptr<detail::CompiledFunction> core_;
  // A program's result with empty leaves, and which argument each number in it is (-1: none).
  struct ResultShape {
    std::shared_ptr<void> tree;
    std::vector<int> numbers;
  };

  // Calls f(number) for every floating-point number of a tree.
  template <class Tree, class Visit>
  static void each_number(Tree& tree, Visit&& f) {
    detail::Path path(false);
    auto visit = [&]<class T>(const std::string&, T&& leaf) {
      if constexpr (std::is_floating_point_v<std::remove_reference_t<T>>) f(leaf);
    };
    detail::walk_tree(tree, path, visit);
  }

  std::vector<ResultShape> shapes_;  // per program
};

// A callable like f that traces f once per signature (the arguments' structure, shapes, dtypes,
// replication and aliasing, and the values of int, bool, enum and string arguments), compiles it,
// and afterwards replays the compiled program. Floating-point arguments are run-time parameters:
// another value is no new program (unless f does C++ arithmetic or comparisons on them: then each
// value is). Calling it is an evaluation point. f may not read tensors, and a tensor that it
// captures is an error that names its line; constant(t) says that it is meant.
template <class F>
Compiled<F> compile(F f, std::source_location at = std::source_location::current()) {
  return Compiled<F>(std::move(f), at);
}

}  // namespace tutti

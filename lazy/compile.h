#pragma once

#include <tutti/lazy/lower.h>
#include <tutti/lazy/tree.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

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

inline void add_text(std::string_view text, std::vector<std::uint64_t>& key) {
  key.push_back(text.size());
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min(sizeof(word), text.size() - i));
    key.push_back(word);
  }
}

template <class T>
void add_static(const T& value, std::vector<std::uint64_t>& key) {
  if constexpr (std::same_as<T, std::string>) {
    add_text(value, key);
  } else {
    key.push_back(static_cast<std::uint64_t>(value));
  }
}

// A number of its own for every type.
template <class T>
std::uint64_t type_key() {
  static char place = 0;  // not const: a linker may merge equal constants
  return reinterpret_cast<std::uintptr_t>(&place);
}

}  // namespace detail

// See compile().
template <class F>
class Compiled {
 public:
  Compiled(F f, std::vector<VaryingSize> sizes, std::source_location at)
      : f_(std::move(f)),
        where_(at),
        core_(std::make_unique<detail::CompiledFunction>(Location(at), sizes)),
        sizes_(std::move(sizes)) {}

  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    Formal<Arguments...> formal(std::forward<Arguments>(arguments)...);
    return run(formal);
  }

  // The program of one rank for arguments like these, of which shapes and dtypes count: tensors, or
  // abstract() ones. Needs no World and none of the other ranks. Throws what tracing throws, and
  // UsageError for a rank or mesh that does not fit the world.
  template <class... Arguments>
  Lowered lower(const LowerOptions& options, Arguments&&... arguments) {
    Formal<Arguments...> formal(std::forward<Arguments>(arguments)...);
    Lowered out(options, sizes_, where_);
    detail::CompiledFunction::Arguments& taken = out.arguments();
    take(formal, taken);
    out.trace([&] { return names(formal); },
              [&](std::size_t, const std::vector<detail::StatePtr>& tensors, bool tagged) {
                set(formal, tensors, taken.scalars, tagged);
                auto result = std::apply(f_, formal);
                return states_of(result);
              });
    return out;
  }

  // What became of the program that the last call ran, stage by stage, as text. Each throws
  // UsageError before the first call.
  //
  // The IR as it was traced; and after a pass ("fuse", ...; `tutti help env` lists them). Throws
  // UsageError for a name that is no pass.
  std::string ir() const { return core_->ir(); }
  std::string ir(std::string_view pass) const { return core_->ir(pass); }
  // The steps and the places of buffers.
  std::string plan() const { return core_->plan(); }
  // The kernels as loop nests, LLVM IR, and assembly of this machine, equal ones once, each below a
  // comment with its numbers in the plan and its lines; the last two also of the function that
  // runs the steps. They compile everything again, and throw EnvironmentError in a build without
  // LLVM.
  std::string kernels() const { return core_->kernels(); }
  std::string llvm() const { return core_->llvm(); }
  std::string assembly() const { return core_->assembly(); }
  // What was compiled for GPUs, as CUDA C++ and as PTX; empty where none is used. PTX is compiled
  // again, and throws EnvironmentError where there is no NVRTC.
  std::string cuda() const { return core_->cuda(); }
  std::string ptx() const { return core_->ptx(); }
  // Why the last compilation happened.
  std::string explain() const { return core_->explain(); }
  // What the sizes that vary may be, and why no smaller, a line each: "3 <= n <= 64", "  3 <= n,
  // since for n = 2: slice: ..."; empty if none varies.
  std::string sizes() const { return core_->sizes(); }
  // How often the function was called, and how many programs it was compiled to.
  std::int64_t calls() const { return core_->calls(); }
  std::size_t programs() const { return core_->programs(); }

 private:
  // A call's arguments, as f declares them.
  template <class... Arguments>
  using Formal = std::conditional_t<std::is_void_v<typename detail::ParameterTypes<F>::Type>,
                                    std::tuple<std::decay_t<Arguments>...>,
                                    typename detail::ParameterTypes<F>::Type>;

  template <class Given>
  auto run(Given& formal) {
    using Result = std::decay_t<decltype(std::apply(f_, formal))>;
    if (detail::CompiledFunction::inlined()) return Result(std::apply(f_, formal));
    static_assert(!std::is_void_v<Result>, "a compiled function returns a tree");

    detail::CompiledFunction::Arguments& arguments = core_->begin();
    take(formal, arguments);
    const auto body = [&](std::size_t program, const std::vector<detail::StatePtr>& tensors,
                          bool tagged) {
      set(formal, tensors, arguments.scalars, tagged);
      Result result = std::apply(f_, formal);
      std::vector<detail::StatePtr> states = states_of(result);
      for_each_leaf(result, [&](auto& leaf) { leaf = {}; });
      check_statics(result);
      if (shapes_.size() <= program) shapes_.resize(program + 1);
      shapes_[program] = {std::make_shared<Result>(std::move(result)), {}};
      Result& shape = *std::static_pointer_cast<Result>(shapes_[program].tree);
      each_number(shape, [&](auto& number) {
        shapes_[program].numbers.push_back(tagged ? detail::placeholder_number(number) : -1);
      });
      return states;
    };
    const std::size_t program = core_->call([&] { return names(formal); }, body);
    Result out = *static_cast<Result*>(shapes_[program].tree.get());
    std::size_t next = 0;
    each_number(out, [&](auto& number) {
      const int argument = shapes_[program].numbers[next++];
      if (argument < 0) return;
      number = static_cast<std::decay_t<decltype(number)>>(
          arguments.scalars[static_cast<std::size_t>(argument)].value);
    });
    next = 0;
    for_each_leaf(out, [&](auto& leaf) {
      leaf = std::decay_t<decltype(leaf)>(std::move(core_->results()[next++]));
    });
    return out;
  }

  // Moves the tensors out of the tree and notes all else that counts.
  template <class Given>
  static void take(Given& formal, detail::CompiledFunction::Arguments& out) {
    out.key.push_back(detail::type_key<Given>());
    detail::Path path(false);
    auto visit = [&]<class T>(const std::string&, T&& leaf) {
      using Leaf = std::remove_cvref_t<T>;
      if constexpr (detail::TensorLeaf<Leaf>) {
        out.tensors.push_back(leaf.state());
        leaf = {};
      } else if constexpr (std::same_as<Leaf, detail::ContainerSize>) {
        out.key.push_back(leaf.size);
      } else if constexpr (std::same_as<Leaf, detail::MapKey>) {
        detail::add_text(leaf.name, out.key);
      } else if constexpr (std::is_floating_point_v<Leaf>) {
        out.scalars.push_back({static_cast<double>(leaf), std::same_as<Leaf, float>});
      } else {
        detail::add_static(leaf, out.key);
      }
    };
    detail::walk_tree(formal, path, visit);
  }

  template <class Given>
  static detail::CompiledFunction::Names names(Given& formal) {
    detail::CompiledFunction::Names out;
    detail::Path path(true);
    auto visit = [&]<class T>(const std::string& name, T&& leaf) {
      using Leaf = std::remove_cvref_t<T>;
      if constexpr (detail::TensorLeaf<Leaf>) {
        out.tensors.push_back(name);
      } else if constexpr (std::same_as<Leaf, detail::ContainerSize>) {
        out.statics.push_back(name + " has " + std::to_string(leaf.size) + " elements");
      } else if constexpr (std::same_as<Leaf, detail::MapKey>) {
        out.statics.push_back(name + " has a key \"" + std::string(leaf.name) + "\"");
      } else if constexpr (std::is_floating_point_v<Leaf>) {
        out.scalars.push_back(name);
      } else {
        out.statics.push_back(name + " = " + detail::static_text(leaf));
      }
    };
    detail::walk_tree(formal, path, visit);
    return out;
  }

  template <class Result>
  static std::vector<detail::StatePtr> states_of(Result& result) {
    std::vector<detail::StatePtr> states;
    for_each_leaf(result, [&](auto& leaf) { states.push_back(leaf.state()); });
    return states;
  }

  template <class Given>
  static void set(Given& formal, const std::vector<detail::StatePtr>& tensors,
                  const std::vector<detail::CompiledFunction::Arguments::Scalar>& scalars,
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

  // Where sizes vary, what a result holds beside tensors is the same for all of them.
  template <class Result>
  void check_statics(Result& result) {
    std::vector<std::uint64_t> statics;
    detail::Path path(true);
    auto visit = [&]<class T>(const std::string& name, T&& leaf) {
      using Leaf = std::remove_cvref_t<T>;
      if constexpr (detail::TensorLeaf<Leaf>) {
        return;
      } else if constexpr (std::same_as<Leaf, detail::ContainerSize>) {
        statics.push_back(leaf.size);
      } else if constexpr (std::same_as<Leaf, detail::MapKey>) {
        detail::add_text(leaf.name, statics);
      } else if constexpr (std::is_floating_point_v<Leaf>) {
        statics.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(leaf)));
      } else {
        detail::add_static(leaf, statics);
      }
      if (core_->sample() == 0) return;
      const std::size_t last = statics.size() - 1;
      if (last >= statics_.size() || statics_[last] != statics[last]) core_->fail_static(name);
    };
    detail::walk_tree(result, path, visit);
    statics_ = std::move(statics);
  }

  F f_;
  Location where_;
  std::unique_ptr<detail::CompiledFunction> core_;
  std::vector<std::uint64_t> statics_;  // of the last trace's result
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

  std::vector<VaryingSize> sizes_;
  std::vector<ResultShape> shapes_;  // per program
};

// A callable like f that traces f once per signature (the arguments' structure, shapes, dtypes,
// replication and aliasing, and the values of int, bool, enum and string arguments), compiles it,
// and afterwards replays the compiled program. Floating-point arguments are run-time parameters:
// another value is no new program (unless f does C++ arithmetic or comparisons on them: then each
// value is). Calling it is an evaluation point. Arguments that are moved in and that nobody else
// holds are given up: results take their memory over, so that a training step needs no second copy
// of its model. f may not read tensors, and a tensor that it captures is an error that names its
// line; constant(t) says that it is meant.
template <class F>
Compiled<F> compile(F f, std::source_location at = std::source_location::current()) {
  return Compiled<F>(std::move(f), {}, at);
}

// The same with one program for all sizes of some dimensions, such as that of a batch:
//
//   auto step = compile(f, {{.argument = "0", .dimension = 0, .name = "n", .most = 64},
//                           {.argument = "1", .dimension = 0, .name = "n"}});
//
// f is traced for a few sizes, at each of which x.size(0) is a number as always; what differs
// between the traces must follow from the sizes: shapes, bounds of slices, constants that are a
// size or one over a size. A size in the program is a sum of products of them, each once in a
// product (2*n*m + 1). f may not branch on them; what it does otherwise for sizes that are not
// tried (the largest, one less, one between and the smallest from 2 on) goes unnoticed. What it
// returns beside tensors may not depend on them. Work and memory are those of the largest sizes;
// the arguments are copied where they are smaller. Throws UsageError for names and bounds that make
// no sense, and TypeError, with the lines that differ, for a function that has no such program.
template <class F>
Compiled<F> compile(F f, std::vector<VaryingSize> sizes,
                    std::source_location at = std::source_location::current()) {
  return Compiled<F>(std::move(f), std::move(sizes), at);
}

}  // namespace tutti

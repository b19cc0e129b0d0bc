#pragma once

#include <tutti/lazy/compiled_ranks.h>
#include <tutti/lazy/empty_function.h>
#include <tutti/lazy/lower.h>
#include <tutti/lazy/tree.h>

#include <cstdint>
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

// A number of its own for every type.
template <class T>
std::uint64_t type_key() {
  static char place = 0;  // not const: a linker may merge equal constants
  return reinterpret_cast<std::uintptr_t>(&place);
}

template <class Given>
CompiledFunction::FormalArguments arguments_of(Given& formal, Location where = {}) {
  return {tree_ref(formal), type_key<Given>(), where};
}

// f may change its arguments, and be traced again with them: so it gets copies of what can be
// copied.
template <class F, class Given>
auto apply_to_copy(F& f, Given& given) {
  if constexpr (std::is_copy_constructible_v<Given>) {
    Given own = given;
    return std::apply(f, own);
  } else {
    return std::apply(f, given);
  }
}

template <class Result>
CompiledFunction::OwnedTree owned_tree(Result&& result) {
  auto tree = std::make_shared<std::decay_t<Result>>(std::forward<Result>(result));
  const TreeRef form = tree_ref(*tree);
  return {std::move(tree), form};
}

// The calls of a compiled function `Own` of these parameters, or of any (void). Where they are
// known, arguments may be lists in braces. Errors name the line of the call; not of one of a
// generic function with more than four arguments.
template <class Own, class Parameters>
class Calls {
  template <class... Arguments>
  auto call(Location where, Arguments&&... arguments) {
    constexpr bool kTakes = std::is_invocable_v<typename Own::Callee&, std::decay_t<Arguments>&...>;
    static_assert(kTakes, "the compiled function takes other arguments, or another number of them");
    if constexpr (kTakes) {
      std::tuple<std::decay_t<Arguments>...> formal(std::forward<Arguments>(arguments)...);
      return static_cast<Own*>(this)->run(formal, where);
    }
  }

 public:
  template <class A>
  auto operator()(A&& a, std::source_location at = std::source_location::current()) {
    return call(at, std::forward<A>(a));
  }
  template <class A, class B>
  auto operator()(A&& a, B&& b, std::source_location at = std::source_location::current()) {
    return call(at, std::forward<A>(a), std::forward<B>(b));
  }
  template <class A, class B, class C>
  auto operator()(A&& a, B&& b, C&& c, std::source_location at = std::source_location::current()) {
    return call(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }
  template <class A, class B, class C, class D>
  auto operator()(A&& a, B&& b, C&& c, D&& d,
                  std::source_location at = std::source_location::current()) {
    return call(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d));
  }
  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    return call(Location(), std::forward<Arguments>(arguments)...);
  }
};

template <class Own, class... P>
class Calls<Own, std::tuple<P...>> {
  template <class... Arguments>
  static consteval bool takes() {
    if constexpr (sizeof...(Arguments) == sizeof...(P)) {
      return (std::is_convertible_v<Arguments, P> && ...);
    } else {
      return false;
    }
  }

 public:
  auto operator()(P... arguments, std::source_location at = std::source_location::current()) {
    std::tuple<P...> formal(std::move(arguments)...);
    return static_cast<Own*>(this)->run(formal, at);
  }
  template <class... Arguments>
    requires(!takes<Arguments...>())
  auto operator()(Arguments&&...) {
    static_assert(takes<Arguments...>(),
                  "the compiled function takes other arguments, or another number of them");
    // What a right call gives, so that what is done with it is no further error.
    std::tuple<P...>* const none = nullptr;
    return static_cast<Own*>(this)->run(*none, Location());
  }
};

}  // namespace detail

// See compile(). Copies are the same function.
template <class F>
class Compiled : public detail::Calls<Compiled<F>, typename detail::ParameterTypes<F>::Type> {
 public:
  using Callee = F;

  Compiled(F f, std::vector<VaryingSize> sizes, std::source_location at)
      : f_(std::make_shared<Function>(std::move(f), Location(at), std::move(sizes))),
        core_(f_->ranks.first()) {}

  // The function for the rank of a World, to be called on the thread that records for it. Every
  // rank has programs of its own, which stay as long as this function and that World; equal kernels
  // are compiled once. From any thread, any number at a time. The compiled function itself is for
  // the rank that calls it first. One rank at a time runs the C++ function, to record it.
  Compiled on(const World& world) const { return Compiled(f_, f_->ranks.of(world)); }

  // The program of one rank for arguments like these, of which shapes and dtypes count: tensors, or
  // abstract() ones. Needs no World and none of the other ranks. Throws what tracing throws, and
  // UsageError for a rank or mesh that does not fit the world.
  template <class... Arguments>
  Lowered lower(const LowerOptions& options, Arguments&&... arguments) {
    Formal<Arguments...> formal(std::forward<Arguments>(arguments)...);
    const detail::CompiledRanks& ranks = f_->ranks;
    Lowered out(options, ranks.sizes(), ranks.where());
    out.trace(detail::arguments_of(formal), [&] {
      const std::scoped_lock lock(f_->ranks.recording());
      return detail::owned_tree(detail::apply_to_copy(f_->f, formal));
    });
    return out;
  }

  // What became of the program that the last call ran, stage by stage, as text. Each throws
  // UsageError before the first call. They, and what follows, look at what the rank's own thread
  // writes: for that thread, or for others while it makes no call.
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
  // How often it was compiled, and why the last time.
  std::string explain() const { return core_->explain(); }
  // What the sizes that vary may be (up to the bucket), and why no smaller: "3 <= n <= 64", "  3 <=
  // n, since for n = 2: slice: ..."; empty if none varies.
  std::string sizes() const { return core_->sizes(); }
  // How often the function was called, and how many programs there are of it. Those that ran last
  // are kept (the tunable "programs", 1,024 by default); others are compiled again when they come
  // back.
  std::int64_t calls() const { return core_->calls(); }
  std::size_t programs() const { return core_->programs(); }
  // Forgets the programs of this rank, with their memory and what they hold by constant(). The next
  // call compiles again.
  void clear() { core_->clear(); }

 private:
  struct Function {
    Function(F given, Location where, std::vector<VaryingSize> sizes)
        : f(std::move(given)), ranks(where, std::move(sizes)) {}
    F f;
    detail::CompiledRanks ranks;
  };

  Compiled(std::shared_ptr<Function> f, std::shared_ptr<detail::CompiledFunction> core)
      : f_(std::move(f)), core_(std::move(core)) {}

  // A call's arguments, as f declares them.
  template <class... Arguments>
  using Formal = std::conditional_t<std::is_void_v<typename detail::ParameterTypes<F>::Type>,
                                    std::tuple<std::decay_t<Arguments>...>,
                                    typename detail::ParameterTypes<F>::Type>;

  template <class Own, class Parameters>
  friend class detail::Calls;

  // `at`: the line of the call, if that is known.
  template <class Given>
  auto run(Given& formal, Location at) {
    using Result = std::decay_t<decltype(std::apply(f_->f, formal))>;
    if (detail::CompiledFunction::inlined()) {
      const detail::CompiledFunction::InlinedCall inlined(at.known() ? at : f_->ranks.where());
      const std::scoped_lock lock(f_->ranks.recording());
      return Result(std::apply(f_->f, formal));
    }
    static_assert(!std::is_void_v<Result>, "a compiled function returns a tree");
    if constexpr (!std::is_void_v<Result>) {
      const detail::TreeRef form = core_->call(detail::arguments_of(formal, at), [&] {
        const std::scoped_lock lock(f_->ranks.recording());
        return detail::owned_tree(Result(detail::apply_to_copy(f_->f, formal)));
      });
      Result out = *static_cast<const Result*>(form.tree);
      core_->fill(detail::tree_ref(out));
      return out;
    }
  }

  std::shared_ptr<Function> f_;
  std::shared_ptr<detail::CompiledFunction> core_;  // of one rank
};

// A callable like f that traces f once per signature (the arguments' structure, shapes, dtypes,
// replication and aliasing, and the values of int, bool, enum and string arguments), compiles it,
// and afterwards replays the compiled program. Floating-point arguments are run-time parameters:
// another value is no new program (unless f does C++ arithmetic or comparisons on them: then each
// value is). Calling it is an evaluation point. Arguments that are moved in and that nobody else
// holds are given up: results take their memory over, so that a training step needs no second copy
// of its model. f may not read tensors, and a tensor that it captures is an error that names its
// line; constant(t) says that it is meant.
//
// C++ NUMBERS THAT f CAPTURES ARE FROZEN: f runs once a signature, and what it reads from outside
// (a learning rate, a counter, a flag) stays in the program as it was then, whatever it becomes
// later. What changes is an argument.
template <class F>
Compiled<F> compile(F f, std::source_location at = std::source_location::current()) {
  detail::check_function(f, "compile", at);
  return Compiled<F>(std::move(f), {}, at);
}

// The same with one program for all sizes of some dimensions, such as that of a batch, or one for
// each of its `buckets` (lazy/varying_size.h):
//
//   auto step = compile(f, {{.argument = "0", .dimension = 0, .name = "n", .most = 64},
//                           {.argument = "1", .dimension = 0, .name = "n"}});
//
// f is traced for a few sizes, at each of which x.size(0) is a number as always; what differs
// between the traces must follow from the sizes: shapes, bounds of slices, constants that are a
// size or one over a size. A size in the program is a sum of products of them, each once in a
// product (2*n*m + 1). f may not branch on them; what it does otherwise for sizes that are not
// tried (the largest, one less, one between and the smallest from 2 on) goes unnoticed. What it
// returns beside tensors may not depend on them. Work and memory are those of the largest sizes, or
// those of the bucket; the arguments are copied where they are smaller. Throws UsageError for names
// and bounds that make no sense, and TypeError, with the lines that differ, for a function that has
// no such program.
template <class F>
Compiled<F> compile(F f, std::vector<VaryingSize> sizes,
                    std::source_location at = std::source_location::current()) {
  detail::check_function(f, "compile", at);
  return Compiled<F>(std::move(f), std::move(sizes), at);
}

}  // namespace tutti

// One rank of a divergent program: the program's calls, and its own looks at what comes of them.

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <variant>

#include "tests/support/divergent_program.h"

namespace tutti::test {

namespace {

using Handle = std::variant<Tensor, AsyncTensor>;

// ---- What the programs compile

struct ScaledSum {
  Group group;
  Tensor operator()(const Tensor& x, const Tensor& y, float factor) const {
    // All have the same total, so the largest is that one, too.
    const Tensor total = all_reduce(x * factor, group);
    const Tensor again = all_reduce(maximum(total, total - 1), group, Reduce::max);
    return again + sum(y);
  }
};

struct ShortBatch {
  Group group;
  Tensor operator()(const Tensor& x, const Tensor& batch) const {
    return all_reduce(x + sum(batch), group);
  }
};

struct Gathered {
  Tensor next;
  AsyncTensor total;
  TUTTI_FIELDS(next, total)
};

// Takes what is still under way, and gives something that is.
struct TwoGathers {
  Group group;
  Reduce reduction;
  template <class X>
  Gathered operator()(const X& x, const Tensor& y) const {
    return {all_gather(x, group) + 1, all_reduce(y, group, reduction)};
  }
};

// ---- The rank

Tensor tensor_of(const Handle& value) {
  return std::visit([](const auto& x) { return Tensor(x); }, value);
}

Numbers numbers_in(const Tensor& tensor) {
  if (tensor.dtype() == DType::f32) {
    const std::vector<float> elements = tensor.to_vector<float>();
    return {elements.begin(), elements.end()};
  }
  const std::vector<std::int32_t> elements = tensor.to_vector<std::int32_t>();
  return {elements.begin(), elements.end()};
}

std::int64_t total(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

std::string listed(const Numbers& numbers) {
  std::string out;
  for (const std::int64_t number : numbers)
    out += (out.empty() ? "" : ", ") + std::to_string(number);
  return "[" + out + "]";
}

// As the tensor prints; a zero of f32 may have either sign.
std::string printed(const Tensor& tensor) {
  std::ostringstream out;
  out << tensor;
  std::string text = out.str();
  for (const char* const zero : {"-0,", "-0]"}) {
    for (std::size_t at = 0; (at = text.find(zero)) != std::string::npos;) text.erase(at, 1);
  }
  return text;
}

struct Held {
  Handle value;
  Numbers expected;
};

class Runner {
 public:
  Runner(const World& world, const DivergentProgram& program)
      : world_(world),
        program_(program),
        rank_(static_cast<std::size_t>(world.rank())),
        random_(program.seed * 64 + rank_),
        looks_one_in_(std::array{1, 2, 8, 1000}[below(4)]),
        own_group_(own_group()),
        scaled_sum_(compile(ScaledSum{own_group_})),
        short_batch_(compile(ShortBatch{own_group_})),
        places_(DivergentProgram::kPlaces) {
    if (chance(6)) world_.set_eager(true);
  }

  void run() {
    for (; step_ < program_.steps.size(); ++step_) {
      apply(program_.steps[step_]);
      if (step_ >= DivergentProgram::kPlaces && chance(looks_one_in_)) look();
    }
    switch (below(4)) {
      case 0:  // returns with everything traced
        return;
      case 1:
        places_.clear();
        return;
      default:
        for (const Held& held : places_) check(held);
        for (const Held& held : kept_) check(held);
    }
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<std::uint64_t>(end)); }
  bool chance(int one_in) { return below(one_in) == 0; }

  bool in(const std::vector<std::int64_t>& group) const {
    return std::ranges::count(group, world_.rank()) != 0;
  }
  // What the compiler plans, ranks need not agree about.
  Group with_algorithm(const Group& group, const std::string& algorithm) const {
    const bool planned = algorithm != "auto" || program_.seed * 7 % (rank_ + 3) != 0;
    return group.with_algorithm(planned ? algorithm : "off");
  }
  Group own_group() const {
    if (!in(program_.compiled_group)) return Group({world_.rank()});
    return with_algorithm(Group(program_.compiled_group), program_.compiled_algorithm);
  }

  // ---- Steps

  // The operand with the result's dtype.
  Tensor operand(std::size_t number) const {
    const DivergentStep& step = program_.steps[step_];
    const DType dtype = dtype_of_place(step.results[number < step.results.size() ? number : 0]);
    const Tensor x = tensor_of(places_[step.operands[number]].value);
    return x.dtype() == dtype ? x : cast(x, dtype);
  }

  void put(std::size_t number, Handle value) {
    const DivergentStep& step = program_.steps[step_];
    // A rank may hold on to what is under way, or wait at once.
    if (std::holds_alternative<AsyncTensor>(value) && chance(2)) value = tensor_of(value);
    const std::size_t place = step.results[number];
    places_[place] = {std::move(value), step.expected[number][rank_]};
  }

  void apply(const DivergentStep& step) {
    if (step.op == DivergentOp::make) {
      const Numbers& numbers = step.expected[0][rank_];
      put(0, cast(from(numbers, {std::ssize(numbers)}), dtype_of_place(step.results[0])));
    } else if (step.op < DivergentOp::all_reduce) {
      put(0, local(step));
    } else if (step.op == DivergentOp::scaled_sum || step.op == DivergentOp::short_batch) {
      put(0, compiled(step));
    } else if (!in(step.group)) {
      stand_aside(step);
    } else {
      communicate(step);
    }
  }

  Tensor local(const DivergentStep& step) {
    const Tensor x = operand(0);
    const Tensor other = operand(1 % step.operands.size());
    const Tensor y = other.elements() == x.elements() ? other : sum(other);
    const auto limit = static_cast<float>(step.number);
    switch (step.op) {
      case DivergentOp::add:
        return x + y;
      case DivergentOp::subtract:
        return x - y;
      case DivergentOp::multiply:
        return x * y;
      case DivergentOp::maximum:
        return maximum(x, y);
      case DivergentOp::scale:
        return x.dtype() == DType::f32 ? x * limit : x * step.number;
      case DivergentOp::clamp:
        return x.dtype() == DType::f32 ? clamp(x, -limit, limit)
                                       : clamp(x, -step.number, step.number);
      default:
        return reverse(x, {0});
    }
  }

  void stand_aside(const DivergentStep& step) {
    std::vector<Tensor> own;  // all, before a result takes an operand's place
    for (std::size_t i = 0; i < step.results.size(); ++i) own.push_back(sum(operand(i)));
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      put(i, broadcast_to(own[i], {std::ssize(step.expected[i][rank_])}));
    }
  }

  void communicate(const DivergentStep& step) {
    Group group = with_algorithm(Group(step.group, step.tag), step.algorithm);
    if (chance(4)) group = group.with_timeout(std::chrono::minutes(5));  // no other group
    const Tensor x = operand(0);
    switch (step.op) {
      case DivergentOp::all_reduce:
        return put(0, all_reduce(x, group, step.reduction));
      case DivergentOp::reduce:
        return put(0, reduce(x, group, step.reduction, step.number));
      case DivergentOp::all_gather:
        return put(0, all_gather(x, group));
      case DivergentOp::uneven_all_gather:
        return put(0, all_gather(slice(x, {{.start = 0, .stop = step.sizes[position(step)]}}),
                                 group, 0, step.sizes));
      case DivergentOp::gather:
        return put(0, gather(x, group, step.number));
      case DivergentOp::reduce_scatter:
        return put(0, reduce_scatter(x, group, step.reduction));
      case DivergentOp::scatter:
        return put(0, scatter(x, group, step.number));
      case DivergentOp::broadcast:
        return put(0, broadcast(x, group, step.number));
      case DivergentOp::all_to_all:
        return put(0, all_to_all(x, group));
      case DivergentOp::permute:
        return put(0, collective_permute(x, group, step.pairs));
      case DivergentOp::message:
        return put(0, message(step, x, group));
      case DivergentOp::barrier:
        barrier(group);
        return put(0, x);
      case DivergentOp::tree:
        return under_way(1) != nullptr ? tree(step, group, *under_way(1))
                                       : tree(step, group, operand(1));
      case DivergentOp::looped_max:
        return put(0, looped_max(step, group));
      default:
        return two_gathers(step, group);
    }
  }

  // A loop that a rank may write out, or compile.
  Tensor looped_max(const DivergentStep& step, const Group& group) {
    const auto next = [group](const Tensor& x, const Tensor& number) {
      return Tensor(all_reduce(x + cast(number, x.dtype()), group, Reduce::max));
    };
    const auto loop = [next, steps = step.number](const Tensor& x) {
      return for_loop(steps, [&](const Tensor& i, const Tensor& each) { return next(each, i); }, x);
    };
    const int way = below(4);
    if (way == 0) return compile(loop)(operand(0));
    if (way == 1) return loop(operand(0));
    if (way == 2) {
      const auto [x, i] = while_loop(
          [&](const std::pair<Tensor, Tensor>& state) { return state.second < step.number; },
          [&](const std::pair<Tensor, Tensor>& state) {
            return std::pair(next(state.first, state.second), state.second + 1);
          },
          std::pair(operand(0), zeros({}, DType::i64)));
      return x;
    }
    Tensor x = operand(0);
    for (std::int64_t i = 0; i < step.number; ++i) x = next(x, tensor(i));
    return x;
  }

  std::size_t position(const DivergentStep& step) const {
    return static_cast<std::size_t>(std::ranges::find(step.group, world_.rank()) -
                                    step.group.begin());
  }

  Handle message(const DivergentStep& step, const Tensor& x, const Group& group) const {
    const auto own = static_cast<std::int64_t>(position(step));
    const auto [source, target] = step.pairs[0];
    if (own == source) send(x, group, target);
    if (own != target) return x;
    return recv(x.shape(), x.dtype(), group, source);
  }

  // A rank may also call the function as it is, which calls the same collectives.
  Tensor compiled(const DivergentStep& step) {
    const DType dtype = dtype_of_place(step.results[0]);
    const bool as_it_is = chance(5);
    Tensor out;
    if (step.op == DivergentOp::short_batch) {
      Tensor batch = arange(step.sizes[rank_], dtype);
      out = as_it_is ? ShortBatch{own_group_}(operand(0), batch) : short_batch_(operand(0), batch);
    } else {
      const Tensor x = cast(tensor_of(places_[step.operands[0]].value), DType::f32);
      const Tensor y = cast(tensor_of(places_[step.operands[1]].value), DType::f32);
      const auto factor = static_cast<float>(step.number);
      out = as_it_is ? ScaledSum{own_group_}(x, y, factor) : scaled_sum_(x, y, factor);
    }
    return out.dtype() == dtype ? out : cast(out, dtype);
  }

  // The operand as it is, if it has the result's dtype and nobody has waited for it.
  const AsyncTensor* under_way(std::size_t number) const {
    const DivergentStep& step = program_.steps[step_];
    const auto* const async = std::get_if<AsyncTensor>(&places_[step.operands[number]].value);
    const bool fits = async != nullptr && async->dtype() == dtype_of_place(step.results[number]);
    return fits ? async : nullptr;
  }

  template <class Second>
  void tree(const DivergentStep& step, const Group& group, const Second& second) {
    const auto totals = all_reduce(std::pair(operand(0), second), group, step.reduction);
    put(0, totals.first);
    put(1, totals.second);
  }

  void two_gathers(const DivergentStep& step, const Group& group) {
    auto function = compile(TwoGathers{group, step.reduction});
    const AsyncTensor* const async = under_way(0);
    const Gathered gathered =
        async != nullptr ? function(*async, operand(1)) : function(operand(0), operand(1));
    put(0, gathered.next);
    put(1, gathered.total);
  }

  // ---- Looks

  void look() {
    Held& held = places_[static_cast<std::size_t>(below(DivergentProgram::kPlaces))];
    switch (below(11)) {
      case 0:
      case 1:
        return check(held);
      case 2:
        return check_printed(held);
      case 3:
        return check_item(held);
      case 4:
        return eval(tensor_of(held.value));
      case 5:
        return eval_all();
      case 6:
        return world_.set_eager(chance(3));
      case 7:
        kept_.push_back(held);
        return;
      case 8:  // older values go, looked at or not
        if (chance(2)) {
          for (const Held& each : kept_) check(each);
        }
        kept_.clear();
        return;
      case 9: {  // something of this rank alone, perhaps never looked at
        const Tensor x = tensor_of(held.value);
        kept_.push_back({reshape(sum(x) + sum(x), {1}), {2 * total(held.expected)}});
        return;
      }
      default:
        if (const auto* const async = std::get_if<AsyncTensor>(&held.value)) describe(*async);
    }
  }

  void eval_all() const {
    std::vector<Tensor> all;
    for (const Held& held : places_) all.push_back(tensor_of(held.value));
    eval(all);
  }

  void check(const Held& held) const {
    const Numbers found = numbers_in(tensor_of(held.value));
    if (found != held.expected) differ(listed(found), listed(held.expected));
  }

  void check_item(const Held& held) const {
    const Tensor x = sum(cast(tensor_of(held.value), DType::i64));
    const auto found = x.item<std::int64_t>();
    if (found != total(held.expected)) differ(listed({found}), listed({total(held.expected)}));
  }

  void check_printed(const Held& held) const {
    const Tensor x = tensor_of(held.value);
    const std::string expected =
        std::string(name_of(x.dtype())) + x.shape().text() + " " + listed(held.expected);
    if (printed(x) != expected) differ(printed(x), expected);
  }

  [[noreturn]] void differ(const std::string& found, const std::string& expected) const {
    throw std::runtime_error("seed " + std::to_string(program_.seed) + ", rank " +
                             std::to_string(rank_) + ", step " + std::to_string(step_) +
                             ": found " + found + ", expected " + expected);
  }

  const World& world_;
  const DivergentProgram& program_;
  const std::size_t rank_;
  std::mt19937_64 random_;  // this rank's own
  const int looks_one_in_;
  const Group own_group_;  // of the compiled functions: this rank alone outside of the program's
  Compiled<ScaledSum> scaled_sum_;
  Compiled<ShortBatch> short_batch_;
  std::size_t step_ = 0;
  std::vector<Held> places_;
  std::vector<Held> kept_;
};

}  // namespace

void run_divergent_program(const World& world, const DivergentProgram& program) {
  Runner(world, program).run();
}

}  // namespace tutti::test

#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/names.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/control.h>

#include <algorithm>
#include <optional>
#include <string>

namespace tutti::detail {

namespace {

// The functions of one node while they are recorded. All take the same parameters: those of the
// node, and what any of them captures. All parameters are replicated alike, over what everything
// has in common, so that gradients of what ranks share are summed once, outside. Functions that
// communicate tell them apart, since they are there to make the same of what differs: each
// parameter is replicated as its operand is, and a carry as the steps leave it. So do those whose
// distributed tensors or gradients have to know what is the same. Which of it holds, and over what,
// may only show while they are recorded, and then they are recorded again.
class Functions {
 public:
  // A function, and how many of its results are carries.
  struct Body {
    std::string name;
    ControlBody call;
    bool is_condition = false;
  };

  Functions(std::vector<ir::Type> parameters, std::size_t carries, Location where)
      : context_(RankContext::current()),
        parameters_(std::move(parameters)),
        carries_(carries),
        where_(where),
        lost_(parameters_.size(), 0) {
    for (const ir::Type& type : parameters_) meet(type);
  }

  void restrict_to(const ir::Type& type) { meet(type); }
  // That it is the one function of a scan, which may have a gradient.
  void be_differentiable() { differentiable_ = context_.keep_recording > 0; }
  // That this parameter counts the steps, which all ranks do alike.
  void count_with(std::size_t parameter) { counter_ = parameter; }

  std::vector<ir::FunctionPtr> record(const std::vector<Body>& bodies) {
    std::vector<std::optional<ir::Graph>> graphs(bodies.size());
    // At most once for each dimension of the mesh (and of each carry, where they communicate) and
    // once for each body's captures.
    for (bool again = true; again;) {
      again = false;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (graphs[i]) continue;
        const std::size_t captured = captured_.size();
        changed_ = false;
        try {
          graphs[i] = trace(bodies[i]);
        } catch (const ir::UndecidedError&) {
          if (!trust_more()) throw;
        }
        if (changed_) std::ranges::fill(graphs, std::nullopt);
        if (captured_.size() != captured) {
          // Those before lack its captures.
          std::fill_n(graphs.begin(), i, std::nullopt);
        }
        again = again || !std::ranges::all_of(graphs, &std::optional<ir::Graph>::has_value);
      }
    }
    std::vector<ir::FunctionPtr> out;
    for (std::optional<ir::Graph>& graph : graphs) {
      out.push_back(std::make_shared<const ir::Function>(std::move(*graph)));
    }
    // Without a call the gradients inside sum nothing over ranks; and one around wants all alike.
    if (asked_ && context_.keep_recording > 0 && !ir::communicates(out)) {
      asked_ = false;
      stays_alike_ = true;
      apart_ = false;
      return record(bodies);
    }
    return out;
  }

  // What make() records of them.
  template <class Make>
  auto record_with(const Make& make) {
    try {
      return make();
    } catch (const ir::UndecidedError&) {
      if (!trust_more()) throw;
      return make();
    }
  }

  const std::vector<StatePtr>& captured() const { return captured_; }
  // Whether one of them has a part whose gradient is to compute it again.
  bool have_checkpoints() const { return have_checkpoints_; }

 private:
  // What decides about the steps of a loop or branch is not known to be the same: there is more to
  // know of it where parameters are told apart, and if it is a number that counts steps, that is
  // taken to be the same everywhere. Says whether there was more.
  bool trust_more() {
    if (apart_ && trusts_counters_) return false;
    if (apart_) set(trusts_counters_, true);
    set(apart_, true);
    return true;
  }

  template <class T>
  void set(T& member, T value) {
    changed_ = changed_ || member != value;
    member = value;
  }

  // What is replicated over fewer dimensions makes all so; literals adapt.
  void meet(const ir::Type& type) {
    const ir::Replication& own = type.replication;
    if (!apart_) set(common_, ir::intersect(common_, own));
    if (own.literal) return;
    const auto numbers = static_cast<std::uint8_t>(numbers_ | own.dimensions);
    changed_ = changed_ || (apart_ && numbers != numbers_);
    numbers_ = numbers;
  }

  // Of a parameter that is no capture.
  ir::Replication replication(std::size_t parameter) const {
    if (!apart_) return ir::known_replication(common_, 0);
    const ir::Type& operand = parameters_[parameter];
    const bool counts = operand.replication.literal && operand.shape.rank() == 0 &&
                        !is_floating(operand.dtype) && lost_[parameter] == 0;
    if (parameter == counter_ || (counts && trusts_counters_)) return {everywhere(), false};
    ir::Replication out = ir::known_replication(parameters_[parameter].replication, numbers_);
    out.dimensions = static_cast<std::uint8_t>(out.dimensions & ~lost_[parameter]);
    return out;
  }

  // All dimensions.
  std::uint8_t everywhere() const {
    const auto& mesh = context_.trace().graph().mesh;
    return mesh == nullptr ? std::uint8_t{0} : ir::all_dimensions(*mesh);
  }

  // What a step gives for a carry.
  void give(std::size_t carry, const ir::Type& type) {
    if (!apart_) return meet(type);
    if (type.replication.literal) return;
    lose(carry, replication(carry).dimensions & ~type.replication.dimensions);
  }

  void lose(std::size_t parameter, int dimensions) {
    set(lost_[parameter], static_cast<std::uint8_t>(lost_[parameter] | dimensions));
  }

  // What is no carry, and varies before each use, varies once, outside: so the all_reduce of its
  // gradient stands behind the loop.
  void vary_outside(const ir::Graph& graph) {
    lost_.resize(graph.parameters().size(), 0);
    std::vector<int> varied(graph.value_count(), ~0);  // by all uses so far; ~0: there is none
    for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
      for (const ir::Value operand : graph.operands(id)) {
        const bool varies = graph.node(id).op == ir::Op::vary;
        varied[operand.id] &= varies ? graph.type(operand).replication.dimensions &
                                           ~graph.type(graph.result(id)).replication.dimensions
                                     : 0;
      }
    }
    for (const ir::Value result : graph.results()) varied[result.id] = 0;
    for (std::size_t i = carries_; i < graph.parameters().size(); ++i) {
      const int dimensions = varied[graph.parameters()[i].value.id];
      if (dimensions != ~0 && i != counter_) lose(i, dimensions);
    }
  }

  ir::Graph trace(const Body& body) {
    Trace::Captures captures{
        .all = ir::known_replication(common_, 0),
        .numbers = numbers_,
        .lost = {},
        .device = parameters_.empty() ? context_.default_device() : parameters_[0].device};
    if (apart_) {
      captures.all = std::nullopt;
      captures.lost.assign(lost_.begin() + std::ssize(parameters_), lost_.end());
    }
    Trace trace(context_.trace(), std::move(captures));
    trace.graph().name = body.name;
    std::vector<Tensor> arguments;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      ir::Type type = parameters_[i];
      type.replication = replication(i);
      const std::string name = (i < carries_ ? "c" : "x") + std::to_string(i);
      arguments.emplace_back(trace.handle(trace.add_formal(name, type, where_), where_));
    }
    for (const StatePtr& state : captured_) trace.capture(*state);
    std::vector<Tensor> results;
    {
      const Tracing tracing(context_, trace);
      results = body.call(arguments);
      std::vector<ir::Value> values;
      for (const Tensor& result : results) {
        values.push_back(trace.value_of(*result.state(where_), where_));
      }
      trace.graph().set_results(std::move(values));
    }
    have_checkpoints_ = have_checkpoints_ || !trace.builder().checkpoints().empty();
    captured_ = trace.captured();
    for (const StatePtr& state : captured_) meet(state->type);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (body.is_condition) {
        if (!apart_) meet(results[i].state()->type);
      } else if (i < carries_) {
        give(i, results[i].state()->type);
      } else if (context_.keep_recording > 0 && !apart_) {
        meet(results[i].state()->type);  // its cotangent meets the parameters
      }
    }
    ir::Graph graph = trace.program();
    const bool hides = (numbers_ & ~ir::known_replication(common_, 0).dimensions) != 0;
    const bool asks = trace.is_told_apart() || (trace.is_differentiated() && hides);
    if (!apart_ && !stays_alike_ && asks) {
      asked_ = true;
      set(apart_, true);
      return graph;
    }
    if (apart_ && differentiable_) vary_outside(graph);
    for (ir::NodeId id = 0; id < graph.node_count(); ++id) {
      // The gradient of the loop or branch would have calls where it has none itself.
      if (graph.node(id).op == ir::Op::custom_gradient &&
          ir::communicates(graph.node(id).attributes)) {
        throw UsageError(
            "custom_vjp: a backward function that communicates is not possible in a loop or branch "
            "yet; write the steps out in a C++ for loop",
            graph.node(id).location);
      }
      if (!apart_ && ir::communicates(graph, id)) set(apart_, true);
    }
    return graph;
  }

  RankContext& context_;
  const std::vector<ir::Type> parameters_;
  const std::size_t carries_;
  const Location where_;
  ir::Replication common_{.dimensions = 0, .literal = true};
  std::vector<StatePtr> captured_;
  bool have_checkpoints_ = false;
  bool apart_ = false;        // parameters are told apart
  bool asked_ = false;        // a distributed tensor or a gradient asked for it
  bool stays_alike_ = false;  // all the same
  std::optional<std::size_t> counter_;
  bool differentiable_ = false;
  // By parameter, captures last: the dimensions over which steps make a carry differ, or all uses
  // something else.
  std::vector<std::uint8_t> lost_;
  std::uint8_t numbers_ = 0;      // the dimensions over which anything is replicated
  bool trusts_counters_ = false;  // whole numbers that carries begin with are the same everywhere
  bool changed_ = false;          // since functions were recorded that took it for granted
};

ir::Type plain(const Tensor& tensor) {
  ir::Type type = tensor.state()->type;
  type.async = false;
  return type;
}

// `call`: the name of what the program called, which errors bear instead of the op's.
std::vector<Tensor> record_node(std::string_view call, ir::Op op,
                                const std::vector<Tensor>& operands,
                                const std::vector<StatePtr>& captured,
                                std::vector<ir::Attribute> attributes, Location where) {
  std::vector<StatePtr> states;
  for (const Tensor& operand : operands) states.push_back(operand.state());
  states.insert(states.end(), captured.begin(), captured.end());
  std::vector<Tensor> out;
  try {
    for (StatePtr& result :
         RankContext::current().record(op, states, std::move(attributes), where)) {
      out.emplace_back(std::move(result));
    }
  } catch (const ir::UndecidedError&) {
    throw;
  } catch (const TypeError& error) {
    const std::string message = error.message();
    const std::string own = std::string(name_of(op)) + ": ";
    if (call == name_of(op) || !message.starts_with(own)) throw;
    throw TypeError(std::string(call) + ": " + message.substr(own.size()), error.where());
  }
  return out;
}

}  // namespace

std::int64_t common_length(const std::vector<Tensor>& sequences, Location where) {
  std::optional<std::int64_t> length;
  for (const Tensor& sequence : sequences) {
    if (sequence.rank() == 0) {
      throw TypeError(
          "scan goes over the first axis, which " + sequence.state()->type.text() + " lacks",
          where);
    }
    const std::int64_t own = sequence.shape()[0];
    if (length && own != *length) {
      throw TypeError("scan: the sequences have " + std::to_string(*length) + " and " +
                          std::to_string(own) + " steps along their first axes",
                      where);
    }
    length = own;
  }
  if (!length) {
    throw TypeError("scan needs a sequence; for_loop(count, f, init) has a number of steps", where);
  }
  return *length;
}

namespace {

// `counted`: the one sequence has the numbers of the steps.
std::vector<Tensor> scan_over(const std::vector<Tensor>& carries,
                              const std::vector<Tensor>& sequences, std::int64_t length,
                              bool reverse, bool counted, ControlBody body, Location where) {
  std::vector<ir::Type> parameters;
  for (const Tensor& carry : carries) parameters.push_back(plain(carry));
  for (const Tensor& sequence : sequences) {
    parameters.push_back(plain(sequence));
    parameters.back().shape = Shape(parameters.back().shape.sizes().subspan(1));
  }
  Functions functions(std::move(parameters), carries.size(), where);
  if (counted) functions.count_with(carries.size());
  functions.be_differentiable();
  ir::FunctionPtr function = functions.record({{.name = "body", .call = body}})[0];
  std::vector<Tensor> operands = carries;
  append(operands, sequences);
  // A gradient can't have it run again.
  std::int64_t kept = 0;
  if (RankContext::current().keep_recording > 0 && !function->groups().empty()) {
    const std::size_t results = function->graph().results().size();
    function = ir::with_kept_results(*function, carries.size(), operands.size(),
                                     functions.have_checkpoints());
    kept = static_cast<std::int64_t>(function->graph().results().size() - results);
  }
  std::vector<Tensor> out =
      record_node(counted ? "for_loop" : "scan", ir::Op::scan, operands, functions.captured(),
                  {function, std::ssize(carries), std::ssize(sequences), length, reverse,
                   functions.have_checkpoints(), kept},
                  where);
  out.resize(out.size() - static_cast<std::size_t>(kept));
  return out;
}

}  // namespace

std::vector<Tensor> record_scan(const std::vector<Tensor>& carries,
                                const std::vector<Tensor>& sequences, std::int64_t length,
                                bool reverse, ControlBody body, Location where) {
  return scan_over(carries, sequences, length, reverse, false, body, where);
}

std::vector<Tensor> record_counted(const std::vector<Tensor>& carries, std::int64_t length,
                                   ControlBody body, std::source_location at) {
  if (length < 0) {
    throw UsageError("a loop of " + std::to_string(length) + " steps; 0 or more are possible", at);
  }
  Tensor numbers = arange(length, DType::i64, at);
  if (!carries.empty() && carries[0].device() != numbers.device()) {
    const StatePtr state = numbers.state();
    numbers = Tensor(RankContext::current().record(ir::Op::to_device, std::span(&state, 1),
                                                   {carries[0].device().text()}, at)[0]);
  }
  return scan_over(carries, {numbers}, length, false, true, body, at);
}

std::vector<Tensor> record_while(const std::vector<Tensor>& carries, ControlBody condition,
                                 ControlBody body, Location where) {
  std::vector<ir::Type> parameters;
  for (const Tensor& carry : carries) parameters.push_back(plain(carry));
  Functions functions(std::move(parameters), carries.size(), where);
  return functions.record_with([&] {
    const std::vector<ir::FunctionPtr> both =
        functions.record({{.name = "condition", .call = condition, .is_condition = true},
                          {.name = "body", .call = body}});
    return record_node("while_loop", ir::Op::while_loop, carries, functions.captured(),
                       {both[0], both[1], std::ssize(carries)}, where);
  });
}

Tensor branch_index(const Operand& condition) {
  const DType dtype = condition.dtype();
  const ir::Type type = condition.tensor().state()->type;
  if (is_floating(dtype) || type.shape.rank() != 0) {
    throw TypeError(
        "cond: the condition is bool[], not " + type.text() +
            (is_floating(dtype) ? "; compare it with something" : "; all() or any() makes it one"),
        condition.where());
  }
  if (dtype == DType::boolean) return cast(condition, DType::i32);
  const Tensor truth = ne(condition, Operand(0));
  return cast(Operand(truth, condition.where()), DType::i32);
}

namespace {

// As i32. What does not fit there is no branch either way.
Tensor branch_number(const Tensor& index, std::int64_t branches, Location where) {
  const DType dtype = index.dtype();
  if (dtype == DType::i32) return index;
  Tensor within = index;
  if (dtype == DType::i64) within = maximum(Operand(within, where), -1);
  if (size_of(dtype) >= 4) within = minimum(Operand(within, where), branches);
  return cast(Operand(within, where), DType::i32);
}

}  // namespace

std::vector<Tensor> record_conditional(const Tensor& index, const std::vector<Tensor>& arguments,
                                       const std::vector<ControlBody>& branches,
                                       const std::vector<std::string>& names, Location where) {
  if (branches.empty()) throw UsageError("conditional: there is no branch to choose", where);
  if (!is_integer(index.dtype())) {
    throw TypeError(
        "conditional: the index of a branch is an integer, not " + index.state()->type.text(),
        where);
  }
  std::vector<ir::Type> parameters;
  for (const Tensor& argument : arguments) parameters.push_back(plain(argument));
  Functions functions(std::move(parameters), 0, where);
  functions.restrict_to(index.state()->type);
  std::vector<Functions::Body> bodies;
  for (const ControlBody& branch : branches) {
    const std::size_t number = bodies.size();
    bodies.push_back({.name = names.empty() ? "branch" + std::to_string(number) : names[number],
                      .call = branch});
  }
  std::vector<ir::FunctionPtr> recorded = functions.record(bodies);
  std::vector<Tensor> operands = {branch_number(index, std::ssize(branches), where)};
  append(operands, arguments);
  // A gradient can't have it run again.
  std::vector<std::int64_t> kept;
  const std::size_t results = recorded[0]->graph().results().size();
  if (RankContext::current().keep_recording > 0 && ir::communicates(recorded)) {
    kept = ir::keep_results(recorded);
  }
  std::vector<Tensor> out =
      record_node(names.empty() ? "conditional" : "cond", ir::Op::conditional, operands,
                  functions.captured(), {std::move(recorded), std::move(kept)}, where);
  out.resize(results);
  return out;
}

}  // namespace tutti::detail

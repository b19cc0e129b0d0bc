#include "tests/support/random/add_control.h"

#include <tutti/ir/control.h>

#include <algorithm>
#include <array>

#include "tests/support/random/control_facts.h"
#include "tests/support/random/fitted.h"
#include "tests/support/random/random_array.h"
#include "tests/support/random/steps.h"

namespace tutti::test {

namespace {

using ir::Op;
using ir::Replication;
using ir::Type;
using ir::Value;
using Attributes = std::vector<ir::Attribute>;

// What the functions of a node take.
struct Argument {
  Type type;
  Facts facts;  // in the first step
};

// The functions of one node while they are made.
class Functions {
 public:
  explicit Functions(GrowingProgram& program)
      : program_(program),
        draw_(program.draw),
        communicate_(program.may_communicate() && program.draw.coin()) {}

  // Operands, in their order.
  void add(Value value) {
    operands_.push_back(value);
    arguments_.push_back({.type = plain(program_.type(value)), .facts = program_.facts(value)});
  }
  // One of whose places each step gets another.
  void add_sequence(Value value) {
    sequences_.push_back(arguments_.size());
    add(value);
    Type& type = arguments_.back().type;
    const std::int64_t length = type.shape[0];
    type.shape = Shape(type.shape.sizes().subspan(1));
    Facts& facts = arguments_.back().facts;
    if (facts.values.empty()) return;
    if (length > 0) {
      facts = place_of(facts, 0);
    } else {
      facts = {};
      facts.values.assign(program_.ranks(),
                          random_array(type.dtype, type.shape, program_.some_elements(), draw_));
    }
  }
  // A number that counts steps from 0 on, the same on all ranks where they meet.
  void add_counter() {
    add(program_.constant(Array::scalar(std::int32_t{0})));
    counter_ = arguments_.size() - 1;
  }

  // How the parameters are replicated: all alike, or where ranks meet each for itself.
  void settle(std::size_t carries) {
    Replication common{.dimensions = 0, .literal = true};
    for (const Argument& argument : arguments_) {
      common = intersect(common, argument.type.replication);
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      Replication& own = arguments_[i].type.replication;
      if (!communicate_) {
        own = known_replication(common, 0);
      } else if (i == counter_) {
        own = {.dimensions = everywhere(), .literal = false};
      } else {
        own = known_replication(own, 0);
        if (i < carries && draw_.coin()) own = {};
      }
    }
  }

  // A function of them; `results` adds what it gives from what is in it.
  template <class Results>
  ir::FunctionPtr make(const std::string& name, std::int64_t nodes, const Results& results) {
    RandomProgram made{.graph = ir::Graph(name), .inputs = {}};
    GrowingProgram inner(program_, made, communicate_);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      inner.add_parameter("p" + std::to_string(i), arguments_[i].type, arguments_[i].facts);
    }
    for (std::int64_t i = 0; i < nodes; ++i) add_something(inner);
    while (!inner.pending().empty()) inner.wait_for(0);
    const std::vector<Value> given = results(inner);
    made.graph.set_results(given);
    return std::make_shared<const ir::Function>(std::move(made.graph));
  }

  // What may stand in the place of parameter i in the next step.
  Value next_of(GrowingProgram& inner, std::size_t i) const {
    const Type& wanted = arguments_[i].type;
    const Value parameter = inner.graph().parameters()[i].value;
    if (i == counter_) {
      const Value one = inner.constant(Array::scalar(std::int32_t{1}));
      return inner.value_of(Op::add, {parameter, one}).value_or(parameter);
    }
    // Rather what depends on the step before.
    constexpr std::array kSteps = {Op::sub, Op::sub, Op::add, Op::maximum};
    const auto most = inner.options.values == ProgramOptions::Values::smooth ? 3 : 4;
    std::optional<Value> found;
    if (!sequences_.empty() && draw_.coin()) {
      const Value place = inner.graph().parameters()[draw_.one_of(sequences_)].value;
      found = made_of(inner, place, wanted.dtype, wanted.shape);
    } else {
      found = of_type(inner, wanted.dtype, wanted.shape);
    }
    if (found && !draw_.one_in(3)) {
      const Op op = wanted.dtype == DType::boolean
                        ? Op::logical_xor
                        : kSteps[static_cast<std::size_t>(draw_.below(most))];
      found = inner.value_of(op, {*found, parameter});
    }
    if (!found) return parameter;
    const Replication own = inner.type(*found).replication;
    const bool stays = own.literal || (wanted.replication.dimensions & ~own.dimensions) == 0;
    return stays ? *found : parameter;
  }

  std::vector<Value> operands() const { return operands_; }
  std::size_t count() const { return operands_.size(); }
  bool communicate() const { return communicate_; }

 private:
  static Type plain(Type type) {
    type.async = false;
    if (type.device.is_any()) type.device = Device::cpu();
    return type;
  }
  std::uint8_t everywhere() const {
    const auto& mesh = program_.graph().mesh;
    return mesh == nullptr ? std::uint8_t{0} : all_dimensions(*mesh);
  }

  GrowingProgram& program_;
  Draw& draw_;
  const bool communicate_;
  std::vector<Value> operands_;
  std::vector<Argument> arguments_;
  std::vector<std::size_t> sequences_;
  std::size_t counter_ = ~std::size_t{0};
};

constexpr std::int64_t kMostSteps = 4;

std::int64_t some_nodes(GrowingProgram& program) { return 2 + program.draw.below(8); }

bool add_scan(GrowingProgram& program) {
  Draw& draw = program.draw;
  Functions functions(program);
  const auto carries = static_cast<std::size_t>(draw.below(3));
  for (std::size_t i = 0; i < carries; ++i) functions.add(program.pick());
  std::int64_t length = draw.below(kMostSteps + 1);
  std::int64_t sequences = 0;
  for (int attempt = 0; attempt < 6 && sequences < 2; ++attempt) {
    const Value value = program.pick();
    const Shape& shape = program.shape(value);
    if (shape.rank() == 0 || shape[0] > 2 * kMostSteps) continue;
    if (sequences > 0 && shape[0] != length) continue;
    length = shape[0];
    functions.add_sequence(value);
    ++sequences;
  }
  const std::size_t invariants = functions.count();
  for (std::int64_t i = draw.below(3); i > 0; --i) functions.add(program.pick());
  if (functions.count() == 0) functions.add(program.pick());
  functions.settle(carries);
  ir::FunctionPtr body = functions.make("body", some_nodes(program), [&](GrowingProgram& inner) {
    std::vector<Value> out;
    for (std::size_t i = 0; i < carries; ++i) out.push_back(functions.next_of(inner, i));
    const std::int64_t least = carries == 0 ? 1 : 0;
    for (std::int64_t i = least + draw.below(3); i > 0; --i) {
      out.push_back(carries > 0 && draw.coin() ? out.front() : inner.pick());
    }
    return out;
  });
  const bool recompute = draw.coin();
  std::int64_t kept = 0;
  if (!body->groups().empty() && draw.coin()) {
    const std::size_t results = body->graph().results().size();
    body = ir::with_kept_results(*body, carries, invariants, recompute);
    kept = static_cast<std::int64_t>(body->graph().results().size() - results);
  }
  return program.add(Op::scan, functions.operands(),
                     Attributes{body, static_cast<std::int64_t>(carries), sequences, length,
                                draw.coin(), recompute, kept});
}

bool add_while(GrowingProgram& program) {
  Draw& draw = program.draw;
  Functions functions(program);
  functions.add_counter();
  const auto carries = static_cast<std::size_t>(2 + draw.below(2));
  while (functions.count() < carries) functions.add(program.pick());
  for (std::int64_t i = draw.below(2); i > 0; --i) functions.add(program.pick());
  functions.settle(carries);
  const auto steps = static_cast<std::int32_t>(draw.below(kMostSteps));
  // Where they don't meet, each rank may have a number of steps of its own.
  const bool alike = functions.communicate() || program.ranks() == 1 || draw.coin();
  const ir::GroupPtr group = program.some_group();
  const ir::FunctionPtr condition = functions.make("condition", 0, [&](GrowingProgram& inner) {
    Value bound = inner.constant(Array::scalar(steps));
    if (!alike) {
      inner.add(Op::rank_index, {}, {group});
      bound = *inner.value_of(Op::cast, {inner.values().back()}, {DType::i32});
    }
    return std::vector{*inner.value_of(Op::lt, {inner.graph().parameters()[0].value, bound})};
  });
  const ir::FunctionPtr body =
      functions.make("body", some_nodes(program), [&](GrowingProgram& inner) {
        std::vector<Value> out;
        for (std::size_t i = 0; i < carries; ++i) out.push_back(functions.next_of(inner, i));
        return out;
      });
  return program.add(Op::while_loop, functions.operands(),
                     Attributes{condition, body, static_cast<std::int64_t>(carries)});
}

bool add_conditional(GrowingProgram& program) {
  Draw& draw = program.draw;
  Functions functions(program);
  const std::int64_t count = 1 + draw.below(3);
  Value index = program.constant(Array::scalar(static_cast<std::int32_t>(draw.below(count + 1))));
  if (!functions.communicate() && draw.coin()) {
    index = of_type(program, DType::i32, Shape()).value_or(index);
  }
  for (std::int64_t i = 1 + draw.below(3); i > 0; --i) functions.add(program.pick());
  functions.settle(0);
  std::vector<ir::FunctionPtr> branches;
  std::vector<Type> types;
  bool fits = true;
  for (std::int64_t branch = 0; branch < count; ++branch) {
    branches.push_back(functions.make("branch" + std::to_string(branch), some_nodes(program),
                                      [&](GrowingProgram& inner) {
                                        std::vector<Value> out;
                                        if (branch == 0) {
                                          for (std::int64_t i = 1 + draw.below(3); i > 0; --i)
                                            out.push_back(inner.pick());
                                          for (const Value value : out)
                                            types.push_back(inner.type(value));
                                          return out;
                                        }
                                        for (const Type& type : types) {
                                          const auto value = of_type(inner, type.dtype, type.shape);
                                          fits = fits && value;
                                          out.push_back(value.value_or(inner.values().front()));
                                        }
                                        return out;
                                      }));
  }
  std::vector<Value> operands = functions.operands();
  operands.insert(operands.begin(), index);
  std::vector<std::int64_t> kept;
  if (fits && ir::communicates(branches) && draw.coin()) kept = ir::keep_results(branches);
  return fits && program.add(Op::conditional, operands, Attributes{branches, kept});
}

}  // namespace

bool add_control(GrowingProgram& program) {
  switch (program.draw.below(3)) {
    case 0:
      return add_while(program);
    case 1:
      return add_conditional(program);
    default:
      return add_scan(program);
  }
}

}  // namespace tutti::test

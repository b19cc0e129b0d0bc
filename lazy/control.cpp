#include <tutti/ir/control.h>
#include <tutti/ir/function.h>
#include <tutti/ir/support/error.h>
#include <tutti/lazy/body_functions.h>
#include <tutti/lazy/context.h>
#include <tutti/lazy/control.h>

#include <optional>
#include <string>

namespace tutti::detail {

namespace {

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
  BodyFunctions functions(std::move(parameters), carries.size(), where);
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
  BodyFunctions functions(std::move(parameters), carries.size(), where);
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
  BodyFunctions functions(std::move(parameters), 0, where);
  functions.restrict_to(index.state()->type);
  std::vector<BodyFunctions::Body> bodies;
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

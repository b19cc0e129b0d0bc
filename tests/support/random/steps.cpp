#include "tests/support/random/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "tests/support/random/add_control.h"
#include "tests/support/random/draw_attribute.h"
#include "tests/support/random/fitted.h"
#include "tests/support/random/random_array.h"

namespace tutti::test {

namespace {

using ir::Op;
using ir::OpClass;
using ir::Value;
using List = std::vector<std::int64_t>;
using Make = OperandSpec::Make;
using Values = ProgramOptions::Values;

constexpr std::array kLeftOut = {
    LeftOut{Op::parameter, "they are made first"},
    LeftOut{Op::vary, "the builder inserts it"},
    LeftOut{Op::send, "each rank has a program of its own"},
    LeftOut{Op::recv, "each rank has a program of its own"},
    LeftOut{Op::batch_send_recv, "each rank has a program of its own"},
};

bool is_left_out(Op op) {
  return std::ranges::any_of(kLeftOut, [&](const LeftOut& one) { return one.op == op; });
}

// The first row of an op; null if it has none.
const OpRow* row_of(Op op) {
  const auto rows = table();
  const auto found = std::ranges::find(rows, op, &OpRow::op);
  return found == rows.end() ? nullptr : &*found;
}

// The rows with cases that can be taken as they are, over a number of ranks.
std::span<const OpRow* const> usable_rows(std::size_t ranks) {
  static std::mutex mutex;
  static std::map<std::size_t, std::vector<OpRow>> collectives;
  static std::map<std::size_t, std::vector<const OpRow*>> usable;
  const std::scoped_lock lock(mutex);
  std::vector<const OpRow*>& out = usable[ranks];
  if (!out.empty()) return out;
  const auto take = [&](std::span<const OpRow> rows, bool communicates) {
    for (const OpRow& row : rows) {
      const bool alone = row.build || row.op == Op::constant || is_left_out(row.op);
      if (row.communicates() == communicates && !alone) out.push_back(&row);
    }
  };
  take(table(), false);
  if (ranks > 1) {
    collectives[ranks] = collective_rows(static_cast<std::int64_t>(ranks));
    take(collectives[ranks], true);
  }
  return out;
}

// Where the derivative is no continuous function, gradients of rounded numbers cannot be compared.
bool is_smooth(Op op) {
  constexpr std::array kRough = {Op::abs,    Op::relu,   Op::maximum, Op::minimum, Op::clamp,
                                 Op::pow,    Op::max,    Op::min,     Op::mod,     Op::floor,
                                 Op::ceil,   Op::round,  Op::sign,    Op::prod,    Op::zeros_like,
                                 Op::atan2,  Op::cast,   Op::cbrt,    Op::div,     Op::rsqrt,
                                 Op::cummax, Op::cummin, Op::cumprod};
  const ir::Definition& entry = ir::definition(op);
  if (entry.kind == OpClass::collective) {
    return op != Op::barrier && op != Op::reduce_scatter && op != Op::reduce &&
           op != Op::scan_ranks;
  }
  return std::ranges::find(kRough, op) == kRough.end();
}

// A value of a dtype: one there is, one cast to it, or a constant.
Value of_dtype(GrowingProgram& program, DType dtype) {
  if (!program.draw.one_in(4)) {
    if (const auto found = program.pick(dtype)) return *found;
    if (const auto cast = program.value_of(Op::cast, {program.pick()}, {dtype})) return *cast;
  }
  const Shape shape = program.draw.one_in(4) ? program.some_shape() : Shape();
  return program.constant(random_array(dtype, shape, program.some_elements(), program.draw));
}

// Operand i of an op whose first one is x. What it takes is known from the table.
Value fitted_operand(GrowingProgram& program, Op op, std::size_t i, Value x) {
  const OpRow* const row = row_of(op);
  Make make = Make::main;
  if (row != nullptr && !row->operands.empty()) {
    make = row->operands[std::min(i, row->operands.size() - 1)].make;
  }
  switch (make) {
    case Make::truth:
      return of_dtype(program, DType::boolean);
    case Make::indices: {
      constexpr std::array kIndices = {DType::i32, DType::i64, DType::u8, DType::i16, DType::u64};
      return of_dtype(program, program.draw.one_of(kIndices));
    }
    case Make::key:
      return program.constant(
          Array::scalar(static_cast<std::uint64_t>(program.draw.below(1LL << 60))));
    case Make::main:
      break;
  }
  const DType dtype = program.type(x).dtype;
  if (program.draw.one_in(6)) return x;
  // Rather one that broadcasts.
  for (int attempt = 0; attempt < 6; ++attempt) {
    const Value other = program.pick();
    if (program.type(other).dtype == dtype && program.shape(other) == program.shape(x)) {
      return other;
    }
  }
  return of_dtype(program, dtype);
}

bool add_op(GrowingProgram& program, Op op) {
  Draw& draw = program.draw;
  const ir::Definition& entry = ir::definition(op);
  if (op == Op::constant) {
    program.constant(
        random_array(program.some_dtype(), program.some_shape(), program.some_elements(), draw));
    return true;
  }
  std::size_t count = static_cast<std::size_t>(entry.least_operands);
  if (entry.most_operands == -1) count += static_cast<std::size_t>(draw.below(3));
  std::vector<Value> operands;
  if (count > 0) {
    // The operand that says what the others are: of select it is the second one.
    const OpRow* const row = row_of(op);
    std::size_t main = 0;
    if (row != nullptr) {
      while (main + 1 < std::min(count, row->operands.size()) &&
             row->operands[main].make != Make::main) {
        ++main;
      }
    }
    const Value x = program.pick();
    for (std::size_t i = 0; i < count; ++i) {
      operands.push_back(i == main && (row == nullptr || row->operands[main].make == Make::main)
                             ? x
                             : fitted_operand(program, op, i, x));
    }
    if (entry.kind == OpClass::elementwise && main == 0 && count == 2 && draw.coin()) {
      std::swap(operands[0], operands[1]);
    }
  }
  // Views of what is still under way.
  if (entry.kind == OpClass::view && !program.pending().empty() && draw.one_in(4)) {
    operands = {draw.one_of(program.pending())};
  }
  const auto attributes =
      draw_attributes(program, op, operands.empty() ? std::nullopt : std::optional(operands[0]));
  return attributes && program.add(op, operands, *attributes);
}

// A case of a row of the table.
bool add_case(GrowingProgram& program, const OpRow& row) {
  const OpCase& use = program.draw.one_of(row.cases);
  const std::vector<ir::Attribute> attributes = row.complete(use);
  const ir::Attributes named(ir::definition(row.op).attributes, attributes);
  // Uneven parts: each rank has a program of its own.
  for (const ir::AttributeSpec& spec : ir::definition(row.op).attributes) {
    const bool parts = row.communicates() && spec.name.ends_with("sizes");
    if (parts && !named.integers(spec.name).empty()) return false;
  }
  const DType dtype = program.draw.one_of(row.dtypes);
  std::vector<Value> operands;
  for (std::size_t i = 0; i < use.shapes.size(); ++i) {
    if (use.shapes[i].elements() > program.options.most_elements) return false;
    const OperandSpec& spec = row.operands[std::min(i, row.operands.size() - 1)];
    DType own = dtype;
    if (spec.make == Make::truth) own = DType::boolean;
    if (spec.make == Make::indices) own = DType::i64;
    if (spec.make == Make::key) own = DType::u64;
    const auto value = of_type(program, own, use.shapes[i], spec);
    if (!value) return false;
    operands.push_back(*value);
  }
  return program.add(row.op, operands, attributes);
}

// How often ops of a class are drawn.
std::int64_t weight(OpClass kind, bool communicates) {
  switch (kind) {
    case OpClass::elementwise:
      return 10;
    case OpClass::view:
      return 5;
    case OpClass::reduce:
    case OpClass::opaque:
      return 3;
    case OpClass::composite:
      return 2;
    case OpClass::collective:
      return communicates ? 5 : 0;
    case OpClass::make:
      return 1;
    default:
      return 0;
  }
}

OpClass some_class(GrowingProgram& program) {
  constexpr std::array kClasses = {OpClass::elementwise, OpClass::view,      OpClass::reduce,
                                   OpClass::opaque,      OpClass::composite, OpClass::collective,
                                   OpClass::make};
  const bool communicates = program.may_communicate();
  std::int64_t total = 0;
  for (const OpClass kind : kClasses) total += weight(kind, communicates);
  std::int64_t at = program.draw.below(total);
  for (const OpClass kind : kClasses) {
    at -= weight(kind, communicates);
    if (at < 0) return kind;
  }
  return OpClass::elementwise;
}

std::optional<Op> some_op(GrowingProgram& program) {
  // Of elementwise ops half of the time one that rules know and that chains are made of.
  constexpr std::array kKnown = {Op::neg,         Op::abs,        Op::add,     Op::sub,
                                 Op::mul,         Op::div,        Op::maximum, Op::logical_not,
                                 Op::logical_and, Op::bitwise_or, Op::select,  Op::shift_left,
                                 Op::cast,        Op::tanh,       Op::exp,     Op::lt};
  const OpClass kind = some_class(program);
  if (!program.options.ops.empty()) return program.draw.one_of(program.options.ops);
  if (kind == OpClass::elementwise && program.draw.coin()) return program.draw.one_of(kKnown);
  std::vector<Op> ops;
  for (const ir::Definition& entry : ir::definitions()) {
    if (entry.kind == kind && !is_left_out(entry.op)) ops.push_back(entry.op);
  }
  return ops.empty() ? std::nullopt : std::optional(program.draw.one_of(ops));
}

bool allowed(const GrowingProgram& program, Op op) {
  return program.may_draw(op) && (program.options.values != Values::smooth || is_smooth(op));
}

}  // namespace

std::span<const LeftOut> ops_left_out() { return kLeftOut; }

bool add_something(GrowingProgram& program) {
  Draw& draw = program.draw;
  if (!program.pending().empty() && draw.one_in(4)) {
    program.wait_for(static_cast<std::size_t>(draw.below(std::ssize(program.pending()))));
    return true;
  }
  if (program.options.devices.size() > 1 && draw.one_in(6)) {
    return program.add(Op::to_device, {program.pick()},
                       {draw.one_of(program.options.devices).text()});
  }
  if (program.may_run_functions() && draw.one_in(12)) return add_control(program);
  if (program.options.ops.empty() && draw.one_in(6)) {
    const OpRow& row = *draw.one_of(usable_rows(program.may_communicate() ? program.ranks() : 1));
    return allowed(program, row.op) && add_case(program, row);
  }
  const std::optional<Op> op = some_op(program);
  return op && allowed(program, *op) && add_op(program, *op);
}

}  // namespace tutti::test

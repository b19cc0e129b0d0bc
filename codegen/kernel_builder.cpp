#include <tutti/codegen/kernel_builder.h>
#include <tutti/ir/array.h>
#include <tutti/ir/collective.h>
#include <tutti/ir/op.h>
#include <tutti/ir/scalar.h>

#include <cstddef>

namespace tutti::codegen {

using ir::NodeId;
using ir::Op;
using ir::OpClass;
using ir::ScalarOp;
using ir::Value;

void KernelBuilder::begin_segment(bool loop) {
  kernel().segments.push_back({.loop = loop, .body = {}, .reductions = {}, .stores = {}});
  readings_.clear();
}

ValueId KernelBuilder::emit(Instruction instruction) {
  instruction.result = kernel().value_count++;
  segment().body.push_back(std::move(instruction));
  return kernel().value_count - 1;
}

ValueId KernelBuilder::read(const View& view, const Affine& address,
                            const std::vector<Bound>& bounds, const std::vector<ValueId>& indices) {
  const DType dtype = ir::compute_dtype(view.dtype);
  if (view.source == View::Source::constant) {
    return emit({.kind = Instruction::Kind::constant,
                 .dtype = dtype,
                 .constant = ir::load_cell(view.dtype, view.scalar->bytes().data()),
                 .type = dtype});
  }
  const auto peers = view.source == View::Source::index ? peers_.end() : peers_.find(view.base);
  const bool combined = peers != peers_.end();
  const int buffer =
      view.source == View::Source::index
          ? -1
          : add_buffer(view.base, view.dtype, false, combined ? 0 : -1, starts_of(view));
  std::vector<Term> terms;
  for (const View::Term& term : view.terms) {
    terms.push_back({.most = term.most, .stride = term.stride});
  }
  for (const Reading& known : readings_) {
    if (known.buffer == buffer && known.dtype == view.dtype && known.address == address &&
        known.bounds == bounds && known.indices == indices && known.terms == terms &&
        (bounds.empty() || *known.around == *view.scalar)) {
      return known.value;
    }
  }
  ValueId value = -1;
  if (view.source == View::Source::index) {
    value = emit({.kind = Instruction::Kind::index,
                  .dtype = DType::i64,
                  .address = address,
                  .type = DType::i64});
    if (view.dtype != DType::i64) value = cast(value, DType::i64, view.dtype);
  } else {
    value = load(buffer, view.dtype, address);
    if (!bounds.empty()) {
      Instruction& loaded = segment().body.back();
      loaded.bounds = bounds;
      loaded.constant = ir::load_cell(view.dtype, view.scalar->bytes().data());
    }
    if (!terms.empty()) {
      Instruction& loaded = segment().body.back();
      std::ranges::copy(indices, loaded.operands.begin());
      loaded.terms = terms;
    }
    if (combined) value = combine(peers->second, view, address, value);
  }
  readings_.push_back(
      {buffer, view.dtype, address, bounds, indices, std::move(terms), view.scalar, value});
  return value;
}

ValueId KernelBuilder::load(int buffer, DType dtype, const Affine& address) {
  return emit({.kind = Instruction::Kind::load,
               .dtype = dtype,
               .buffer = buffer,
               .address = address,
               .type = ir::compute_dtype(dtype)});
}

// What the first member has, combined with what the others have.
ValueId KernelBuilder::combine(const PeerReading& peers, const View& view, const Affine& address,
                               ValueId value) {
  const DType dtype = ir::compute_dtype(view.dtype);
  const auto apply = [&](ScalarOp op, ValueId other) {
    value = emit({.kind = Instruction::Kind::scalar,
                  .op = op,
                  .operands = {value, other, -1},
                  .dtype = dtype,
                  .type = dtype});
  };
  for (int member = 1; member < peers.members; ++member) {
    const int buffer = add_buffer(view.base, view.dtype, false, member);
    apply(ir::combination_of(name_of(peers.reduction)), load(buffer, view.dtype, address));
  }
  if (peers.reduction == runtime::Reduction::mean) {
    apply(ScalarOp::div, emit({.kind = Instruction::Kind::constant,
                               .dtype = dtype,
                               .constant = ir::cell_of(dtype, peers.members),
                               .type = dtype}));
  }
  return dtype == view.dtype ? value : round(value, view.dtype);
}

ValueId KernelBuilder::round(ValueId value, DType dtype) {
  return emit({.kind = Instruction::Kind::round,
               .operands = {value, -1, -1},
               .dtype = dtype,
               .type = DType::f32});
}

ValueId KernelBuilder::cast(ValueId value, DType from, DType to) {
  const DType compute = ir::compute_dtype(to);
  const ValueId converted = emit({.kind = Instruction::Kind::scalar,
                                  .op = ScalarOp::cast,
                                  .operands = {value, -1, -1},
                                  .dtype = ir::compute_dtype(from),
                                  .to = compute,
                                  .type = compute});
  return compute == to ? converted : round(converted, to);
}

ValueId KernelBuilder::elementwise(const ir::Graph& graph, NodeId id,
                                   const std::function<ValueId(Value)>& operand) {
  const std::size_t count = graph.node(id).operand_count;
  const DType from = graph.type(graph.operand(id, count - 1)).dtype;
  const DType to = graph.type(graph.result(id)).dtype;
  const Op op = graph.node(id).op;
  if (op == Op::cast) return cast(operand(graph.operand(id, 0)), from, to);
  if (op == Op::bitcast) {
    return emit({.kind = Instruction::Kind::scalar,
                 .op = ScalarOp::bitcast,
                 .operands = {operand(graph.operand(id, 0)), -1, -1},
                 .dtype = from,
                 .to = to,
                 .type = ir::compute_dtype(to)});
  }
  const DType dtype = ir::compute_dtype(from);
  const auto constant = [&](double number) {
    return emit({.kind = Instruction::Kind::constant,
                 .dtype = dtype,
                 .constant = ir::cell_of(dtype, number),
                 .type = dtype});
  };
  if (ir::definition(op).kind == OpClass::reduce) {
    const ValueId value = operand(graph.operand(id, 0));
    if (op != Op::sum || !is_floating(from)) return value;
    // A sum starts at 0, and 0 + -0 is 0.
    return emit({.kind = Instruction::Kind::scalar,
                 .op = ScalarOp::add,
                 .operands = {value, constant(0), -1},
                 .dtype = dtype,
                 .type = dtype});
  }
  struct Part {
    ValueId value;
    DType type;
  };
  std::vector<Part> parts;
  for (const ir::ScalarNode& node : ir::definition(op).meaning->nodes) {
    const auto part = [&](std::size_t i) {
      return parts[static_cast<std::size_t>(node.operands[i])];
    };
    if (node.op == ScalarOp::argument) {
      const Value argument = graph.operand(id, static_cast<std::size_t>(node.operands[0]));
      parts.push_back({operand(argument), ir::compute_dtype(graph.type(argument).dtype)});
    } else if (node.op == ScalarOp::constant) {
      parts.push_back({constant(node.constant), dtype});
    } else {
      const DType operands = part(node.op == ScalarOp::select ? 1 : 0).type;
      const DType type = ir::is_comparison(node.op) ? DType::boolean : operands;
      Instruction instruction{
          .kind = Instruction::Kind::scalar, .op = node.op, .dtype = operands, .type = type};
      for (std::size_t i = 0; i < static_cast<std::size_t>(operand_count(node.op)); ++i) {
        instruction.operands[i] = part(i).value;
      }
      parts.push_back({emit(std::move(instruction)), type});
    }
  }
  const ValueId value = parts.back().value;
  return ir::compute_dtype(to) == to ? value : round(value, to);
}

ValueId KernelBuilder::reduce(ScalarOp combine, DType dtype, ValueId value) {
  const ValueId result = kernel().value_count++;
  segment().reductions.push_back(
      {.combine = combine, .dtype = dtype, .value = value, .result = result});
  return result;
}

void KernelBuilder::store(Value value, DType dtype, const Affine& address, ValueId computed) {
  const int buffer = add_buffer(value, dtype, true);
  segment().stores.push_back({.buffer = buffer, .address = address, .value = computed});
}

int KernelBuilder::add_buffer(Value value, DType dtype, bool written, int member,
                              const std::vector<Start>& starts) {
  for (std::size_t i = 0; i < lowered_.arguments.size(); ++i) {
    const LoweredKernel::Argument& argument = lowered_.arguments[i];
    const KernelBuffer& buffer = kernel().buffers[i];
    if (argument.value == value && argument.member == member && buffer.written == written &&
        buffer.dtype == dtype && buffer.starts == starts) {
      return static_cast<int>(i);
    }
  }
  lowered_.arguments.push_back({.value = value, .member = member});
  kernel().buffers.push_back({.dtype = dtype, .written = written, .starts = starts});
  return static_cast<int>(lowered_.arguments.size()) - 1;
}

std::vector<Start> KernelBuilder::starts_of(const View& view) {
  std::vector<Start> out;
  for (const View::Start& start : view.starts) {
    out.push_back({.buffer = add_buffer(start.index, start.dtype, false),
                   .element = start.element,
                   .most = start.most,
                   .stride = start.stride});
  }
  return out;
}

}  // namespace tutti::codegen

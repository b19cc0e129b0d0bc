#include <tutti/codegen/kernel/kernel.h>
#include <tutti/ir/names.h>
#include <tutti/ir/neutral.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

namespace tutti::codegen {

namespace {

void append(std::string& text, std::int64_t number) { text += std::to_string(number); }
void append_value(std::string& text, ValueId id) { (text += '%') += std::to_string(id); }

// The shortest decimal that reads back as the same number; a NaN with its bits.
template <class T, class Bits>
void append_float(std::string& text, T number) {
  char digits[64];
  std::to_chars_result end;
  if (std::isnan(number)) {
    Bits bits;
    std::memcpy(&bits, &number, sizeof(bits));
    text += "nan:0x";
    end = std::to_chars(digits, digits + sizeof(digits), bits, 16);
  } else {
    end = std::to_chars(digits, digits + sizeof(digits), number);
  }
  text.append(digits, end.ptr);
}

void append_cell(std::string& text, DType dtype, ir::Cell cell) {
  if (dtype == DType::boolean) {
    text += cell.truth ? "true" : "false";
  } else if (dtype == DType::f64) {
    append_float<double, std::uint64_t>(text, cell.number);
  } else if (is_floating(dtype)) {
    append_float<float, std::uint32_t>(text, cell.single);
  } else if (is_unsigned(dtype)) {
    text += std::to_string(cell.natural);
  } else {
    append(text, cell.integer);
  }
}

// "3 + 128*o0 - i1"; `with_inner` is false in point segments, where inner strides mean nothing.
// What a load's terms add comes behind: "o1 + 64*clamp(%3, 999)".
void append_affine(std::string& text, const Affine& affine, bool with_inner,
                   const Instruction* load = nullptr) {
  bool first = true;
  const auto term = [&](std::int64_t factor, char axis, std::size_t number) {
    if (factor == 0 && axis != '%') return;
    if (!first) text += factor < 0 ? " - " : " + ";
    if (first && factor < 0) text += '-';
    // The magnitude of the least integer only exists unsigned.
    const auto magnitude = factor < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(factor)
                                      : static_cast<std::uint64_t>(factor);
    const bool constant = axis == 0;
    if (constant || magnitude != 1) text += std::to_string(magnitude);
    if (!constant) {
      if (magnitude != 1) text += '*';
      if (axis == '%') {
        text += "clamp(";
        append_value(text, load->operands[number]);
        text += ", ";
        append(text, load->terms[number].most);
        text += ')';
      } else {
        (text += axis) += std::to_string(number);
      }
    }
    first = false;
  };
  term(affine.offset, 0, 0);
  for (std::size_t i = 0; i < affine.outer.size(); ++i) term(affine.outer[i], 'o', i);
  if (with_inner) {
    for (std::size_t i = 0; i < affine.inner.size(); ++i) term(affine.inner[i], 'i', i);
  }
  for (std::size_t i = 0; load != nullptr && i < load->terms.size(); ++i) {
    term(load->terms[i].stride, '%', i);
  }
  if (first) text += '0';
}

void append_access(std::string& text, int buffer, const Affine& address, bool with_inner,
                   const Instruction* load = nullptr) {
  (text += 'b') += std::to_string(buffer);
  text += '[';
  append_affine(text, address, with_inner, load);
  text += ']';
}

// at 8*clamp(b3[0], 5) + clamp(b3[1], 7)
void append_starts(std::string& text, const KernelBuffer& buffer) {
  for (std::size_t i = 0; i < buffer.starts.size(); ++i) {
    const Start& start = buffer.starts[i];
    text += i == 0 ? " at " : " + ";
    if (start.stride != 1) {
      append(text, start.stride);
      text += '*';
    }
    text += "clamp(b";
    append(text, start.buffer);
    text += '[';
    append(text, start.element);
    text += "], ";
    append(text, start.most);
    text += ')';
  }
}

// where o1 in 3..10, i0 in 0..4 else 0
void append_bounds(std::string& text, const Instruction& load) {
  for (std::size_t i = 0; i < load.bounds.size(); ++i) {
    const Bound& bound = load.bounds[i];
    text += i == 0 ? " where " : ", ";
    text += bound.inner ? 'i' : 'o';
    append(text, bound.axis);
    text += " in ";
    append(text, bound.begin);
    text += "..";
    append(text, bound.end);
  }
  if (load.bounds.empty()) return;
  text += " else ";
  append_cell(text, load.type, load.constant);
}

void append_instruction(std::string& text, const Instruction& instruction, bool in_loop) {
  text += "    ";
  append_value(text, instruction.result);
  text += ": ";
  text += name_of(instruction.type);
  text += " = ";
  switch (instruction.kind) {
    case Instruction::Kind::scalar:
      text += ir::name_of(instruction.op);
      (text += '.') += name_of(instruction.dtype);
      if (instruction.op == ir::ScalarOp::cast || instruction.op == ir::ScalarOp::bitcast) {
        (text += '.') += name_of(instruction.to);
      }
      for (int i = 0; i < ir::operand_count(instruction.op); ++i) {
        text += i == 0 ? " " : ", ";
        append_value(text, instruction.operands[static_cast<std::size_t>(i)]);
      }
      break;
    case Instruction::Kind::constant:
      text += "constant ";
      append_cell(text, instruction.dtype, instruction.constant);
      break;
    case Instruction::Kind::load:
      text += "load ";
      append_access(text, instruction.buffer, instruction.address, in_loop, &instruction);
      append_bounds(text, instruction);
      break;
    case Instruction::Kind::index:
      text += "index ";
      append_affine(text, instruction.address, in_loop);
      break;
    case Instruction::Kind::round:
      text += "round.";
      text += name_of(instruction.dtype);
      text += ' ';
      append_value(text, instruction.operands[0]);
      break;
  }
  text += '\n';
}

void append_extents(std::string& text, std::span<const std::int64_t> extents) {
  text += '[';
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i > 0) text += ", ";
    append(text, extents[i]);
  }
  text += ']';
}

// Everything but the name.
std::string print_nameless(const Kernel& kernel) {
  std::string text = "outer ";
  append_extents(text, kernel.outer);
  text += " inner ";
  append_extents(text, kernel.inner);
  text += kernel.vector_axis == VectorAxis::outer ? " along outer" : " along inner";
  text += " block ";
  append(text, kernel.block);
  text += " values ";
  append(text, kernel.value_count);
  text += " {\n";
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    text += "  b" + std::to_string(i) + ": ";
    text += name_of(kernel.buffers[i].dtype);
    text += kernel.buffers[i].written ? " written" : " read";
    append_starts(text, kernel.buffers[i]);
    text += '\n';
  }
  for (const Segment& segment : kernel.segments) {
    text += segment.loop ? "  loop\n" : "  point\n";
    for (const Instruction& instruction : segment.body) {
      append_instruction(text, instruction, segment.loop);
    }
    for (const Store& store : segment.stores) {
      text += "    ";
      append_access(text, store.buffer, store.address, segment.loop);
      text += " = ";
      append_value(text, store.value);
      text += '\n';
    }
    for (const Reduction& reduction : segment.reductions) {
      text += "    ";
      append_value(text, reduction.result);
      text += ": ";
      text += name_of(reduction.dtype);
      text += " = reduce.";
      text += ir::name_of(reduction.combine);
      text += ' ';
      append_value(text, reduction.value);
      text += '\n';
    }
  }
  return text += "}\n";
}

}  // namespace

std::int64_t Kernel::tiles() const {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    const bool cut = vector_axis == VectorAxis::outer && i + 1 == outer.size();
    count *= cut ? (outer[i] + block - 1) / block : outer[i];
  }
  return count;
}

bool has_bounds(const Kernel& kernel) {
  return std::ranges::any_of(kernel.segments, [](const Segment& segment) {
    return std::ranges::any_of(
        segment.body, [](const Instruction& instruction) { return !instruction.bounds.empty(); });
  });
}

bool has_starts(const Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers,
                             [](const KernelBuffer& buffer) { return !buffer.starts.empty(); });
}

bool has_terms(const Kernel& kernel) {
  return std::ranges::any_of(kernel.segments, [](const Segment& segment) {
    return std::ranges::any_of(
        segment.body, [](const Instruction& instruction) { return !instruction.terms.empty(); });
  });
}

std::vector<DType> types_of_values(const Kernel& kernel) {
  std::vector<DType> out(static_cast<std::size_t>(kernel.value_count), DType::f32);
  for (const Segment& segment : kernel.segments) {
    for (const Instruction& instruction : segment.body) {
      out[static_cast<std::size_t>(instruction.result)] = instruction.type;
    }
    for (const Reduction& reduction : segment.reductions) {
      out[static_cast<std::size_t>(reduction.result)] = reduction.dtype;
    }
  }
  return out;
}

Affine index_of(const Kernel& kernel, const Bound& bound) {
  Affine out;
  out.outer.resize(kernel.outer.size(), 0);
  out.inner.resize(kernel.inner.size(), 0);
  (bound.inner ? out.inner : out.outer)[static_cast<std::size_t>(bound.axis)] = 1;
  return out;
}

std::int64_t outer_points(const Kernel& kernel) {
  std::int64_t count = 1;
  for (const std::int64_t extent : kernel.outer) count *= extent;
  return count;
}

std::int64_t inner_points(const Kernel& kernel) {
  std::int64_t count = 1;
  for (const std::int64_t extent : kernel.inner) count *= extent;
  return count;
}

ir::Cell neutral_element(ir::ScalarOp combine, DType dtype) {
  return ir::load_cell(dtype, ir::empty_combination(combine, dtype).bytes().data());
}

std::string print(const Kernel& kernel) {
  return "kernel " + ir::name_or_quoted(kernel.name) + " " + print_nameless(kernel);
}

Hash128 kernel_hash(const Kernel& kernel) { return Hasher().add(print_nameless(kernel)).finish(); }

}  // namespace tutti::codegen

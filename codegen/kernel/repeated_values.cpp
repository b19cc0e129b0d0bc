#include <tutti/codegen/kernel/repeated_values.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tutti::codegen {

namespace {

std::size_t place_of(ValueId id) { return static_cast<std::size_t>(id); }

bool is_costly(ir::ScalarOp op) {
  return ir::is_transcendental(op) || op == ir::ScalarOp::mod || op == ir::ScalarOp::div ||
         op == ir::ScalarOp::sqrt;
}

// Of equal instructions it is the same.
std::uint64_t mix(const Instruction& instruction) {
  auto out = static_cast<std::uint64_t>(instruction.kind);
  const auto add = [&](std::uint64_t part) { out = (out ^ part) * 0x9e3779b97f4a7c15U; };
  add(static_cast<std::uint64_t>(instruction.op));
  for (const ValueId operand : instruction.operands) add(static_cast<std::uint64_t>(operand));
  add(static_cast<std::uint64_t>(instruction.buffer));
  add(static_cast<std::uint64_t>(instruction.address.offset));
  return out;
}

bool are_equal(DType dtype, ir::Cell a, ir::Cell b) {
  std::array<std::byte, sizeof(ir::Cell)> of_a = {};
  std::array<std::byte, sizeof(ir::Cell)> of_b = {};
  ir::store_cell(dtype, a, of_a.data());
  ir::store_cell(dtype, b, of_b.data());
  return of_a == of_b;
}

// In all but the result.
bool are_equal(const Instruction& a, const Instruction& b) {
  return a.kind == b.kind && a.op == b.op && a.operands == b.operands && a.dtype == b.dtype &&
         a.to == b.to && a.buffer == b.buffer && a.address == b.address && a.bounds == b.bounds &&
         a.terms == b.terms && a.type == b.type && are_equal(a.type, a.constant, b.constant);
}

}  // namespace

std::vector<ValueId> find_repeated_values(const Kernel& kernel) {
  const auto count = static_cast<std::size_t>(kernel.value_count);
  std::vector<ValueId> first(count, -1);
  std::vector<ValueId> same(count, -1);  // the first of all that are equal, also of one loop
  std::vector<std::size_t> loop_of(count);
  // Instructions of the loops so far that are the first of their kind; so are their operands.
  std::unordered_multimap<std::uint64_t, Instruction> known;
  for (std::size_t loop = 0; loop < kernel.segments.size(); ++loop) {
    if (!kernel.segments[loop].loop) continue;
    for (Instruction instruction : kernel.segments[loop].body) {
      for (ValueId& operand : instruction.operands) {
        if (operand >= 0 && same[place_of(operand)] >= 0) operand = same[place_of(operand)];
      }
      const ValueId result = instruction.result;
      loop_of[place_of(result)] = loop;
      const std::uint64_t key = mix(instruction);
      const auto [begin, end] = known.equal_range(key);
      const auto found = std::find_if(
          begin, end, [&](const auto& other) { return are_equal(other.second, instruction); });
      if (found == end) {
        known.emplace(key, std::move(instruction));
        continue;
      }
      const ValueId other = found->second.result;
      same[place_of(result)] = other;
      if (loop_of[place_of(other)] < loop) first[place_of(result)] = other;
    }
  }
  return first;
}

std::vector<bool> find_costly_values(const Kernel& kernel) {
  std::vector<bool> costly(static_cast<std::size_t>(kernel.value_count));
  for (const Segment& segment : kernel.segments) {
    if (!segment.loop) continue;
    // Of this loop alone: those of others are there already.
    std::vector<bool> own(costly.size());
    for (const Instruction& instruction : segment.body) {
      bool is = instruction.kind == Instruction::Kind::scalar && is_costly(instruction.op);
      for (const ValueId operand : instruction.operands) {
        is = is || (operand >= 0 && own[place_of(operand)]);
      }
      own[place_of(instruction.result)] = is;
      if (is) costly[place_of(instruction.result)] = true;
    }
  }
  return costly;
}

}  // namespace tutti::codegen

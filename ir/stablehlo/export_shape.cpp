#include <tutti/ir/stablehlo/export_step.h>

#include <algorithm>

// Shapes, and what is made from nothing.
namespace tutti::ir::stablehlo {

namespace {

using List = std::vector<std::int64_t>;

void reshape(ExportStep& step) {
  step.result(step.writer.reshape(step.operand(0), step.type().shape));
}

void same(ExportStep& step) { step.result(step.operand(0)); }

void broadcast_to(ExportStep& step) {
  step.result(step.writer.broadcast(step.operand(0), step.type().shape));
}

// An operation of one operand, with a list of dimensions.
void with_dimensions(ExportStep& step, const std::string& name, const List& dimensions) {
  const TextValue& x = step.operand(0);
  const Type& type = step.type();
  const std::string text =
      "stablehlo." + name + " " + x.name + ", dims = [" + numbers_text(dimensions) + "]";
  if (x.shape == type.shape && name == "reverse") {
    return step.result(step.writer.operation(text, x.type(), x.dtype, x.shape));
  }
  step.result(step.writer.mapped(text, std::array{x}, type.dtype, type.shape));
}

void transpose(ExportStep& step) {
  with_dimensions(step, "transpose", step.attributes.integers("permutation"));
}

void reverse(ExportStep& step) {
  if (step.attributes.integers("axes").empty()) return same(step);
  with_dimensions(step, "reverse", step.attributes.integers("axes"));
}

void slice(ExportStep& step) {
  step.result(step.writer.slice(step.operand(0), step.attributes.integers("start"),
                                step.attributes.integers("stop"),
                                step.attributes.integers("step")));
}

// The first operand; the others only have to be there.
void optimization_barrier(ExportStep& step) {
  step.result(
      step.writer.with_regions("optimization_barrier", step.operands, "", {}, step.operands)[0]);
}

void pad(ExportStep& step) {
  const auto list = [&](const char* name) {
    return std::string(", ") + name + " = [" + numbers_text(step.attributes.integers(name)) + "]";
  };
  step.result(step.writer.mapped(
      "stablehlo.pad " + names_text(step.operands) + list("low") + list("high") + list("interior"),
      step.operands, step.type().dtype, step.type().shape));
}

void concat(ExportStep& step) {
  step.result(step.writer.mapped("stablehlo.concatenate " + names_text(step.operands) +
                                     ", dim = " + std::to_string(step.attributes.integer("axis")),
                                 step.operands, step.type().dtype, step.type().shape));
}

void constant(ExportStep& step) {
  step.result(step.writer.constant(step.attributes.array("value")));
}

// Counted in i64 where the dtype may not hold all of it.
void iota(ExportStep& step) {
  constexpr std::int64_t kExact = 1 << 24;  // in f32
  const Type& type = step.type();
  const std::int64_t axis = step.attributes.integer("axis");
  const bool fits = size_of(type.dtype) >= 4 && type.shape[static_cast<int>(axis)] <= kExact;
  const TextValue count = step.writer.iota(fits ? type.dtype : DType::i64, type.shape, axis);
  step.result(write_cast(step.writer, count, type.dtype));
}

constexpr ExportRule kRules[] = {
    {Op::reshape, reshape},
    {Op::transpose, transpose},
    {Op::broadcast_to, broadcast_to},
    {Op::expand_dims, reshape},
    {Op::squeeze, reshape},
    {Op::slice, slice},
    {Op::reverse, reverse},
    {Op::identity, same},
    {Op::stop_gradient, same},
    {Op::optimization_barrier, optimization_barrier},
    {Op::pad, pad},
    {Op::concat, concat},
    {Op::constant, constant},
    {Op::iota, iota},
    {Op::to_device, nullptr, "a program of StableHLO lies on one device"},
};

}  // namespace

std::span<const ExportRule> exported_shapes() { return kRules; }

}  // namespace tutti::ir::stablehlo

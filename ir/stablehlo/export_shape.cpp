#include <tutti/ir/stablehlo/export_step.h>
#include <tutti/ir/stablehlo/layout.h>

#include <algorithm>

// Shapes, and what is made from nothing.
namespace tutti::ir::stablehlo {

namespace {

void export_reshape(ExportStep& step) {
  step.result(step.writer.reshape(step.operand(0), step.type().shape));
}

void export_unchanged(ExportStep& step) { step.result(step.operand(0)); }

void export_broadcast_to(ExportStep& step) {
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

void export_transpose(ExportStep& step) {
  with_dimensions(step, "transpose", step.attributes.integers("permutation"));
}

void export_reverse(ExportStep& step) {
  if (step.attributes.integers("axes").empty()) return export_unchanged(step);
  with_dimensions(step, "reverse", step.attributes.integers("axes"));
}

void export_slice(ExportStep& step) {
  step.result(step.writer.slice(step.operand(0), step.attributes.integers("start"),
                                step.attributes.integers("stop"),
                                step.attributes.integers("step")));
}

// The first operand; the others only have to be there.
void export_optimization_barrier(ExportStep& step) {
  step.result(
      step.writer.with_regions("optimization_barrier", step.operands, "", {}, step.operands)[0]);
}

void export_pad(ExportStep& step) {
  const auto list = [&](const char* name) {
    return std::string(", ") + name + " = [" + numbers_text(step.attributes.integers(name)) + "]";
  };
  step.result(step.writer.mapped(
      "stablehlo.pad " + names_text(step.operands) + list("low") + list("high") + list("interior"),
      step.operands, step.type().dtype, step.type().shape));
}

void export_concat(ExportStep& step) {
  step.result(step.writer.mapped("stablehlo.concatenate " + names_text(step.operands) +
                                     ", dim = " + std::to_string(step.attributes.integer("axis")),
                                 step.operands, step.type().dtype, step.type().shape));
}

void export_constant(ExportStep& step) {
  step.result(step.writer.constant(step.attributes.array("value")));
}

// Counted in i64 where the dtype may not hold all of it.
void export_iota(ExportStep& step) {
  constexpr std::int64_t kExact = 1 << 24;  // in f32
  const Type& type = step.type();
  const std::int64_t axis = step.attributes.integer("axis");
  const bool fits = size_of(type.dtype) >= 4 && type.shape[static_cast<int>(axis)] <= kExact;
  const TextValue count = step.writer.iota(fits ? type.dtype : DType::i64, type.shape, axis);
  step.result(write_cast(step.writer, count, type.dtype));
}

constexpr ExportRule kExportShapeRules[] = {
    {Op::reshape, export_reshape},
    {Op::transpose, export_transpose},
    {Op::broadcast_to, export_broadcast_to},
    {Op::expand_dims, export_reshape},
    {Op::squeeze, export_reshape},
    {Op::slice, export_slice},
    {Op::reverse, export_reverse},
    {Op::identity, export_unchanged},
    {Op::stop_gradient, export_unchanged},
    {Op::observe, export_unchanged},
    {Op::optimization_barrier, export_optimization_barrier},
    {Op::pad, export_pad},
    {Op::concat, export_concat},
    {Op::constant, export_constant},
    {Op::iota, export_iota},
    {Op::to_device, nullptr, "a program of StableHLO lies on one device"},
};

}  // namespace

std::span<const ExportRule> exported_shapes() { return kExportShapeRules; }

}  // namespace tutti::ir::stablehlo

#include <tutti/codegen/lower.h>
#include <tutti/codegen/schedule.h>
#include <tutti/ir/support/error.h>

namespace tutti::codegen {

using ir::ScalarOp;
using ir::Value;

LoweredKernel lower_copy(const View& view, Value target) {
  if (!view.terms.empty()) throw InternalError("what is read by indices is to be written out");
  LoweredKernel out;
  Kernel& kernel = out.kernel;
  kernel.name = "copy";
  kernel.outer.assign(view.shape.begin(), view.shape.end());
  const auto split = [&](std::int64_t offset, const auto& strides) {
    return Affine{.offset = offset,
                  .outer = {strides.begin(), strides.begin() + view.shape.rank()},
                  .inner = {}};
  };
  Segment segment;
  const DType dtype = ir::compute_dtype(view.dtype);
  Instruction load{.dtype = dtype, .result = 0, .type = dtype};
  kernel.value_count = 1;
  if (view.source == View::Source::constant) {
    load.kind = Instruction::Kind::constant;
    load.constant = ir::load_cell(view.dtype, view.scalar->bytes().data());
    segment.body.push_back(load);
  } else if (view.source == View::Source::index) {
    load.kind = Instruction::Kind::index;
    load.dtype = load.type = DType::i64;
    load.address = split(view.offset, view.strides);
    segment.body.push_back(load);
    if (view.dtype != DType::i64) {
      segment.body.push_back({.kind = Instruction::Kind::scalar,
                              .op = ScalarOp::cast,
                              .operands = {0, -1, -1},
                              .dtype = DType::i64,
                              .to = dtype,
                              .result = 1,
                              .type = dtype});
      kernel.value_count = 2;
    }
  } else {
    load.kind = Instruction::Kind::load;
    load.dtype = view.dtype;
    load.buffer = 0;
    load.address = split(view.offset, view.strides);
    for (int d = 0; d < view.shape.rank(); ++d) {
      if (!view.is_bounded(d)) continue;
      const View::Range inside = view.inside[static_cast<std::size_t>(d)];
      load.bounds.push_back({.axis = d, .begin = inside.begin, .end = inside.end});
    }
    if (!load.bounds.empty()) {
      load.constant = ir::load_cell(view.dtype, view.scalar->bytes().data());
    }
    kernel.buffers.push_back({.dtype = view.dtype, .written = false});
    out.arguments.push_back({.value = view.base});
    for (const View::Start& start : view.starts) {
      kernel.buffers[0].starts.push_back({.buffer = static_cast<int>(kernel.buffers.size()),
                                          .element = start.element,
                                          .most = start.most,
                                          .stride = start.stride});
      kernel.buffers.push_back({.dtype = start.dtype, .written = false});
      out.arguments.push_back({.value = start.index});
    }
    segment.body.push_back(load);
  }
  segment.stores.push_back({.buffer = static_cast<int>(kernel.buffers.size()),
                            .address = split(0, view.shape.strides()),
                            .value = kernel.value_count - 1});
  kernel.buffers.push_back({.dtype = view.dtype, .written = true});
  out.arguments.push_back({.value = target});
  kernel.segments.push_back(std::move(segment));
  merge_axes(kernel);
  set_block(kernel);
  check(kernel);
  return out;
}

}  // namespace tutti::codegen

#include "tests/codegen/scalar_corners.h"

#include <tutti/ir/support/error.h>

namespace tutti::codegen::kernel_testing {

void fill_with_corners(const Kernel& kernel, Arguments& arguments) {
  for (std::size_t i = 0; i < kernel.buffers.size(); ++i) {
    const DType dtype = kernel.buffers[i].dtype;
    if (kernel.buffers[i].written) continue;
    const auto size = static_cast<std::size_t>(size_of(dtype));
    for (std::size_t j = 0; j < kCornerCount; ++j) {
      ir::store_cell(dtype, ir::cell_of(ir::compute_dtype(dtype), kCorners[j]),
                     arguments.buffers[i].data() + j * size);
    }
  }
}

bool scalar_op_takes(ir::ScalarOp op, DType dtype) {
  if (op == ir::ScalarOp::cast || op == ir::ScalarOp::bitcast) return false;
  KernelMaker maker("one", {1}, {}, VectorAxis::outer, 16);
  maker.point();
  const ValueId x = maker.constant(dtype, 1);
  if (op != ir::ScalarOp::select) maker.op(op, x, x, x);
  try {
    check(maker.kernel());
  } catch (const InternalError&) {
    return false;
  }
  return true;
}

}  // namespace tutti::codegen::kernel_testing

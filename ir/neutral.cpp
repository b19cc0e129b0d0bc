#include <tutti/ir/neutral.h>

namespace tutti::ir {

Array neutral(ScalarOp combination, DType dtype) {
  switch (combination) {
    case ScalarOp::add:
      return Array::scalar_of(dtype, is_floating(dtype) ? -0.0 : 0.0);
    case ScalarOp::mul:
      return Array::scalar_of(dtype, 1);
    case ScalarOp::minimum:
      return Array::scalar_of(dtype, reach_of(dtype));
    case ScalarOp::maximum:
      return Array::scalar_of(dtype, -reach_of(dtype));
    case ScalarOp::bit_and: {
      Array out(dtype, {});
      store_cell(dtype, evaluate(ScalarOp::bit_not, dtype, {cell_of(dtype, 0)}),
                 out.bytes().data());
      return out;
    }
    default:
      return {dtype, {}};
  }
}

}  // namespace tutti::ir

#include <tutti/ir/neutral.h>
#include <tutti/ir/support/error.h>

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
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
      return {dtype, {}};
    default:
      throw InternalError("nothing is neutral to " + std::string(name_of(combination)));
  }
}

Array empty_combination(ScalarOp combination, DType dtype) {
  return combination == ScalarOp::add ? Array(dtype, {}) : neutral(combination, dtype);
}

}  // namespace tutti::ir
